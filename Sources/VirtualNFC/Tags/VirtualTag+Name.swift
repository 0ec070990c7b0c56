import NFCCore

/// The reason why a virtual tag cannot be created from a name or a dump.
public enum VirtualTagNameError: Error, Hashable, Sendable {
  /// There is no chip with this name.
  case unknownName(String)
  /// The bytes are not a dump of a known chip; the text gives the reason.
  case notADump(String)
}

extension VirtualTagNameError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownName(let name):
      "there is no virtual tag \"\(name)\"; there are "
        + VirtualTag.names.joined(separator: ", ")
        + ", and those that can be formatted with blank- before the name"
    case .notADump(let reason): reason
    }
  }
}

extension VirtualTag {
  /// A chip that has a name.
  private struct Entry: Sendable {
    let name: String
    /// Creates the tag, NDEF formatted or as on delivery.
    let make: @Sendable (_ formatted: Bool) throws -> VirtualTag
    /// Whether the two differ.
    let canBeBlank: Bool

    init(_ name: String, _ make: @escaping @Sendable (Bool) throws -> VirtualTag) {
      self.name = name
      self.make = make
      canBeBlank = true
    }

    init(fixed name: String, _ make: @escaping @Sendable () throws -> VirtualTag) {
      self.name = name
      self.make = { _ in try make() }
      canBeBlank = false
    }
  }

  private static let entries = [
    Entry("ntag203") { .ntag203(formatted: $0) },
    Entry("ntag210") { .ntag210(formatted: $0) },
    Entry("ntag212") { .ntag212(formatted: $0) },
    Entry("ntag213") { .ntag213(formatted: $0) },
    Entry("ntag215") { .ntag215(formatted: $0) },
    Entry("ntag216") { .ntag216(formatted: $0) },
    Entry("ntag-i2c-1k") { .ntagI2C1K(formatted: $0) },
    Entry("ntag-i2c-2k") { .ntagI2C2K(formatted: $0) },
    Entry("ntag-i2c-plus-1k") { .ntagI2CPlus1K(formatted: $0) },
    Entry("ntag-i2c-plus-2k") { .ntagI2CPlus2K(formatted: $0) },
    Entry("ultralight") { .ultralight(formatted: $0) },
    Entry("ultralight-c") { .ultralightC(formatted: $0) },
    Entry("ultralight-aes") { .ultralightAES(formatted: $0) },
    Entry("ultralight-ev1") { .ultralightEV1(formatted: $0) },
    Entry("ultralight-ev1-128") { .ultralightEV1With128Bytes(formatted: $0) },
    Entry("classic-mini") { .classicMini(formatted: $0) },
    Entry("classic-1k") { .classic1K(formatted: $0) },
    Entry("classic-4k") { .classic4K(formatted: $0) },
    Entry("smartmx-1k") { .smartMX1K(formatted: $0) },
    Entry("smartmx-4k") { .smartMX4K(formatted: $0) },
    Entry("mifare-plus") { .miFarePlus(personalized: $0) },
    Entry("mifare-plus-4k") { .miFarePlus(.x4K, personalized: $0) },
    Entry("mifare-plus-sl1") { .miFarePlus(personalized: $0, hasLevelOne: true) },
    Entry("mifare-plus-4k-sl1") { .miFarePlus(.x4K, personalized: $0, hasLevelOne: true) },
    Entry("mifare-plus-s") { .miFarePlus(.s2K, personalized: $0) },
    Entry("desfire") { .desfire(.ev1, formatted: $0) },
    Entry("desfire-ev2") { .desfire(.ev2, formatted: $0) },
    Entry("desfire-ev3") { .desfire(.ev3, formatted: $0) },
    Entry("desfire-light") { .desfire(.light, formatted: $0) },
    Entry("ntag413") { .desfire(.ntag413, formatted: $0) },
    // This chip is a Type 4 tag on delivery.
    Entry("ntag424") { _ in .ntag424() },
    Entry("type4") { .type4(formatted: $0) },
    Entry("type4b") { .type4B(formatted: $0) },
    Entry(fixed: "emrtd") { .emrtd() },
    Entry(fixed: "tmoney") { .tMoney() },
    Entry("felica-lite") { .feliCaLite(formatted: $0) },
    Entry("felica-lite-s") { .feliCaLiteS(formatted: $0) },
    Entry("type3") { .type3(formatted: $0) },
    Entry(fixed: "suica") { .suica() },
    Entry("topaz96") { .topaz96(formatted: $0) },
    Entry("topaz512") { .topaz512(formatted: $0) },
    Entry("icode-slix") { .icodeSLIX(formatted: $0) },
    Entry("icode-slix-l") { .icodeSLIXL(formatted: $0) },
    Entry("icode-slix-s") { .icodeSLIXS(formatted: $0) },
    Entry("icode-slix2") { .icodeSLIX2(formatted: $0) },
    // On delivery, no key is active.
    Entry("icode-dna") {
      .icodeDNA(keys: $0 ? [0: ICODEDNA.demonstrationKey] : [:], formatted: $0)
    },
    Entry("icode-sli-s") { .icodeSLIS(formatted: $0) },
    Entry("st25dv") { .st25dv(formatted: $0) },
    Entry("st25dv04k") { .st25dv04K(formatted: $0) },
    Entry("st25dv16k") { .st25dv16K(formatted: $0) },
    Entry("st25tv") { .st25tv(formatted: $0) },
    Entry("st25tv02kc") { .st25tv02KC(formatted: $0) },
    // This chip is a Type 4 tag on delivery.
    Entry("st25ta") { _ in .st25ta() },
    Entry("st25ta02kb") { _ in .st25ta02KB() },
    Entry("tag-it") { .tagIt(formatted: $0) },
    Entry("mb89r118") { .mb89r118(formatted: $0) },
    Entry(fixed: "bprime") { .calypsoBPrime() },
    Entry(fixed: "srix4k") { .srix4k() },
    Entry(fixed: "ask-ctx") { .askCTx() },
    Entry(fixed: "barcode") { .nfcBarcode() },
    Entry(fixed: "iclass") { .iClass() },
  ]

  /// The names that ``named(_:)`` accepts, without those that begin with `blank-`.
  public static let names: [String] = entries.map(\.name)

  private static let blankPrefix = "blank-"

  /// Returns a new tag with the chip of this name. It is NDEF formatted, empty and writable if the chip
  /// supports NDEF; with the prefix `blank-`, it is as on delivery.
  ///
  /// - Throws: ``VirtualTagNameError/unknownName(_:)``.
  public static func named(_ name: String) throws -> VirtualTag {
    if let entry = entries.first(where: { $0.name == name }) { return try entry.make(true) }
    guard name.hasPrefix(blankPrefix),
      let entry = entries.first(where: { $0.name == name.dropFirst(blankPrefix.count) }),
      entry.canBeBlank
    else { throw VirtualTagNameError.unknownName(name) }
    return try entry.make(false)
  }
}
