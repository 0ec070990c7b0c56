import NFC
import TagImages

/// Files that hold a tag's memory.
enum ImageFile {
  /// All extensions, as help and errors name them.
  static let names = ImageFormat.extensions.joined(separator: ", ")

  /// Returns the format that a file's extension names; `nil` without one that is known.
  static func format(of path: String) -> ImageFormat? {
    let file = path.split(separator: "/").last ?? ""
    guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return nil }
    return ImageFormat(fileExtension: file[file.index(after: dot)...])
  }

  /// Returns the format to write a file in; standard output has the bytes as they are.
  ///
  /// - Throws: `usage` for a name without an extension that is known.
  static func requiredFormat(of path: String) throws -> ImageFormat {
    guard path != File.standard else { return .binary }
    guard let format = format(of: path) else {
      throw Failure(
        .usage, "\(File.name(path)): its extension names no format of images",
        advice: "use one of \(names)")
    }
    return format
  }

  /// Makes a file.
  ///
  /// - Returns: what the file does not hold of the image, in one line; `nil` if it holds all.
  /// - Throws: `content` for a tag that the format has no place for, with those that have.
  static func write(_ image: TagImage, to path: String) throws -> String? {
    let encoding: ImageFormat.Encoding
    do {
      encoding = try requiredFormat(of: path).encode(image)
    } catch let error as ImageError {
      let names = error.alternatives.map(\.name)
      throw Failure(
        .content, "\(File.name(path, forWriting: true)) was not made: \(error)",
        advice: names.isEmpty ? "no format can" : "\(names.joined(separator: ", ")) can")
    }
    try File.write(encoding.bytes, to: path)
    guard !encoding.losses.isEmpty else { return nil }
    return "\(File.name(path, forWriting: true)) does not hold: "
      + encoding.losses.joined(separator: ", ")
  }

  /// Returns how many bytes of a memory a file has.
  static func size(of image: TagImage, in path: String) throws -> Int {
    let format = try requiredFormat(of: path)
    guard format == .binary || format == .emulator else { return image.memory.bytes.count }
    // A ticket has a place in text only.
    guard image.kind != .ctx else { return image.memory.bytes.count }
    return try ImageFormat.binary.encode(image).bytes.count
  }

  /// Reads a file; standard input is of whichever format it looks like.
  static func read(_ path: String) throws -> TagImage {
    let named = path == File.standard ? nil : try requiredFormat(of: path)
    let bytes = try File.read(path)
    return try decode(bytes, named ?? ImageFormat(guessing: bytes), path)
  }

  /// Reads a file for a virtual tag: of the format that its extension names, or else looks like.
  ///
  /// - Throws: `usage` for one that does neither and has another extension; a file without one has the bytes as
  ///   they are, as `/dev/fd/3` does.
  static func readByLooks(_ path: String) throws -> TagImage {
    let bytes = try File.read(path)
    if let format = format(of: path) { return try decode(bytes, format, path) }
    let format = ImageFormat(guessing: bytes)
    if format == .binary, (path.split(separator: "/").last ?? "").dropFirst().contains(".") {
      _ = try requiredFormat(of: path)
    }
    return try decode(bytes, format, path)
  }

  /// - Throws: `content` with the line or offset.
  static func decode(_ bytes: [UInt8], _ format: ImageFormat, _ path: String) throws -> TagImage {
    do {
      return try format.decode(bytes)
    } catch {
      throw Failure(
        .content, "\(File.name(path)) is not an image of a tag: \(error)",
        advice: "images are \(names) files")
    }
  }
}
