import NFC

/// The custom commands of NXP's ICODE chips for passwords and article surveillance (SL2S2602 data sheet
/// rev. 4.2, 9.5.3).
struct ICODECommands: Sendable {
  let tag: any ISO15693Tag

  init(_ tag: any ISO15693Tag) { self.tag = tag }

  private enum Code {
    static let alarmEAS: UInt8 = 0xA5
    static let getSystemInformation: UInt8 = 0xAB
    static let getRandomNumber: UInt8 = 0xB2
    static let setPassword: UInt8 = 0xB3
    static let writePassword: UInt8 = 0xB4
    static let protectPage: UInt8 = 0xB6
    static let readSignature: UInt8 = 0xBD
  }

  /// What a password is for (table 21).
  enum Password: UInt8, CaseIterable {
    case read = 0x01
    case write = 0x02
  }

  static let passwordSize = 4
  /// As the chip leaves the factory (9.5.3.2).
  static let factoryPassword: [UInt8] = [0, 0, 0, 0]
  private static let signatureSize = 32
  private static let randomSize = 2
  private static let nxp: UInt8 = 0x04

  private func send(_ code: UInt8, _ parameters: [UInt8] = []) async throws -> [UInt8] {
    try await tag.send(.custom(code: code, manufacturer: Self.nxp, parameters: parameters))
  }

  // MARK: Asking

  /// Which password a part of the memory needs.
  struct Part: Hashable, Sendable {
    var read: Bool
    var write: Bool
  }

  /// GET NXP SYSTEM INFORMATION (9.5.3.20; Flipper Zero, slix.c).
  struct State: Hashable, Sendable {
    /// The first block of the high part.
    var pointer: Int
    var lowPart: Part
    var highPart: Part
    var isAFILocked: Bool
    var isEASLocked: Bool
    var isDSFIDLocked: Bool
    var isProtectionLocked: Bool

    fileprivate init?(_ bytes: [UInt8]) {
      guard bytes.count >= 3 else { return nil }
      pointer = Int(bytes[0])
      lowPart = Part(read: bytes[1] & 0x01 != 0, write: bytes[1] & 0x02 != 0)
      highPart = Part(read: bytes[1] & 0x10 != 0, write: bytes[1] & 0x20 != 0)
      isAFILocked = bytes[2] & 0x01 != 0
      isEASLocked = bytes[2] & 0x02 != 0
      isDSFIDLocked = bytes[2] & 0x04 != 0
      isProtectionLocked = bytes[2] & 0x08 != 0
    }

    /// The byte that PROTECT PAGE takes for both parts.
    static func conditions(_ low: Part, _ high: Part) -> UInt8 {
      (low.read ? 0x01 : 0) | (low.write ? 0x02 : 0) | (high.read ? 0x10 : 0)
        | (high.write ? 0x20 : 0)
    }
  }

  /// - Throws: `NFCError` `tagResponseError` for an answer that is too short.
  func state() async throws -> State {
    guard let state = State(try await send(Code.getSystemInformation)) else {
      throw NFCError(.tagResponseError, "the tag's answer about its protection is too short")
    }
    return state
  }

  /// Reads the maker's signature of the UID, 32 bytes.
  func signature() async throws -> [UInt8] {
    let bytes = try await send(Code.readSignature)
    guard bytes.count == Self.signatureSize else {
      throw NFCError(.tagResponseError, "the signature has \(bytes.count) bytes")
    }
    return bytes
  }

  /// What the tag answers to the gate of a shop; it is silent if its article surveillance is off.
  func alarm() async throws -> [UInt8] { try await send(Code.alarmEAS) }

  // MARK: Passwords

  /// Gives the tag a password, which it needs until the field is off. A wrong one makes it deaf until then.
  ///
  /// - Throws: `NFCError` `authenticationFailed`.
  func give(_ password: [UInt8], for use: Password) async throws {
    let random = try await send(Code.getRandomNumber)
    guard random.count == Self.randomSize, password.count == Self.passwordSize else {
      throw NFCError(.tagResponseError, "the random number has \(random.count) bytes")
    }
    // The random number twice, over the password (9.5.3.2).
    let cover = zip(password, random + random).map { $0 ^ $1 }
    do {
      _ = try await send(Code.setPassword, [use.rawValue] + cover)
    } catch let error as NFCError where error.group == .refusal || error.cause == .noAnswer {
      var failure = NFCError(.authenticationFailed, "the password is wrong")
      failure.cause = error.cause
      throw failure
    }
  }

  /// Gives the tag the same password for reading and for writing.
  func open(_ password: [UInt8]) async throws {
    for use in Password.allCases { try await give(password, for: use) }
  }

  /// Writes a new password. The old one has to be given before.
  func write(_ password: [UInt8], for use: Password) async throws {
    _ = try await send(Code.writePassword, [use.rawValue] + password)
  }

  /// Says which blocks need a password. Both passwords have to be given before.
  func protect(from pointer: Int, low: Part, high: Part) async throws {
    _ = try await send(
      Code.protectPage, [UInt8(clamping: pointer), State.conditions(low, high)])
  }
}
