/// A plain NFC Forum type 3 tag: one system, 12FC, and the two NDEF services for the same blocks (NFC
/// Forum Type 3 Tag Operation Specification 1.1).
///
/// It supports only Polling, CHECK and UPDATE, as the specification requires.
public struct Type3Tag: VirtualChip {
  public let name = "type3"
  public let identifier: [UInt8]

  /// The default IDm.
  static let defaultIDm: [UInt8] = [0x02, 0xFE, 0x00, 0x15, 0x9A, 0x3C, 0x72, 0xE1]

  static let systemCode: UInt16 = 0x12FC
  static let readWriteService: UInt16 = 0x0009
  static let readOnlyService: UInt16 = 0x000B
  private static let maximumServices = 15
  static let pmm: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]

  private let nbr: Int
  private let nbw: Int
  /// Block 0 is the attribute information block.
  private var blocks: [[UInt8]]

  /// - Parameters:
  ///   - idm: 8 bytes; `nil` for the chip's own.
  ///   - nbr: the maximum number of blocks in one CHECK, 1 to 15.
  ///   - nbw: the maximum number of blocks in one UPDATE, 1 to 13.
  ///   - dataBlocks: the number of blocks for an NDEF message, 16 bytes each, 1 to 65535.
  ///   - formatted: whether there is an attribute information block; if not, all bytes are zero.
  public init(
    idm: [UInt8]? = nil, nbr: Int = 12, nbw: Int = 8, dataBlocks: Int = 64,
    formatted: Bool = true
  ) {
    self.init(
      idm: idm, nbr: nbr, nbw: nbw, dataBlocks: dataBlocks, content: formatted ? [] : nil)
  }

  /// - Parameters:
  ///   - ndef: the message, or its bytes. The others are those of
  ///     ``init(idm:nbr:nbw:dataBlocks:formatted:)``.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(
    idm: [UInt8]? = nil, nbr: Int = 12, nbw: Int = 8, dataBlocks: Int = 64, ndef: some TagMessage
  ) throws(VirtualTagError) {
    let capacity = dataBlocks * FeliCaBlockAccess.blockSize
    let content = ndef.encodedMessage
    guard content.count <= capacity else { throw .messageTooLarge(capacity: capacity) }
    self.init(idm: idm, nbr: nbr, nbw: nbw, dataBlocks: dataBlocks, content: content)
  }

  /// - Parameter content: a message that fits; `nil` for zeros.
  private init(idm: [UInt8]?, nbr: Int, nbw: Int, dataBlocks: Int, content: [UInt8]?) {
    let idm = idm ?? Self.defaultIDm
    precondition(idm.count == FeliCaPolling.idmSize, "an IDm has 8 bytes")
    precondition((1...15).contains(nbr) && (1...13).contains(nbw), "more than a frame carries")
    precondition((1...0xFFFF).contains(dataBlocks), "block numbers have 16 bits")
    identifier = idm
    self.nbr = nbr
    self.nbw = nbw
    let size = FeliCaBlockAccess.blockSize
    blocks = [[UInt8]](
      repeating: [UInt8](repeating: 0, count: size), count: 1 + dataBlocks)
    guard let content else { return }
    let attributes = Type3AttributeBlock(
      nbr: UInt8(nbr), nbw: UInt8(nbw), nmaxb: UInt16(dataBlocks), ln: 0)
    for (index, block) in attributes.blocks(with: content).enumerated() { blocks[index] = block }
  }

  public var modulation: RadioFrame.Modulation { .feliCa }

  /// All blocks, the attribute information block first.
  public var memory: [UInt8] {
    get { Array(blocks.joined()) }
    set {
      let size = FeliCaBlockAccess.blockSize
      for index in blocks.indices {
        let part = newValue.dropFirst(index * size).prefix(size)
        guard part.count == size else { return }
        blocks[index] = Array(part)
      }
    }
  }

  public mutating func powerOff() {}

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    let system = FeliCaIdentity(systemCode: Self.systemCode, idm: identifier)
    return FeliCaPacket.answer(to: frame, pmm: Self.pmm, systems: [system]) {
      code, parameters, _ throws(FeliCaRefusal) in try perform(code, parameters)
    }
  }

  private mutating func perform(
    _ code: UInt8, _ parameters: [UInt8]
  ) throws(FeliCaRefusal) -> [UInt8] {
    switch code {
    case FeliCaCommand.readWithoutEncryption:
      let access = try FeliCaBlockAccess(
        parameters, maximumServices: Self.maximumServices, maximumBlocks: nbr, isWrite: false)
      let numbers = try blockNumbers(access, isWrite: false)
      return FeliCaStatus.success.bytes + [UInt8(numbers.count)] + numbers.flatMap { blocks[$0] }
    case FeliCaCommand.writeWithoutEncryption:
      let access = try FeliCaBlockAccess(
        parameters, maximumServices: Self.maximumServices, maximumBlocks: nbw, isWrite: true)
      for (number, block) in zip(try blockNumbers(access, isWrite: true), access.blocks) {
        blocks[number] = block
      }
      return FeliCaStatus.success.bytes
    default:
      throw .silence
    }
  }

  private func blockNumbers(
    _ access: FeliCaBlockAccess, isWrite: Bool
  ) throws(FeliCaRefusal) -> [Int] {
    var numbers: [Int] = []
    for (index, element) in access.elements.enumerated() {
      switch try access.serviceCode(at: index) {
      case Self.readWriteService: break
      case Self.readOnlyService:
        guard !isWrite else { throw .status(FeliCaStatus(.accessNotAllowed, at: index)) }
      default: throw .status(FeliCaStatus(.illegalServiceCode, at: index))
      }
      guard element.accessMode == 0 else {
        throw .status(FeliCaStatus(.illegalAccessMode, at: index))
      }
      guard blocks.indices.contains(element.blockNumber) else {
        throw .status(FeliCaStatus(.illegalBlockNumber, at: index))
      }
      numbers.append(element.blockNumber)
    }
    return numbers
  }
}

extension VirtualTag {
  /// Returns an NFC Forum type 3 tag with room for a message of `dataBlocks` times 16 bytes.
  ///
  /// - Parameters: as ``Type3Tag/init(idm:nbr:nbw:dataBlocks:formatted:)``.
  public static func type3(
    idm: [UInt8]? = nil, nbr: Int = 12, nbw: Int = 8, dataBlocks: Int = 64,
    formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(
      Type3Tag(idm: idm, nbr: nbr, nbw: nbw, dataBlocks: dataBlocks, formatted: formatted))
  }

  /// Returns an NFC Forum type 3 tag with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func type3(
    idm: [UInt8]? = nil, nbr: Int = 12, nbw: Int = 8, dataBlocks: Int = 64,
    ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try Type3Tag(idm: idm, nbr: nbr, nbw: nbw, dataBlocks: dataBlocks, ndef: ndef))
  }
}
