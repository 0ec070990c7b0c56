/// A file format for images, named by its extension.
@nonexhaustive
public enum ImageFormat: String, CaseIterable, Hashable, Sendable {
  /// `.bin`, `.mfd`: the bytes of the memory.
  case binary
  /// `.eml`: the memory in hexadecimal, one page or block per line (Proxmark3, libnfc).
  case emulator
  /// `.json`: Proxmark3 (client/src/fileutils.c).
  case proxmark
  /// `.nfc`: Flipper Zero, versions 2 to 4 (documentation/file_formats/NfcFileFormats.md).
  case flipper
  /// `.mct`: MIFARE Classic Tool for Android.
  case mifareClassicTool
  /// `.picopass`: iCLASS cards, of Flipper Zero's program for them.
  case picoPass

  /// The extensions without the dot, the usual one first.
  public var extensions: [String] {
    switch self {
    case .binary: ["bin", "mfd"]
    case .emulator: ["eml"]
    case .proxmark: ["json"]
    case .flipper: ["nfc"]
    case .mifareClassicTool: ["mct"]
    case .picoPass: ["picopass"]
    }
  }

  /// All extensions with their dots.
  package static let extensions = allCases.flatMap { $0.extensions.map { ".\($0)" } }

  /// The extensions, for people.
  public var name: String { extensions.map { ".\($0)" }.joined(separator: " and ") }

  /// Creates the format with an extension, in either case; `nil` for any other.
  public init?(fileExtension: some StringProtocol) {
    let name = fileExtension.lowercased()
    guard let format = Self.allCases.first(where: { $0.extensions.contains(name) }) else {
      return nil
    }
    self = format
  }

  /// Guesses the format of bytes without a name.
  public init(guessing bytes: [UInt8]) {
    let lines = TextLine.all(Array(bytes.prefix(Self.guessedLength))).map(\.withoutComment.text)
    let start = lines.first { !$0.isEmpty } ?? ""
    if start.hasPrefix("{") {
      self = .proxmark
    } else if start.hasPrefix("Filetype:") {
      self = .flipper
    } else if start.hasPrefix("+Sector") {
      self = .mifareClassicTool
    } else {
      self = .binary
    }
  }

  /// The bytes of a file, and what they leave out of the image.
  public struct Encoding: Hashable, Sendable {
    /// The content of the file.
    public var bytes: [UInt8]
    /// Descriptions of what is lost, for people; empty if the file contains the complete image.
    public var losses: [String]
  }

  /// The number of bytes that show the format of a text; comments may stand before its first line.
  private static let guessedLength = 4096

  /// Encodes an image as a file.
  ///
  /// - Throws: ``ImageError`` ``ImageError/Code/cannotHold`` for a tag that the format cannot hold.
  public func encode(_ image: TagImage) throws(ImageError) -> Encoding {
    if let objection = objection(to: image) {
      throw ImageError(self, cannotHold: image, objection.isEmpty ? nil : objection)
    }
    let bytes: [UInt8] =
      switch self {
      case .binary: BinaryFile.encode(image)
      case .emulator: EmulatorFile.encode(image)
      case .proxmark: ProxmarkFile.encode(image)
      case .flipper: FlipperFile.encode(image)
      case .mifareClassicTool: MCTFile.encode(image)
      case .picoPass: PicoPassFile.encode(image)
      }
    // Every part that is missing in the copy is lost.
    let copy: TagImage
    do throws(ImageError) {
      copy = try decode(bytes)
    } catch {
      throw ImageError(self, cannotHold: image, "of which a file says: \(error.reason)")
    }
    return Encoding(bytes: bytes, losses: image.losses(in: copy))
  }

  /// Decodes the image in a file. CRLF and a byte order mark are accepted in text.
  ///
  /// - Throws: ``ImageError`` ``ImageError/Code/malformed`` with the line or offset.
  public func decode(_ bytes: [UInt8]) throws(ImageError) -> TagImage {
    try decoding(bytes).image
  }

  /// Returns the reason why the format cannot hold a tag, which follows "cannot hold a … tag"; empty if
  /// there is no more to say, `nil` if it can.
  func objection(to image: TagImage) -> String? {
    switch self {
    // 64 bytes do not indicate a ticket; in text, the length of a line does.
    case .binary: image.memory.isEmpty || image.kind == .ctx ? "" : nil
    case .emulator: image.memory.isEmpty ? "" : nil
    case .proxmark: ProxmarkFile.objection(to: image)
    case .flipper: FlipperFile.objection(to: image)
    case .mifareClassicTool: image.kind == .classic ? nil : ""
    case .picoPass: PicoPassFile.objection(to: image)
    }
  }
}
