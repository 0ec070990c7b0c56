/// The current lock bits of an Ultralight or NTAG tag.
public struct UltralightLockState: Hashable, Sendable {
  /// Bytes 2 and 3 of page 2.
  public let staticBits: [UInt8]
  /// The significant bytes of the page with the dynamic lock bits; `nil` if the chip has none, or
  /// does not reveal them.
  public let dynamicBits: [UInt8]?
  /// All pages that static or dynamic lock bits make read-only.
  public let closedPages: [Int]
}

/// The protection of an Ultralight or NTAG tag by a password or a key.
public struct UltralightProtectionState: Hashable, Sendable {
  /// The secret that opens protected pages.
  @nonexhaustive
  public enum Secret: String, Hashable, Sendable {
    /// A password of four bytes.
    case password
    /// Authentication with two-key triple DES, of the Ultralight C.
    case tripleDES
    /// Authentication with AES-128, of the Ultralight AES.
    case aes
  }

  /// The secret that opens the protected pages.
  public let secret: Secret
  /// AUTH0: the first page that requires it; `nil` if none does.
  public let firstPage: Int?
  /// Whether reading requires it as well as writing.
  public let protectsReading: Bool
  /// AUTHLIM: the number of wrong passwords or keys that the tag accepts; `nil` for any number.
  public let attemptLimit: Int?
  /// CFGLCK: the settings can never be changed again.
  public let isConfigurationLocked: Bool
}

extension UltralightDump {
  /// The use of the chip's pages, including those of keys that cannot be read.
  public var areas: [UltralightArea] { chip.pages?.areas ?? [] }

  private func byte(_ address: Int) -> UInt8? {
    let end = firstProtectedPage.map { $0 * Type2Memory.pageSize } ?? bytes.count
    return address < min(end, bytes.count) && address >= 0 ? bytes[address] : nil
  }

  /// The lock bits; `nil` if they could not be read, or are not known.
  public var lockState: UltralightLockState? {
    let first = Type2PageMap.staticLockPage * Type2Memory.pageSize + 2
    guard let bits = chip.lockBits, let low = byte(first), let high = byte(first + 1) else {
      return nil
    }
    let dynamicSize = 3
    let dynamicBits = bits.dynamicPage.flatMap { page -> [UInt8]? in
      let read = (0..<dynamicSize).compactMap { byte(page * Type2Memory.pageSize + $0) }
      return read.count == dynamicSize ? read : nil
    }
    return UltralightLockState(
      staticBits: [low, high], dynamicBits: dynamicBits, closedPages: bits.closedPages(byte))
  }

  /// The protection; `nil` for a chip without protection, and if the settings could not be read.
  public var protectionState: UltralightProtectionState? {
    switch chip.access {
    case .none, .aes(nil): return nil
    case .aes(let settings?):
      let start = settings.firstPage * Type2Memory.pageSize
      let read = (start..<start + 2 * Type2Memory.pageSize).compactMap(byte)
      guard read.count == 2 * Type2Memory.pageSize else { return nil }
      let access = Type2Memory.pageSize
      let limit = Int(read[access + 2]) | Int(read[access + 3] & 0x03) << 8
      return UltralightProtectionState(
        secret: .aes, firstPage: Int(read[3]) < chip.pages?.end ?? 0 ? Int(read[3]) : nil,
        protectsReading: read[access] & 0x80 != 0, attemptLimit: limit == 0 ? nil : limit,
        isConfigurationLocked: read[access] & 0x40 != 0)
    case .password(let settings):
      let pages = settings.configuration
      let read = (pages.lowerBound * Type2Memory.pageSize..<pages.upperBound * Type2Memory.pageSize)
        .compactMap(byte)
      guard let configuration = UltralightConfiguration(read) else { return nil }
      // An NTAG I2C plus 2K has pages in two sectors, and AUTH0 counts in the first of them.
      let end = min(chip.pages?.end ?? 0, Int(UltralightConfiguration.noPage))
      let first = Int(configuration.firstPage)
      return UltralightProtectionState(
        secret: .password, firstPage: first < end ? first : nil,
        protectsReading: configuration.protectsReading,
        attemptLimit: configuration.attemptLimit == 0 ? nil : Int(configuration.attemptLimit),
        isConfigurationLocked: settings.hasConfigurationLock && configuration.isLocked)
    case .tripleDES(let settings):
      guard let first = byte(settings.firstProtectedPage * Type2Memory.pageSize),
        let access = byte(settings.readProtectionPage * Type2Memory.pageSize)
      else { return nil }
      let closed = chip.lockBits?.closedPages(byte) ?? []
      return UltralightProtectionState(
        secret: .tripleDES, firstPage: Int(first) < settings.keyPages.upperBound ? Int(first) : nil,
        // Bit 0 leaves reading free (MF0ICU2 data sheet, 7.5.8).
        protectsReading: access & 0x01 == 0, attemptLimit: nil,
        isConfigurationLocked: closed.contains(settings.firstProtectedPage)
          && closed.contains(settings.readProtectionPage))
    }
  }
}

/// The mirror of an NTAG: the text that replaces a part of the user memory in the chip's answers.
package struct UltralightMirrorState: Hashable, Sendable {
  /// MIRROR_CONF, or what a chip without it shows.
  package enum Content: UInt8, Hashable, Sendable {
    case nothing = 0
    case uid = 1
    case counter = 2
    case uidAndCounter = 3
  }

  package let content: Content
  /// MIRROR_PAGE: the page where the text begins.
  package let page: Int
  /// MIRROR_BYTE: the byte of the page where the text begins.
  package let byte: Int
  /// NFC_CNT_EN: whether the counter counts readings; `nil` for a chip without this counter.
  package let countsReadings: Bool?

  /// The last page number that switches the mirror off (NTAG213/215/216 data sheet, 8.5.7).
  private static let lastPageOff = 0x03
  private static let counterEnabled: UInt8 = 0x10

  init(_ kind: Type2Chip.Mirror, mirror: UInt8, page: UInt8, access: UInt8) {
    self.page = Int(page)
    byte = Int(mirror >> 4 & 0x03)
    let isOn = self.page > Self.lastPageOff
    switch kind {
    case .uid:
      content = isOn ? .uid : .nothing
      countsReadings = nil
    case .uidAndCounter:
      content = isOn ? Content(rawValue: mirror >> 6) ?? .nothing : .nothing
      countsReadings = access & Self.counterEnabled != 0
    }
  }
}

extension UltralightDump {
  /// The mirror; `nil` for a chip without one, and if the settings could not be read.
  package var mirrorState: UltralightMirrorState? {
    guard let kind = chip.mirror, case .password(let settings) = chip.access else { return nil }
    let start = settings.firstPage * Type2Memory.pageSize
    guard let mirror = byte(start), let page = byte(start + 2),
      let access = byte(start + Type2Memory.pageSize)
    else { return nil }
    return UltralightMirrorState(kind, mirror: mirror, page: page, access: access)
  }
}

extension UltralightCommands {
  /// Returns the kind of secret that opens the protected pages of the chip; `nil` if there is none,
  /// or another kind. Costs the exchanges of ``MiFareTag/product()``.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError``; ``NFCError/Code/tagConnectionLost``.
  public func secret() async throws -> UltralightProtectionState.Secret? {
    try await handle.perform { link in
      switch try handle.type2Chip(link)?.access {
      case .password: .password
      case .tripleDES: .tripleDES
      case .aes(_?): .aes
      default: nil
      }
    }
  }

  /// Returns whether the maker's signature over the UID is genuine; `unknown` if the chip has none,
  /// or does not reveal it. One exchange, two of an ST25TN, and those of ``MiFareTag/product()``.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError``; ``NFCError/Code/tagConnectionLost``.
  public func originality() async throws -> OriginalitySignature.Verdict {
    try await handle.perform { link in
      let chip = try handle.type2Chip(link)
      guard let chip,
        let signature = try link.answerIfAny({ try Self.signature(of: chip, $0) }) ?? nil
      else { return .unknown }
      return OriginalitySignature.verify(
        uid: link.target.identifier, signature: signature, product: chip.product)
    }
  }

  /// Returns the maker's signature over the UID, by READ_SIG or from pages that anybody can read; `nil` if the chip has
  /// none. One exchange, or one for each 16 bytes, and those of ``MiFareTag/product()``.
  ///
  /// - Parameter asksUnknown: whether READ_SIG is sent to a chip that is not known.
  /// - Throws: ``NFCError/Code/tagResponseError``; ``NFCError/Code/tagConnectionLost``.
  package func signature(asksUnknown: Bool = false) async throws -> [UInt8]? {
    try await handle.perform { link in
      guard let chip = try handle.type2Chip(link) else {
        guard asksUnknown else { return nil }
        return try link.answerIfAny { try UltralightExchange.send(.readSignature, $0) }
      }
      return try link.answerIfAny { try Self.signature(of: chip, $0) } ?? nil
    }
  }

  private static func signature(of chip: Type2Chip, _ link: TagLink) throws -> [UInt8]? {
    switch chip.signature {
    case .none: return nil
    case .readSignature, .presumed: return try UltralightExchange.send(.readSignature, link)
    case .pages(let pages, _):
      let pagesOfRead = 4
      var bytes: [UInt8] = []
      for page in stride(from: pages.lowerBound, through: pages.upperBound, by: pagesOfRead) {
        bytes += try UltralightExchange.send(
          .read(page: UInt8(truncatingIfNeeded: page)), link)
      }
      return Array(bytes.prefix(pages.count * Type2Memory.pageSize))
    }
  }

  /// Returns the readable counters of the chip, by their numbers. One exchange each, and those of
  /// ``MiFareTag/product()``.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError``; ``NFCError/Code/tagConnectionLost``.
  public func counters() async throws -> [UInt8: Int] {
    try await handle.perform { link in
      var counters: [UInt8: Int] = [:]
      for number in try handle.type2Chip(link)?.counters ?? [] {
        counters[number] = try link.answerIfAny {
          Self.value(ofCounter: try UltralightExchange.send(.readCounter(number), $0))
        }
      }
      return counters
    }
  }

  /// Three bytes, least significant first.
  static func value(ofCounter bytes: [UInt8]) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
