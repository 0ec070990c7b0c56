import NFCCore

/// `FF 30` for what a storage card has no command for, on HID's OMNIKEY readers, in addition to `FF B0` and
/// `FF D6` with a block number of 16 bits (LibLogicalAccess, iso15693pcsccommands.cpp).
///
/// The tag's system information is asked for field by field and put together here.
struct OmnikeyCommands: VicinityCommandDialect {
  let uid: [UInt8]
  private var storageCard: StorageCardBlocks

  // CLA, INS; P1 is 00 for what has data.
  private static let header: [UInt8] = [0xFF, 0x30]
  private static let act: UInt8 = 0x00
  /// Of the data: version, what is meant, RFU.
  private static let version: UInt8 = 0x01

  /// P2 of a command with data.
  private enum Action: UInt8 {
    case set = 0x01
    case lock = 0x02
    case status = 0x03
  }

  /// What a command with data is about; the second byte of its data.
  private enum Object: UInt8 {
    case block = 0x00
    case afi = 0x02
    case dsfid = 0x03
  }

  /// P1 of a question.
  private enum Field: UInt8 {
    case afi = 0x02
    case dsfid = 0x03
    /// Number of blocks less one, size of a block less one.
    case memory = 0x04
    case icReference = 0x05
  }

  let commandPath = CommandPath.omnikey

  /// - Parameter blockSize: of the tag's kind; what the tag tells comes before it.
  init(uid: [UInt8], blockSize: Int?) {
    self.uid = uid
    storageCard = StorageCardBlocks(uid: uid, addressing: .number, blockSize: blockSize)
  }

  mutating func confirm(by transmit: Transmit) throws -> DialectConfirmation {
    if let size = try memory(by: transmit)?.blockSize { storageCard.blockSize = size }
    return try confirmByQuestions(transmit)
  }

  mutating func carry(
    _ command: ISO15693Command, hasOption: Bool, by transmit: Transmit
  ) throws -> ExchangeOutcome? {
    guard !hasOption else { return nil }
    switch command {
    case .stayQuiet:
      // The reader answers, the tag does not.
      let quiet = try perform(.set, .block, [Self.quietParameter], by: transmit)
      guard case .answer = quiet else { return quiet }
      return .noAnswer
    case .lockBlock(let block), .extendedLockBlock(let block):
      return try perform(.lock, .block, Self.parameters(block), by: transmit)
    case .writeAFI(let value): return try perform(.set, .afi, [0x00, value], by: transmit)
    case .lockAFI: return try perform(.lock, .afi, [0x00], by: transmit)
    case .writeDSFID(let value): return try perform(.set, .dsfid, [0x00, value], by: transmit)
    case .lockDSFID: return try perform(.lock, .dsfid, [0x00], by: transmit)
    case .getMultipleBlockSecurityStatus(let range),
      .extendedGetMultipleBlockSecurityStatus(let range):
      return try securityStatus(range, by: transmit)
    case .getSystemInformation: return try systemInformation(by: transmit)
    default: return try storageCard.carry(command, hasOption: false, by: transmit)
    }
  }

  // MARK: Commands with data

  /// The third byte of the data that makes a tag stay quiet.
  private static let quietParameter: UInt8 = 0x01

  /// RFU and the block's number.
  private static func parameters(_ block: UInt16) -> [UInt8] {
    [0x00] + block.bigEndianBytes
  }

  private func perform(
    _ action: Action, _ object: Object, _ parameters: [UInt8], expecting length: UInt8? = nil,
    by transmit: Transmit
  ) throws -> ExchangeOutcome {
    let data = [Self.version, object.rawValue] + parameters
    let command =
      Self.header + [Self.act, action.rawValue, UInt8(data.count)] + data
      + (length.map { [$0] } ?? [])
    return ExchangeOutcome(try transmit(command))
  }

  /// Returns a byte a block, asked for one by one.
  private func securityStatus(
    _ range: ISO15693BlockRange, by transmit: Transmit
  ) throws -> ExchangeOutcome {
    var statuses: [UInt8] = []
    for number in range.numbers {
      guard let block = UInt16(exactly: number) else { return .malformed }
      let outcome = try perform(
        .status, .block, Self.parameters(block), expecting: 1, by: transmit)
      guard case .answer(let status) = outcome else { return outcome }
      guard status.count == 1 else { return .malformed }
      statuses += status
    }
    return .answer(statuses)
  }

  // MARK: Questions

  private func ask(_ field: Field, by transmit: Transmit) throws -> ExchangeOutcome {
    ExchangeOutcome(try transmit(Self.header + [field.rawValue, 0x00, 0x00]))
  }

  private static let sizeMask: UInt8 = 0x1F

  private func memory(by transmit: Transmit) throws -> ISO15693Geometry? {
    guard case .answer(let bytes) = try ask(.memory, by: transmit), bytes.count >= 2 else {
      return nil
    }
    return ISO15693Geometry(
      blockSize: Int(bytes[1] & Self.sizeMask) + 1, blockCount: Int(bytes[0]) + 1)
  }

  /// Returns what the reader tells of the tag, as the tag would; what came of the last question if
  /// that is nothing.
  private func systemInformation(by transmit: Transmit) throws -> ExchangeOutcome {
    var information = ISO15693SystemInformation(uid: uid)
    let (afi, dsfid) = (try ask(.afi, by: transmit), try ask(.dsfid, by: transmit))
    information.afi = afi.firstByte
    information.dsfid = dsfid.firstByte
    let memory = try memory(by: transmit)
    information.blockSize = memory?.blockSize
    information.blockCount = memory?.blockCount
    let reference = try ask(.icReference, by: transmit)
    information.icReference = reference.firstByte
    guard information != ISO15693SystemInformation(uid: uid) else {
      // An answer without a byte tells nothing.
      return reference == .answer([]) ? .malformed : reference
    }
    return .answer(information.encoded(form: .ordinary))
  }
}

extension ExchangeOutcome {
  fileprivate var firstByte: UInt8? {
    if case .answer(let bytes) = self { bytes.first } else { nil }
  }
}
