import SwiftNFCChipBook

extension TagImage {
  /// Removes what keeps a reader without password or key from reading the content, which the image has anyway: the
  /// protection of an Ultralight or NTAG, the privacy and the protection of an ICODE, the keys and access bits of a MIFARE
  /// Classic.
  package mutating func removeReadProtection() {
    if let chip = type2Chip, let place = chip.firstProtectedPage {
      let byte = place.page * Self.type2PageSize + place.byte
      if byte < memory.bytes.count { memory.set([chip.firstProtectedPageForNone], at: byte) }
    }
    vicinity?.isPrivate = nil
    vicinity?.protectionCondition = nil
    openClassicSectors()
  }

  /// The counters that the chip has, for commands that read them.
  package var counterNumbers: Range<Int> { type2Chip?.counterNumbers ?? 0..<0 }

  /// The chip, as far as version, size and content indicate it; `nil` if they do not, and for other
  /// kinds. A version that is not known says that the chip is none of those that are known.
  package var type2Chip: Type2Chip? {
    guard kind == .type2 else { return nil }
    if let version { return Type2Chip.inFiles(version: version) }
    let candidates = Type2Chip.inFiles(pageCount: memory.unitCount)
    guard candidates.count > 1 else { return candidates.first }
    if candidates.contains(where: \.hasWiredSide) {
      return candidates.first { ($0.passwordSettings != nil) == hasPasswordPages(candidates) }
    }
    return candidates.first { $0.isNTAG == looksLikeNTAG }
  }

  /// The chip that the image may be of instead of ``type2Chip``, if the content fits both; `nil` if
  /// something distinguishes them.
  ///
  /// An NTAG210 or NTAG212 has a capability container on delivery, whose bits cannot be cleared. An
  /// Ultralight EV1 of the same size has one after it was formatted; then only what an NTAG has in its
  /// configuration distinguishes the two.
  package var alternativeType2Chip: Type2Chip? {
    guard version == nil, let chip = type2Chip, !chip.versions.isEmpty,
      let other = Type2Chip.inFiles.first(where: {
        $0.pageCount == chip.pageCount && $0.files?.flipperName == chip.files?.flipperName
          && $0 != chip
      })
    else { return nil }
    guard let container = memory.known(Self.capabilityContainer) else { return other }
    return container == Self.ndefMagicNumber && !isConfiguredAsNTAG ? other : nil
  }

  /// Arranges pages as the chip has them: a signature after the last page becomes ``signature``, and pages at the end
  /// that the file leaves out become unknown.
  ///
  /// - Parameter named: the chip that the file names; the version, and then the size, decide before it.
  mutating func arrangeType2(named: Type2Chip? = nil) {
    guard kind == .type2 else { return }
    let count = memory.unitCount
    let partial = Type2Chip.partial(pageCount: count)
    let certain = version.map { Type2Chip.inFiles(version: $0) } ?? named
    // Without a version, the number of pages has to be one of those that are known.
    let chip = version == nil ? certain ?? partial ?? Self.signedType2Chip(count) : certain
    guard let chip else { return }
    let size = chip.pageCount * Self.type2PageSize
    if count == chip.pageCount + Type2Chip.signaturePageCount {
      guard let stored = memory.known(size..<memory.bytes.count), signature ?? stored == stored
      else { return }
      signature = BinaryFile.nonZero(stored)
      memory = memory.prefix(size)
    } else if partial == chip {
      var all = Memory(unitSize: Self.type2PageSize, unitCount: chip.pageCount)
      for unit in 0..<count { all.set(memory.unit(unit), at: unit * Self.type2PageSize) }
      memory = all
    }
  }

  private static let type2PageSize = 4

  private static func signedType2Chip(_ count: Int) -> Type2Chip? {
    Type2Chip.inFiles.first {
      $0.files?.mayEndWithSignature == true
        && $0.pageCount + Type2Chip.signaturePageCount == count
    }
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

  /// Returns whether there is something in the pages that only the chip with a password has: an NTAG I²C has nothing
  /// between its lock bits and its configuration, an NTAG I²C plus has its password there.
  private func hasPasswordPages(_ candidates: [Type2Chip]) -> Bool {
    guard let settings = candidates.lazy.compactMap(\.passwordSettings).first else { return false }
    let first = settings.firstPage
    let pages = candidates.map(\.pageCount).max() ?? first
    let end =
      (first..<max(first, pages)).first { page in
        candidates.allSatisfy { $0.pages?.use(ofPage: page) != nil }
      } ?? first
    let size = Self.type2PageSize
    return
      (memory.known(first * size..<end * size) ?? memory.known(first * size..<(first + 1) * size))?
      .contains { $0 != 0 } ?? false
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
      let chip = Type2Chip.inFiles.first(where: { $0.pageCount * type2PageSize == bytes.count }),
      looksLikeType2(bytes)
    else { return nil }
    let checks = [(3, bytes[0..<3].reduce(cascadeTag, ^)), (8, bytes[4..<8].reduce(0, ^))]
    let wrong = checks.filter { bytes[$0.0] != $0.1 }.map { place, right in
      "byte \(place) is \(Hexadecimal.text([bytes[place]])), not \(Hexadecimal.text([right]))"
    }
    return "which is the size of \(chip.name), but with wrong check bytes of the UID: "
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
