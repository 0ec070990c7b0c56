import TagImages

// Tags that Core NFC does not know, except Topaz and SRIX4K.

extension PicoPass: ImagedChip {
  private static let defaultCSN: [UInt8] = [0xE0, 0x12, 0xFF, 0xF7, 0x00, 0x5B, 0x2D, 0x61]

  var tagImage: TagImage {
    var image = TagImage(.iClass, unitSize: Self.blockSize, bytes: memory)
    image.uid = identifier
    return image
  }

  /// Creates the card. Values that the image does not contain are those that HID issues cards with.
  init(_ image: TagImage) throws(VirtualTagNameError) {
    guard image.memory.unitSize == Self.blockSize, image.memory.unitCount == Self.blockCount else {
      throw .notADump(
        "there is no virtual iCLASS card of \(image.memory.unitCount) blocks, only of \(Self.blockCount)"
      )
    }
    self.init(csn: image.uid.flatMap { $0.count == 8 ? $0 : nil } ?? Self.defaultCSN)
    memory = image.memory.filled(from: memory)
  }
}

extension CTS512B: ImagedChip {
  var tagImage: TagImage {
    var image = TagImage(.ctx, unitSize: Self.wordSize, bytes: memory)
    image.uid = identifier
    image.protocolInfo = [productCode, fabCode]
    return image
  }

  /// Creates the tag.
  ///
  /// - Throws: `notADump` if the image has no serial number, because the memory holds only half of it.
  init(_ image: TagImage) throws(VirtualTagNameError) {
    guard let number = image.uid ?? Self.serialNumber(image.memory.bytes), number.count == 4 else {
      throw .notADump("it has no serial number")
    }
    let codes = image.protocolInfo.flatMap { $0.count == 2 ? $0 : nil }
    self.init(
      serialNumber: number, productCode: codes?[0] ?? Self.usualProductCode,
      fabCode: codes?[1] ?? Self.usualFabCode)
    memory = image.memory.filled(from: memory)
  }

  /// Returns the serial number. The memory holds its upper half; the lower half is assumed to be zero.
  private static func serialNumber(_ memory: [UInt8]) -> [UInt8]? {
    let first = serialNumberWord * wordSize
    guard [smallWordCount, wordCount].contains(memory.count / wordSize) else { return nil }
    return memory[first..<first + wordSize].reversed() + [0, 0]
  }
}

extension NFCBarcode: ImagedChip {
  var tagImage: TagImage {
    var image = TagImage(.barcode, unitSize: identifier.count, bytes: identifier)
    image.uid = identifier
    return image
  }

  init(_ image: TagImage) throws(VirtualTagNameError) {
    guard image.memory.isComplete, Self.isCode(image.memory.bytes) else {
      throw .notADump("an NFC Barcode has 16 or 32 bytes, the first of which begins with 1")
    }
    self.init(code: image.memory.bytes)
  }
}

extension CalypsoBPrime: ImagedChip {
  var tagImage: TagImage {
    var image = TagImage(.bPrime)
    image.uid = identifier
    image.protocolInfo = [version, configuration]
    image.answerToReset = atr
    return image
  }

  init(_ image: TagImage) throws(VirtualTagNameError) {
    guard let div = image.uid, div.count == 4 else {
      throw .notADump("a B' card's DIV has four bytes")
    }
    self.init(div: div)
    if let information = image.protocolInfo, information.count == 2 {
      (version, configuration) = (information[0], information[1])
    }
    // REPGEN must fit in one frame.
    if let answer = image.answerToReset, answer.count <= Self.longestATR { atr = answer }
  }
}
