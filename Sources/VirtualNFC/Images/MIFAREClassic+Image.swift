import SeededRandom
import TagImages

extension MIFAREClassic: ImagedChip {
  var tagImage: TagImage {
    var image = TagImage(.classic, unitSize: Product.blockSize, bytes: memory)
    image.uid = identifier
    image.atqa = product.atqa(uidCount: identifier.count).reversed()
    image.sak = product.sak
    return image
  }

  private enum TrailerOffset {
    static let access = 6
    static let keyB = 10
    static let end = 16
  }

  /// Access bits and the byte after them as on chip delivery (MF1S50YYX data sheet, 8.7.2).
  private static let transportConditions: [UInt8] = [0xFF, 0x07, 0x80, 0x69]

  init(_ image: TagImage) throws(VirtualTagNameError) {
    guard
      let product = Product.allCases.first(where: {
        $0.blockCount * Product.blockSize == image.memory.bytes.count
      })
    else {
      throw .notADump("there is no virtual MIFARE Classic of \(image.memory.unitCount) blocks")
    }
    let uid = image.uid.flatMap { [4, 7].contains($0.count) ? $0 : nil } ?? product.defaultUID
    var bytes = image.memory.filled(from: product.factoryImage(uid: uid))
    var generator = SplitMix64(seed: uid)
    for sector in 0..<product.sectorCount {
      let first = Product.trailer(ofSector: sector) * Product.blockSize
      let parts = [
        (0..<TrailerOffset.access, generator.bytes(6)),
        (TrailerOffset.access..<TrailerOffset.keyB, Self.transportConditions),
        (TrailerOffset.keyB..<TrailerOffset.end, generator.bytes(6)),
      ]
      for (range, unknown) in parts {
        let place = first + range.lowerBound..<first + range.upperBound
        guard image.memory.known(place) == nil else { continue }
        bytes.replaceSubrange(place, with: unknown)
      }
    }
    self.init(product, uid: uid, image: bytes)
  }
}

extension SmartMX: ImagedChip {
  /// The image of its sectors, which a reader can dump from such a card.
  var tagImage: TagImage { classic.tagImage }
}
