/// The NDEF file of a type 4 tag, and the number of its bytes in one command.
struct Type4File: Hashable, Sendable {
  let identifier: UInt16
  let isVersion1: Bool
  /// In bytes, the length field included, as far as commands reach.
  let size: Int
  /// As the capability container has it.
  private let wholeSize: Int
  /// 2 or 4.
  let lengthSize: Int
  let isReadable: Bool
  var isWritable: Bool
  /// Whether reading the file requires a password; the next property is for writing.
  let hasReadPassword: Bool
  let hasWritePassword: Bool
  let writeAccessOffset: Int
  /// The maximum numbers of bytes for reading and writing with one command; refusals of the card
  /// lower them.
  private(set) var readLimit: Int
  private(set) var updateLimit: Int
  /// Whether the card refuses to read beyond the message.
  private(set) var endsWithMessage = false

  /// Class, instruction, P1, P2, Lc; and the status word of an answer.
  private static let commandOverhead = 5
  private static let statusWordSize = 2

  /// The number of bytes of an answer that a PN53x collects before it asks its host to fetch them:
  /// it receives frames of 64 bytes, four of which leave no room for a fifth. PCB and CRC are not
  /// part of the answer, nor is the CID that libnfc gives to type B cards. libnfc does not notice
  /// when the fetch fails, and treats what it has as complete. It is not confirmed that the chip
  /// looks ahead in this way; a reader that does not loses next to nothing.
  private static let longestAnswer = 4 * (64 - 3)
  private static let longestTypeBAnswer = 4 * (64 - 4)

  /// The number of bytes that the first READ BINARY requests: what one frame of 64 bytes holds, which is the largest
  /// that a PN53x receives, without PCB, CID, NAD, CRC and status word. Most messages are shorter, and a card that is
  /// asked for more sends the rest of its file in further frames.
  static let firstRead = 64 - 7

  init(_ container: Type4CapabilityContainer, _ link: TagLink, _ passwords: Type4Passwords? = nil) {
    let file = container.file
    let capabilities = link.capabilities
    let answer =
      link.target.technology == .iso14443b ? Self.longestTypeBAnswer : Self.longestAnswer
    identifier = file.identifier
    isVersion1 = container.majorVersion == 1
    lengthSize = file.lengthSize
    size = min(
      file.size, Type4CapabilityContainer.reach(majorVersion: container.majorVersion))
    wholeSize = file.size
    hasReadPassword = file.readAccess == Type4FileControl.passwordAccess
    hasWritePassword = file.writeAccess == Type4FileControl.passwordAccess
    isReadable =
      file.isReadable
      || hasReadPassword && passwords?.read != nil
    isWritable =
      file.isWritable
      || hasWritePassword && passwords?.write != nil
    writeAccessOffset = container.writeAccessOffset
    readLimit = min(
      container.maximumReadLength, Type4Command.maximumExpectedLength,
      max(1, min(answer, capabilities.maximumResponseLength) - Self.statusWordSize))
    updateLimit = min(
      container.maximumUpdateLength, Type4Command.maximumData,
      max(1, capabilities.maximumCommandLength - Self.commandOverhead))
  }

  /// The longest message; a length field of two bytes cannot say more than FFFE.
  var capacity: Int { min(size - lengthSize, lengthSize == 2 ? 0xFFFE : size) }

  /// - Throws: `notAuthenticated`: a file whose reading requires a key is not an NDEF file without
  ///   that key (Type 4 Tag Operation Specification 2.0, 6.1).
  func checkReadable() throws {
    guard !isReadable else { return }
    throw NFCError(
      .notAuthenticated, "reading the NDEF file requires a key", place: .file(identifier))
  }

  /// The change of the capability container by which the file becomes read-only.
  var lockStep: LockStep {
    let access = hasWritePassword ? Type4FileControl.passwordAccess : Type4FileControl.freeAccess
    return LockStep(
      .file(Type4CapabilityContainer.fileIdentifier),
      .bytes(before: [access], after: [Type4FileControl.noAccess]))
  }

  func lengthField(_ length: Int) -> [UInt8] {
    (0..<lengthSize).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
  }

  /// Returns where the message ends, by the file's first bytes.
  ///
  /// - Throws: `malformedContent` if that is not in the file, `unsupported` if no command reaches it.
  func end(_ content: [UInt8]) throws -> Int {
    let length = content.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
    if length > capacity, length <= wholeSize - lengthSize {
      throw NFCError(
        .unsupported, "the message reaches beyond what the card's commands can address",
        place: .file(identifier))
    }
    guard content.count >= lengthSize, length <= capacity else {
      throw NFCError(
        .malformedContent,
        "the length field gives \(length) bytes, and the file has room for \(capacity)",
        place: .file(identifier))
    }
    return lengthSize + length
  }

  /// Whether the card lets everybody write, and how much.
  var status: NDEFStatus {
    NDEFStatus(access: isWritable ? .readWrite : .readOnly, capacity: capacity)
  }

  /// In how many parts the whole file is waited for.
  var toleratedParts: Int {
    size / ISO7816Procedure.leastAnswer + ISO7816Procedure.toleratedShortAnswers
  }

  /// The refusals that say nothing about the number of bytes.
  private static let accessRefusals: [StatusWord] = [
    .securityStatusNotSatisfied, .authenticationMethodBlocked, .conditionsOfUseNotSatisfied,
  ]

  /// Reads the first bytes of the file: at least one.
  ///
  /// An app that stands for a tag may have nothing beyond its message, and refuse a command that reaches further,
  /// with 6A82 for instance: several public samples of host-based card emulation for Android do. From then on, the
  /// length field is read by itself, as in the procedure of the Type 4 Tag Operation Specification.
  mutating func readBeginning(_ count: Int, _ procedure: ISO7816Procedure) throws -> [UInt8] {
    do {
      return try read(offset: 0, count: count, procedure)
    } catch let error as NFCError {
      guard count > lengthSize, case .statusWord(let word)? = error.cause,
        !Self.accessRefusals.contains(StatusWord(rawValue: word))
      else { throw error }
      let length = try read(offset: 0, count: lengthSize, procedure)
      endsWithMessage = true
      return length
    }
  }

  /// One READ BINARY, or several if the card refuses this many bytes: at least one byte.
  mutating func read(
    offset: Int, count: Int, _ procedure: ISO7816Procedure
  ) throws -> [UInt8] {
    var reading = BinaryReading(limit: readLimit, smallest: ISO7816Procedure.leastAnswer)
    defer { readLimit = reading.limit }
    return try Self.part(of: identifier, offset: offset, count: count, &reading, procedure)
  }

  mutating func update(
    offset: Int, _ data: [UInt8], _ procedure: ISO7816Procedure
  ) throws {
    do {
      try procedure.updateBinary(
        file: identifier, offset: offset, data: data, limit: &updateLimit)
    } catch let error as NFCError {
      throw Self.placed(error)
    }
  }

  /// Reads one part of a file, at least one byte.
  static func part(
    of file: UInt16, offset: Int, count: Int, _ reading: inout BinaryReading,
    _ procedure: ISO7816Procedure
  ) throws -> [UInt8] {
    do {
      let part = try procedure.readPart(
        file: file, offset: offset, count: count, reading: &reading)
      guard !part.bytes.isEmpty else { throw endOfFile(nil, file: file) }
      return part.bytes
    } catch let error as NFCError {
      throw placed(error)
    }
  }

  /// A refusal of an offset means that a file is shorter than its capability container says.
  private static func placed(_ error: NFCError) -> NFCError {
    guard case .statusWord(let word)? = error.cause, error.code == .tagRefused else { return error }
    switch StatusWord(rawValue: word) {
    case .wrongParameters, .notEnoughMemory: return endOfFile(error.cause, place: error.place)
    default: return error
    }
  }

  private static func endOfFile(_ cause: NFCError.Cause?, place: NFCError.Place?) -> NFCError {
    NFCError(
      .malformedContent, "the file ends before its content does", cause: cause, place: place)
  }

  private static func endOfFile(_ cause: NFCError.Cause?, file: UInt16) -> NFCError {
    endOfFile(cause, place: .file(file))
  }
}
