/// The card's side of the half-duplex block protocol (ISO/IEC 14443-4, clause 7).
///
/// It receives and returns blocks without their check bytes. It does not answer blocks with format
/// errors, as the standard requires of a card (7.5.6).
struct BlockProtocol: Hashable, Sendable {
  /// The result of a block.
  enum Outcome: Hashable, Sendable {
    /// The block is not for this card, or not a block.
    case silence
    /// A block to send back.
    case answer([UInt8])
    /// The last part of a command has been received; this is the complete command.
    /// ``respond(_:waitingTimeExtensions:)`` returns the block to send back.
    case command([UInt8])
    /// S(DESELECT): the block to send back, after which the card halts.
    case deselected([UInt8])
  }

  /// FSD, the maximum size of a frame to the reader, including check bytes.
  let frameSizeOfReader: Int
  /// FSC, the maximum size of a frame to the card, including check bytes.
  let frameSizeOfCard: Int
  /// The card identifier that the reader assigned, 0 to 14; `nil` if the card has no CID support.
  let cid: UInt8?

  /// The block number, which starts according to rule C of 7.5.4.2.
  private var blockNumber: UInt8 = 1
  private var lastBlock: [UInt8]?
  private var received: [UInt8] = []
  private var response: [UInt8] = []
  private var sentCount = 0
  private var isChaining = false
  private var extensions: [UInt8] = []
  private var requestedExtension: UInt8?
  private var addsCID = false

  /// - Parameters:
  ///   - frameSizeOfReader: FSD in bytes, at least 16.
  ///   - frameSizeOfCard: FSC in bytes, at least 16.
  init(frameSizeOfReader: Int, frameSizeOfCard: Int, cid: UInt8?) {
    self.frameSizeOfReader = max(frameSizeOfReader, Self.smallestFrame)
    self.frameSizeOfCard = max(frameSizeOfCard, Self.smallestFrame)
    self.cid = cid
  }

  /// Returns the frame size in bytes for a code FSDI or FSCI (5.1, table 1).
  ///
  /// Codes above 8 were reserved before the edition of 2016, which defines sizes up to 4096 for them. A
  /// card may send shorter frames than permitted, so they are treated as 256 here.
  static func frameSize(code: UInt8) -> Int {
    let sizes = [16, 24, 32, 40, 48, 64, 96, 128, 256]
    return sizes[min(Int(code), sizes.count - 1)]
  }

  /// Receives a block without its check bytes.
  mutating func receive(_ block: [UInt8]) -> Outcome {
    guard let control = block.first, block.count + Self.checkSize <= frameSizeOfCard else {
      return .silence
    }
    var information = block.dropFirst()
    let hasCID = control & Self.cidFollows != 0
    if hasCID {
      guard let cid, information.popFirst() == cid else { return .silence }
    } else if cid ?? 0 != 0 {
      // A card with its own CID ignores blocks without one, which are for card 0 (7.1.1.2).
      return .silence
    }
    if control & Self.informationMask == Self.informationBlock {
      // No card here supports a node address; the standard then requires silence (7.1.1.3).
      guard control & Self.nodeAddressFollows == 0 else { return .silence }
      addsCID = hasCID
      return informationBlock(Array(information), chaining: control & Self.chaining != 0)
    }
    if control & Self.receiptMask == Self.receiptBlock, information.isEmpty {
      addsCID = hasCID
      return receiptBlock(
        number: control & 0x01, isNegative: control & Self.negative != 0)
    }
    switch control & ~Self.cidFollows {
    case Self.deselect where information.isEmpty:
      addsCID = hasCID
      return .deselected(prologue(Self.deselect))
    case Self.waitingTime where information.count == 1:
      guard let requested = requestedExtension, information.first == requested else {
        return .silence
      }
      requestedExtension = nil
      return .answer(nextBlock())
    default:
      return .silence
    }
  }

  /// Returns the first block of the answer to a command.
  ///
  /// - Parameters:
  ///   - response: an answer of any length; it is chained if it does not fit into one frame.
  ///   - waitingTimeExtensions: the multipliers WTXM with which the card first requests more time, one by
  ///     one. A value outside 1...59 (7.3) is ignored.
  mutating func respond(
    _ response: [UInt8], waitingTimeExtensions: [UInt8] = []
  ) -> [UInt8] {
    self.response = response
    sentCount = 0
    extensions = waitingTimeExtensions.filter { (1...59).contains($0) }
    return nextBlock()
  }

  // MARK: Control bytes (7.1.1.1, tables 13 to 15)

  private static let informationMask: UInt8 = 0xE2
  private static let informationBlock: UInt8 = 0x02
  private static let chaining: UInt8 = 0x10
  private static let cidFollows: UInt8 = 0x08
  private static let nodeAddressFollows: UInt8 = 0x04
  private static let receiptMask: UInt8 = 0xE6
  private static let receiptBlock: UInt8 = 0xA2
  private static let negative: UInt8 = 0x10
  private static let deselect: UInt8 = 0xC2
  private static let waitingTime: UInt8 = 0xF2
  private static let checkSize = 2
  private static let smallestFrame = 16
  /// The maximum size of a command in ISO/IEC 7816-4: header, Lc, data and Le of extended length.
  private static let longestCommand = 4 + 3 + 65535 + 2

  // MARK: Rules (7.5.4.2 and 7.5.5.2)

  private mutating func informationBlock(_ information: [UInt8], chaining: Bool) -> Outcome {
    // Rule D: independent of the block number that was received.
    blockNumber ^= 1
    response = []
    sentCount = 0
    isChaining = false
    extensions = []
    requestedExtension = nil
    guard received.count + information.count <= Self.longestCommand else {
      received = []
      return .silence
    }
    received += information
    if chaining {
      let acknowledge = prologue(Self.receiptBlock | blockNumber)
      lastBlock = acknowledge
      return .answer(acknowledge)
    }
    let command = received
    received = []
    // An empty block checks the presence of the card (7.5.5.2, rule 10).
    return command.isEmpty ? .answer(nextBlock()) : .command(command)
  }

  private mutating func receiptBlock(number: UInt8, isNegative: Bool) -> Outcome {
    if number == blockNumber {
      // Rule 11.
      return lastBlock.map(Outcome.answer) ?? .silence
    }
    if isNegative {
      // Rule 12. Readers also use this to check the presence of the card.
      return .answer(prologue(Self.receiptBlock | blockNumber))
    }
    guard isChaining else { return .silence }
    // Rules E and 13.
    blockNumber ^= 1
    return .answer(nextBlock())
  }

  private mutating func nextBlock() -> [UInt8] {
    let block: [UInt8]
    if !extensions.isEmpty {
      let multiplier = extensions.removeFirst()
      requestedExtension = multiplier
      block = prologue(Self.waitingTime) + [multiplier]
    } else {
      let room = frameSizeOfReader - Self.checkSize - (addsCID ? 2 : 1)
      let end = min(response.count, sentCount + room)
      let part = response[sentCount..<end]
      sentCount = end
      isChaining = end < response.count
      let control = Self.informationBlock | blockNumber | (isChaining ? Self.chaining : 0)
      block = prologue(control) + part
    }
    lastBlock = block
    return block
  }

  private func prologue(_ control: UInt8) -> [UInt8] {
    guard addsCID, let cid else { return [control] }
    return [control | Self.cidFollows, cid]
  }
}
