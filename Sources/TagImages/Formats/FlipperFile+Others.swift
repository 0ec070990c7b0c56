/// Tags for which Flipper Zero's released firmware has no file format, in the form of its files. It refuses their
/// device types.
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
///
/// Development versions of the firmware have files of their own for two of them, which are read: tickets with
/// `Product Code`, `Fab Code` and a line per word (lib/nfc/protocols/ask_ctx/ask_ctx.c), and B' as `Innovatron` with
/// `VerLog`, `Config` and `ATR`.
extension FlipperFile {
  enum OtherKey {
    static let productCode = "Product code"
    static let fabricationCode = "Fab code"
    static let words = "Data Content"
    static let version = "Card version"
    static let configuration = "Configuration"
    static let answerToReset = "ATR"
    // In development versions of the firmware.
    static let productCodeOfFlipper = "Product Code"
    static let fabricationCodeOfFlipper = "Fab Code"
    static let versionOfFlipper = "VerLog"
    static let configurationOfFlipper = "Config"
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
    let words: [UInt8?]
    if let entry = entry(FlipperFile.OtherKey.words) {
      words = try self.words(entry)
    } else {
      words = try wordsByLine()
    }
    var image = TagImage(
      .ctx,
      memory: .init(
        unitSize: TicketLayout.wordSize, unitCount: TicketLayout.size / TicketLayout.wordSize))
    image.memory.set(words, at: 0)
    typealias Key = FlipperFile.OtherKey
    if let product = try byte(Key.productCode, or: Key.productCodeOfFlipper),
      let fabrication = try byte(Key.fabricationCode, or: Key.fabricationCodeOfFlipper)
    {
      image.protocolInfo = [product, fabrication]
    }
    return image
  }

  private func byte(_ key: String, or other: String) throws(ImageError) -> UInt8? {
    let byte = try optionalByte(key)
    let otherByte = try optionalByte(other)
    return byte ?? otherByte
  }

  private func words(_ entry: FlipperFile.Entry) throws(ImageError) -> [UInt8?] {
    guard let words = Hexadecimal.bytes(entry.value, unknown: UInt8(ascii: "?")),
      words.count == TicketLayout.size
    else {
      throw ImageError(
        "\"\(entry.key)\" is not \(TicketLayout.size) bytes in hexadecimal",
        at: .line(entry.line))
    }
    return words
  }

  /// A ticket of 256 bits has half of the lines.
  private func wordsByLine() throws(ImageError) -> [UInt8?] {
    var words: [UInt8?] = []
    for number in 0..<TicketLayout.size / TicketLayout.wordSize {
      let key = "Block \(number)"
      guard number < TicketLayout.size / TicketLayout.wordSize / 2 || entry(key) != nil else {
        break
      }
      words += try bytes(key, count: TicketLayout.wordSize)
    }
    return words
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
    typealias Key = FlipperFile.OtherKey
    if let version = try byte(Key.version, or: Key.versionOfFlipper) {
      let configuration = try byte(Key.configuration, or: Key.configurationOfFlipper)
      image.protocolInfo = [version] + (configuration.map { [$0] } ?? [])
    }
    image.answerToReset = try optionalBytes(FlipperFile.OtherKey.answerToReset)
    return image
  }
}
