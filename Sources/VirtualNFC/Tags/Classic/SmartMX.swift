import SwiftNFCCore

/// A smart card with MIFARE Classic sectors in addition to its applications, like NXP's SmartMX and JCOP
/// cards: one UID, and a SAK that indicates both (28h with 1K, 38h with 4K).
///
/// The reader's first command after the selection decides between the two: RATS starts ISO/IEC 14443-4
/// until the card is deselected, AUTH opens the sectors until they become silent. Neither side can access
/// the other's memory.
///
/// Sources: NXP AN10833, table 6 (SAK); libnfc's `nfc-mfclassic` and `mfoc`, which keep the reader from
/// sending RATS to such cards.
public struct SmartMX: VirtualChip {
  /// The side that is selected after the last frame.
  private enum Side: Hashable, Sendable {
    /// Neither side; the card is at most selected.
    case neither
    case applications
    case sectors
  }

  public let name: String
  private var activation: TypeAActivation
  private var card: ISO7816Card
  private(set) var classic: MIFAREClassic
  private var side = Side.neither

  /// RATS: ISO/IEC 14443-4, 5.1.
  private static let requestForAnswerToSelect: UInt8 = 0xE0
  /// The bit of SAK that indicates ISO/IEC 14443-4.
  static let sakISO14443Part4: UInt8 = 0x20

  /// - Parameters:
  ///   - product: the size of the sectors' memory.
  ///   - uid: 4 or 7 bytes; `nil` for the card's own.
  ///   - formatted: whether the sectors are an NFC tag with an empty message; if not, all keys are FFFFFFFFFFFF.
  ///   - applets: the card's applications.
  public init(
    _ product: MIFAREClassic.Product = .oneK, uid: [UInt8]? = nil, formatted: Bool = true,
    applets: [any VirtualApplet] = [Type4Application()]
  ) {
    let uid = uid ?? Self.defaultUID
    var classic = MIFAREClassic(product, uid: uid, formatted: formatted)
    classic.activation = TypeAActivation(
      uid: uid, atqa: product.atqa(uidCount: uid.count), sak: product.sak | Self.sakISO14443Part4)
    self.init(classic, applets: applets)
  }

  /// Creates a card with these sectors, whose answers to the anticollision are the card's. An image has no applications:
  /// the card then refuses to select any.
  init(_ sectors: MIFAREClassic, applets: [any VirtualApplet] = []) {
    let activation = sectors.activation
    name = "smartmx-\(sectors.product == .fourK ? "4k" : "1k")"
    self.activation = activation
    card = ISO7816Card(
      name: name,
      interface: ProximityInterface(
        typeA: activation.uid, atqa: activation.atqa, sak: activation.sak, ats: TypeACoding.ats),
      applets: applets)
    classic = sectors
  }

  /// The default UID.
  private static let defaultUID: [UInt8] = [0x5B, 0x92, 0x0E, 0xC4]

  public var identifier: [UInt8] { activation.uid }
  public var modulation: RadioFrame.Modulation { .typeA }

  /// All blocks of the sectors, followed by the applications' files.
  public var memory: [UInt8] {
    get { classic.memory + card.memory }
    set {
      let size = classic.memory.count
      classic.memory = Array(newValue.prefix(size))
      card.memory = Array(newValue.dropFirst(size))
    }
  }

  public var irreversibleState: IrreversibleState {
    var state = classic.irreversibleState
    state.add(card.irreversibleState, placeOffset: 1 << 32)
    return state
  }

  public mutating func powerOn() {
    side = .neither
    activation.powerOn()
    classic.powerOn()
    card.powerOn()
  }

  public mutating func powerOff() {
    side = .neither
    activation.powerOff()
    classic.powerOff()
    card.powerOff()
  }

  public mutating func carrierHasLasted(_ time: Duration) { classic.carrierHasLasted(time) }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    if side == .neither {
      let before = activation
      switch activation.receive(frame) {
      case .handled(let answer): return answer
      case .command(let bytes) where bytes.first == Self.requestForAnswerToSelect:
        side = .applications
      case .command, .other: side = .sectors
      }
      activation = before
    }
    switch side {
    case .applications:
      card.activation = activation
      let answer = card.receive(frame)
      if let now = card.activation { activation = now }
      if !card.isActivated { side = .neither }
      return answer
    case .sectors, .neither:
      classic.activation = activation
      let answer = classic.receive(frame)
      activation = classic.activation
      if !activation.isActive { side = .neither }
      return answer
    }
  }
}

extension VirtualTag {
  /// Returns a smart card with a Type 4 application and MIFARE Classic 1K sectors.
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; `nil` for the card's own.
  ///   - formatted: whether the sectors are an NFC tag with an empty message.
  public static func smartMX1K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(SmartMX(.oneK, uid: uid, formatted: formatted))
  }

  /// Returns a smart card with a Type 4 application and MIFARE Classic 4K sectors.
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; `nil` for the card's own.
  ///   - formatted: whether the sectors are an NFC tag with an empty message.
  public static func smartMX4K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(SmartMX(.fourK, uid: uid, formatted: formatted))
  }
}
