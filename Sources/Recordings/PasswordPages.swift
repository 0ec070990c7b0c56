/// The pages in which Ultralight and NTAG chips keep passwords and keys.
enum PasswordPages {
  /// The pages by the answer to GET_VERSION: type, and storage size. PWD and PACK of MF0UL11,
  /// MF0UL21 (MF0ULx1 data sheet, 8.5), NTAG 210, 212 (NTAG210/212 data sheet, 8.5), 213, 215, 216
  /// (NTAG21x data sheet, 8.5) and NTAG I²C plus (NT3H2x11 data sheet, 8.3), and the keys of
  /// Ultralight AES (MF0AES data sheet, 8.5).
  private static let byVersion: [[UInt8]: Range<Int>] = [
    [0x03, 0x0B]: 0x12..<0x14, [0x03, 0x0E]: 0x27..<0x29, [0x03, 0x0F]: 0x30..<0x40,
    [0x04, 0x0B]: 0x12..<0x14, [0x04, 0x0E]: 0x27..<0x29, [0x04, 0x0F]: 0x2B..<0x2D,
    [0x04, 0x11]: 0x85..<0x87, [0x04, 0x13]: 0xE5..<0xE7, [0x04, 0x15]: 0xE5..<0xE7,
  ]

  /// NTAG 223 DNA and 224 DNA, by type and major version: the key of SUNCMAC (Proxmark3,
  /// `ntag22x_suncmac_recovery.py`). Where their other secrets are is not public.
  private static let byMajorVersion: [[UInt8]: Range<Int>] = [
    [0x04, 0x04]: 0x34..<0x38, [0x04, 0x05]: 0x44..<0x48,
  ]

  /// The pages of chips that do not support GET_VERSION: the key of an Ultralight C (MF0ICU2 data sheet, 7.5.3), and the
  /// pages of an ST25TN that hold a password, and accept it to kill the chip (ST's NFC apps).
  static let ofKeys = Set(0x2C..<0x30).union([0x2F, 0x30])

  /// The pages of all chips, as long as the chip is not known.
  static let ofAll = (Array(byVersion.values) + byMajorVersion.values).reduce(into: ofKeys) {
    $0.formUnion($1)
  }

  /// Returns the pages of a chip; `nil` for an unknown one.
  static func pages(ofVersion answer: [UInt8]) -> Set<Int>? {
    // Header, vendor, type, subtype, major, minor, storage size, protocol (NTAG21x data sheet, 10.1).
    guard answer.count >= 8 else { return nil }
    // Their storage sizes are those of other chips, or of none.
    guard byMajorVersion[[answer[2], answer[4]]] == nil else { return ofAll }
    return byVersion[[answer[2], answer[6]]].map { Set($0) }
  }
}
