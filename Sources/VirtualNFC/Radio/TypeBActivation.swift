import SwiftNFCCore

/// The states of a type B card until ATTRIB: ISO/IEC 14443-3, 7.4.
///
/// A chip owns one, passes every frame to ``receive(_:)`` and acts on the result. A real card
/// chooses its slot at random; this one always uses ``slot``, so that a run can be repeated.
public struct TypeBActivation: Hashable, Sendable {
  /// The result of a frame.
  public enum Outcome: Hashable, Sendable {
    /// Activation has handled the frame; the answer, `nil` for silence.
    case handled(RadioFrame?)
    /// ATTRIB was accepted before, and this is a frame with a right CRC_B. The CRC_B is removed.
    case command([UInt8])
  }

  /// The states of ISO/IEC 14443-3, figure 14.
  public enum State: Hashable, Sendable {
    /// There is no carrier.
    case powerOff
    /// The card waits for REQB or WUPB.
    case idle
    /// The card was requested, and waits for the SLOT-MARKER of its slot.
    case readyRequested
    /// ATQB has been sent.
    case readyDeclared
    /// ATTRIB has been accepted.
    case active
    /// Halted by HLTB or S(DESELECT): the card responds only to WUPB.
    case halt
  }

  /// The choices of the reader in ATTRIB: ISO/IEC 14443-3, 7.10.
  public struct Attributes: Hashable, Sendable {
    /// The card identifier, 0 to 14; `nil` for a card without CID support.
    public var cid: UInt8?
    /// The code of the longest frame that the reader accepts; ISO/IEC 14443-3, table 30.
    public var frameSizeCode: UInt8
    /// The bit rate from the reader to the card in kilobits per second.
    public var bitRateToCard: Int
    /// The bit rate from the card to the reader in kilobits per second.
    public var bitRateToReader: Int
  }

  /// The four bytes of the pseudo-unique PICC identifier.
  public let pupi: [UInt8]
  /// The four bytes of the ATQB's application data field; the first is the card's AFI.
  public let applicationData: [UInt8]
  /// The three bytes of the ATQB's protocol info field.
  public let protocolInfo: [UInt8]
  /// The time slot, 1 to 16, in which the card answers; 1 after REQB or WUPB with fewer slots.
  public let slot: Int
  /// The state after the last frame.
  public private(set) var state: State = .powerOff
  /// The attributes, while the card is active.
  public private(set) var attributes: Attributes?

  /// - Parameter slot: above 1 for a card that a reader finds only by its SLOT-MARKER commands.
  public init(
    pupi: [UInt8], applicationData: [UInt8], protocolInfo: [UInt8], slot: Int = 1
  ) {
    precondition(pupi.count == 4, "a PUPI has 4 bytes")
    precondition(applicationData.count == 4, "the application data field has 4 bytes")
    precondition(protocolInfo.count == 3, "the protocol info field has 3 bytes")
    precondition((1...16).contains(slot), "slots count from 1 to 16")
    self.pupi = pupi
    self.applicationData = applicationData
    self.protocolInfo = protocolInfo
    self.slot = slot
  }

  /// Whether ATTRIB has been accepted.
  public var isActive: Bool { state == .active }

  /// Switches the carrier on.
  public mutating func powerOn() {
    state = .idle
    attributes = nil
  }

  /// Switches the carrier off.
  public mutating func powerOff() {
    state = .powerOff
    attributes = nil
  }

  /// Halts the card, as HLTB and S(DESELECT) do.
  public mutating func halt() {
    attributes = nil
    if state != .powerOff { state = .halt }
  }

  /// Receives a frame.
  public mutating func receive(_ frame: RadioFrame) -> Outcome {
    guard frame.modulation == .typeB, state != .powerOff, let payload = frame.checkedPayload,
      let code = payload.first
    else { return .handled(nil) }
    if state == .active { return .command(payload) }
    if code == Self.requestB, payload.count == 3 {
      return .handled(request(afi: payload[1], parameter: payload[2]))
    }
    if code & 0x0F == Self.requestB, payload.count == 1 {
      return .handled(slotMarker(number: Int(code >> 4) + 1))
    }
    guard state == .readyDeclared, payload.count >= 5, Array(payload[1..<5]) == pupi else {
      return .handled(nil)
    }
    if code == Self.attrib, payload.count >= 9 {
      return .handled(select(parameters: Array(payload[5..<9])))
    }
    if code == Self.haltB, payload.count == 5 {
      halt()
      return .handled(.typeB([0x00]))
    }
    return .handled(nil)
  }

  // MARK: Commands

  /// APf of REQB and WUPB, and the low half of APn, the first byte of SLOT-MARKER.
  private static let requestB: UInt8 = 0x05
  private static let attrib: UInt8 = 0x1D
  private static let haltB: UInt8 = 0x50
  /// The first byte of ATQB.
  private static let answerToRequest: UInt8 = 0x50
  /// The bit of PARAM for WUPB instead of REQB.
  private static let wakeUpFlag: UInt8 = 0x08
  /// The bit in the last byte of the protocol info that indicates that the card supports a CID.
  private static let cidSupported: UInt8 = 0x01

  private mutating func request(afi: UInt8, parameter: UInt8) -> RadioFrame? {
    if state == .halt, parameter & Self.wakeUpFlag == 0 { return nil }
    // Codes 5 to 7 of the number of slots are reserved, so a card cannot follow such a command.
    guard matches(afi: afi), parameter & 0x07 <= 4 else {
      if state != .halt { state = .idle }
      return nil
    }
    let slots = 1 << Int(parameter & 0x07)
    guard slot == 1 || slot > slots else {
      state = .readyRequested
      return nil
    }
    return declare()
  }

  private mutating func slotMarker(number: Int) -> RadioFrame? {
    guard state == .readyRequested, number == slot else { return nil }
    return declare()
  }

  private mutating func declare() -> RadioFrame {
    state = .readyDeclared
    return .typeB([Self.answerToRequest] + pupi + applicationData + protocolInfo)
  }

  /// Returns whether an AFI matches: a zero half of it stands for any value (ISO/IEC 14443-3, 7.7.3).
  private func matches(afi: UInt8) -> Bool {
    let own = applicationData[0]
    return (afi & 0xF0 == 0 || afi & 0xF0 == own & 0xF0)
      && (afi & 0x0F == 0 || afi & 0x0F == own & 0x0F)
  }

  private mutating func select(parameters: [UInt8]) -> RadioFrame? {
    let rates = parameters[1]
    guard let toReader = bitRate(code: rates >> 6, supported: protocolInfo[0] >> 4 & 0x07),
      let toCard = bitRate(code: rates >> 4 & 0x03, supported: protocolInfo[0] & 0x07)
    else { return nil }
    if protocolInfo[0] & 0x80 != 0, toReader != toCard { return nil }
    let cid = parameters[3] & 0x0F
    let supportsCID = protocolInfo[2] & Self.cidSupported != 0
    attributes = Attributes(
      cid: supportsCID ? cid : nil, frameSizeCode: rates & 0x0F, bitRateToCard: toCard,
      bitRateToReader: toReader)
    state = .active
    // MBLI 0: the card does not specify the maximum length of a chain of blocks.
    return .typeB([supportsCID ? cid : 0])
  }

  private func bitRate(code: UInt8, supported: UInt8) -> Int? {
    guard code == 0 || supported >> (code - 1) & 1 == 1 else { return nil }
    return 106 << Int(code)
  }
}
