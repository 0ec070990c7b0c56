import VirtualNFC

/// Creates several tags of one chip, each with its own UID, if the command line names the chip more than
/// once.
extension VirtualTags {
  private typealias Factory = @Sendable (_ uid: [UInt8], _ formatted: Bool) -> VirtualTag

  private static let factories: [String: Factory] = [
    "ntag203": { .ntag203(uid: $0, formatted: $1) },
    "ntag210": { .ntag210(uid: $0, formatted: $1) },
    "ntag212": { .ntag212(uid: $0, formatted: $1) },
    "ntag213": { .ntag213(uid: $0, formatted: $1) },
    "ntag215": { .ntag215(uid: $0, formatted: $1) },
    "ntag216": { .ntag216(uid: $0, formatted: $1) },
    "ntag-i2c-1k": { .ntagI2C1K(uid: $0, formatted: $1) },
    "ntag-i2c-2k": { .ntagI2C2K(uid: $0, formatted: $1) },
    "ultralight": { .ultralight(uid: $0, formatted: $1) },
    "ultralight-c": { .ultralightC(uid: $0, formatted: $1) },
    "ultralight-aes": { .ultralightAES(uid: $0, formatted: $1) },
    "ultralight-ev1": { .ultralightEV1(uid: $0, formatted: $1) },
    "classic-mini": { .classicMini(uid: $0, formatted: $1) },
    "classic-1k": { .classic1K(uid: $0, formatted: $1) },
    "classic-4k": { .classic4K(uid: $0, formatted: $1) },
    "felica-lite": { .feliCaLite(idm: $0, formatted: $1) },
    "felica-lite-s": { .feliCaLiteS(idm: $0, formatted: $1) },
    "icode-slix": { .icodeSLIX(uid: $0, formatted: $1) },
    "icode-slix-l": { .icodeSLIXL(uid: $0, formatted: $1) },
    "icode-slix-s": { .icodeSLIXS(uid: $0, formatted: $1) },
    "icode-slix2": { .icodeSLIX2(uid: $0, formatted: $1) },
    "st25dv": { .st25dv(uid: $0, formatted: $1) },
    "st25dv04k": { .st25dv04K(uid: $0, formatted: $1) },
    "st25dv16k": { .st25dv16K(uid: $0, formatted: $1) },
    "st25tv": { .st25tv(uid: $0, formatted: $1) },
    "st25ta": { uid, _ in .st25ta(uid: uid) },
  ]

  /// Returns the tag, with another UID if one of the previous tags has the same one.
  ///
  /// - Parameter name: the tag's name on the command line.
  /// - Throws: ``Failure`` `usage` if the tag's UID must not be changed, because a reader could not
  ///   distinguish the two tags.
  static func distinct(
    _ tag: VirtualTag, named name: String, from others: [VirtualTag]
  ) throws -> VirtualTag {
    guard others.contains(where: { isSame($0, tag) }) else { return tag }
    let isBlank = name.hasPrefix("\(blank)-")
    let chip = isBlank ? String(name.dropFirst(blank.count + 1)) : name
    let known = factories.first { Spelling.folded($0.key) == Spelling.folded(chip) }
    guard let known, !File.exists(name) else {
      throw Failure(
        .usage, "two virtual tags have the UID \(tag.identifier.hexadecimal)",
        advice: "a reader cannot distinguish them; leave one out")
    }
    var uid = tag.identifier
    // The first bytes of an ISO 15693 UID identify the chip.
    let place = tag.modulation == .iso15693 ? uid.count - 1 : min(3, uid.count - 1)
    for _ in 0..<UInt8.max {
      uid[place] &+= 1
      let copy = known.value(uid, !isBlank)
      if !others.contains(where: { isSame($0, copy) }) { return copy }
    }
    throw Failure(
      .usage, "there are too many virtual tags of the chip \(chip)", advice: "leave some out")
  }

  private static func isSame(_ one: VirtualTag, _ two: VirtualTag) -> Bool {
    one.identifier == two.identifier && one.modulation == two.modulation
  }
}
