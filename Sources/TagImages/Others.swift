/// iCLASS and PicoPass: blocks of 8 bytes, named as Proxmark3 names them (client/src/fileutils.c, `jsfIclass`;
/// include/iclass_cmd.h, `picopass_hdr_t`).
enum PicoPassLayout {
  static let blockSize = 8
  /// The first blocks of a chip with keys.
  static let names = ["CSN", "Configuration", "Epurse", "Kd", "Kc", "AIA"]
  /// Debit and credit key: blocks 3 and 4.
  static let keys = 3 * blockSize..<5 * blockSize
  /// Chips of 2 and of 16 kilobits.
  static let sizes: Set<Int> = [32 * blockSize, 256 * blockSize]

  /// The limit of the first application: the number of its last block, in the configuration block.
  private static let applicationLimit = blockSize

  /// Returns an image of a card's first blocks; `nil` if no program stores this number of them.
  ///
  /// `hf iclass dump` of Proxmark3 stores the blocks of the first application where it has no key for the others.
  static func image(_ bytes: [UInt8]) -> TagImage? {
    if sizes.contains(bytes.count) { return TagImage(.iClass, unitSize: blockSize, bytes: bytes) }
    guard let size = sizes.min(), bytes.count < size, hasOnlyFirstApplication(bytes) else {
      return nil
    }
    var image = TagImage(
      .iClass, memory: .init(unitSize: blockSize, unitCount: size / blockSize))
    image.memory.set(bytes, at: 0)
    return image
  }

  private static func hasOnlyFirstApplication(_ bytes: [UInt8]) -> Bool {
    bytes.count > names.count * blockSize
      && bytes.count == (Int(bytes[applicationLimit]) + 1) * blockSize
  }

  /// A serial number ends with 12 E0 as it goes over the air, E0 being ISO/IEC 7816-6's mark of a UID, and 12 INSIDE
  /// Secure's number in the same standard.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    (sizes.contains(bytes.count) || hasOnlyFirstApplication(bytes))
      && bytes[6] == 0x12 && bytes[7] == 0xE0
  }
}

/// ASK CTS512B: 32 words.
enum TicketLayout {
  static let wordSize = 2
  static let size = 32 * wordSize
}

/// An NFC Barcode of 128 or 256 bits (Thinfilm NFC Barcode Protocol, tag functional specification 3.4).
enum BarcodeLayout {
  static let sizes = [16, 32]
  private static let checkSize = 2
  private static let firstBit: UInt8 = 0x80

  /// Its first bit is 1, and its last two bytes are a CRC_A with the most significant byte first.
  static func isOne(_ code: [UInt8]) -> Bool {
    sizes.contains(code.count) && code[0] & firstBit != 0
      && Array(code.suffix(checkSize)) == check(code.dropLast(checkSize))
  }

  static func image(_ code: [UInt8]) -> TagImage {
    var image = TagImage(.barcode, unitSize: max(1, code.count), bytes: code)
    image.uid = code
    return image
  }

  /// CRC_A (ISO/IEC 14443-3, annex B), the most significant byte first.
  private static func check(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var register: UInt16 = 0x6363
    for byte in bytes {
      register ^= UInt16(byte)
      for _ in 0..<8 { register = register & 1 != 0 ? register >> 1 ^ 0x8408 : register >> 1 }
    }
    return [UInt8(register >> 8), UInt8(register & 0xFF)]
  }
}
