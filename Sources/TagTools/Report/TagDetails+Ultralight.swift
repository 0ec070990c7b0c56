import NFC
import TagImages

/// Details of an Ultralight or NTAG. The library knows the features and pages of the chips.
extension TagDetails {
  private static let pageSize = 4

  mutating func ask(
    _ tag: DetectedTag, _ commands: UltralightCommands, _ product: TagProduct?,
    _ key: UltralightKey?, listsMemory: Bool
  ) async throws {
    version = tag.reportedVersion
    if let capacitance = version.flatMap(Self.capacitance) {
      facts.append(("capacitance", capacitance))
    }
    // A chip that answers GET_VERSION and is not known may have a signature, too.
    let hasVersion = version != nil
    let bytes = try await answer(tag) {
      try await commands.signature(asksUnknown: hasVersion)
    }
    if let bytes = bytes ?? nil {
      signature = bytes
      if let product {
        originality = OriginalitySignature.verify(
          uid: tag.identifier, signature: bytes, product: product)
      }
    }
    if key != nil { try await commands.open(with: key) }
    counters =
      try await answer(tag) { try await commands.counters() }?
      .sorted { $0.key < $1.key }.map { (Int($0.key), $0.value) } ?? []
    do {
      let dump = try await commands.dump(with: key)
      if let state = dump.lockState {
        locks = Locks(staticBits: state.staticBits, dynamicBits: state.dynamicBits)
        lockedPages = state.closedPages
      }
      readProtection(dump)
      memoryMap = Self.map(dump)
      if let spool = SpoolMemory.tigerTag(in: dump.bytes) {
        facts += spool.facts
        members += [spool.member].compactMap(\.self)
      }
      let pageCount = dump.bytes.count / Self.pageSize
      let readable = min(dump.firstProtectedPage ?? pageCount, pageCount)
      if listsMemory {
        memory = MemoryListing(
          TagImage(
            .type2, unitSize: Self.pageSize,
            bytes: Array(dump.bytes.prefix(readable * Self.pageSize))),
          locked: lockedPages ?? [])
      }
    } catch let error as NFCError where error.code == .unsupported {
      // The pages of this chip are not known.
    }
  }

  /// The answer to GET_VERSION: the vendor NXP in byte 1, an Ultralight or NTAG in byte 2, and the subtype in byte
  /// 3 (Proxmark3, `cmdhfmfu.c`, for 01 and 02; NTAG213F/216F data sheet, table 26, for 04; NXP TagInfo's report of
  /// an NT3H2111 for 05).
  private enum Version {
    static let size = 8
    static let vendor: UInt8 = 0x04
    static let types: ClosedRange<UInt8> = 0x03...0x04
    static let capacitances: [UInt8: String] = [
      0x01: "17 pF", 0x02: "50 pF", 0x04: "50 pF", 0x05: "50 pF",
    ]
  }

  private static func capacitance(_ version: [UInt8]) -> String? {
    guard version.count == Version.size, version[1] == Version.vendor,
      Version.types.contains(version[2])
    else { return nil }
    return Version.capacitances[version[3]]
  }

  // MARK: Protection

  private mutating func readProtection(_ dump: UltralightDump) {
    guard let state = dump.protectionState else {
      // The pages with the settings may be protected themselves.
      if let page = dump.firstProtectedPage {
        protection = Protection(from: page, protectsReading: true)
      }
      return
    }
    protection = Protection(
      from: state.firstPage, protectsReading: state.protectsReading,
      attempts: state.attemptLimit ?? 0, isConfigurationLocked: state.isConfigurationLocked)
    if state.secret == .aes {
      let pages = Array(dump.bytes.dropFirst(Self.aesSettings))
      if pages.count > 16 { readAESSettings(pages) }
    }
    readMirror(dump)
  }

  private static let aesSettings = 0x29 * pageSize

  /// Reads RID_ACT, SEC_MSG_ACT, the access rights of counter 2 and the locks of the keys (libpretixnfc;
  /// Proxmark3, `ulaes_print_configuration`).
  private mutating func readAESSettings(_ bytes: [UInt8]) {
    facts.append(("messages", bytes[0] & 0x02 != 0 ? "with MACs, once a key is proved" : "plain"))
    if bytes[0] & 0x01 != 0 { facts.append(("shown UID", "random; the chip's own with a key")) }
    let rights = bytes[Self.pageSize]
    switch (rights & 0x04 != 0, rights & 0x08 != 0) {
    case (true, true): break
    case (true, false): facts.append(("counter 2 needs the key", "to be increased"))
    case (false, true): facts.append(("counter 2 needs the key", "to be read"))
    case (false, false): facts.append(("counter 2 needs the key", "to be read and increased"))
    }
    let locks = bytes[4 * Self.pageSize]
    let names = [(UInt8(0x40), "0"), (0x80, "1")].filter { locks & $0.0 != 0 }.map(\.1)
    if !names.isEmpty { facts.append(("locked keys", names.joined(separator: ", "))) }
  }

  /// Adds the mirror, and whether the counter that it can show counts.
  private mutating func readMirror(_ dump: UltralightDump) {
    guard let state = dump.mirrorState else { return }
    let content =
      switch state.content {
      case .nothing: "off"
      case .uid: "UID"
      case .counter: "counter"
      case .uidAndCounter: "UID and counter"
      }
    let place =
      state.content == .nothing ? "" : ", from byte \(state.byte) of page \(state.page) on"
    facts.append(("mirror", content + place))
    guard let counts = state.countsReadings else { return }
    facts.append(("NFC counter", counts ? "counts each reading" : "off"))
  }

  // MARK: Map

  private static func map(_ dump: UltralightDump) -> [Area] {
    let secrets =
      dump.protectionState?.secret == .aes
      ? "keys, cannot be read" : "password and acknowledge, cannot be read"
    let areas = dump.areas.map {
      Area(unit: "page", numbers: $0.pages, use: name($0.use, secrets: secrets))
    }
    guard let first = dump.firstProtectedPage, let last = dump.areas.last?.pages.upperBound,
      first <= last
    else { return areas }
    return areas
      + [Area(unit: "page", numbers: first...last, use: "cannot be read without a key")]
  }

  private static func name(_ use: UltralightArea.Use, secrets: String) -> String {
    switch use {
    case .identifierAndLocks: "UID and lock bits"
    case .oneTime: "capability container, bits set permanently"
    case .user: "user memory"
    case .locks: "dynamic lock bits"
    case .counter: "counter"
    case .configuration: "configuration"
    case .secret: secrets
    case .key: "key, cannot be read"
    case .reserved: "reserved"
    }
  }
}
