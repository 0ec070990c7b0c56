import SwiftNFCCore

/// `FF 30`, which HID's OMNIKEY readers have for commands that storage cards lack, in addition to
/// `FF B0` and `FF D6` with a block number of 16 bits (LibLogicalAccess, iso15693pcsccommands.cpp).
///
/// The tag's system information is read field by field and assembled here.
struct OmnikeyCommands: VicinityCommandDialect {
  let uid: [UInt8]
  private var storageCard: StorageCardBlocks

  // CLA and INS. P1 is 00 for commands with data.
  private static let header: [UInt8] = [0xFF, 0x30]
  private static let act: UInt8 = 0x00
  /// The first byte of the data: version, object, RFU.
  private static let version: UInt8 = 0x01

  /// P2 of a command with data.
  private enum Action: UInt8 {
    case set = 0x01
    case lock = 0x02
    case status = 0x03
  }

  /// The object of a command with data: the second byte of its data.
  private enum Object: UInt8 {
    case block = 0x00
    case afi = 0x02
    case dsfid = 0x03
  }

  /// P1 of a query.
  private enum Field: UInt8 {
    case afi = 0x02
    case dsfid = 0x03
    /// The number of blocks less one, and the size of a block less one.
    case memory = 0x04
    case icReference = 0x05
  }

  let commandPath = CommandPath.omnikey

  /// - Parameter blockSize: the usual size for this kind of tag; what the tag reports takes
  ///   precedence.
  init(uid: [UInt8], blockSize: Int?) {
    self.uid = uid
    storageCard = StorageCardBlocks(uid: uid, addressing: .number, blockSize: blockSize)
  }

  mutating func confirm(by transmit: Transmit) throws -> DialectConfirmation {
    let answer = try ask(.memory, by: transmit)
    if case .unknown(let word) = answer, word != Self.noInformation { return .absent }
    if let size = Self.geometry(answer)?.blockSize { storageCard.blockSize = size }
    return try confirmByQuestions(transmit)
  }

  mutating func carry(
    _ command: ISO15693Command, hasOption: Bool, by transmit: Transmit
  ) throws -> ExchangeOutcome? {
    guard !hasOption else { return nil }
    switch command {
    case .stayQuiet:
      // This is the reader's answer, not the tag's.
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

  /// The third byte of the data of the command Stay Quiet.
  private static let quietParameter: UInt8 = 0x01

  /// RFU and the block number.
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

  /// Returns one byte per block, each read on its own.
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

  // MARK: Queries

  /// "Function not supported", which a reader may answer also if only this tag does not report what is asked for
  /// (PC/SC part 3, 3.2.2.1).
  private static let noInformation: UInt16 = 0x6A81

  private func ask(_ field: Field, by transmit: Transmit) throws -> ExchangeOutcome {
    ExchangeOutcome(try transmit(Self.header + [field.rawValue, 0x00, 0x00]))
  }

  private static let sizeMask: UInt8 = 0x1F

  private func memory(by transmit: Transmit) throws -> ISO15693Geometry? {
    Self.geometry(try ask(.memory, by: transmit))
  }

  private static func geometry(_ answer: ExchangeOutcome) -> ISO15693Geometry? {
    guard case .answer(let bytes) = answer, bytes.count >= 2 else { return nil }
    return ISO15693Geometry(
      blockSize: Int(bytes[1] & sizeMask) + 1, blockCount: Int(bytes[0]) + 1)
  }

  /// Returns what the reader reports about the tag in the form of the tag's own answer. If the
  /// reader reports nothing, returns the outcome of the last query.
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
      // An answer without data contains nothing.
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
