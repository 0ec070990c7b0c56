/// The card's side of ISO/IEC 14443-4, as the PN532's firmware plays it between the reader and the host.
struct CardBlocks: Hashable {
  /// What a block of the reader leads to.
  enum Step: Hashable {
    /// A block is sent.
    case send([UInt8])
    /// Nothing is sent.
    case silence
    /// A command is complete: the host is to answer it.
    case command([UInt8], hasNodeAddress: Bool)
    /// The reader waits for the answer of the host again.
    case waits
    /// The reader has deselected the card; this block is sent.
    case deselected([UInt8])
  }

  private enum Block {
    static let information: UInt8 = 0x02
    static let chaining: UInt8 = 0x10
    static let identifier: UInt8 = 0x08
    static let nodeAddress: UInt8 = 0x04
    static let acknowledge: UInt8 = 0xA2
    static let deselect: UInt8 = 0xC2
    static let waitingTime: UInt8 = 0xF2
    static let parameterSelection: UInt8 = 0xD0
  }

  /// FSD from FSDI of RATS (ISO/IEC 14443-4, table 1), and no more than the chip has.
  private static let frameSizes = [16, 24, 32, 40, 48, 64, 96, 128, 256]
  private static let longestFrame = 64
  /// The longest command that is collected: a host could not have more.
  private static let longestCommand = 65_544

  private let frameSize: Int
  private let identifier: UInt8
  /// Whether the reader puts its CID into its blocks; answers then have it too.
  private var usesIdentifier = false
  private var number: UInt8 = 1
  private var collected: [UInt8] = []
  private var hasNodeAddress = false
  /// The blocks of the answer that have not been sent.
  private var outgoing: [[UInt8]] = []
  private var lastSent: [UInt8] = []
  /// Whether a command waits for its answer.
  private(set) var isBusy = false

  /// - Parameter request: the RATS: start byte, and FSDI with CID.
  init(request: [UInt8]) {
    let parameter = request.count > 1 ? request[1] : 0
    let size = Self.frameSizes[min(Int(parameter >> 4), Self.frameSizes.count - 1)]
    frameSize = min(size, Self.longestFrame)
    identifier = parameter & 0x0F
  }

  /// Whether all blocks of the answer have been sent.
  var hasSentAll: Bool { outgoing.isEmpty }

  private func block(_ pcb: UInt8, _ data: [UInt8] = []) -> [UInt8] {
    usesIdentifier ? [pcb | Block.identifier, identifier] + data : [pcb] + data
  }

  private mutating func sending(_ block: [UInt8]) -> Step {
    lastSent = block
    return .send(block)
  }

  /// Receives a block without its check bytes.
  mutating func receive(_ frame: [UInt8]) -> Step {
    guard let pcb = frame.first else { return .silence }
    if pcb & 0xF0 == Block.parameterSelection {
      // PPS: only before the first block, and for this card.
      return pcb & 0x0F == identifier ? .send([pcb]) : .silence
    }
    var rest = frame.dropFirst()
    usesIdentifier = pcb & Block.identifier != 0
    if usesIdentifier {
      guard let cid = rest.popFirst(), cid & 0x0F == identifier else { return .silence }
    } else if identifier != 0 {
      // A block without CID is for the card with CID 0.
      return .silence
    }
    switch pcb & 0xE2 {
    case Block.information: return information(pcb, Array(rest))
    case Block.acknowledge & 0xE2: return receiveAcknowledge(pcb)
    case Block.deselect & 0xE2:
      return pcb & 0xF7 == Block.deselect ? .deselected(block(Block.deselect)) : .silence
    case Block.waitingTime & 0xE2:
      return pcb & 0xF7 == Block.waitingTime && isBusy ? .waits : .silence
    default: return .silence
    }
  }

  private mutating func information(_ pcb: UInt8, _ data: [UInt8]) -> Step {
    guard !isBusy else { return .silence }
    var data = data[...]
    if pcb & Block.nodeAddress != 0 {
      hasNodeAddress = true
      data = data.dropFirst()
    }
    // Rule D: the number changes with each block of the reader.
    number ^= 1
    outgoing = []
    collected += data
    guard collected.count <= Self.longestCommand else { return .silence }
    guard pcb & Block.chaining == 0 else { return sending(block(Block.acknowledge | number)) }
    defer { (collected, hasNodeAddress) = ([], false) }
    isBusy = true
    return .command(collected, hasNodeAddress: hasNodeAddress)
  }

  private mutating func receiveAcknowledge(_ pcb: UInt8) -> Step {
    guard !isBusy else { return .silence }
    // Rule 11: the last block again.
    if pcb & 1 == number { return lastSent.isEmpty ? .silence : .send(lastSent) }
    let isNegative = pcb & 0x10 != 0
    // Rule 12, and the presence check of most readers.
    if isNegative { return sending(block(Block.acknowledge | number)) }
    // Rule 13, with rule E.
    guard !outgoing.isEmpty else { return .silence }
    number ^= 1
    return nextBlock()
  }

  /// The host has answered: the first block, which the reader waits for.
  mutating func answer(_ data: [UInt8]) -> Step {
    isBusy = false
    let room = frameSize - 3 - (usesIdentifier ? 1 : 0)
    outgoing = stride(from: 0, to: max(1, data.count), by: room).map {
      Array(data[$0..<min(data.count, $0 + room)])
    }
    return nextBlock()
  }

  private mutating func nextBlock() -> Step {
    let data = outgoing.removeFirst()
    let chaining = outgoing.isEmpty ? 0 : Block.chaining
    return sending(block(Block.information | number | chaining, data))
  }

  /// S(WTX) with this multiplier.
  func waitingTimeRequest(_ multiplier: UInt8) -> [UInt8] {
    block(Block.waitingTime, [multiplier])
  }
}
