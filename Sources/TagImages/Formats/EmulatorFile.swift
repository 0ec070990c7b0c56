/// `.eml`: one line of hexadecimal per page or block. Lines that begin with # are ignored, as in
/// Proxmark3.
enum EmulatorFile {
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
    var content: [UInt8] = []
    var unitSize: Int?
    for line in TextLine.all(bytes) where !line.trimmed.isEmpty && !line.trimmed.hasPrefix("#") {
      guard let unit = Hexadecimal.bytes(line.text), unit.count == unitSize ?? unit.count else {
        throw ImageError(
          "not \(unitSize.map { "\($0) bytes" } ?? "a block") in hexadecimal",
          at: .line(line.number))
      }
      unitSize = unit.count
      content += unit
    }
    guard let unitSize else { throw ImageError("there is no line of bytes", at: .line(1)) }
    return BinaryFile.image(of: content, unitSize: unitSize)
  }
}
