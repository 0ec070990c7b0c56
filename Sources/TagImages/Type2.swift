/// A Type 2 chip that image files can name.
package struct Type2Product: Hashable, Sendable {
  /// The name as the maker writes it.
  package let name: String
  /// The name as Flipper Zero writes it (lib/nfc/protocols/mf_ultralight/mf_ultralight.c). Flipper
  /// Zero has no name for NTAG210 and NTAG212, and treats them as the Ultralight EV1 of the same
  /// size.
  let flipperName: String
  /// The number of pages in a complete image.
  package let pageCount: Int
  /// The first of the four configuration pages.
  let configurationPage: Int?
  /// The counters that exist.
  let counters: Range<Int>
  /// The answers to GET_VERSION of the chip and of those with the same pages; empty if it does not support the command.
  let versions: [Version]

  /// The bytes of the answer to GET_VERSION that distinguish chips (NTAG213/215/216 data sheet,
  /// table 28).
  struct Version: Hashable, Sendable {
    let vendor, type: UInt8
    /// The subtypes, which indicate the capacitance of the antenna, among other things.
    let subtypes: ClosedRange<UInt8>
    let major: UInt8
    let minors: ClosedRange<UInt8>
    let size: UInt8

    /// NXP's product type of NTAG chips.
    static let ntag: UInt8 = 0x04
    private static let ultralight: UInt8 = 0x03
    /// The makers' codes (ISO/IEC 7816-6).
    private static let nxp: UInt8 = 0x04
    private static let length = 8

    static func ultralight(
      _ subtypes: ClosedRange<UInt8>, _ major: UInt8, _ size: UInt8
    ) -> Version {
      Version(
        vendor: nxp, type: ultralight, subtypes: subtypes, major: major, minors: 0...0, size: size)
    }

    static func ntag(
      _ subtypes: ClosedRange<UInt8>, _ major: UInt8, minors: ClosedRange<UInt8> = 0...0,
      _ size: UInt8
    ) -> Version {
      Version(
        vendor: nxp, type: ntag, subtypes: subtypes, major: major, minors: minors, size: size)
    }

    /// The copies that other makers sell: Mikron's K5016, and two of Feiju (Proxmark3, client/src/cmdhfmfu.c).
    static func mikron(_ size: UInt8) -> Version {
      Version(vendor: 0x34, type: 0x21, subtypes: 1...1, major: 1, minors: 0...0, size: size)
    }
    static let feiju213 = Version(
      vendor: 0x53, type: ntag, subtypes: 2...2, major: 1, minors: 0...0, size: 0x0F)
    static let feiju215 = Version(
      vendor: 0x05, type: 0x34, subtypes: 2...2, major: 1, minors: 0...0, size: 0x11)

    /// The answer with the lowest subtype and minor version; the protocol type at its end is ISO/IEC 14443-3.
    fileprivate var answer: [UInt8] {
      [0x00, vendor, type, subtypes.lowerBound, major, minors.lowerBound, size, 0x03]
    }

    func matches(_ answer: [UInt8]) -> Bool {
      answer.count == Self.length && answer[1] == vendor && answer[2] == type
        && subtypes.contains(answer[3]) && answer[4] == major && minors.contains(answer[5])
        && answer[6] == size
    }
  }

  private init(
    _ name: String, _ flipperName: String, pages: Int, configuration: Int? = nil,
    counters: Range<Int> = 0..<0, versions: [Version] = []
  ) {
    self.name = name
    self.flipperName = flipperName
    pageCount = pages
    configurationPage = configuration
    self.counters = counters
    self.versions = versions
  }

  package static let ultralight = Type2Product("MIFARE Ultralight", flipperNameOfOthers, pages: 16)
  package static let ultralightC = Type2Product(
    "MIFARE Ultralight C", "Mifare Ultralight C", pages: 48)
  /// The name is from Unleashed Firmware, a fork of Flipper Zero's.
  package static let ultralightAES = Type2Product(
    "MIFARE Ultralight AES", "Mifare Ultralight AES", pages: 60, counters: 0..<3,
    versions: [.ultralight(1...3, 4, 0x0F)])
  package static let ultralightEV1 = Type2Product(
    "MIFARE Ultralight EV1", "Mifare Ultralight 11", pages: 20, configuration: 16,
    counters: 0..<3, versions: [.ultralight(1...3, 1, 0x0B), .mikron(0x0B)])
  package static let ultralightEV1Large = Type2Product(
    "MIFARE Ultralight EV1", "Mifare Ultralight 21", pages: 41, configuration: 37,
    counters: 0..<3, versions: [.ultralight(1...2, 1, 0x0E), .mikron(0x0E)])
  package static let ntag203 = Type2Product("NTAG203", "NTAG203", pages: 42)
  package static let ntag210 = Type2Product(
    "NTAG210", "Mifare Ultralight 11", pages: 20, configuration: 16,
    versions: [.ntag(1...2, 1, 0x0B)])
  package static let ntag212 = Type2Product(
    "NTAG212", "Mifare Ultralight 21", pages: 41, configuration: 37,
    versions: [.ntag(1...2, 1, 0x0E)])
  package static let ntag213 = Type2Product(
    "NTAG213", "NTAG213", pages: 45, configuration: 41, counters: 2..<3,
    versions: [.ntag(2...2, 1, 0x0F), .ntag(4...4, 1, 0x0F), .feiju213])
  package static let ntag215 = Type2Product(
    "NTAG215", "NTAG215", pages: 135, configuration: 131, counters: 2..<3,
    versions: [.ntag(2...2, 1, 0x11), .feiju215])
  package static let ntag216 = Type2Product(
    "NTAG216", "NTAG216", pages: 231, configuration: 227, counters: 2..<3,
    versions: [.ntag(2...2, 1, 0x13), .ntag(4...4, 1, 0x13)])
  package static let ntagI2C1K = Type2Product(
    "NTAG I2C 1K", "NTAG I2C 1K", pages: 234,
    versions: [.ntag(5...5, 2, minors: 0...1, 0x13), .ntag(5...5, 1, minors: 1...1, 0x13)])
  package static let ntagI2C2K = Type2Product(
    "NTAG I2C 2K", "NTAG I2C 2K", pages: 490,
    versions: [.ntag(5...5, 2, minors: 0...1, 0x15)])

  // PWD and PACK are in pages E5 and E6, as in an NTAG216 (NT3H2111/2211 data sheet, table 6).
  package static let ntagI2CPlus1K = Type2Product(
    "NTAG I2C Plus 1K", "NTAG I2C Plus 1K", pages: 234, configuration: 227,
    versions: [.ntag(5...5, 2, minors: 2...0xFF, 0x13)])
  /// All of sectors 0 and 1.
  package static let ntagI2CPlus2K = Type2Product(
    "NTAG I2C Plus 2K", "NTAG I2C Plus 2K", pages: 512, configuration: 227,
    versions: [.ntag(5...5, 2, minors: 2...0xFF, 0x15)])

  /// Data sheets MF0ULx1, NTAG203, NTAG210/212, NTAG213/215/216, NT3H1101/1201 and NT3H2111/2211.
  static let all: [Type2Product] = [
    ultralight, ultralightC, ultralightAES,
    ultralightEV1, ultralightEV1Large, ntag203, ntag210, ntag212, ntag213, ntag215, ntag216,
    ntagI2C1K, ntagI2C2K,
    ntagI2CPlus1K, ntagI2CPlus2K,
  ]

  /// The name that Flipper Zero writes for every chip that it does not know.
  static let flipperNameOfOthers = "Mifare Ultralight"

  /// What the chip answers to GET_VERSION; `nil` if it does not support the command.
  package var versionAnswer: [UInt8]? { versions.first?.answer }

  /// Returns the chip with this answer to GET_VERSION; `nil` if none is known.
  static func version(_ answer: [UInt8]) -> Type2Product? {
    all.first { product in product.versions.contains { $0.matches(answer) } }
  }

  /// The numbers of pages of files without the last pages of their chip.
  ///
  /// An Ultralight C does not return its key, which is after 44 pages. TagMo stores an NTAG215 without PWD and PACK
  /// (HiddenRamblings/TagMo, NfcByte.kt, `TAG_DATA_SIZE` 532), and pyamiibo without its configuration (520 bytes).
  static let partialPageCounts: [Int: Type2Product] = [44: ultralightC, 133: ntag215, 130: ntag215]

  /// The number of pages of a signature that some programs store after those of the chip (HiddenRamblings/TagMo,
  /// NfcByte.kt, `SIGNATURE` 21C).
  static let signaturePageCount = 8

  /// The positions of password and acknowledge, or of the key, in the memory.
  var secrets: [Range<Int>] {
    if self == .ultralightC { return [44 * 4..<48 * 4] }
    if self == .ultralightAES { return [48 * 4..<56 * 4] }
    guard let configurationPage else { return [] }
    let password = (configurationPage + 2) * 4
    return [password..<password + 4, password + 4..<password + 6]
  }
}

extension Type2Product {
  /// Whether NXP sells the chip as an NTAG.
  fileprivate var isNTAG: Bool { versions.first?.type == Version.ntag }

  /// The byte with the first page that requires the password or key, and a value with which no page does
  /// (data sheets, AUTH0); `nil` for a chip without protection.
  fileprivate var protection: (byte: Int, none: UInt8)? {
    if self == .ultralightC { return (0x2A * 4, 0x30) }
    if self == .ultralightAES { return (0x29 * 4 + 3, 0x3C) }
    return configurationPage.map { ($0 * 4 + 3, 0xFF) }
  }
}

extension TagImage {
  /// Removes what keeps a reader without password or key from reading the content, which the image has anyway: the
  /// protection of an Ultralight or NTAG, the privacy and the protection of an ICODE, the keys and access bits of a MIFARE
  /// Classic.
  package mutating func removeReadProtection() {
    if let protection = type2Product?.protection, protection.byte < memory.bytes.count {
      memory.set([protection.none], at: protection.byte)
    }
    vicinity?.isPrivate = nil
    vicinity?.protectionCondition = nil
    openClassicSectors()
  }

  /// The counters that the chip has, for commands that read them.
  package var counterNumbers: Range<Int> { type2Product?.counters ?? 0..<0 }

  /// The chip, as far as version, size and content indicate it; `nil` if they do not, and for other
  /// kinds. A version that is not known says that the chip is none of those that are known.
  package var type2Product: Type2Product? {
    guard kind == .type2 else { return nil }
    if let version { return Type2Product.version(version) }
    let pages =
      Type2Product.partialPageCounts[memory.unitCount]?.pageCount ?? memory.unitCount
    let candidates = Type2Product.all.filter { $0.pageCount == pages }
    guard candidates.count > 1 else { return candidates.first }
    if candidates.contains(.ntagI2CPlus1K) {
      return hasPasswordPages ? .ntagI2CPlus1K : .ntagI2C1K
    }
    return candidates.first { $0.isNTAG == looksLikeNTAG }
  }

  /// The chip that the image may be of instead of ``type2Product``, if the content fits both; `nil` if
  /// something distinguishes them.
  ///
  /// An NTAG210 or NTAG212 has a capability container on delivery, whose bits cannot be cleared. An
  /// Ultralight EV1 of the same size has one after it was formatted; then only what an NTAG has in its
  /// configuration distinguishes the two.
  package var alternativeType2Product: Type2Product? {
    guard version == nil, let product = type2Product, !product.versions.isEmpty,
      let other = Type2Product.all.first(where: {
        $0.pageCount == product.pageCount && $0.flipperName == product.flipperName && $0 != product
      })
    else { return nil }
    guard let container = memory.known(Self.capabilityContainer) else { return other }
    return container == Self.ndefMagicNumber && !isConfiguredAsNTAG ? other : nil
  }

  /// Arranges pages as the chip has them: a signature after the last page becomes ``signature``, and pages at the end
  /// that the file leaves out become unknown.
  ///
  /// - Parameter named: the chip that the file names; the version, and then the size, decide before it.
  mutating func arrangeType2(named: Type2Product? = nil) {
    guard kind == .type2 else { return }
    let count = memory.unitCount
    let partial = Type2Product.partialPageCounts[count]
    let certain = version.map { Type2Product.version($0) } ?? named
    // Without a version, the number of pages has to be one of those that are known.
    let product = version == nil ? certain ?? partial ?? Self.signedType2Product(count) : certain
    guard let product else { return }
    let size = product.pageCount * Self.type2PageSize
    if count == product.pageCount + Type2Product.signaturePageCount {
      guard let stored = memory.known(size..<memory.bytes.count), signature ?? stored == stored
      else { return }
      signature = BinaryFile.nonZero(stored)
      memory = memory.prefix(size)
    } else if partial == product {
      var all = Memory(unitSize: Self.type2PageSize, unitCount: product.pageCount)
      for unit in 0..<count { all.set(memory.unit(unit), at: unit * Self.type2PageSize) }
      memory = all
    }
  }

  private static let type2PageSize = 4

  private static func signedType2Product(_ count: Int) -> Type2Product? {
    count == Type2Product.ntag215.pageCount + Type2Product.signaturePageCount ? .ntag215 : nil
  }

  private static let capabilityContainer = 12..<13
  private static let ndefMagicNumber: [UInt8] = [0xE1]

  /// Whether the content looks like an NTAG210 or NTAG212, and not like the Ultralight EV1 of the same
  /// size.
  private var looksLikeNTAG: Bool {
    memory.known(Self.capabilityContainer) == Self.ndefMagicNumber && isConfiguredAsNTAG
  }

  /// Whether STRG_MOD_EN is set, as NTAGs have it on delivery, or MIRROR_PAGE, which is reserved in an
  /// Ultralight EV1 (NTAG213/215/216 data sheet, 8.5.7; MF0ULx1 data sheet, 8.5.7; the former is not confirmed
  /// for NTAG210 and NTAG212).
  private var isConfiguredAsNTAG: Bool {
    let start = memory.bytes.count - 16
    guard start >= 0, let bytes = memory.known(start..<start + 4), bytes.count == 4 else {
      return false
    }
    return bytes[0] & 0x04 != 0 || bytes[2] != 0
  }

  /// Whether there are password pages: an NTAG I²C has nothing between its lock bits and its
  /// configuration, an NTAG I²C plus has its password there.
  private var hasPasswordPages: Bool {
    let between = 0xE3 * 4..<0xE8 * 4
    return memory.known(between)?.contains { $0 != 0 } ?? memory.known(0xE3 * 4..<0xE4 * 4)?
      .contains {
        $0 != 0
      } ?? false
  }

  /// Returns the UID from bytes that hold it with its two check bytes (ISO/IEC 14443-3, 6.5.3.2).
  static func type2UID(_ bytes: [UInt8]) -> [UInt8]? {
    let cascadeTag: UInt8 = 0x88
    guard bytes.count >= 16, bytes[0..<4].reduce(cascadeTag, ^) == 0,
      bytes[4..<9].reduce(0, ^) == 0
    else { return nil }
    return Array(bytes[0..<3] + bytes[4..<8])
  }

  /// Returns what is wrong with bytes that have the size of an Ultralight or NTAG and begin as one, but with other check
  /// bytes of the UID: nothing else distinguishes such a memory. `nil` for other bytes.
  package static func remarkOnCheckBytes(_ bytes: [UInt8]) -> String? {
    let cascadeTag: UInt8 = 0x88
    guard bytes.count >= 16, type2UID(bytes) == nil, ntagI2CUID(bytes) == nil,
      let product = Type2Product.all.first(where: { $0.pageCount * 4 == bytes.count }),
      looksLikeType2(bytes)
    else { return nil }
    let checks = [(3, bytes[0..<3].reduce(cascadeTag, ^)), (8, bytes[4..<8].reduce(0, ^))]
    let wrong = checks.filter { bytes[$0.0] != $0.1 }.map { place, right in
      "byte \(place) is \(Hexadecimal.text([bytes[place]])), not \(Hexadecimal.text([right]))"
    }
    return "which is the size of \(product.name), but with wrong check bytes of the UID: "
      + wrong.joined(separator: ", ")
  }

  /// Whether bytes begin with NXP's code, or have the capability container of a Type 2 tag (Type 2 Tag 1.0, 5.1.2).
  private static func looksLikeType2(_ bytes: [UInt8]) -> Bool {
    bytes[0] == 0x04 || bytes[12] == 0xE1
  }

  /// Returns the UID of an NTAG I²C, which is stored without check bytes before SAK and ATQA
  /// (NT3H1101/1201 data sheet, 8.3.1).
  static func ntagI2CUID(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= 16, bytes[0] == 0x04, bytes[7..<10].elementsEqual([0x00, 0x44, 0x00])
    else { return nil }
    return Array(bytes.prefix(7))
  }
}
