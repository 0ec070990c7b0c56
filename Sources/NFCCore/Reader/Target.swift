/// The activation data of a tag, before any of its own commands.
///
/// More may be added: a `switch` needs an `@unknown default`.
@nonexhaustive
public enum Target: Hashable, Sendable {
  /// ISO/IEC 14443 type A.
  case iso14443a(ISO14443ATarget)
  /// ISO/IEC 14443 type B.
  case iso14443b(ISO14443BTarget)
  /// FeliCa.
  case feliCa(FeliCaTarget)
  /// ISO/IEC 15693.
  case iso15693(ISO15693Target)
  /// Jewel, Topaz: SENS_RES, most significant byte first, and the first four bytes of the UID.
  case jewel(sensRes: [UInt8], uid: [UInt8])
  /// B': the four bytes DIV, the version byte, the configuration byte if sent, and the ATR if sent.
  case iso14443bPrime(div: [UInt8], version: UInt8, configuration: UInt8?, atr: [UInt8])
  /// ST SRx: the UID, most significant byte first.
  case iso14443b2sr(uid: [UInt8])
  /// ASK CTx: the serial number, product code and fabrication code.
  case iso14443b2ct(uid: [UInt8], productCode: UInt8, fabricationCode: UInt8)
  /// NFC Barcode: the whole code, including its check bytes.
  case barcode(data: [UInt8])
  /// iCLASS: the card serial number, most significant byte first.
  case iClass(serialNumber: [UInt8])

  /// The technology that the tag was found with.
  public var technology: TagTechnology {
    switch self {
    case .iso14443a: .iso14443a
    case .iso14443b: .iso14443b
    case .feliCa: .feliCa
    case .iso15693: .iso15693
    case .jewel: .jewel
    case .iso14443bPrime: .iso14443bPrime
    case .iso14443b2sr: .iso14443b2sr
    case .iso14443b2ct: .iso14443b2ct
    case .barcode: .barcode
    case .iClass: .iClass
    }
  }

  /// Returns whether this is the same tag, found again.
  ///
  /// Its ATQA may differ: all tags in the field send theirs at the same time.
  public func isSame(as other: Target) -> Bool {
    switch (self, other) {
    case (.iso14443a(let one), .iso14443a(let two)): one.uid == two.uid && one.sak == two.sak
    case (.feliCa(let one), .feliCa(let two)): one.idm == two.idm
    default: technology == other.technology && identifier == other.identifier
    }
  }

  /// The UID, PUPI, IDm or serial number, most significant byte first.
  public var identifier: [UInt8] {
    switch self {
    case .iso14443a(let target): target.uid
    case .iso14443b(let target): target.pupi
    case .feliCa(let target): target.idm
    case .iso15693(let target): target.uid
    case .jewel(_, let uid): uid
    case .iso14443bPrime(let div, _, _, _): div
    case .iso14443b2sr(let uid): uid
    case .iso14443b2ct(let uid, _, _): uid
    case .barcode(let data): data
    case .iClass(let serialNumber): serialNumber
    }
  }
}

/// A type A tag after selection: ISO/IEC 14443-3, 6, and ISO/IEC 14443-4, 5.
public struct ISO14443ATarget: Hashable, Sendable {
  /// The UID: 4, 7 or 10 bytes.
  public var uid: [UInt8]
  /// The ATQA: two bytes, most significant first, as they are usually printed: `[0x00, 0x44]`.
  /// Empty if the reader has not reported it, as on PC/SC.
  public var atqa: [UInt8]
  /// The SAK. If a reader does not report it, as on PC/SC, the SAK of the kind of tag that it
  /// reports.
  public var sak: UInt8
  /// The answer to select without its length byte; empty for a tag without ISO/IEC 14443-4, and if
  /// the reader has not reported it.
  public var ats: [UInt8]
  /// The historical bytes, on a reader that does not report the answer to select itself.
  private var reportedHistoricalBytes: [UInt8]?

  /// Creates a tag; `ats` is without its length byte, and empty for a tag without one.
  public init(uid: [UInt8], atqa: [UInt8], sak: UInt8, ats: [UInt8] = []) {
    self.uid = uid
    self.atqa = atqa
    self.sak = sak
    self.ats = ats
  }

  /// Creates a card of ISO/IEC 14443-4 for a reader that reports only the historical bytes of its
  /// ATS. Some readers report the complete ATS instead: then the first byte is the length and the
  /// second a T0.
  public init(uid: [UInt8], historicalBytes: [UInt8]) {
    self.init(uid: uid, atqa: [], sak: Self.sakISO14443Part4)
    if Self.isCompleteATS(historicalBytes) {
      ats = Array(historicalBytes.dropFirst())
    } else {
      reportedHistoricalBytes = historicalBytes
    }
  }

  /// The largest frame size code (ISO/IEC 14443-4, 5.2.3).
  private static let largestFrameSizeCode: UInt8 = 0x0C

  /// ISO/IEC 14443-4, 5.2: TL, which counts itself; T0, whose high bit is 0; the interface bytes that it
  /// announces.
  private static func isCompleteATS(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 2, Int(bytes[0]) == bytes.count, bytes[1] & 0x80 == 0 else { return false }
    let interfaceBytes = (bytes[1] >> 4 & 0x07).nonzeroBitCount
    return interfaceBytes > 0 && bytes.count >= 2 + interfaceBytes
      && bytes[1] & 0x0F <= largestFrameSizeCode
  }

  /// Bit 6 of SAK: the tag speaks ISO/IEC 14443-4 (ISO/IEC 14443-3, 6.5.3.4).
  package static let sakISO14443Part4: UInt8 = 0x20

  /// Whether SAK indicates that the tag supports ISO/IEC 14443-4.
  public var supportsISO14443Part4: Bool { sak & Self.sakISO14443Part4 != 0 }

  /// The same card in its form as MIFARE Classic, for a reader that does not activate ISO/IEC
  /// 14443-4 after the selection; `nil` for a card without such sectors.
  ///
  /// A driver that is to wake it so keeps from sending RATS. Sources: NXP AN10833, table 6; libnfc's
  /// `nfc-mfclassic`.
  package var classicSide: ISO14443ATarget? {
    guard supportsISO14443Part4, MiFareClassicKind(sak: sak) != nil else { return nil }
    return ISO14443ATarget(uid: uid, atqa: atqa, sak: sak & ~Self.sakISO14443Part4)
  }

  /// Returns whether this is the ``classicSide`` of another card.
  package func isClassicSide(of card: ISO14443ATarget) -> Bool {
    card.classicSide.map { $0.uid == uid && $0.sak == sak } ?? false
  }

  /// Whether the UID is random: a UID of 4 bytes that begins with 08 changes at each power-on
  /// (ISO/IEC 14443-3, 6.5.4).
  public var hasRandomUID: Bool { Self.isRandom(uid: uid) }

  package static func isRandom(uid: [UInt8]) -> Bool { uid.count == 4 && uid[0] == 0x08 }

  /// The bytes after T0 and the interface bytes that it announces (ISO/IEC 14443-4, 5.2).
  public var historicalBytes: [UInt8] {
    if let reportedHistoricalBytes { return reportedHistoricalBytes }
    guard let t0 = ats.first else { return [] }
    let interfaceBytes = (t0 >> 4 & 0x07).nonzeroBitCount
    return Array(ats.dropFirst(1 + interfaceBytes))
  }
}

/// A type B tag after ATTRIB: ISO/IEC 14443-3, 7.9.
public struct ISO14443BTarget: Hashable, Sendable {
  /// The PUPI, four bytes. Some cards change it at each power-on.
  public var pupi: [UInt8]
  /// The application data, four bytes: AFI, CRC_B(AID), number of applications.
  public var applicationData: [UInt8]
  /// The protocol info, three bytes: bit rates, frame size and protocol type, waiting time and
  /// options.
  public var protocolInfo: [UInt8]

  /// Creates a tag from the three parts of its ATQB.
  public init(pupi: [UInt8], applicationData: [UInt8], protocolInfo: [UInt8]) {
    self.pupi = pupi
    self.applicationData = applicationData
    self.protocolInfo = protocolInfo
  }
}

/// A FeliCa card after Polling: JIS X 6319-4; FeliCa Card User's Manual, 4.4.2.
public struct FeliCaTarget: Hashable, Sendable {
  /// The IDm, eight bytes: manufacturer code, card identification number.
  public var idm: [UInt8]
  /// The PMm, eight bytes: IC code, maximum response times; empty if the reader cannot ask for it.
  public var pmm: [UInt8]
  /// The system code, two bytes, most significant first; empty if the card has not reported it.
  public var systemCode: [UInt8]
  /// The bit rate, 212 or 424 kbit/s.
  public var bitRate: Int

  /// Creates a card from its answer to Polling.
  public init(idm: [UInt8], pmm: [UInt8], systemCode: [UInt8], bitRate: Int) {
    self.idm = idm
    self.pmm = pmm
    self.systemCode = systemCode
    self.bitRate = bitRate
  }
}

/// A vicinity tag that an inventory has found: ISO/IEC 15693-3, 10.3.1.
public struct ISO15693Target: Hashable, Sendable {
  /// The UID, eight bytes, most significant (E0) first.
  public var uid: [UInt8]
  /// The DSFID; `nil` if the reader has not reported it.
  public var dsfid: UInt8?

  /// Creates a tag from its answer to an inventory.
  public init(uid: [UInt8], dsfid: UInt8? = nil) {
    self.uid = uid
    self.dsfid = dsfid
  }
}
