import SwiftNFCCore

/// The reason why a virtual tag cannot be created from a name or a dump.
@nonexhaustive
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
        + (VirtualTag.names + VirtualTag.phoneNames + VirtualTag.spoolNames).joined(separator: ", ")
        + ", and those that can be formatted with blank- before the name"
    case .notADump(let reason): reason
    }
  }
}

extension VirtualTag {
  /// A chip that has a name.
  private struct Entry: Sendable {
    let name: String
    /// Creates the tag with a UID, or with the chip's own; NDEF formatted or as on delivery.
    let make: @Sendable (_ uid: [UInt8]?, _ formatted: Bool) throws -> VirtualTag
    /// Whether the two differ.
    let canBeBlank: Bool

    init(_ name: String, _ make: @escaping @Sendable ([UInt8]?, Bool) throws -> VirtualTag) {
      self.name = name
      self.make = make
      canBeBlank = true
    }

    /// A chip that is not formatted.
    init(fixed name: String, _ make: @escaping @Sendable ([UInt8]?) throws -> VirtualTag) {
      self.name = name
      self.make = { uid, _ in try make(uid) }
      canBeBlank = false
    }
  }

  private static let entries = [
    Entry("ntag203") { .ntag203(uid: $0, formatted: $1) },
    Entry("ntag210") { .ntag210(uid: $0, formatted: $1) },
    Entry("ntag212") { .ntag212(uid: $0, formatted: $1) },
    Entry("ntag213") { .ntag213(uid: $0, formatted: $1) },
    Entry("ntag215") { .ntag215(uid: $0, formatted: $1) },
    Entry("ntag216") { .ntag216(uid: $0, formatted: $1) },
    Entry("ntag-i2c-1k") { .ntagI2C1K(uid: $0, formatted: $1) },
    Entry("ntag-i2c-2k") { .ntagI2C2K(uid: $0, formatted: $1) },
    Entry("ntag-i2c-plus-1k") { .ntagI2CPlus1K(uid: $0, formatted: $1) },
    Entry("ntag-i2c-plus-2k") { .ntagI2CPlus2K(uid: $0, formatted: $1) },
    Entry("ultralight") { .ultralight(uid: $0, formatted: $1) },
    Entry("ultralight-c") { .ultralightC(uid: $0, formatted: $1) },
    Entry("ultralight-aes") { .ultralightAES(uid: $0, formatted: $1) },
    Entry("ultralight-ev1") { .ultralightEV1(uid: $0, formatted: $1) },
    Entry("ultralight-ev1-128") { .ultralightEV1With128Bytes(uid: $0, formatted: $1) },
    Entry("classic-mini") { .classicMini(uid: $0, formatted: $1) },
    Entry("classic-1k") { .classic1K(uid: $0, formatted: $1) },
    Entry("classic-4k") { .classic4K(uid: $0, formatted: $1) },
    Entry("smartmx-1k") { .smartMX1K(uid: $0, formatted: $1) },
    Entry("smartmx-4k") { .smartMX4K(uid: $0, formatted: $1) },
    Entry("mifare-plus") { .miFarePlus(uid: $0, personalized: $1) },
    Entry("mifare-plus-4k") { .miFarePlus(.x4K, uid: $0, personalized: $1) },
    Entry("mifare-plus-sl1") { .miFarePlus(uid: $0, personalized: $1, hasLevelOne: true) },
    Entry("mifare-plus-4k-sl1") { .miFarePlus(.x4K, uid: $0, personalized: $1, hasLevelOne: true) },
    Entry("mifare-plus-s") { .miFarePlus(.s2K, uid: $0, personalized: $1) },
    Entry("desfire") { .desfire(.ev1, uid: $0, formatted: $1) },
    Entry("desfire-ev2") { .desfire(.ev2, uid: $0, formatted: $1) },
    Entry("desfire-ev3") { .desfire(.ev3, uid: $0, formatted: $1) },
    Entry("desfire-light") { .desfire(.light, uid: $0, formatted: $1) },
    Entry("ntag413") { .desfire(.ntag413, uid: $0, formatted: $1) },
    // This chip is a Type 4 tag on delivery.
    Entry("ntag424") { uid, _ in .ntag424(uid: uid) },
    Entry("type4") { .type4(uid: $0, formatted: $1) },
    Entry("type4b") { .type4B(pupi: $0, formatted: $1) },
    Entry(fixed: "emrtd") { uid in uid.map { .emrtd(uid: $0) } ?? .emrtd() },
    Entry(fixed: "tmoney") { uid in uid.map { .tMoney(uid: $0) } ?? .tMoney() },
    Entry("felica-lite") { .feliCaLite(idm: $0, formatted: $1) },
    Entry("felica-lite-s") { .feliCaLiteS(idm: $0, formatted: $1) },
    Entry("type3") { .type3(idm: $0, formatted: $1) },
    Entry(fixed: "suica") { uid in uid.map { .suica(idm: $0) } ?? .suica() },
    Entry("topaz96") { .topaz96(uid: $0.map(wholeTopazUID), formatted: $1) },
    Entry("topaz512") { .topaz512(uid: $0.map(wholeTopazUID), formatted: $1) },
    Entry("icode-slix") { .icodeSLIX(uid: $0, formatted: $1) },
    Entry("icode-slix-l") { .icodeSLIXL(uid: $0, formatted: $1) },
    Entry("icode-slix-s") { .icodeSLIXS(uid: $0, formatted: $1) },
    Entry("icode-slix2") { .icodeSLIX2(uid: $0, formatted: $1) },
    // On delivery, no key is active.
    Entry("icode-dna") {
      .icodeDNA(uid: $0, keys: $1 ? [0: ICODEDNA.demonstrationKey] : [:], formatted: $1)
    },
    Entry("ntag5-link") { .ntag5Link(uid: $0, formatted: $1) },
    Entry("icode-sli-s") { .icodeSLIS(uid: $0, formatted: $1) },
    Entry("st25dv") { .st25dv(uid: $0, formatted: $1) },
    Entry("st25dv04k") { .st25dv04K(uid: $0, formatted: $1) },
    Entry("st25dv16k") { .st25dv16K(uid: $0, formatted: $1) },
    Entry("st25tv") { .st25tv(uid: $0, formatted: $1) },
    Entry("st25tv02kc") { .st25tv02KC(uid: $0, formatted: $1) },
    // This chip is a Type 4 tag on delivery.
    Entry("st25ta") { uid, _ in .st25ta(uid: uid) },
    Entry("st25ta02kb") { uid, _ in .st25ta02KB(uid: uid) },
    Entry("tag-it") { .tagIt(uid: $0, formatted: $1) },
    Entry("mb89r118") { .mb89r118(uid: $0, formatted: $1) },
    Entry(fixed: "bprime") { _ in .calypsoBPrime() },
    Entry(fixed: "srix4k") { uid in uid.map { .srix4k(uid: $0) } ?? .srix4k() },
    Entry(fixed: "ask-ctx") { _ in .askCTx() },
    Entry(fixed: "barcode") { _ in .nfcBarcode() },
    Entry(fixed: "iclass") { _ in .iClass() },
  ]

  /// Readers see four bytes of a Topaz's UID, which has seven.
  @Sendable private static func wholeTopazUID(_ seen: [UInt8]) -> [UInt8] {
    seen + [UInt8](repeating: 0, count: max(0, TopazCore.uidSize - seen.count))
  }

  /// The names that ``named(_:uid:)`` accepts, without those that begin with `blank-`.
  public static let names: [String] = entries.map(\.name)

  private static let phones = [
    Entry(fixed: "wallet-apple") { _ in VirtualTag(WalletPhone.apple()) },
    Entry(fixed: "wallet-apple-chosen") { _ in VirtualTag(WalletPhone.apple(.chosen)) },
    Entry(fixed: "wallet-google") { _ in VirtualTag(WalletPhone.google()) },
    Entry(fixed: "wallet-google-chosen") { _ in VirtualTag(WalletPhone.google(.chosen)) },
  ]

  /// The names of phones that ``named(_:uid:)`` accepts in addition to ``names``: they are not tags, and those that are
  /// not chosen answer no reader without a polling frame.
  public static let phoneNames: [String] = phones.map(\.name)

  private static let spools = [
    Entry(fixed: "tigertag") { .tigerTag(uid: $0) },
    Entry(fixed: "tigertag-plus") { .tigerTagPlus(uid: $0) },
  ]

  /// The names of spools that ``named(_:uid:)`` accepts in addition to ``names``: chips that are among those, with content
  /// in their memory that is not NDEF.
  public static let spoolNames: [String] = spools.map(\.name)

  private static let blankPrefix = "blank-"

  /// Returns a new tag with the chip of this name. It is NDEF formatted, empty and writable if the chip
  /// supports NDEF; with the prefix `blank-`, it is as on delivery.
  ///
  /// - Parameter uid: the UID, of as many bytes as that of the chip; `nil` for the chip's own. A chip that has an
  ///   identifier of another kind, such as a barcode, keeps its own.
  /// - Throws: ``VirtualTagNameError/unknownName(_:)``.
  public static func named(_ name: String, uid: [UInt8]? = nil) throws -> VirtualTag {
    if let entry = (entries + phones + spools).first(where: { $0.name == name }) {
      return try entry.make(uid, true)
    }
    guard name.hasPrefix(blankPrefix),
      let entry = entries.first(where: { $0.name == name.dropFirst(blankPrefix.count) }),
      entry.canBeBlank
    else { throw VirtualTagNameError.unknownName(name) }
    return try entry.make(uid, false)
  }
}
