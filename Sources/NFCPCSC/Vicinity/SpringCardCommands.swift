import SwiftNFCCore

/// `FF F6`, the command code and the parameters, for SpringCard's readers that do not accept frames
/// (PMD2271, 3.3.4; docs.springcard.com, SpringCore, RFID instruction), with the modes that `FF FB
/// FD` sets for it (SpringCard.NfcForum.Tags, NfcTagType5).
///
/// Two-byte numbers are sent most significant byte first. The manual does not say whether a count
/// is the number of blocks or, as in the tag's own commands, that number less one. Two reads
/// determine it.
struct SpringCardCommands: VicinityCommandDialect {
  let uid: [UInt8]

  private static let rfid: [UInt8] = [0xFF, 0xF6]
  private static let control: [UInt8] = [0xFF, 0xFB, 0xFD]
  /// P2 of the control command: requests contain the UID of the tag that the reader has found.
  private static let addressed: UInt8 = 0x11
  /// P2: requests address every tag. This is the reader's default.
  private static let everyone: UInt8 = 0x10
  /// P2: two bytes follow, with two bits per mode.
  private static let modes: UInt8 = 0x00
  /// Turns two-byte block numbers and access to several blocks off. They affect only `FF B0` and
  /// `FF D6`, which are not used here.
  private static let blockModes: UInt8 = 0x45
  private static let optionOff: UInt8 = 0x15
  private static let optionOn: UInt8 = 0x3F
  private static let expectedLength: UInt8 = 0x00

  let commandPath = CommandPath.makerPassThrough

  /// Whether the option flag for write-alike commands is known to be off: another program may have
  /// left it on.
  private var isOptionOff = false
  /// The difference between a count and the number of blocks less one; `nil` until it is known.
  private var countOffset: Int?
  private var hasAskedForCount = false

  init(uid: [UInt8]) { self.uid = uid }

  mutating func confirm(by transmit: Transmit) throws -> DialectConfirmation {
    // Otherwise requests would address every tag in the field.
    guard try control([Self.addressed, Self.expectedLength], by: transmit) else { return .absent }
    return try confirmByQuestions(transmit)
  }

  func close(by transmit: Transmit) throws {
    _ = try control([Self.everyone, Self.expectedLength], by: transmit)
  }

  mutating func carry(
    _ command: ISO15693Command, hasOption: Bool, by transmit: Transmit
  ) throws -> ExchangeOutcome? {
    guard !hasOption || command.isWriteAlike else { return nil }
    if command.isOfRun, !hasAskedForCount, let failure = try askForCount(by: transmit) {
      return failure
    }
    guard let parameters = parameters(of: command) else { return nil }
    if command.isWriteAlike, hasOption || !isOptionOff {
      guard try setOption(hasOption, by: transmit) else { return nil }
    }
    let outcome = try send(
      command.code, parameters, isWriteAlike: command.isWriteAlike, by: transmit)
    // The flag may affect reads as well.
    if hasOption { _ = try setOption(false, by: transmit) }
    return outcome
  }

  private func send(
    _ code: UInt8, _ parameters: [UInt8], isWriteAlike: Bool, by transmit: Transmit
  ) throws -> ExchangeOutcome? {
    guard let count = UInt8(exactly: parameters.count) else { return nil }
    let body = parameters.isEmpty ? [] : [count] + parameters
    let trailer = isWriteAlike && !body.isEmpty ? [] : [Self.expectedLength]
    return ExchangeOutcome(
      try transmit(Self.rfid + [code, 0x00] + body + trailer), meanings: Encapsulation.meanings)
  }

  /// Sets a mode of the reader.
  ///
  /// - Returns: whether the reader has the mode.
  private func control(_ parameters: [UInt8], by transmit: Transmit) throws -> Bool {
    guard case .answer = ExchangeOutcome(try transmit(Self.control + parameters)) else {
      return false
    }
    return true
  }

  /// Sets the option flag of write and lock commands.
  ///
  /// - Returns: `false` if the reader cannot set the flag. A reader without the mode never sends
  ///   it.
  private mutating func setOption(_ isOn: Bool, by transmit: Transmit) throws -> Bool {
    let data = [Self.blockModes, isOn ? Self.optionOn : Self.optionOff]
    isOptionOff = false
    let isSet = try control(
      [Self.modes, UInt8(data.count)] + data + [Self.expectedLength], by: transmit)
    isOptionOff = !isOn
    return isSet || !isOn
  }

  // MARK: Parameters

  /// Returns the parameters in the reader's format; `nil` if the reader cannot send the command.
  private func parameters(of command: ISO15693Command) -> [UInt8]? {
    switch command {
    case .readMultipleBlocks(let range), .getMultipleBlockSecurityStatus(let range):
      run(range)
    case .writeMultipleBlocks(let range, let data):
      run(range).map { $0 + data }
    case .extendedReadMultipleBlocks(let range),
      .extendedGetMultipleBlockSecurityStatus(let range):
      wideRun(range)
    case .extendedWriteMultipleBlocks(let range, let data):
      wideRun(range).map { $0 + data }
    case .extendedReadSingleBlock(let block), .extendedLockBlock(let block):
      block.bigEndianBytes
    case .extendedWriteSingleBlock(let block, let data):
      block.bigEndianBytes + data
    case .readSingleBlock, .writeSingleBlock, .lockBlock, .select, .writeAFI, .lockAFI, .writeDSFID,
      .lockDSFID, .getSystemInformation:
      command.body.map { Array($0.dropFirst()) }
    default: nil
    }
  }

  private func run(_ range: ISO15693BlockRange) -> [UInt8]? {
    guard let countOffset, let first = UInt8(exactly: range.first),
      let count = UInt8(exactly: range.count - 1 + countOffset)
    else { return nil }
    return [first, count]
  }

  private func wideRun(_ range: ISO15693BlockRange) -> [UInt8]? {
    guard let countOffset, let count = UInt16(exactly: range.count - 1 + countOffset) else {
      return nil
    }
    return range.first.bigEndianBytes + count.bigEndianBytes
  }

  /// Reads block 0, and then block 0 with a count of one. The reader returns one block or two.
  ///
  /// - Returns: the outcome of a read that got no answer; otherwise `nil`. After a failure, the
  ///   next command for several blocks repeats the reads.
  private mutating func askForCount(by transmit: Transmit) throws -> ExchangeOutcome? {
    var lengths: [Int] = []
    let questions: [(UInt8, [UInt8])] = [
      (ISO15693CommandCode.readSingleBlock, [0x00]),
      (ISO15693CommandCode.readMultipleBlocks, [0x00, 0x01]),
    ]
    for (code, parameters) in questions {
      let outcome = try send(code, parameters, isWriteAlike: false, by: transmit)
      switch outcome {
      case .answer(let data)?: lengths.append(data.count)
      case .refused?, .unknown?, .malformed?, nil: lengths.append(0)
      case .noAnswer?, .broken?: return outcome
      }
    }
    hasAskedForCount = true
    if lengths[0] > 0, lengths[1] == lengths[0] { countOffset = 1 }
    if lengths[0] > 0, lengths[1] == 2 * lengths[0] { countOffset = 0 }
    return nil
  }
}

extension ISO15693Command {
  /// Whether the command addresses several blocks and has a count.
  fileprivate var isOfRun: Bool {
    switch self {
    case .readMultipleBlocks, .writeMultipleBlocks, .getMultipleBlockSecurityStatus,
      .extendedReadMultipleBlocks, .extendedWriteMultipleBlocks,
      .extendedGetMultipleBlockSecurityStatus:
      true
    default: false
    }
  }
}
