/// Tags for which no program has a file format, in the form of Flipper Zero's files. Flipper Zero refuses
/// their device types.
///
/// ```
/// Device type: ASK CTx          Device type: NFC Barcode       Device type: Calypso B'
/// UID: 02 60 08 28              UID: B7 04 62 6F …             UID: 1C 8A 52 F7
/// Product code: 60                                             Card version: 82
/// Fab code: 1C                                                 Configuration: 40
/// Data Content: 00 00 …                                        ATR: 3B 6F …
/// ```
///
/// The UID of an NFC Barcode is its complete content. All lines except `UID` and `Data Content` may be
/// missing; an unknown byte of a ticket is `??`.
extension FlipperFile {
  enum OtherKey {
    static let productCode = "Product code"
    static let fabricationCode = "Fab code"
    static let words = "Data Content"
    static let version = "Card version"
    static let configuration = "Configuration"
    static let answerToReset = "ATR"
  }
}

extension FlipperFile.Writer {
  mutating func ctx(_ image: TagImage) {
    if let codes = image.protocolInfo, codes.count == 2 {
      line(FlipperFile.OtherKey.productCode, [codes[0]])
      line(FlipperFile.OtherKey.fabricationCode, [codes[1]])
    }
    let words = (0..<image.memory.unitCount).flatMap { image.memory.unit($0) }
    line(
      FlipperFile.OtherKey.words, Hexadecimal.text(words, unknown: "??", separator: " "))
  }

  /// The UID is written with the header.
  mutating func barcode(_ image: TagImage) {}

  mutating func bPrime(_ image: TagImage) {
    if let version = image.protocolInfo?.first { line(FlipperFile.OtherKey.version, [version]) }
    if let configuration = image.protocolInfo?.dropFirst().first {
      line(FlipperFile.OtherKey.configuration, [configuration])
    }
    if let answer = image.answerToReset { line(FlipperFile.OtherKey.answerToReset, answer) }
  }
}

extension FlipperFile.Reader {
  func ctx() throws(ImageError) -> TagImage {
    let entry = try required(FlipperFile.OtherKey.words)
    guard let words = Hexadecimal.bytes(entry.value, unknown: UInt8(ascii: "?")),
      words.count == TicketLayout.size
    else {
      throw ImageError(
        "\"\(entry.key)\" is not \(TicketLayout.size) bytes in hexadecimal",
        at: .line(entry.line))
    }
    var image = TagImage(
      .ctx,
      memory: .init(
        unitSize: TicketLayout.wordSize, unitCount: TicketLayout.size / TicketLayout.wordSize))
    image.memory.set(words, at: 0)
    if let product = try optionalByte(FlipperFile.OtherKey.productCode),
      let fabrication = try optionalByte(FlipperFile.OtherKey.fabricationCode)
    {
      image.protocolInfo = [product, fabrication]
    }
    return image
  }

  func barcode() throws(ImageError) -> TagImage {
    let entry = try required("UID")
    let code = try bytes(entry)
    guard BarcodeLayout.sizes.contains(code.count) else {
      throw ImageError("an NFC Barcode has 16 or 32 bytes", at: .line(entry.line))
    }
    return BarcodeLayout.image(code)
  }

  func bPrime() throws(ImageError) -> TagImage {
    var image = TagImage(.bPrime)
    if let version = try optionalByte(FlipperFile.OtherKey.version) {
      let configuration = try optionalByte(FlipperFile.OtherKey.configuration)
      image.protocolInfo = [version] + (configuration.map { [$0] } ?? [])
    }
    image.answerToReset = try optionalBytes(FlipperFile.OtherKey.answerToReset)
    return image
  }
}
