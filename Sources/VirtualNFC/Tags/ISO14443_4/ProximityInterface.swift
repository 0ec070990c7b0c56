import NFCCore

/// The radio side of an ISO/IEC 14443-4 card: activation of its type, then the block protocol.
///
/// A chip owns one, hands every frame to ``receive(_:)``, works on the commands that come back and
/// sends what it has to say by ``respond(_:waitingTimeExtensions:)``.
public struct ProximityInterface: Hashable, Sendable {
  /// What a chip does with a frame.
  public enum Outcome: Hashable, Sendable {
    /// The interface deals with it; the answer, `nil` for silence.
    case handled(RadioFrame?)
    /// A whole command has come.
    case command([UInt8])
  }

  enum Activation: Hashable, Sendable {
    case typeA(TypeAActivation, AnswerToSelect)
    case typeB(TypeBActivation)
  }

  private(set) var activation: Activation
  private var blocks: BlockProtocol?
  /// PPS is heard only straight after the ATS: any other block, one that is broken, and a PPS that the card
  /// cannot follow end that (ISO/IEC 14443-4, 5.6.2.2).
  private var hearsParameterSelection = false
  private var bitRateToCard = 106
  private var bitRateToReader = 106

  /// Creates a type A card.
  ///
  /// - Parameters:
  ///   - uid: 4, 7 or 10 bytes.
  ///   - atqa: in the order in which the bytes go over the air, least significant first.
  ///   - sak: bit 6 (20 hexadecimal) says that the card follows ISO/IEC 14443-4.
  ///   - sakOfCascade: the SAK of cascade levels before the last.
  ///   - ats: the whole answer to RATS, its length byte first.
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
    activation = .typeB(
      // A card draws its slot; one that follows from the PUPI differs from card to card all the same.
      TypeBActivation(
        pupi: pupi, applicationData: applicationData, protocolInfo: protocolInfo,
        slot: 1 + Int(pupi.reduce(0, &+)) % 16))
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

  /// The states of a type A card up to its selection; `nil` for type B.
  var typeA: TypeAActivation? {
    get { if case .typeA(let card, _) = activation { card } else { nil } }
    set {
      guard let newValue, case .typeA(_, let ats) = activation else { return }
      activation = .typeA(newValue, ats)
    }
  }

  /// Whether the block protocol runs: the card has been activated and not yet deselected.
  public var isActivated: Bool { blocks != nil }

  /// What happens when the carrier comes on.
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

  /// What happens when the carrier goes off.
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

  /// Takes a frame from the air.
  public mutating func receive(_ frame: RadioFrame) -> Outcome {
    guard frame.bitRate == bitRateToCard else { return .handled(nil) }
    switch activation {
    case .typeA(var card, let ats):
      let outcome = card.receive(frame)
      activation = .typeA(card, ats)
      switch outcome {
      case .handled(let answer): return .handled(answer)
      // Noise: a card that follows ISO/IEC 14443-4 stays as it is (5.6 and 7.5.6).
      case .other:
        hearsParameterSelection = false
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

  /// Sends the answer to a command: its first block, or a request for more time before it.
  public mutating func respond(
    _ response: [UInt8], waitingTimeExtensions: [UInt8] = []
  ) -> RadioFrame? {
    guard let block = blocks?.respond(response, waitingTimeExtensions: waitingTimeExtensions)
    else { return nil }
    return frame(block)
  }

  // MARK: Activation of the protocol

  /// ISO/IEC 14443-4, 5.1.
  private static let requestForAnswerToSelect: UInt8 = 0xE0
  /// ISO/IEC 14443-4, 5.3: PPSS with a CID of zero.
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
      frameSizeOfCard: ats.frameSize, cid: ats.takesCID ? bytes[1] & 0x0F : nil)
    hearsParameterSelection = true
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
    // The answer still goes at the old rate; so this follows it.
    let answer = frame([bytes[0]])
    bitRateToCard = 106 << Int(toCard)
    bitRateToReader = 106 << Int(toReader)
    return answer
  }

  private mutating func receiveBlock(_ bytes: [UInt8], ats: AnswerToSelect?) -> Outcome {
    let wasFirst = hearsParameterSelection
    hearsParameterSelection = false
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
    hearsParameterSelection = false
    bitRateToCard = 106
    bitRateToReader = 106
    setProtocolState(false)
  }

  /// In the protocol state REQA, WUPA and HLTA are frames like any other, that is, invalid blocks.
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
