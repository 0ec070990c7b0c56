/// Native commands of MIFARE DESFire, wrapped in APDUs, that format a card as an NFC Forum type 4
/// tag: NXP AN11004; MF3ICDx21_41_81 data sheet, 9.
struct DESFireCommands {
  /// Data is neither encrypted nor has it a check.
  private static let plain: UInt8 = 0x00

  /// Those of the commands below that change nothing.
  private static let questions: Set<DESFireCommandCode> = [
    .selectApplication, .freeMemory, .getFileSettings, .readData,
  ]

  let link: TagLink

  /// Sends a command.
  ///
  /// - Returns: the answer's data; `nil` for one of the statuses in `expected`.
  private func send(
    _ code: DESFireCommandCode, _ parameters: [UInt8], expecting expected: [DESFireStatus] = []
  ) throws -> [UInt8]? {
    let answer = try link.changing(
      !Self.questions.contains(code), isRefusal: { $0.status != .operationOK }
    ) {
      try DESFireWrapping.send(code.rawValue, parameters, link)
    }
    if answer.status == .operationOK { return answer.data }
    guard expected.contains(answer.status) else { throw answer.status.error }
    return nil
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
        + name, expecting: [.duplicateError]) != nil
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
        expecting: [.duplicateError])
      return answer == nil ? .isThere : .done
    } catch let error as NFCError where error.code == .capacityExceeded {
      return .noRoom
    }
  }

  /// The answer to GetFileSettings.
  struct FileSettings: Hashable {
    var options: UInt8
    var rights: UInt16
    var size: Int
    /// The bytes of the options, which ChangeFileSettings sends in the same form.
    var more: [UInt8]

    /// The bits of the options that announce additional rights and Secure Dynamic Messaging (NXP's reader library).
    private static let (additionalRights, dynamicMessaging): (UInt8, UInt8) = (0x80, 0x40)

    var hasAdditionalRights: Bool { options & Self.additionalRights != 0 }

    /// The settings of the same file with other rights, sent in plain, as ChangeFileSettings sends them. What an EV3
    /// inserts into the file is kept.
    func changed(to rights: UInt16) -> [UInt8] {
      let isDynamic = options & Self.dynamicMessaging != 0 && !more.isEmpty
      return [DESFireCommands.plain | (isDynamic ? Self.dynamicMessaging : 0)]
        + DESFireCommands.bytes(Int(rights), count: 2) + (isDynamic ? more : [])
    }
  }

  func fileSettings(_ number: UInt8) throws -> FileSettings {
    let data = try send(.getFileSettings, [number]) ?? []
    guard data.count >= 7 else {
      throw NFCError(.tagResponseError, "the card's answer is too short")
    }
    return FileSettings(
      options: data[1], rights: UInt16(data[2]) | UInt16(data[3]) << 8,
      size: data[4..<7].reversed().reduce(0) { $0 << 8 | Int($1) },
      more: Array(data.dropFirst(7)))
  }

  /// Only for a file whose rights everybody may change, and that has no additional rights.
  func changeFileSettings(
    _ number: UInt8, from settings: FileSettings, to rights: UInt16
  ) throws {
    _ = try send(.changeFileSettings, [number] + settings.changed(to: rights))
  }

  /// The first bytes of a file, at most what fits one frame.
  func readData(_ number: UInt8, count: Int) throws -> [UInt8] {
    try send(.readData, [number] + Self.bytes(0, count: 3) + Self.bytes(count, count: 3)) ?? []
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
