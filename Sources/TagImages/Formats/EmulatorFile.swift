/// `.eml`: one line of hexadecimal per page or block. What follows # is ignored, as lines of comments in
/// Proxmark3 (client/src/fileutils.c, `loadFileEML_safe`), except for those of Chameleon Ultra.
enum EmulatorFile {
  /// The comments in which Chameleon Ultra has the answers to GET_VERSION and READ_SIG
  /// (software/script/chameleon_cli_unit.py, `hf mfu esave`). They are read only, because other programs expect
  /// nothing but pages.
  private enum Comment {
    static let version = "# Version:"
    static let signature = "# Signature:"
    static let versionSize = 8
    static let signatureSize = 32
  }

  static func encode(_ image: TagImage) -> [UInt8] {
    let memory = BinaryFile.content(of: image)
    let lines = (0..<memory.unitCount).map {
      Hexadecimal.text(memory.bytes[memory.range(ofUnit: $0)]) + "\n"
    }
    return Array(lines.joined().utf8)
  }

  /// - Throws: `malformed` with the line for characters other than hexadecimal digits, and for
  ///   lines of different lengths.
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> TagImage {
    var content = Content()
    for line in TextLine.all(bytes) where !line.trimmed.isEmpty { try content.read(line) }
    guard let unitSize = content.unitSize else {
      throw ImageError("there is no line of bytes", at: .line(1))
    }
    // Chameleon Ultra saves all blocks of a MIFARE Classic in one line.
    let isOneLine = content.bytes.count == unitSize && unitSize > largestUnit
    var image = BinaryFile.image(
      of: content.bytes.map { $0 ?? 0 }, unitSize: isOneLine ? nil : unitSize)
    try content.apply(to: &image)
    return image
  }

  /// The size of the largest block: 32 bytes of an ISO/IEC 15693 tag or an NFC Barcode.
  private static let largestUnit = 32

  /// The content of the lines that were read.
  private struct Content {
    /// The bytes, `nil` for an unknown one: MIFARE Classic Tool exports them as `--` (ImportExportTool.java).
    var bytes: [UInt8?] = []
    var unitSize: Int?
    private var firstUnknown: Int?
    private var version: [UInt8]?
    private var signature: [UInt8]?

    mutating func read(_ line: TextLine) throws(ImageError) {
      guard !line.trimmed.hasPrefix("#") else {
        version = version ?? comment(Comment.version, Comment.versionSize, line)
        signature = signature ?? comment(Comment.signature, Comment.signatureSize, line)
        return
      }
      guard let unit = Hexadecimal.bytes(line.withoutComment.text, unknown: UInt8(ascii: "-")),
        unit.count == unitSize ?? unit.count
      else {
        throw ImageError(
          "not \(unitSize.map { "\($0) bytes" } ?? "a block") in hexadecimal",
          at: .line(line.number))
      }
      if firstUnknown == nil, unit.contains(nil) { firstUnknown = line.number }
      unitSize = unit.count
      bytes += unit
    }

    /// Any other comment is one of a person.
    private func comment(_ name: String, _ size: Int, _ line: TextLine) -> [UInt8]? {
      guard line.trimmed.hasPrefix(name),
        let value = Hexadecimal.bytes(line.trimmed.dropFirst(name.count)), value.count == size
      else { return nil }
      return BinaryFile.nonZero(value)
    }

    func apply(to image: inout TagImage) throws(ImageError) {
      if image.kind == .type2 {
        image.version = image.version ?? version
        image.signature = image.signature ?? signature
      }
      guard let firstUnknown else { return }
      guard image.kind == .classic else {
        throw ImageError(
          "a byte is unknown, which only a MIFARE Classic's file may have", at: .line(firstUnknown))
      }
      for (index, byte) in bytes.enumerated() where byte == nil {
        image.memory.markUnknown(index..<index + 1)
      }
    }
  }
}
