import NFCCore

/// `FF F6`, command code and parameters, on SpringCard's readers that do not take frames (PMD2271,
/// 3.3.4; docs.springcard.com, SpringCore, RFID instruction), with the modes that `FF FB FD` sets for
/// it (SpringCard.NfcForum.Tags, NfcTagType5).
///
/// Numbers of two bytes go most significant first. Whether a count is the number of blocks, or that
/// less one as it is on the air, the manual does not say: two reads tell.
struct SpringCardCommands: VicinityCommandDialect {
  let uid: [UInt8]

  private static let rfid: [UInt8] = [0xFF, 0xF6]
  private static let control: [UInt8] = [0xFF, 0xFB, 0xFD]
  /// P2 of the control command: requests carry the UID of the tag that the reader has found.
  private static let addressed: UInt8 = 0x11
  /// P2: two bytes follow, of two bits a mode.
  private static let modes: UInt8 = 0x00
  /// Two-byte block numbers off, several blocks at once off: what the reader makes of `FF B0` and
  /// `FF D6`, which are not used here.
  private static let blockModes: UInt8 = 0x45
  private static let optionOff: UInt8 = 0x15
  private static let optionOn: UInt8 = 0x3F
  private static let expectedLength: UInt8 = 0x00

  let commandPath = CommandPath.makerPassThrough

  /// What a write-alike command has as its option flag now; `nil` if that was never set.
  private var hasOptionMode: Bool?
  /// What is added to the number less one in a count; `nil` as long as it is not known.
  private var countOffset: Int?
  private var hasAskedForCount = false

  init(uid: [UInt8]) { self.uid = uid }

  mutating func confirm(by transmit: Transmit) throws -> Bool {
    // An older reader knows one tag at a time and has no modes.
    _ = try transmit(Self.control + [Self.addressed, Self.expectedLength])
    return try answersAQuestion(by: transmit)
  }

  mutating func carry(
    _ command: ISO15693Command, hasOption: Bool, by transmit: Transmit
  ) throws -> ExchangeOutcome? {
    if command.isWriteAlike {
      guard try setOption(hasOption, by: transmit) else { return nil }
    } else if hasOption {
      return nil
    }
    guard let parameters = try parameters(of: command, by: transmit) else { return nil }
    return try send(command.code, parameters, isWriteAlike: command.isWriteAlike, by: transmit)
  }

  private func send(
    _ code: UInt8, _ parameters: [UInt8], isWriteAlike: Bool, by transmit: Transmit
  ) throws -> ExchangeOutcome? {
    guard let count = UInt8(exactly: parameters.count) else { return nil }
    let body = parameters.isEmpty ? [] : [count] + parameters
    let trailer = isWriteAlike && !body.isEmpty ? [] : [Self.expectedLength]
    return ExchangeOutcome(
      vicinityAnswer: try transmit(Self.rfid + [code, 0x00] + body + trailer))
  }

  /// Sets what writes and locks have as their option flag, if it is another one than now.
  ///
  /// - Returns: whether they have it.
  private mutating func setOption(_ isOn: Bool, by transmit: Transmit) throws -> Bool {
    guard isOn != hasOptionMode ?? false else { return true }
    let data = [Self.blockModes, isOn ? Self.optionOn : Self.optionOff]
    let answer = try transmit(
      Self.control + [Self.modes, UInt8(data.count)] + data + [Self.expectedLength])
    guard case .data = StorageCardCommands.outcome(answer) else { return false }
    hasOptionMode = isOn
    return true
  }

  // MARK: Parameters

  /// The parameters as the reader wants them; `nil` if there is no way.
  private mutating func parameters(
    of command: ISO15693Command, by transmit: Transmit
  ) throws -> [UInt8]? {
    switch command {
    case .readMultipleBlocks(let range), .getMultipleBlockSecurityStatus(let range):
      return try run(range, isWide: false, by: transmit)
    case .writeMultipleBlocks(let range, let data):
      return try run(range, isWide: false, by: transmit).map { $0 + data }
    case .extendedReadMultipleBlocks(let range),
      .extendedGetMultipleBlockSecurityStatus(let range):
      return try run(range, isWide: true, by: transmit)
    case .extendedWriteMultipleBlocks(let range, let data):
      return try run(range, isWide: true, by: transmit).map { $0 + data }
    case .extendedReadSingleBlock(let block), .extendedLockBlock(let block):
      return Self.bigEndian(block)
    case .extendedWriteSingleBlock(let block, let data):
      return Self.bigEndian(block) + data
    case .readSingleBlock, .writeSingleBlock, .lockBlock, .select, .writeAFI, .lockAFI, .writeDSFID,
      .lockDSFID, .getSystemInformation:
      return command.body.map { Array($0.dropFirst()) }
    default:
      return nil
    }
  }

  private static func bigEndian(_ value: UInt16) -> [UInt8] {
    [UInt8(value >> 8), UInt8(value & 0xFF)]
  }

  private mutating func run(
    _ range: ISO15693BlockRange, isWide: Bool, by transmit: Transmit
  ) throws -> [UInt8]? {
    if !hasAskedForCount { try askForCount(by: transmit) }
    guard let countOffset else { return nil }
    let count = range.count - 1 + countOffset
    if isWide {
      guard let count = UInt16(exactly: count) else { return nil }
      return Self.bigEndian(range.first) + Self.bigEndian(count)
    }
    guard let first = UInt8(exactly: range.first), let count = UInt8(exactly: count) else {
      return nil
    }
    return [first, count]
  }

  /// Reads block 0, and then block 0 with a count of one, which is one block or two.
  private mutating func askForCount(by transmit: Transmit) throws {
    hasAskedForCount = true
    func read(_ code: UInt8, _ parameters: [UInt8]) throws -> Int? {
      let outcome = try send(code, parameters, isWriteAlike: false, by: transmit)
      guard case .answer(let frame)? = outcome else { return nil }
      return try? ISO15693Response(decoding: frame).checkedPayload().count
    }
    guard let size = try read(ISO15693CommandCode.readSingleBlock, [0x00]), size > 0,
      let length = try read(ISO15693CommandCode.readMultipleBlocks, [0x00, 0x01])
    else { return }
    if length == size { countOffset = 1 }
    if length == 2 * size { countOffset = 0 }
  }
}
