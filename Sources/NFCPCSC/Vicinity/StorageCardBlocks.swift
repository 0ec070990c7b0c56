import SwiftNFCCore

/// `FF B0` and `FF D6`, one block at a time (PC/SC part 3, 3.2.2.1). These readers transmit nothing
/// else.
struct StorageCardBlocks: VicinityCommandDialect {
  /// The meaning of P1 and P2, which differs between readers.
  enum Addressing: Hashable, CaseIterable {
    /// The block number, most significant byte first (SpringCard, HID).
    case number
    /// The block number in P2; P1 is ignored.
    case numberInP2
    /// The block number in P1; P2 is zero (Microsoft, storage card requirements).
    case numberInP1
    /// The position of the block in memory in bytes (ubisys 7047, reference manual, 7.5.3).
    case byteOffset
  }

  let uid: [UInt8]
  /// The interpretation of P1 and P2; `nil` until it is known. Until then, nothing is sent.
  var addressing: Addressing?
  /// The length of a read, unless the reader requires another one; `nil` for the usual length.
  var blockSize: Int?

  let commandPath = CommandPath.storageCard

  init(uid: [UInt8], addressing: Addressing?, blockSize: Int?) {
    self.uid = uid
    self.addressing = addressing
    self.blockSize = blockSize
  }

  private static let readBinary: [UInt8] = [0xFF, 0xB0]
  private static let updateBinary: [UInt8] = [0xFF, 0xD6]
  /// The block size if it is not known.
  private static let usualBlockSize = 4

  // MARK: Commands

  func carry(
    _ command: ISO15693Command, hasOption: Bool, by transmit: Transmit
  ) throws -> ExchangeOutcome? {
    guard !hasOption, let addressing else { return nil }
    if let block = command.blockToRead {
      let size = blockSize ?? Self.usualBlockSize
      guard let address = addressing.address(of: Int(block), blockSize: size) else { return nil }
      return ExchangeOutcome(try Self.read(address, length: size, by: transmit))
    }
    if let (block, data) = command.blockToWrite, let count = UInt8(exactly: data.count),
      let address = addressing.address(of: Int(block), blockSize: data.count)
    {
      return ExchangeOutcome(try transmit(Self.updateBinary + address + [count] + data))
    }
    return nil
  }

  static func read(
    _ address: [UInt8], length: Int, by transmit: Transmit
  ) throws -> [UInt8] {
    let answer = try transmit(
      readBinary + address + [UInt8(truncatingIfNeeded: length)])
    guard let right = ExchangeOutcome.rightLength(in: answer) else { return answer }
    return try transmit(readBinary + address + [right])
  }

  /// Finds out what P1 and P2 mean, if the reader's name does not say.
  mutating func confirm(by transmit: Transmit) throws -> DialectConfirmation {
    guard addressing == nil else { return try confirmByQuestions(transmit) }
    var isSilent = false
    addressing = try Addressing.find(for: uid) { command in
      let answer = try transmit(command)
      if ExchangeOutcome(answer) == .noAnswer { isSilent = true }
      return answer
    }
    guard addressing == nil else { return .present }
    return isSilent ? .silent : .absent
  }
}

extension StorageCardBlocks.Addressing {
  /// Returns P1 and P2; `nil` if they cannot address the block.
  func address(of block: Int, blockSize: Int) -> [UInt8]? {
    switch self {
    case .number: Self.bytes(block)
    case .numberInP2: UInt8(exactly: block).map { [0x00, $0] }
    case .numberInP1: UInt8(exactly: block).map { [$0, 0x00] }
    case .byteOffset: Self.bytes(block * blockSize)
    }
  }

  private static func bytes(_ value: Int) -> [UInt8]? {
    UInt16(exactly: value)?.bigEndianBytes
  }
}
