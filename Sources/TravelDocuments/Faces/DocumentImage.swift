/// An image of a document, as it is stored.
public struct DocumentImage: Hashable, Sendable {
  /// The format, by the first bytes of the image.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// JPEG, with or without a JFIF header.
    case jpeg
    /// JPEG 2000 in its file format.
    case jp2
    /// A bare JPEG 2000 codestream, as Chinese passports have it.
    case j2k

    /// The bytes with which an image of the format begins (ISO/IEC 10918-1, B.2.1; 15444-1, A.4 and I.5.1).
    var signature: [UInt8] {
      switch self {
      case .jpeg: [0xFF, 0xD8, 0xFF]
      case .jp2: [0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20]
      case .j2k: [0xFF, 0x4F, 0xFF, 0x51]
      }
    }

    /// The extensions of files in this format, the usual one first.
    public var extensions: [String] {
      switch self {
      case .jpeg: ["jpg", "jpeg"]
      case .jp2: ["jp2"]
      case .j2k: ["j2k", "j2c", "jpc"]
      }
    }
  }

  /// The format.
  public let format: Format
  /// The image, as it is stored.
  public let bytes: [UInt8]
  /// The width in pixels; `nil` if neither the image nor its record has one.
  public let width: Int?
  /// The height in pixels.
  public let height: Int?

  /// Takes an image; `nil` if it has none of the formats.
  ///
  /// - Parameter size: what the record around the image says, which counts only if the image does not say it.
  public init?(_ bytes: ArraySlice<UInt8>, size: (width: Int, height: Int)? = nil) {
    guard let format = Format.allCases.first(where: { bytes.starts(with: $0.signature) }) else {
      return nil
    }
    self.format = format
    self.bytes = Array(bytes)
    let own = Self.size(self.bytes, format)
    let given = size.flatMap { $0.width > 0 && $0.height > 0 ? $0 : nil }
    width = own?.width ?? given?.width
    height = own?.height ?? given?.height
  }

  /// Finds the first image in bytes, whatever is before it.
  static func first(
    in bytes: ArraySlice<UInt8>, size: (width: Int, height: Int)? = nil
  ) -> DocumentImage? {
    let starts: Set<UInt8> = [0x00, 0xFF]
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if starts.contains(bytes[index]), let image = DocumentImage(bytes[index...], size: size) {
        return image
      }
      index += 1
    }
    return nil
  }

  // MARK: Size

  private static func size(_ bytes: [UInt8], _ format: Format) -> (width: Int, height: Int)? {
    let found =
      switch format {
      case .jpeg: jpegSize(bytes)
      case .jp2: boxSize(bytes)
      case .j2k: codestreamSize(bytes[...])
      }
    guard let found, found.width > 0, found.height > 0 else { return nil }
    return found
  }

  private static func number(_ bytes: some Collection<UInt8>, _ offset: Int, _ count: Int) -> Int? {
    let field = bytes.dropFirst(offset).prefix(count)
    return field.count == count ? field.reduce(0) { $0 << 8 | Int($1) } : nil
  }

  /// The frame header: ISO/IEC 10918-1, B.2.2. Segments before it have lengths.
  private static func jpegSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    // SOF0 to SOF15, among which are DHT, JPG and DAC.
    let frames = Set<UInt8>(0xC0...0xCF).subtracting([0xC4, 0xC8, 0xCC])
    var offset = 2
    while offset + 4 <= bytes.count {
      guard bytes[offset] == 0xFF else { return nil }
      let marker = bytes[offset + 1]
      if marker == 0xFF {
        offset += 1
        continue
      }
      if frames.contains(marker) {
        guard let height = number(bytes, offset + 5, 2), let width = number(bytes, offset + 7, 2)
        else { return nil }
        return (width, height)
      }
      guard marker != 0xDA, let length = number(bytes, offset + 2, 2), length >= 2 else {
        return nil
      }
      offset += 2 + length
    }
    return nil
  }

  /// The image header box within the header box: ISO/IEC 15444-1, I.5.3.1.
  private static func boxSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    let (header, imageHeader, codestream) = (0x6A70_3268, 0x6968_6472, 0x6A70_3263)
    var offset = 0
    while let length = number(bytes, offset, 4), let type = number(bytes, offset + 4, 4) {
      switch type {
      case header: offset += 8
      case imageHeader:
        guard let height = number(bytes, offset + 8, 4), let width = number(bytes, offset + 12, 4)
        else { return nil }
        return (width, height)
      case codestream: return codestreamSize(bytes.dropFirst(offset + 8))
      default:
        guard length >= 8 else { return nil }
        offset += length
      }
    }
    return nil
  }

  /// The SIZ marker segment: ISO/IEC 15444-1, A.5.1.
  private static func codestreamSize(_ bytes: ArraySlice<UInt8>) -> (width: Int, height: Int)? {
    guard bytes.starts(with: Format.j2k.signature), let right = number(bytes, 8, 4),
      let bottom = number(bytes, 12, 4), let left = number(bytes, 16, 4),
      let top = number(bytes, 20, 4)
    else { return nil }
    return (right - left, bottom - top)
  }
}
