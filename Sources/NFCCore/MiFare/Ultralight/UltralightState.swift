/// The lock bits of an Ultralight or NTAG tag as they stand.
public struct UltralightLockState: Hashable, Sendable {
  /// Bytes 2 and 3 of page 2.
  public let staticBits: [UInt8]
  /// The bytes of the page with the dynamic lock bits, as far as they mean something; `nil` if the chip has none, or
  /// does not give them.
  public let dynamicBits: [UInt8]?
  /// Every page that can no longer be written, by both.
  public let closedPages: [Int]
}

/// How a password or a key protects an Ultralight or NTAG tag.
public struct UltralightProtectionState: Hashable, Sendable {
  /// What opens protected pages.
  public enum Secret: String, Hashable, Sendable {
    /// A password of four bytes.
    case password
    /// Authentication with two-key triple DES, of the Ultralight C.
    case tripleDES
    /// Authentication with AES-128, of the Ultralight AES.
    case aes
  }

  /// What opens the protected pages.
  public let secret: Secret
  /// AUTH0: the first page that asks for it; `nil` if none does.
  public let firstPage: Int?
  /// Whether reading asks for it as well as writing.
  public let protectsReading: Bool
  /// AUTHLIM: how many wrong passwords or keys the tag accepts; `nil` for any number.
  public let attemptLimit: Int?
  /// CFGLCK: the settings can never be changed again.
  public let isConfigurationLocked: Bool
}

/// Pages that are used alike.
public struct UltralightArea: Hashable, Sendable {
  /// What pages are for.
  public enum Use: String, Hashable, Sendable {
    /// The UID and the static lock bits, pages 0 to 2.
    case identifierAndLocks
    /// The capability container, page 3, whose bits can only be set.
    case oneTime
    /// Memory for data.
    case user
    /// Dynamic lock bits, which can only be set.
    case locks
    /// The 16-bit counter of the Ultralight C, which only counts up.
    case counter
    /// Settings: mirror, password, registers.
    case configuration
    /// Password and password acknowledge, which read as zeros.
    case secret
    /// Keys, which cannot be read.
    case key
    /// Without a use of their own, or not described: never written.
    case reserved
  }

  /// Counted through all sectors.
  public let pages: ClosedRange<Int>
  /// What the pages are for.
  public let use: Use
}

extension UltralightRestorePlan {
  /// What the pages of the chip are for.
  public var areas: [UltralightArea] { chip.pages?.areas ?? [] }
}

extension UltralightDump {
  /// What its pages are for, those of keys that cannot be read included.
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

  /// The protection; `nil` for a chip without one, and where the settings could not be read.
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
      let first = Int(configuration.firstPage)
      return UltralightProtectionState(
        secret: .password, firstPage: first < chip.pages?.end ?? 0 ? first : nil,
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

extension UltralightCommands {
  /// What opens the protected pages of the chip; `nil` for one that has no such thing, or another than these. Costs
  /// what ``MiFareTag/product()`` costs.
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

  /// Whether the maker's signature over the UID is genuine; `unknown` for a chip that has none, or does not give it.
  /// One exchange, and what ``MiFareTag/product()`` costs.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError``; ``NFCError/Code/tagConnectionLost``.
  public func originality() async throws -> OriginalitySignature.Verdict {
    try await handle.perform { link in
      let chip = try handle.type2Chip(link)
      guard let chip, chip.signature != .none,
        let signature = try link.answerIfAny({
          try UltralightExchange.send(.readSignature, $0)
        })
      else { return .unknown }
      return OriginalitySignature.verify(
        uid: link.target.identifier, signature: signature, product: chip.product)
    }
  }

  /// The counters that the chip has and gives, by their numbers. One exchange each, and what
  /// ``MiFareTag/product()`` costs.
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
