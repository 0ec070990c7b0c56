/// Native commands of MIFARE DESFire, wrapped in APDUs, that format a card as an NFC Forum type 4
/// tag: NXP AN11004; MF3ICDx21_41_81 data sheet, 9.
struct DESFireCommands {
  private enum Code: UInt8 {
    case selectApplication = 0x5A
    case createApplication = 0xCA
    case createStandardDataFile = 0xCD
    case getFileSettings = 0xF5
    case changeFileSettings = 0x5F
    case writeData = 0x3D
    case freeMemory = 0x6E
  }

  /// The status byte of an answer.
  enum Status {
    static let operationOK: UInt8 = 0x00
    static let outOfMemory: UInt8 = 0x0E
    static let permissionDenied: UInt8 = 0x9D
    static let authenticationError: UInt8 = 0xAE
    static let duplicate: UInt8 = 0xDE
  }

  /// Data is neither encrypted nor has it a check.
  private static let plain: UInt8 = 0x00

  let link: TagLink

  /// Sends a command.
  ///
  /// - Returns: the answer's data; `nil` for one of the statuses in `expected`.
  private func send(
    _ code: Code, _ parameters: [UInt8], expecting expected: [UInt8] = []
  ) throws -> [UInt8]? {
    let answer = try DESFireWrapping.send(code.rawValue, parameters, link)
    guard answer.sw1 == DESFireWrapping.wrappedStatus else {
      throw NFCError(
        .tagRefused, "the card has refused the command", cause: .statusWord(answer.statusWord))
    }
    if answer.sw2 == Status.operationOK { return answer.data }
    if expected.contains(answer.sw2) { return nil }
    let cause = NFCError.Cause.desfireStatus(answer.sw2)
    switch answer.sw2 {
    case Status.authenticationError, Status.permissionDenied:
      throw NFCError(.notAuthenticated, "the card requires a key first", cause: cause)
    default:
      throw NFCError(.tagRefused, "the card has refused the command", cause: cause)
    }
  }

  /// The card itself is application 0.
  func selectApplication(_ number: Int) throws {
    _ = try send(.selectApplication, Self.bytes(number, count: 3))
  }

  func freeMemory() throws -> Int {
    let data = try send(.freeMemory, []) ?? []
    return data.prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// - Parameters:
  ///   - settings: what needs the application's master key (data sheet, 9.3.4).
  ///   - keys: number of keys, bit 6 for files with ISO/IEC 7816-4 names.
  /// - Returns: `false` if the number or the name is already used.
  func createApplication(
    _ number: Int, settings: UInt8, keys: UInt8, isoIdentifier: UInt16, name: [UInt8]
  ) throws -> Bool {
    try send(
      .createApplication,
      Self.bytes(number, count: 3) + [settings, keys] + Self.bytes(Int(isoIdentifier), count: 2)
        + name, expecting: [Status.duplicate]) != nil
  }

  enum Creation: Hashable {
    case done
    case isThere
    case noRoom
  }

  /// - Parameter rights: the keys that may read, write, do both, and change this; half a byte each.
  func createStandardDataFile(
    _ number: UInt8, isoIdentifier: UInt16, rights: UInt16, size: Int
  ) throws -> Creation {
    do {
      let answer = try send(
        .createStandardDataFile,
        [number] + Self.bytes(Int(isoIdentifier), count: 2) + [Self.plain]
          + Self.bytes(Int(rights), count: 2) + Self.bytes(size, count: 3),
        expecting: [Status.duplicate])
      return answer == nil ? .isThere : .done
    } catch let error as NFCError where error.cause == .desfireStatus(Status.outOfMemory) {
      return .noRoom
    }
  }

  /// The answer to GetFileSettings.
  struct FileSettings: Hashable {
    var rights: UInt16
    var size: Int

  }

  func fileSettings(_ number: UInt8) throws -> FileSettings {
    let data = try send(.getFileSettings, [number]) ?? []
    guard data.count >= 7 else {
      throw NFCError(.tagResponseError, "the card's answer is too short")
    }
    return FileSettings(
      rights: UInt16(data[2]) | UInt16(data[3]) << 8,
      size: data[4..<7].reversed().reduce(0) { $0 << 8 | Int($1) })
  }

  /// Only for a file whose rights everybody may change.
  func changeFileSettings(_ number: UInt8, rights: UInt16) throws {
    _ = try send(
      .changeFileSettings, [number, Self.plain] + Self.bytes(Int(rights), count: 2))
  }

  /// At most what fits one frame, 52 bytes.
  func writeData(_ number: UInt8, _ data: [UInt8]) throws {
    _ = try send(
      .writeData, [number] + Self.bytes(0, count: 3) + Self.bytes(data.count, count: 3) + data)
  }

  /// Least significant byte first.
  private static func bytes(_ value: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
