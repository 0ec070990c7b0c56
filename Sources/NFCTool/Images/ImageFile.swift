import NFC

/// How a file holds a tag's memory: by its extension.
enum ImageFormat: Sendable {
  /// The bytes as they are.
  case binary
  /// One line of hexadecimal per block or page (Proxmark, libnfc).
  case text

  /// By extension, in the order in which they are named.
  private static let extensions: [(name: String, format: ImageFormat)] = [
    ("bin", .binary), ("mfd", .binary), ("eml", .text),
  ]

  static var names: String { extensions.map { ".\($0.name)" }.joined(separator: ", ") }

  /// The format that a file's name asks for; standard input and output have the bytes as they are.
  ///
  /// - Throws: `usage` for a name without an extension that is known.
  init(_ path: String) throws {
    guard path != File.standard else {
      self = .binary
      return
    }
    guard let format = Self.format(of: path) else {
      throw Failure(
        .usage, "\(File.name(path)): no format of images is known by that name",
        advice: "let it end in one of \(Self.names)")
    }
    self = format
  }

  static func format(of path: String) -> ImageFormat? {
    let file = path.split(separator: "/").last ?? ""
    guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return nil }
    let name = file[file.index(after: dot)...].lowercased()
    // What is read and written as standard streams has no name to go by.
    return extensions.first { $0.name == name }?.format
  }

  func encode(_ image: TagImage) -> [UInt8] {
    switch self {
    case .binary: image.bytes
    case .text: Array(MemoryImage.text(image.bytes, unitSize: image.unitSize).utf8)
    }
  }

  /// - Throws: `NFCError` `malformedContent` with the line.
  func decode(_ bytes: [UInt8]) throws -> TagImage {
    switch self {
    case .binary:
      // A text under another name is still recognised.
      return TagImage(guessing: try MemoryImage.bytes(file: bytes))
    case .text:
      let text = String(decoding: bytes, as: UTF8.self)
      let line = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) }
      return TagImage(
        guessing: try MemoryImage.bytes(text: text),
        unitSize: line.flatMap { [UInt8](hexadecimal: $0) }?.count)
    }
  }
}

/// Files that hold a tag's memory.
enum ImageFile {
  static func write(_ image: TagImage, to path: String) throws {
    try File.write(try ImageFormat(path).encode(image), to: path)
  }

  static func read(_ path: String) throws -> TagImage {
    let format = try ImageFormat(path)
    let bytes = try File.read(path)
    do {
      return try format.decode(bytes)
    } catch let error as NFCError {
      throw Failure(
        .content, "\(File.name(path)) is no image of a tag: \(error)",
        advice: "nothing was written")
    }
  }
}
