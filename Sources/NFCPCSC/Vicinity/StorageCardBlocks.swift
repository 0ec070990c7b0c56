import NFCCore

/// `FF B0` and `FF D6`, a block at a time (PC/SC part 3, 3.2.2.1). Nothing else gets through.
struct StorageCardBlocks: VicinityCommandDialect {
  /// What P1 and P2 are; readers differ.
  enum Addressing: Hashable, CaseIterable {
    /// The block's number, most significant byte first (SpringCard, HID).
    case number
    /// The block's number in P2; P1 is left out of account.
    case numberInP2
    /// The block's number in P1, nothing in P2 (Microsoft, storage card requirements).
    case numberInP1
    /// Where the block begins in the memory, in bytes (ubisys 7047, reference manual, 7.5.3).
    case byteOffset
  }

  let uid: [UInt8]
  /// `nil` as long as it is not known: then nothing is sent.
  var addressing: Addressing?
  /// What a read asks for, unless the reader wants another length; `nil` for what most tags have.
  var blockSize: Int?

  let commandPath = CommandPath.storageCard

  init(uid: [UInt8], addressing: Addressing?, blockSize: Int?) {
    self.uid = uid
    self.addressing = addressing
    self.blockSize = blockSize
  }

  private static let readBinary: [UInt8] = [0xFF, 0xB0]
  private static let updateBinary: [UInt8] = [0xFF, 0xD6]
  /// Of blocks whose size is not known.
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

  /// The right length follows 6C (ISO/IEC 7816-4, 5.6).
  private static let wrongLength: UInt16 = 0x6C00

  static func read(
    _ address: [UInt8], length: Int, by transmit: Transmit
  ) throws -> [UInt8] {
    let answer = try transmit(
      readBinary + address + [UInt8(truncatingIfNeeded: length)])
    guard let (_, word) = ExchangeOutcome.split(answer), word & 0xFF00 == wrongLength else {
      return answer
    }
    return try transmit(readBinary + address + [UInt8(word & 0xFF)])
  }

  /// Finds out what P1 and P2 are, if the reader's name does not tell.
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
  /// P1 and P2; `nil` if the block is beyond what they can name.
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
