import SwiftNFCCore
import SwiftNFCSeededRandom

/// The radio side of an ISO/IEC 14443-4 card: the activation, then the block protocol.
///
/// A chip owns one, passes every frame to ``receive(_:)``, executes the commands that this returns, and
/// sends its answers by ``respond(_:waitingTimeExtensions:)``.
public struct ProximityInterface: Hashable, Sendable {
  /// The result of a frame.
  public enum Outcome: Hashable, Sendable {
    /// The interface has handled the frame; the answer, `nil` for silence.
    case handled(RadioFrame?)
    /// A complete command has been received.
    case command([UInt8])
  }

  enum Activation: Hashable, Sendable {
    case typeA(TypeAActivation, AnswerToSelect)
    case typeB(TypeBActivation)
  }

  private(set) var activation: Activation
  private var blocks: BlockProtocol?
  /// Whether a PPS is accepted, which is only the case directly after the ATS. Any other block, a broken
  /// block, and a PPS that the card does not support end this (ISO/IEC 14443-4, 5.6.2.2).
  private var acceptsParameterSelection = false
  private var bitRateToCard = 106
  private var bitRateToReader = 106

  /// Creates a type A card.
  ///
  /// - Parameters:
  ///   - uid: 4, 7 or 10 bytes.
  ///   - atqa: in transmission order, least significant byte first.
  ///   - sak: bit 6 (20 hexadecimal) indicates that the card supports ISO/IEC 14443-4.
  ///   - sakOfCascade: the SAK of cascade levels before the last.
  ///   - ats: the complete answer to RATS, including its length byte.
  public init(
    typeA uid: [UInt8], atqa: [UInt8], sak: UInt8 = 0x20, sakOfCascade: UInt8 = 0x04,
    ats: [UInt8]
  ) {
    activation = .typeA(
      TypeAActivation(uid: uid, atqa: atqa, sak: sak, sakOfCascade: sakOfCascade),
      AnswerToSelect(ats))
  }

  /// Creates a type B card.
  ///
  /// - Parameters:
  ///   - pupi: 4 bytes.
  ///   - applicationData: 4 bytes: AFI, CRC_B of the AID, number of applications.
  ///   - protocolInfo: 3 bytes: bit rates, frame size and protocol type, waiting time and options.
  public init(typeB pupi: [UInt8], applicationData: [UInt8], protocolInfo: [UInt8]) {
    activation = .typeB(Self.activation(pupi, applicationData, protocolInfo))
  }

  private static func activation(
    _ pupi: [UInt8], _ applicationData: [UInt8], _ protocolInfo: [UInt8]
  ) -> TypeBActivation {
    // A real card draws its slot at random. Here the slot depends on the PUPI, so that different cards
    // can have different slots.
    TypeBActivation(
      pupi: pupi, applicationData: applicationData, protocolInfo: protocolInfo,
      slot: 1 + Int(pupi.reduce(0, &+)) % 16)
  }

  /// Gives a type B card another PUPI, which depends on the one that it has: for a card that chooses it when the
  /// carrier is switched on.
  mutating func choosePUPI() {
    guard case .typeB(let card) = activation else { return }
    var generator = SplitMix64(seed: card.pupi.reduce(0) { $0 << 8 | UInt64($1) })
    let pupi = card.pupi.map { _ in UInt8.random(in: 0...UInt8.max, using: &generator) }
    activation = .typeB(Self.activation(pupi, card.applicationData, card.protocolInfo))
  }

  /// The UID or the PUPI.
  public var identifier: [UInt8] {
    switch activation {
    case .typeA(let card, _): card.uid
    case .typeB(let card): card.pupi
    }
  }

  /// The air interface.
  public var modulation: RadioFrame.Modulation {
    switch activation {
    case .typeA: .typeA
    case .typeB: .typeB
    }
  }

  /// The states of a type A card until its selection; `nil` for type B.
  var typeA: TypeAActivation? {
    get { if case .typeA(let card, _) = activation { card } else { nil } }
    set {
      guard let newValue, case .typeA(_, let ats) = activation else { return }
      activation = .typeA(newValue, ats)
    }
  }

  /// Whether the block protocol is active: the card has been activated and not yet deselected.
  public var isActivated: Bool { blocks != nil }

  /// Switches the carrier on.
  public mutating func powerOn() {
    leaveProtocol()
    switch activation {
    case .typeA(var card, let ats):
      card.powerOn()
      activation = .typeA(card, ats)
    case .typeB(var card):
      card.powerOn()
      activation = .typeB(card)
    }
  }

  /// Switches the carrier off.
  public mutating func powerOff() {
    leaveProtocol()
    switch activation {
    case .typeA(var card, let ats):
      card.powerOff()
      activation = .typeA(card, ats)
    case .typeB(var card):
      card.powerOff()
      activation = .typeB(card)
    }
  }

  /// Receives a frame.
  public mutating func receive(_ frame: RadioFrame) -> Outcome {
    guard frame.bitRate == bitRateToCard else { return .handled(nil) }
    switch activation {
    case .typeA(var card, let ats):
      let outcome = card.receive(frame)
      activation = .typeA(card, ats)
      switch outcome {
      case .handled(let answer): return .handled(answer)
      // Noise: an ISO/IEC 14443-4 card does not change its state (5.6 and 7.5.6).
      case .other:
        acceptsParameterSelection = false
        return .handled(nil)
      case .command(let bytes):
        if blocks != nil { return receiveBlock(bytes, ats: ats) }
        return .handled(requestForAnswerToSelect(bytes, ats: ats))
      }
    case .typeB(var card):
      let outcome = card.receive(frame)
      activation = .typeB(card)
      switch outcome {
      case .handled(let answer):
        if let attributes = card.attributes { begin(attributes, of: card) }
        return .handled(answer)
      case .command(let bytes):
        return receiveBlock(bytes, ats: nil)
      }
    }
  }

  /// Sends the answer to a command: its first block, or a request for more time.
  public mutating func respond(
    _ response: [UInt8], waitingTimeExtensions: [UInt8] = []
  ) -> RadioFrame? {
    guard let block = blocks?.respond(response, waitingTimeExtensions: waitingTimeExtensions)
    else { return nil }
    return frame(block)
  }

  // MARK: Activation of the protocol

  /// RATS (ISO/IEC 14443-4, 5.1).
  private static let requestForAnswerToSelect: UInt8 = 0xE0
  /// PPSS with a CID of zero (ISO/IEC 14443-4, 5.3).
  private static let parameterSelection: UInt8 = 0xD0
  /// PPS0 without and with PPS1.
  private static let parameterSelectionWithoutRates: UInt8 = 0x01
  private static let parameterSelectionWithRates: UInt8 = 0x11

  private mutating func requestForAnswerToSelect(
    _ bytes: [UInt8], ats: AnswerToSelect
  ) -> RadioFrame? {
    guard bytes.count == 2, bytes[0] == Self.requestForAnswerToSelect, bytes[1] & 0x0F != 0x0F
    else { return nil }
    blocks = BlockProtocol(
      frameSizeOfReader: BlockProtocol.frameSize(code: bytes[1] >> 4),
      frameSizeOfCard: ats.frameSize, cid: ats.supportsCID ? bytes[1] & 0x0F : nil)
    acceptsParameterSelection = true
    setProtocolState(true)
    return .typeA(ats.bytes)
  }

  private mutating func begin(_ attributes: TypeBActivation.Attributes, of card: TypeBActivation) {
    blocks = BlockProtocol(
      frameSizeOfReader: BlockProtocol.frameSize(code: attributes.frameSizeCode),
      frameSizeOfCard: BlockProtocol.frameSize(code: card.protocolInfo[1] >> 4),
      cid: attributes.cid)
    bitRateToCard = attributes.bitRateToCard
    bitRateToReader = attributes.bitRateToReader
  }

  private mutating func selectParameters(_ bytes: [UInt8], ats: AnswerToSelect) -> RadioFrame? {
    guard bytes.count >= 2, bytes[0] == Self.parameterSelection | (blocks?.cid ?? 0) else {
      return nil
    }
    var divisors: UInt8 = 0
    switch (bytes[1], bytes.count) {
    case (Self.parameterSelectionWithoutRates, 2): break
    case (Self.parameterSelectionWithRates, 3): divisors = bytes[2]
    default: return nil
    }
    let toCard = divisors & 0x03
    let toReader = divisors >> 2 & 0x03
    guard divisors <= 0x0F, ats.allows(divisorToCard: toCard, divisorToReader: toReader) else {
      return nil
    }
    // The rates change after the answer, which is still sent at the old rate.
    let answer = frame([bytes[0]])
    bitRateToCard = 106 << Int(toCard)
    bitRateToReader = 106 << Int(toReader)
    return answer
  }

  private mutating func receiveBlock(_ bytes: [UInt8], ats: AnswerToSelect?) -> Outcome {
    let wasFirst = acceptsParameterSelection
    acceptsParameterSelection = false
    if wasFirst, let ats, bytes.first.map({ $0 & 0xF0 }) == Self.parameterSelection {
      return .handled(selectParameters(bytes, ats: ats))
    }
    guard let outcome = blocks?.receive(bytes) else { return .handled(nil) }
    switch outcome {
    case .silence: return .handled(nil)
    case .answer(let block): return .handled(frame(block))
    case .command(let command): return .command(command)
    case .deselected(let block):
      let answer = frame(block)
      leaveProtocol()
      halt()
      return .handled(answer)
    }
  }

  private func frame(_ block: [UInt8]) -> RadioFrame {
    var frame = modulation == .typeA ? RadioFrame.typeA(block) : .typeB(block)
    frame.bitRate = bitRateToReader
    return frame
  }

  private mutating func leaveProtocol() {
    blocks = nil
    acceptsParameterSelection = false
    bitRateToCard = 106
    bitRateToReader = 106
    setProtocolState(false)
  }

  /// Sets whether the card is in the protocol state, in which REQA, WUPA and HLTA are invalid blocks.
  private mutating func setProtocolState(_ isOn: Bool) {
    guard case .typeA(var card, let ats) = activation else { return }
    card.expectsData = isOn
    activation = .typeA(card, ats)
  }

  private mutating func halt() {
    switch activation {
    case .typeA(var card, let ats):
      card.halt()
      activation = .typeA(card, ats)
    case .typeB(var card):
      card.halt()
      activation = .typeB(card)
    }
  }
}
