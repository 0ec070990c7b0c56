/// One chip of the Ultralight and NTAG families, with everything that this package knows about it.
///
/// All code with a question about a chip (NDEF mapping, formatting, locking, dump, restore,
/// protection, originality, `nfc info`) uses this record, and nothing compares a name. There are no
/// defaults: an unanswered question is explicitly `nil` or an empty list.
///
/// Each chip is one file in `Chips` and one line in ``all``.
struct Type2Chip: Sendable {
  let id: ChipID
  /// The maker's type number, which distinguishes chips with the same name.
  let typeNumber: String
  /// As the maker sells it.
  let name: String
  let maker: String
  /// The source of the record.
  let source: Source
  let recognition: Recognition
  /// The use of each page; `nil` if that is not public: then nothing is dumped, restored or
  /// protected.
  let pages: Type2PageMap?
  /// The lock bits and their pages; `nil` if that is not known.
  let lockBits: Type2LockBits?
  /// Bits beyond lock pages and page 3 that can only be set, and then close something permanently.
  let finalBits: [FinalBits]
  /// The format of a blank chip; `nil` if no source describes it.
  let blank: Blank?
  let hasFastRead: Bool
  /// The numbers of the counters that READ_CNT supports.
  let counters: [UInt8]
  /// The text that the chip can insert into the user memory; `nil` for a chip without a mirror, and
  /// for one whose settings are not known.
  let mirror: Mirror?
  let access: AccessControl
  let signature: Signature
  /// Whether another interface can write the memory meanwhile.
  let hasWiredSide: Bool

  /// All memory that commands address, in bytes; `nil` if that is not known.
  let memorySize: Int?

  var product: TagProduct {
    TagProduct(id, name: name, maker: maker, memorySize: memorySize, typeNumber: typeNumber)
  }

  /// The source of the facts.
  enum Source: Hashable, Sendable {
    /// A data sheet that is publicly available.
    case dataSheet(String)
    /// Observed on chips in the field. Reading is tried; no irreversible change relies on it.
    case observed(String)
  }

  /// The way in which the chip is distinguished from others.
  enum Recognition: Hashable, Sendable {
    /// By the answer to GET_VERSION.
    case version([Version])
    /// The chip does not support GET_VERSION and answers the first half of the 3DES authentication.
    case authentication
    /// The chip supports neither, has an identifier of this maker, and a page that begins with these bytes.
    case productCode(page: UInt8, bytes: [UInt8], maker: UInt8)
    /// The chip supports neither, has an identifier of this maker, and READ of this page, the last one, continues with
    /// page 0.
    case lastPage(UInt8, maker: UInt8)
    /// The chip supports neither, and has an identifier of this maker.
    case identifier(maker: UInt8)
  }

  /// Bits of a page that can be set but not cleared.
  struct FinalBits: Hashable, Sendable {
    let page: Int
    let byte: Int
    let mask: UInt8
  }

  /// The format of a blank chip: the size byte of the capability container, and the TLVs before the
  /// message.
  struct Blank: Hashable, Sendable {
    let size: UInt8
    let controlTLVs: [UInt8]
    /// The content of pages from 4 on upon delivery, if it is not zeros.
    let factoryContent: [UInt8]
  }

  /// The text that replaces a part of the user memory in the answers to READ and FAST_READ.
  enum Mirror: Hashable, Sendable {
    /// The UID; on as soon as MIRROR_PAGE is set (NTAG210/212 data sheet, 8.5.7 and 8.6).
    case uid
    /// The UID, the counter or both, as MIRROR_CONF says (NTAG213/215/216 data sheet, 8.5.7 and 8.7).
    case uidAndCounter
  }

  /// The requirement for reading or writing pages.
  enum AccessControl: Hashable, Sendable {
    case none
    /// PWD and PACK.
    case password(PasswordSettings)
    /// A key that consists of two DES keys.
    case tripleDES(TripleDESSettings)
    /// AES keys; `nil` if the location of their settings is not known.
    case aes(AESSettings?)
  }

  /// MIFARE Ultralight AES: AUTH0 in byte 3 of the first page; PROT, CFGLCK and AUTH_LIM in the next.
  struct AESSettings: Hashable, Sendable {
    let firstPage: Int
  }

  /// The position of the password settings: AUTH0 in byte 3 of the first page, ACCESS in byte 0 of
  /// the next, PWD and PACK in the two after.
  struct PasswordSettings: Hashable, Sendable {
    let firstPage: Int
    /// Whether ACCESS has CFGLCK.
    let hasConfigurationLock: Bool
    /// Whether ACCESS has NFC_CNT_PWD_PROT.
    let hasProtectedCounter: Bool

    /// The two pages with AUTH0 and ACCESS.
    var configuration: Range<Int> { firstPage..<firstPage + 2 }
    /// The pages of password and acknowledge.
    var secrets: Range<Int> { firstPage + 2..<firstPage + 4 }
  }

  /// MIFARE Ultralight C: AUTH0, AUTH1 and the key.
  struct TripleDESSettings: Hashable, Sendable {
    let firstProtectedPage: Int
    let readProtectionPage: Int
    let keyPages: Range<Int>
  }

  /// The originality signature.
  enum Signature: Hashable, Sendable {
    /// The chip has no signature.
    case none
    /// Pages that anybody can read, and the maker's published keys. The chip may be signed with another key: if these
    /// do not verify a signature, that proves nothing.
    case pages(ClosedRange<Int>, [OriginalitySignature.PublicKey])
    /// READ_SIG, and the maker's published keys.
    case readSignature([OriginalitySignature.PublicKey])
    /// READ_SIG, and keys that may be the right ones: if they do not verify a signature, that
    /// proves nothing.
    case presumed([OriginalitySignature.PublicKey])

    var keys: [OriginalitySignature.PublicKey] {
      switch self {
      case .none: []
      case .readSignature(let keys), .presumed(let keys), .pages(_, let keys): keys
      }
    }

    /// Whether a signature that no known key verifies is a forged one.
    var hasEveryKey: Bool {
      if case .readSignature = self { true } else { false }
    }
  }
}

extension Type2Chip: Hashable {
  static func == (first: Type2Chip, second: Type2Chip) -> Bool {
    first.id == second.id
  }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Type2Chip {
  /// What GET_VERSION answers: vendor, type, subtype, major and minor version, storage size, between a fixed
  /// byte 00 and the protocol type (NTAG213/215/216 data sheet, 10.1; MF0ULx1 data sheet, 10.1).
  struct Version: Hashable, Sendable {
    let vendor: UInt8
    let type: UInt8
    /// The subtypes, which indicate the capacitance of the antenna, among other things.
    let subtypes: ClosedRange<UInt8>
    let major: UInt8
    let minors: ClosedRange<UInt8>
    let storageSize: UInt8

    static let length = 8
    /// ISO/IEC 7816-6.
    static let stMicroelectronics: UInt8 = 0x02
    static let nxp: UInt8 = 0x04
    static let mikron: UInt8 = 0x34
    static let feiju: UInt8 = 0x53

    /// NXP's product types.
    private static let ultralight: UInt8 = 0x03
    private static let ntag: UInt8 = 0x04

    static func ultralight(
      _ subtypes: ClosedRange<UInt8>, _ major: UInt8, _ storageSize: UInt8
    ) -> Version {
      Version(
        vendor: nxp, type: ultralight, subtypes: subtypes, major: major, minors: 0...0,
        storageSize: storageSize)
    }

    static func ntag(
      _ subtypes: ClosedRange<UInt8>, _ major: UInt8, minors: ClosedRange<UInt8> = 0...0,
      _ storageSize: UInt8
    ) -> Version {
      Version(
        vendor: nxp, type: ntag, subtypes: subtypes, major: major, minors: minors,
        storageSize: storageSize)
    }

    func matches(_ answer: [UInt8]) -> Bool {
      answer.count == Self.length && answer[1] == vendor && answer[2] == type
        && subtypes.contains(answer[3]) && answer[4] == major && minors.contains(answer[5])
        && answer[6] == storageSize
    }
  }

  /// Returns a chip with the pages and commands of this one under its own identity.
  func sibling(
    _ id: ChipID, typeNumber: String, name: String, maker: String, source: Source,
    recognition: Recognition, signature: Signature
  ) -> Type2Chip {
    Type2Chip(
      id: id, typeNumber: typeNumber, name: name, maker: maker, source: source,
      recognition: recognition, pages: pages, lockBits: lockBits, finalBits: finalBits,
      blank: blank,
      hasFastRead: hasFastRead, counters: counters, mirror: mirror, access: access,
      signature: signature, hasWiredSide: hasWiredSide, memorySize: memorySize)
  }

  /// Returns the chip with this answer to GET_VERSION; `nil` for an unknown one.
  static func version(_ answer: [UInt8]) -> Type2Chip? {
    all.first {
      guard case .version(let versions) = $0.recognition else { return false }
      return versions.contains { $0.matches(answer) }
    }
  }

  /// Creates the chip that a product is.
  init?(_ product: TagProduct) {
    guard let chip = Self.all.first(where: { $0.id == product.id }) else {
      return nil
    }
    self = chip
  }

  /// The position of the password settings; `nil` for a chip without a password, and one whose
  /// pages are not confirmed.
  var passwordSettings: PasswordSettings? {
    guard case .password(let settings) = access, isConfirmed else { return nil }
    return settings
  }

  /// Where AUTH0 is, the first page that requires the chip's password or key: its page and the byte in it.
  var firstProtectedPage: (page: Int, byte: Int)? {
    switch access {
    case .password(let settings): (settings.firstPage, 3)
    case .tripleDES(let settings): (settings.firstProtectedPage, 0)
    case .aes(let settings?): (settings.firstPage, 3)
    case .none, .aes(nil): nil
    }
  }

  /// Whether what cannot be undone may rest on this record.
  var isConfirmed: Bool {
    if case .dataSheet = source { true } else { false }
  }

  /// Returns whether writing these bytes to a page would set an irreversible bit that is not set
  /// yet.
  func isFinal(_ bytes: [UInt8], page: Int, over present: [UInt8]) -> Bool {
    finalBits.contains { bits in
      bits.page == page && bytes.indices.contains(bits.byte)
        && bytes[bits.byte] & bits.mask
          & ~(present.indices.contains(bits.byte) ? present[bits.byte] : 0) != 0
    }
  }
}

extension Type2Chip.Blank {
  private static let sizeUnit = 8

  /// The capability container of a tag that anyone can read and write.
  var capabilityContainer: [UInt8] {
    [
      Type2CapabilityContainer.magicNumber, Type2CapabilityContainer.version, size,
      Type2CapabilityContainer.readWrite,
    ]
  }

  /// The first pages of the data area: control TLVs, an empty message, a terminator.
  var content: [UInt8] {
    let content =
      controlTLVs + TagLengthValue.block(message: [], room: Int(size) * Self.sizeUnit)
    let rest = content.count % Type2Memory.pageSize
    return content + [UInt8](repeating: 0, count: rest == 0 ? 0 : Type2Memory.pageSize - rest)
  }

  /// Returns a lock control TLV: position, number of bits, page control (NFC Forum Type 2 Tag,
  /// 4.4.1).
  static func lockControl(_ value: [UInt8]) -> [UInt8] {
    TagLengthValue.header(TagLengthValue.Tag.lockControl, length: value.count) + value
  }
}
