import NFC
import TagImages

/// Reads and writes files that contain a tag's memory.
enum ImageFile {
  /// All file name extensions, as they are listed in help and errors.
  static let names = ImageFormat.extensions.joined(separator: ", ")

  /// Returns the format for a file name extension, or `nil` if the name has no known extension.
  static func format(of path: String) -> ImageFormat? {
    let file = path.split(separator: "/").last ?? ""
    guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return nil }
    return ImageFormat(fileExtension: file[file.index(after: dot)...])
  }

  /// Returns whether a file's format has a mark for a key of a MIFARE Classic that is not known. Files of the others have
  /// zeros there, which no card gives out.
  static func marksUnknownKeys(_ path: String) -> Bool {
    switch format(of: path) {
    case .flipper, .mifareClassicTool: true
    default: false
    }
  }

  /// Returns whether a file has an extension that others use for the bytes as they are: users of mfoc, Chameleon
  /// Mini and FareBot. Such files are read, but no command writes one.
  private static func isNamedAsPlain(_ path: String) -> Bool {
    let name = path.lowercased()
    return [".dmp", ".dump", ".mfc"].contains { name.hasSuffix($0) }
  }

  /// Returns the format in which a file is written. The format for standard output is the plain bytes.
  ///
  /// - Throws: `usage` for a name without a known extension.
  static func requiredFormat(of path: String) throws -> ImageFormat {
    guard path != File.standard else { return .binary }
    guard !path.isEmpty else {
      throw Failure(.usage, "the name of the file is empty", advice: "use one of \(names)")
    }
    guard let format = format(of: path) else {
      throw Failure(
        .usage, "\(File.name(path)): its extension names no format of images",
        advice: "use one of \(names)")
    }
    return format
  }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - lost: what the image does not contain of the tag or the file that it comes from.
  ///   - isPublic: whether everybody can read the tag or the file that it comes from. The new file may then be read by
  ///     others, too, unless it holds a key or password.
  /// - Returns: a line about this and the parts of the image that the file does not contain, or `nil` if it
  ///   contains all.
  /// - Throws: `content` for a tag that the format does not support. The error lists the formats that do.
  static func write(
    _ image: TagImage, to path: String, lost: [String] = [], isPublic: Bool
  ) throws -> String? {
    let encoding: ImageFormat.Encoding
    do {
      encoding = try requiredFormat(of: path).encode(image)
    } catch let error as ImageError {
      let names = error.alternatives.map(\.name)
      throw Failure(
        .content, "\(File.name(path, forWriting: true)) was not made: \(error)",
        advice: names.isEmpty ? "no format can" : "\(names.joined(separator: ", ")) can")
    }
    try File.write(
      encoding.bytes, to: path, isPublic: isPublic && !Credentials.mayBe(in: image))
    let losses = lost + encoding.losses
    guard !losses.isEmpty else { return nil }
    let others = encoding.losses.isEmpty ? [] : formats(holdingAllOf: image)
    let advice = others.isEmpty ? "" : "; \(others.joined(separator: " and ")) would"
    return "\(File.name(path, forWriting: true)) does not hold: "
      + losses.joined(separator: ", ") + advice
  }

  /// Returns the extensions of the formats that have a place for everything in an image.
  private static func formats(holdingAllOf image: TagImage) -> [String] {
    ImageFormat.allCases.filter { (try? $0.encode(image))?.losses.isEmpty == true }.map(\.name)
  }

  /// Returns the number of bytes of a memory that a file contains.
  static func size(of image: TagImage, in path: String) throws -> Int {
    let format = path == File.standard ? .binary : format(of: path)
    guard format == .binary || format == .emulator else { return image.memory.bytes.count }
    // Only text formats support a ticket.
    guard image.kind != .ctx else { return image.memory.bytes.count }
    return try ImageFormat.binary.encode(image).bytes.count
  }

  /// Returns lines about what a file leaves open, contradicts, or has damaged.
  static func notes(on decoding: ImageFormat.Decoding, in path: String) -> [String] {
    [doubt(about: decoding.image, in: path)].compactMap(\.self)
      + decoding.remarks.map { "\(File.name(path)): \($0)" }
  }

  /// Returns a line about the chip of an image if its content fits two, or `nil`.
  private static func doubt(about image: TagImage, in path: String) -> String? {
    guard let chip = image.type2Chip, let other = image.alternativeType2Chip else {
      return nil
    }
    return
      "\(File.name(path)) is read as \(chip.name), and may be of \(other.name): the file has no "
      + "version"
  }

  /// Reads a file. The format is that of the extension; for another one, for none, and for standard input, it is
  /// detected from the content.
  ///
  /// - Throws: `usage` for a file with another extension whose content is not recognized either.
  static func read(_ path: String) throws -> ImageFormat.Decoding {
    let bytes = try File.read(path)
    if let format = format(of: path) { return try decode(bytes, format, path) }
    guard let decoding = try decode(unnamed: bytes, path) else {
      if path != File.standard { _ = try requiredFormat(of: path) }
      return try decode(bytes, .binary, path)
    }
    return decoding
  }

  /// Decodes a file whose extension names no format.
  ///
  /// - Returns: `nil` for plain bytes that do not show that they are of a tag, unless others use the extension for them.
  static func decode(unnamed bytes: [UInt8], _ path: String) throws -> ImageFormat.Decoding? {
    let format = ImageFormat(guessing: bytes)
    guard format == .binary, !isNamedAsPlain(path), hasExtension(path) else {
      return try decode(bytes, format, path)
    }
    guard let decoding = try? format.decoding(bytes), decoding.image.isRecognized else {
      return nil
    }
    return decoding
  }

  private static func hasExtension(_ path: String) -> Bool {
    (path.split(separator: "/").last ?? "").dropFirst().contains(".")
  }

  /// - Throws: `content` for bytes that do not show of which kind of tag they are.
  static func checkKind(of image: TagImage, in path: String, advice: String) throws {
    let format = format(of: path)
    // The other formats name the kind.
    guard image.isOfUncertainKind, format == nil || format == .binary || format == .emulator else {
      return
    }
    let bytes = image.memory.bytes
    let what = TagImage.remarkOnCheckBytes(bytes) ?? "which is the size of no known tag"
    throw Failure(
      .content, "\(File.name(path)) has \(bytes.count) bytes, \(what)", advice: advice)
  }

  /// - Throws: `content`, with the line or offset.
  static func decode(
    _ bytes: [UInt8], _ format: ImageFormat, _ path: String
  ) throws -> ImageFormat.Decoding {
    do {
      return try format.decoding(bytes)
    } catch {
      throw Failure(
        .content, "\(File.name(path)) is not an image of a tag: \(error)",
        advice: "images are \(names) files")
    }
  }
}
