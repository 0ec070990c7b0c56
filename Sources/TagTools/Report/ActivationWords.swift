import NFC

/// What a tag reports when it is activated, in words: its bit rates, frames and waiting times.
struct ActivationWords {
  private(set) var rows: [(name: String, value: String)] = []

  init(_ tag: DetectedTag) {
    if tag.technology == .iso14443a { addKind(ofUID: tag.identifier) }
    switch tag {
    case .miFare(let tag): add(ats: tag.ats, tag.historicalBytes)
    case .iso7816(let card):
      add(ats: card.ats ?? [], card.ats == nil ? [] : card.historicalBytes)
      if let data = card.applicationData { add(applicationData: data) }
      if let info = card.protocolInfo { add(protocolInfo: info) }
    case .iso15693, .feliCa, .other: break
    }
    if Self.isEmulated(tag) {
      rows.append(("kind of card", "a card emulated by a PN532"))
    }
  }

  /// Returns whether a card has the interface bytes that a PN532 has as a card, which a program cannot change, and a UID
  /// as it has (libnfc 1.8.0, `nfc-relay-picc.c`).
  private static func isEmulated(_ tag: DetectedTag) -> Bool {
    let interfaceBytes: [UInt8] = [0x75, 0x33, 0x92, 0x03]
    let ats: [UInt8] =
      switch tag {
      case .miFare(let tag): tag.ats
      case .iso7816(let card): card.ats ?? []
      case .iso15693, .feliCa, .other: []
      }
    return tag.identifier.count == 4 && tag.identifier.first == CardIdentity.firstByteOfUID
      && ats.starts(with: interfaceBytes)
  }

  /// Adds what is unusual about a UID: 4 bytes are not unique, and a first byte of 08 indicates a random one
  /// (ISO/IEC 14443-3, 6.5.4; NXP AN10927, 2).
  private mutating func addKind(ofUID uid: [UInt8]) {
    guard uid.count == 4, ImagedTags.isKnown(uid) else { return }
    rows.append(
      (
        "UID kind",
        ISO14443ATarget(uid: uid, atqa: [], sak: 0).hasRandomUID
          ? "random, another one each time" : "4 bytes, other cards may have the same"
      ))
  }

  // MARK: Type A

  /// The format byte T0 and the interface bytes of an answer to select (ISO/IEC 14443-4, 5.2.3 to 5.2.6).
  private enum ATS {
    static let hasTA: UInt8 = 0x10
    static let hasTB: UInt8 = 0x20
    static let hasTC: UInt8 = 0x40
    /// Without T0, frames of 32 bytes.
    static let defaultT0: UInt8 = 0x02
    /// Without TA(1), only 106 kbit/s.
    static let defaultTA: UInt8 = 0x00
    /// Without TB(1), FWI is 4 and SFGI is 0.
    static let defaultTB: UInt8 = 0x40
    /// Without TC(1), CID is supported, and NAD is not.
    static let defaultTC: UInt8 = CardOption.ats.cid
  }

  /// Where the two options of the block protocol are: TC(1) of an ATS, and the last byte of an ATQB, have
  /// them in opposite places (ISO/IEC 14443-4, 5.2.6; ISO/IEC 14443-3, 7.9.4.7).
  private struct CardOption {
    let cid: UInt8
    let nad: UInt8

    static let ats = CardOption(cid: 0x02, nad: 0x01)
    static let atqb = CardOption(cid: 0x01, nad: 0x02)

    func text(_ byte: UInt8) -> String {
      let names = [(cid, "card number (CID)"), (nad, "node address (NAD)")]
      let found = names.filter { byte & $0.0 != 0 }.map(\.1)
      return found.isEmpty ? "none" : found.joined(separator: ", ")
    }
  }

  /// - Parameter ats: without its length byte; empty if the reader does not report it.
  private mutating func add(ats: [UInt8], _ historicalBytes: [UInt8]) {
    if !ats.isEmpty {
      let t0 = ats[0]
      var rest = ats.dropFirst()
      func next(_ flag: UInt8, _ missing: UInt8) -> UInt8 {
        guard t0 & flag != 0 else { return missing }
        return rest.popFirst() ?? missing
      }
      let rates = next(ATS.hasTA, ATS.defaultTA)
      let waiting = next(ATS.hasTB, ATS.defaultTB)
      let options = next(ATS.hasTC, ATS.defaultTC)
      addFrameSize(t0 & 0x0F)
      addRates(rates)
      addWaitingTime(waiting >> 4)
      addGuardTime(waiting & 0x0F)
      rows.append(("protocol options", CardOption.ats.text(options)))
    }
    if let text = Self.text(historicalBytes) { rows.append(("historical text", text)) }
  }

  /// The sizes of frames for the codes 0 to C (ISO/IEC 14443-4, table 1). D to F mean the same as C.
  private static let frameSizes = [
    16, 24, 32, 40, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096,
  ]

  private mutating func addFrameSize(_ code: UInt8) {
    let size = Self.frameSizes[min(Int(code), Self.frameSizes.count - 1)]
    rows.append(("frame size", "\(size) bytes at most"))
  }

  /// Adds the bit rates of TA(1), or of the first protocol byte of an ATQB, which is the same (ISO/IEC
  /// 14443-4, 5.2.4; ISO/IEC 14443-3, 7.9.4.4). A byte whose bit 4 is set means 106 kbit/s.
  private mutating func addRates(_ byte: UInt8) {
    let isReserved = byte & 0x08 != 0
    func rates(_ bits: UInt8) -> String {
      let more = [(UInt8(1), "212"), (2, "424"), (4, "848")].filter { bits & $0.0 != 0 }
      return (["106"] + (isReserved ? [] : more.map(\.1))).joined(separator: ", ")
    }
    let (toCard, fromCard) = (rates(byte & 0x07), rates(byte >> 4 & 0x07))
    let same = byte & 0x80 != 0 && toCard != "106" ? ", the same both ways" : ""
    rows.append(
      (
        "bit rates",
        toCard == fromCard
          ? "\(toCard) kbit/s\(same)"
          : "\(toCard) kbit/s to the card, \(fromCard) kbit/s from it\(same)"
      ))
  }

  /// The largest code of a time. F is reserved.
  private static let largestTimeCode: UInt8 = 14
  /// What a reserved FWI means (ISO/IEC 14443-4, 5.2.5).
  private static let defaultWaitingCode: UInt8 = 4

  /// Returns 4096 periods of the carrier of 13.56 MHz, doubled as many times as the code says (ISO/IEC
  /// 14443-4, 5.2.5 and 7.2).
  private static func time(_ code: UInt8) -> String {
    let tenths = (4096 * 10_000 * (1 << Int(code)) + 6_780_000) / 13_560_000
    return "\(tenths / 10).\(tenths % 10) ms"
  }

  private mutating func addWaitingTime(_ code: UInt8) {
    let code = code > Self.largestTimeCode ? Self.defaultWaitingCode : code
    rows.append(("answers within", Self.time(code)))
  }

  private mutating func addGuardTime(_ code: UInt8) {
    guard (1...Self.largestTimeCode).contains(code) else { return }
    rows.append(("ready after", Self.time(code)))
  }

  /// Returns historical bytes that are text, such as the name of the card's system.
  private static func text(_ bytes: [UInt8]) -> String? {
    guard bytes.count > 2, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Type B

  /// The three bytes of protocol information: bit rates; frame size and protocol type; waiting time and
  /// options (ISO/IEC 14443-3, 7.9.4).
  private mutating func add(protocolInfo bytes: [UInt8]) {
    guard bytes.count >= 3 else { return }
    addFrameSize(bytes[1] >> 4)
    addRates(bytes[0])
    addWaitingTime(bytes[2] >> 4)
    rows.append(("protocol options", CardOption.atqb.text(bytes[2])))
  }

  /// The kinds of applications for the first digit of AFI (ISO/IEC 14443-3, table 12).
  private static let families: [UInt8: String] = [
    0x1: "transport", 0x2: "finance", 0x3: "identification and access",
    0x4: "telecommunication", 0x5: "medicine", 0x6: "multimedia", 0x7: "gaming",
    0x8: "data storage",
  ]
  /// An electronic travel document (ICAO 9303, part 10, 3.1).
  static let travelDocument: UInt8 = 0xE1

  /// The four bytes of application data: AFI, a checksum of the application's name, and their number.
  private mutating func add(applicationData bytes: [UInt8]) {
    guard let afi = bytes.first else { return }
    let name = afi == Self.travelDocument ? "travel document" : Self.families[afi >> 4]
    if let name { rows.append(("used for", name)) }
  }
}
