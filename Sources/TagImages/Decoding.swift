extension ImageFormat {
  /// The image in a file, and what is to be said about it.
  public struct Decoding: Hashable, Sendable {
    /// The image.
    public var image: TagImage
    /// The names of what the file says about the tag and no image can hold, as the file has them; empty if the image
    /// has all of it.
    public var losses: [String] = []
    /// Sentences for people about content that contradicts itself or is damaged, and how it was read.
    public var remarks: [String] = []

    init(image: TagImage, losses: [String] = [], remarks: [String] = []) {
      self.image = image
      self.losses = losses
      self.remarks = remarks
    }
  }

  /// Decodes the image in a file, and reports what the file has in addition to it. CRLF and a byte order mark are
  /// accepted in text.
  ///
  /// - Throws: ``ImageError`` ``ImageError/Code/malformed`` with the line or offset.
  public func decoding(_ bytes: [UInt8]) throws(ImageError) -> Decoding {
    if self != .binary { try checkEncoding(bytes) }
    if let remark = KeyFile.remark(on: bytes, as: self) {
      throw ImageError(remark, at: .line(1))
    }
    var decoding: Decoding
    switch self {
    case .binary: decoding = Decoding(image: try BinaryFile.decode(bytes))
    case .emulator: decoding = Decoding(image: try EmulatorFile.decode(bytes))
    case .proxmark: decoding = Decoding(image: try ProxmarkFile.decode(bytes))
    case .flipper: decoding = try FlipperFile.decode(bytes)
    case .mifareClassicTool: decoding = Decoding(image: try MCTFile.decode(bytes))
    case .picoPass: decoding = Decoding(image: try PicoPassFile.decode(bytes))
    }
    decoding.remarks += [
      decoding.image.removeClassicPadding(), decoding.image.classicCheckByteRemark(),
      decoding.image.settleUID(),
    ].compactMap(\.self)
    decoding.image.deriveIdentity()
    decoding.image.removeHiddenSecrets()
    return decoding
  }

  /// Checks that text is not UTF-16, in which some editors save it.
  private func checkEncoding(_ bytes: [UInt8]) throws(ImageError) {
    let marks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]
    guard !marks.contains(Array(bytes.prefix(2))) else {
      throw ImageError("the text is UTF-16; save it as UTF-8", at: .line(1))
    }
  }
}
