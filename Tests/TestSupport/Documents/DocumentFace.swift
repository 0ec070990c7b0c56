/// Data group 2 with an image of a size (Doc 9303-10, 4.7.2). What follows the image's header is no image.
package enum DocumentFace: CaseIterable, Sendable {
  case jpeg, jp2, j2k

  /// The beginning of an image of 48 by 64 pixels.
  private var header: [UInt8] {
    // SIZ: no capabilities, the size, no offset, one tile, three components of 8 bits (ISO/IEC 15444-1, A.5.1).
    let codestream: [UInt8] =
      [0xFF, 0x4F, 0xFF, 0x51, 0x00, 0x2F, 0x00, 0x00, 0, 0, 0, 48, 0, 0, 0, 64]
      + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0]
      + [0, 3, 7, 1, 1, 7, 1, 1, 7, 1, 1]
    switch self {
    case .jpeg:
      return [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10] + Array("JFIF\0".utf8) + [
        1, 1, 0, 0, 1, 0, 1, 0, 0,
      ]
        + [0xFF, 0xC0, 0x00, 0x0B, 8, 0, 64, 0, 48, 1, 1, 0x11, 0]
    case .jp2:
      return [0, 0, 0, 12] + Array("jP  ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]
        + [0, 0, 0, 20] + Array("ftypjp2 ".utf8) + [0, 0, 0, 0] + Array("jp2 ".utf8)
        + [0, 0, 0, 30] + Array("jp2h".utf8) + [0, 0, 0, 22] + Array("ihdr".utf8)
        + [0, 0, 0, 64, 0, 0, 0, 48, 0, 3, 7, 7, 0, 0] + [0, 0, 0, 0] + Array("jp2c".utf8)
        + codestream
    case .j2k: return codestream
    }
  }

  /// Returns the image.
  ///
  /// - Parameter size: its size in bytes.
  package func image(_ size: Int) -> [UInt8] {
    let header = header
    return header
      + (0..<max(0, size - header.count)).map { UInt8(truncatingIfNeeded: $0 &* 197 >> 3) }
  }

  /// Returns data group 2 with a record of ISO/IEC 19794-5.
  package func dataGroup(_ size: Int) -> [UInt8] {
    let image = image(size)
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
    let face =
      number(32 + image.count, 4) + [0, 0] + [UInt8](repeating: 0, count: 14)
      + [1, self == .jpeg ? 0 : 1, 0, 48, 0, 64] + [UInt8](repeating: 0, count: 6) + image
    let record =
      Array("FAC\0".utf8) + Array("010\0".utf8) + number(14 + face.count, 4) + [0, 1] + face
    return DERWriter.object(
      0x75,
      DERWriter.object(
        [0x7F, 0x61],
        DERWriter.integer(1)
          + DERWriter.object(
            [0x7F, 0x60],
            DERWriter.object(0xA1, [0x87, 0x02, 0x01, 0x01, 0x88, 0x02, 0x00, 0x08])
              + DERWriter.object([0x5F, 0x2E], record))))
  }
}
