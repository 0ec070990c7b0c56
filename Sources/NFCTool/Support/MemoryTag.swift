import NFC

/// A MIFARE tag whose memory can be read as a whole.
enum MemoryTag: Sendable {
  case classic(MiFareClassicCommands)
  case ultralight(UltralightCommands, any MiFareTag)

  init?(_ tag: DetectedTag) {
    guard case .miFare(let tag) = tag else { return nil }
    if let commands = tag.classic {
      self = .classic(commands)
    } else if let commands = tag.ultralight {
      self = .ultralight(commands, tag)
    } else {
      return nil
    }
  }

  /// Bytes of a block of MIFARE Classic, of a page of Ultralight and NTAG.
  var unitSize: Int {
    switch self {
    case .classic: MiFareClassicGeometry.blockSize
    case .ultralight: 4
    }
  }
}

extension Session {
  func selectMemoryTag() async throws -> SelectedTag<MemoryTag> {
    try await selectTag("a MIFARE Classic, Ultralight or NTAG", MemoryTag.init)
  }
}

/// Files that hold a tag's memory: bytes, or text if their name ends in `.eml`.
enum MemoryFile {
  private static let textExtension = ".eml"

  static func write(_ bytes: [UInt8], unitSize: Int, to path: String) throws {
    let isText = path.lowercased().hasSuffix(textExtension)
    let content =
      isText ? Array(MemoryImage.text(bytes, unitSize: unitSize).utf8) : bytes
    try File.write(content, to: path)
  }

  static func read(_ path: String) throws -> [UInt8] {
    let bytes = try File.read(path)
    do {
      return path.lowercased().hasSuffix(textExtension)
        ? try MemoryImage.bytes(text: String(decoding: bytes, as: UTF8.self))
        : try MemoryImage.bytes(file: bytes)
    } catch let error as NFCError {
      throw Failure(
        .content, "\(path) is no dump of a tag: \(error)", advice: "nothing was written")
    }
  }
}
