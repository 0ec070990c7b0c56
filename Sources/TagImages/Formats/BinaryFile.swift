/// `.bin` and `.mfd`: the memory's bytes, and how their tag is recognized.
enum BinaryFile {
  /// The data that Proxmark3 writes before the pages of an Ultralight or NTAG: version, TBO, the
  /// last page's number, signature, three counters with their tearing flags (include/mifare.h,
  /// `mfu_dump_t`).
  private enum Header {
    static let length = 56
    static let version = 0..<8
    static let signature = 12..<44
    static let counters = 44
  }

  /// The same in older versions, without counters (client/src/cmdhfmfu.h, `old_mfu_dump_t`).
  private enum OldHeader {
    static let length = 48
    static let signature = 16..<48
  }

  static func encode(_ image: TagImage) -> [UInt8] { content(of: image).bytes }

  /// Returns the part of a memory that files without additional fields contain: for an Ultralight C
  /// without a known key, the pages before the key; for a FeliCa Lite, S_PAD0 to REG.
  static func content(of image: TagImage) -> TagImage.Memory {
    switch image.kind {
    case .classic: return image.memoryWithKeys
    case .feliCaLite: return image.memory.prefix(TagImage.feliCaLiteUserBlockCount * 16)
    case .type2 where image.type2Chip?.hasUnreadableKey ?? false:
      guard let key = image.secrets.first, image.memory.known(key) == nil else {
        return image.memory
      }
      return image.memory.prefix(key.lowerBound)
    default: return image.memory
    }
  }

  /// - Throws: `malformed` for an empty file, and for text of another format.
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> TagImage {
    guard !bytes.isEmpty else { throw ImageError("the file is empty", at: .offset(0)) }
    // Text under another name is still recognized by its lines.
    if isText(bytes) {
      return try EmulatorFile.decode(bytes)
    }
    if let image = ProxmarkVicinity.image(structure: bytes) { return image }
    if let image = ProxmarkTopaz.image(structure: bytes) { return image }
    guard bytes.count.isMultiple(of: smallestUnit) else {
      throw ImageError(
        "\(bytes.count) bytes are not a whole number of pages or blocks", at: .offset(bytes.count))
    }
    let image = image(of: bytes, unitSize: nil)
    if image.isOfUncertainKind, let remark = ClassicKeyFile.remark(on: bytes) {
      throw ImageError(remark, at: .offset(0))
    }
    return image
  }

  /// Pages and blocks have 4 bytes or more.
  private static let smallestUnit = 4

  /// Returns whether bytes are lines of hexadecimal digits, with lines of comments and marks of unknown bytes.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    let lineFeed: UInt8 = 0x0A
    guard bytes.contains(lineFeed) else { return false }
    return bytes.split(separator: lineFeed).allSatisfy { line in
      let content = line.prefix { $0 != UInt8(ascii: "#") }
      return content.allSatisfy { isBlank($0) || isHexadecimal($0) }
        && line.dropFirst(content.count).allSatisfy { isBlank($0) || (0x20...0x7E).contains($0) }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x09, 0x0D, 0x20].contains(byte) }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: "-"): true
    default: false
    }
  }

  /// Returns an image of the tag that a memory belongs to, as far as its size and its first bytes
  /// indicate.
  ///
  /// - Parameter unitSize: the length of a line, if the file is text.
  static func image(of bytes: [UInt8], unitSize: Int?) -> TagImage {
    if let image = type2Image(bytes) { return image }
    if PicoPassLayout.isOne(bytes),
      unitSize ?? PicoPassLayout.blockSize == PicoPassLayout.blockSize,
      let image = PicoPassLayout.image(bytes)
    {
      return image
    }
    if BarcodeLayout.isOne(bytes) { return BarcodeLayout.image(bytes) }
    if unitSize == TicketLayout.wordSize, bytes.count == TicketLayout.size {
      return TagImage(.ctx, unitSize: TicketLayout.wordSize, bytes: bytes)
    }
    if hasSizeOfClassic(bytes), unitSize ?? 16 == 16,
      ![320, 1152, 2048].contains(bytes.count) || looksLikeClassic(bytes)
    {
      return ClassicLayout.image(bytes)
    }
    if let image = proxmarkImage(bytes) { return image }
    if [120, 512].contains(bytes.count), looksLikeTopaz(bytes) {
      return TagImage(.topaz, unitSize: 8, bytes: bytes)
    }
    if bytes.count == TagImage.feliCaLiteUserBlockCount * TagImage.feliCaBlockSize,
      unitSize ?? 16 == 16
    {
      var image = TagImage.feliCaLite()
      image.memory.set(bytes, at: 0)
      return image
    }
    // MB89R118, with blocks of 8 bytes, is the only chip of this size for which images exist.
    let size = unitSize ?? (bytes.count == 2000 ? 8 : 4)
    return TagImage(.iso15693, unitSize: size, bytes: bytes)
  }

  private static func type2Image(_ bytes: [UInt8]) -> TagImage? {
    let isNTAGI2C =
      [936, 1960].contains(bytes.count) && bytes.first == 0x04
      || bytes.count == 2048 && TagImage.ntagI2CUID(bytes) != nil
    guard
      isNTAGI2C
        || TagImage.type2UID(bytes) != nil && bytes.count % 4 == 0 && !hasSizeOfClassic(bytes)
    else { return nil }
    return type2Image(pages: bytes)
  }

  static func type2Image(pages: [UInt8]) -> TagImage {
    var image = TagImage(.type2, unitSize: 4, bytes: pages)
    image.arrangeType2()
    return image
  }

  /// Recognizes a header like Proxmark3: by the check bytes of the UID after it
  /// (client/src/fileutils.c, `detect_mfu_dump_format`).
  private static func proxmarkImage(_ bytes: [UInt8]) -> TagImage? {
    for length in [Header.length, OldHeader.length] where bytes.count > length {
      let pages = Array(bytes.dropFirst(length))
      guard pages.count % 4 == 0,
        TagImage.type2UID(pages) != nil || TagImage.ntagI2CUID(pages) != nil
      else { continue }
      var image = TagImage(.type2, unitSize: 4, bytes: pages)
      image.version = nonZero(Array(bytes[Header.version]))
      let isNew = length == Header.length
      image.signature = nonZero(
        Array(bytes[isNew ? Header.signature : OldHeader.signature]))
      image.arrangeType2()
      guard isNew else { return image }
      for index in image.type2Chip?.counterNumbers ?? 0..<3 {
        let first = Header.counters + 4 * index
        image.counters[index] = counter(
          Array(bytes[first..<first + 3]), tearing: bytes[first + 3])
      }
      return image
    }
    return nil
  }

  /// Decodes three bytes, least significant first; all zeros without a flag indicate a counter that
  /// was not read.
  static func counter(_ bytes: [UInt8], tearing: UInt8?) -> TagImage.Counter? {
    let value = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard value != 0 || tearing ?? 0 != 0 else { return nil }
    return TagImage.Counter(value: value, tearing: tearing == 0 ? nil : tearing)
  }

  static func nonZero(_ bytes: [UInt8]) -> [UInt8]? {
    bytes.contains { $0 != 0 } ? bytes : nil
  }

  private static func hasSizeOfClassic(_ bytes: [UInt8]) -> Bool {
    (ClassicLayout.blockCounts + [ClassicLayout.blockCountWithSignature]).contains {
      $0 * ClassicLayout.blockSize == bytes.count
    }
  }

  /// Returns whether bytes are the memory of a MIFARE Classic. 320 bytes may be a Mini or an ICODE SLIX2,
  /// and 2048 bytes a Plus 2K or an ST25DV16K: a MIFARE has access bits together with their inversions.
  private static func looksLikeClassic(_ bytes: [UInt8]) -> Bool {
    stride(from: 48, to: bytes.count, by: 64).contains { first in
      let access = bytes[first + 6..<first + 9].map { $0 }
      return access[0] & 0x0F == ~(access[1] >> 4) & 0x0F
        && access[0] >> 4 == ~access[2] & 0x0F && access[1] & 0x0F == ~(access[2] >> 4) & 0x0F
    }
  }

  /// Returns whether bytes are the memory of a Topaz. 512 bytes may also be an ST25DV04K, whose container
  /// is at the beginning. A Topaz has its container in block 1, or 55 55 AA AA in block D.
  private static func looksLikeTopaz(_ bytes: [UInt8]) -> Bool {
    bytes.count == 120 || bytes[8] == 0xE1 || bytes[104..<106].elementsEqual([0x55, 0x55])
  }
}
