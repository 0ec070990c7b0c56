/// What is known about a tag: its identity, its memory, and its other data.
///
/// An image represents the files of several programs (``ImageFormat``). What a file or a reader
/// does not report is `nil`, or unknown in ``memory``; it is never a zero.
public struct TagImage: Hashable, Sendable {
  /// The families of tags, by the organization of their memory.
  @nonexhaustive
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Blocks of 16 bytes in sectors with keys.
    case classic
    /// Ultralight, NTAG: pages of 4 bytes.
    case type2
    /// ISO/IEC 15693: blocks, usually of 4 bytes.
    case iso15693
    /// FeliCa Lite and Lite-S: 28 blocks of 16 bytes, in the order of ``feliCaLiteBlocks``.
    case feliCaLite
    /// FeliCa with systems, areas and services.
    case feliCa
    /// Type 1: blocks of 8 bytes.
    case topaz
    /// MIFARE DESFire: applications and files instead of a memory.
    case desfire
    /// Type 4 and other smart cards: applications and files of ISO/IEC 7816-4 instead of a memory.
    case smartCard
    /// ST25TB and SRIX: blocks of 4 bytes, and a separate system block.
    case st25tb
    /// iCLASS and PicoPass: blocks of 8 bytes, two of which hold the keys.
    case iClass
    /// ASK CTx tickets: 32 words of 2 bytes.
    case ctx
    /// NFC Barcode: 16 or 32 bytes, which are also its identity.
    case barcode
    /// Calypso cards of Innovatron's protocol (B'): nothing but the data from polling.
    case bPrime
    /// Type A: nothing but the data from polling.
    case iso14443a
    /// Type B: nothing but the data from polling.
    case iso14443b

    /// The possible lengths in bytes of a UID, IDm or PUPI (ISO/IEC 14443-3, 6.5.4 and 7.9.2;
    /// ISO/IEC 15693-3, 4.1; JIS X 6319-4; a Topaz reports 4 of its 7 bytes when it is found).
    var uidLengths: Set<Int> {
      switch self {
      case .classic, .type2, .desfire, .smartCard, .iso14443a: [4, 7, 10]
      case .iso15693, .feliCaLite, .feliCa, .st25tb, .iClass: [8]
      case .topaz: [4, 7]
      case .iso14443b, .ctx, .bPrime: [4]
      case .barcode: [16, 32]
      }
    }
  }

  /// One of the counters of an Ultralight EV1 or NTAG.
  public struct Counter: Hashable, Sendable {
    /// The value, 24 bits.
    public var value: UInt32
    /// The answer to CHECK_TEARING_EVENT; BD where no increment was torn (MF0ULx1 data sheet, 10.9). `nil` if
    /// the chip was not asked.
    public var tearing: UInt8?

    /// Creates a counter.
    public init(value: UInt32, tearing: UInt8? = nil) {
      self.value = value
      self.tearing = tearing
    }
  }

  /// The family of the tag, which decides the meaning of ``memory``.
  public var kind: Kind
  /// The UID, or the IDm of FeliCa, most significant byte first (E0… for ISO 15693).
  public var uid: [UInt8]?
  /// The ATQA of type A, two bytes, most significant first: 0044.
  public var atqa: [UInt8]?
  /// The SAK of type A.
  public var sak: UInt8?
  /// The ATS, including its length byte.
  public var ats: [UInt8]?
  /// The application data of type B.
  public var applicationData: [UInt8]?
  /// The protocol info of type B. For a B' card, the version and the configuration byte of its answer to APGEN; for an
  /// ASK CTx ticket, the product code and the fabrication code.
  public var protocolInfo: [UInt8]?
  /// The bytes that a B' card answers after these.
  public var answerToReset: [UInt8]?
  /// The answer to GET_VERSION; for a DESFire, all 28 bytes.
  public var version: [UInt8]?
  /// The maker's signature over the UID.
  public var signature: [UInt8]?
  /// The three counters; `nil` for those that do not exist or were not read. NTAG21x uses only the
  /// last.
  public var counters: [Counter?] = [nil, nil, nil]
  /// The number of wrong passwords that the chip has counted.
  public var failedAuthentications: Int?
  /// HR0 and HR1 of a Topaz.
  public var headerROM: [UInt8]?
  /// Block 255 of an ST25TB.
  public var systemBlock: [UInt8]?
  /// Details of an ISO 15693 tag; `nil` for other kinds.
  public var vicinity: Vicinity?
  /// Details of a FeliCa card; `nil` for other kinds.
  public var feliCa: FeliCa?
  /// Details of a DESFire card; `nil` for other kinds.
  public var desfire: DESFire?
  /// Details of a smart card; `nil` for other kinds.
  public var smartCard: SmartCard?
  /// Details of a type A card that is a MIFARE Plus; `nil` for other cards.
  public var plus: MIFAREPlus?
  /// The pages or blocks of the tag.
  public var memory: Memory

  /// Creates an image of which only kind and memory are known.
  public init(_ kind: Kind, memory: Memory = Memory(unitSize: 4, unitCount: 0)) {
    self.kind = kind
    self.memory = memory
  }

  /// Creates an image of which every byte of the memory is known.
  public init(_ kind: Kind, unitSize: Int, bytes: [UInt8]) {
    self.init(kind, memory: Memory(unitSize: unitSize, bytes: bytes))
  }
}

extension TagImage.Kind {
  /// The word for a unit of the memory.
  package var unit: String {
    switch self {
    case .type2: "page"
    case .ctx: "word"
    default: "block"
    }
  }

  /// The name for people, with an article.
  public var name: String {
    switch self {
    case .classic: "a MIFARE Classic"
    case .type2: "an Ultralight or NTAG"
    case .iso15693: "an ISO 15693 tag"
    case .feliCaLite: "a FeliCa Lite card"
    case .feliCa: "a FeliCa card"
    case .topaz: "a Topaz tag"
    case .desfire: "a DESFire card"
    case .smartCard: "a smart card"
    case .st25tb: "an ST25TB tag"
    case .iClass: "an iCLASS card"
    case .ctx: "an ASK CTx ticket"
    case .barcode: "an NFC Barcode"
    case .bPrime: "a B' card"
    case .iso14443a: "a type A card"
    case .iso14443b: "a type B card"
    }
  }
}
