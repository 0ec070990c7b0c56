import SwiftNFCCore

/// Commands to the NDEF file of an ST25TA, inside a procedure that holds the reader: ISO/IEC 7816-4; SRTAG2KL data sheet
/// (DocID026583 rev. 2), 5.7 and 5.8.
struct ST25TAProcedure {
  private enum Code {
    static let select: UInt8 = 0xA4
    static let readBinary: UInt8 = 0xB0
    static let changeReferenceData: UInt8 = 0x24
    static let disableVerification: UInt8 = 0x26
    static let enableVerification: UInt8 = 0x28
    static let enablePermanentState: UInt8 = 0x28
    /// The class of ST's own commands.
    static let proprietaryClass: UInt8 = 0xA2
  }

  private enum Parameter {
    static let byName: UInt8 = 0x04
    static let noAnswer: UInt8 = 0x0C
  }

  private static let container = Type4CapabilityContainer.fileIdentifier
  private static let containerSize = 15

  let link: TagLink
  private(set) var file: UInt16 = 0

  init(_ link: TagLink) { self.link = link }

  private func send(
    _ code: UInt8, _ parameter: UInt16, _ data: [UInt8] = [], expected: Int? = nil,
    instructionClass: UInt8 = 0x00
  ) throws -> ResponseAPDU {
    let command = APDU(
      instructionClass: instructionClass, instructionCode: code, p1: UInt8(parameter >> 8),
      p2: UInt8(parameter & 0xFF), data: data, expectedLength: expected)
    return try ResponseAPDU(link.transceive(command.encoded))
  }

  private func refusal(_ answer: ResponseAPDU, _ reason: String) -> NFCError {
    let needsPassword = answer.status == .securityStatusNotSatisfied
    return NFCError(
      needsPassword ? .notAuthenticated : .tagRefused, reason,
      cause: .statusWord(answer.statusWord), place: .file(file))
  }

  private func select(_ file: UInt16) throws {
    let answer = try send(Code.select, UInt16(Parameter.noAnswer), bytes(of: file))
    guard answer.isSuccess else {
      throw NFCError(
        .malformedContent, "the NDEF application lacks a file",
        cause: .statusWord(answer.statusWord), place: .file(file))
    }
  }

  private func bytes(of file: UInt16) -> [UInt8] { [UInt8(file >> 8), UInt8(file & 0xFF)] }

  /// Selects the application and the NDEF file, and reads who may access it: four exchanges.
  mutating func open() throws -> ST25TAAccess {
    let answer = try send(
      Code.select, UInt16(Parameter.byName) << 8, ApplicationIdentifier.ndef.bytes, expected: 256)
    guard answer.isSuccess else {
      throw NFCError(
        .notNDEF, "the card has no NDEF application", cause: .statusWord(answer.statusWord))
    }
    file = Self.container
    try select(file)
    let container = try send(Code.readBinary, 0, expected: Self.containerSize)
    guard container.isSuccess, container.data.count == Self.containerSize else {
      throw refusal(container, "the capability container cannot be read")
    }
    file = UInt16(container.data[9]) << 8 | UInt16(container.data[10])
    try select(file)
    guard let read = ST25TAAccess.Right(container.data[13], closed: Access.noRead),
      let write = ST25TAAccess.Right(container.data[14], closed: Access.noWrite)
    else {
      throw NFCError(
        .malformedContent, "the capability container has an access condition that is not known",
        place: .file(Self.container))
    }
    return ST25TAAccess(read: read, write: write)
  }

  /// Access conditions of the capability container (SRTAG2KL data sheet, 3.2) that nothing undoes.
  private enum Access {
    static let noRead: UInt8 = 0xFE
    static let noWrite: UInt8 = 0xFF
  }

  /// Presents a password: one exchange.
  func verify(_ number: ST25TATag.Password, _ password: SecretKey) throws {
    try password.withBytes {
      try Type4Verification.verify(number.verification, $0, file: file, link)
    }
  }

  /// Changes a password: one exchange. This and the following commands require that the write
  /// password was verified before.
  func change(_ number: ST25TATag.Password, to password: SecretKey) throws {
    let answer = try password.withBytes {
      try send(Code.changeReferenceData, UInt16(number.rawValue), $0)
    }
    guard answer.isSuccess else { throw refusal(answer, "the card does not change its password") }
  }

  func require(_ number: ST25TATag.Password, _ isRequired: Bool) throws {
    let answer = try send(
      isRequired ? Code.enableVerification : Code.disableVerification, UInt16(number.rawValue))
    guard answer.isSuccess else { throw refusal(answer, "the card does not change who may use it") }
  }

  func closePermanently(_ number: ST25TATag.Password) throws {
    let answer = try send(
      Code.enablePermanentState, UInt16(number.rawValue), instructionClass: Code.proprietaryClass)
    guard answer.isSuccess else { throw refusal(answer, "the card does not close its file") }
  }
}

/// Who may read and write the NDEF file of an ST25TA: two bytes of its capability container
/// (SRTAG2KL data sheet, 3.2).
public struct ST25TAAccess: Hashable, Sendable {
  /// What reading or writing requires.
  @nonexhaustive
  public enum Right: Hashable, Sendable {
    /// Nothing.
    case open
    /// The password.
    case password
    /// Nobody may do it, permanently.
    case closed

    /// - Parameter closed: the byte that permits nobody; those for reading and writing are different.
    init?(_ byte: UInt8, closed: UInt8) {
      switch byte {
      case 0x00: self = .open
      case 0x80: self = .password
      case closed: self = .closed
      default: return nil
      }
    }
  }

  /// What reading requires.
  public var read: Right
  /// What writing requires.
  public var write: Right
}

extension ST25TAAccess: CustomStringConvertible {
  /// A text for people.
  public var description: String {
    func words(_ right: Right, _ verb: String) -> String {
      switch right {
      case .open: verb
      case .password: "\(verb) with a password"
      case .closed: "never \(verb)"
      }
    }
    return read == write && read == .open
      ? "read and write" : "\(words(read, "read")), \(words(write, "write"))"
  }
}
