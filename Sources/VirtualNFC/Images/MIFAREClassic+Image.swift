import SwiftNFCSeededRandom
import TagImages

extension MIFAREClassic: ImagedChip {
  var tagImage: TagImage {
    var image = TagImage(.classic, unitSize: Product.blockSize, bytes: memory)
    image.uid = identifier
    image.atqa = activation.atqa.reversed()
    image.sak = activation.sak
    for block in unknownBlocks {
      let isTrailer = block == Product.trailer(ofSector: Product.sector(ofBlock: block))
      let range = isTrailer ? TrailerOffset.access..<TrailerOffset.keyB : 0..<Product.blockSize
      let first = block * Product.blockSize
      image.memory.markUnknown(first + range.lowerBound..<first + range.upperBound)
    }
    for (sector, keys) in unknownKeys {
      let first = Product.trailer(ofSector: sector) * Product.blockSize
      if keys.contains(.a) { image.memory.markUnknown(first..<first + TrailerOffset.access) }
      if keys.contains(.b) {
        image.memory.markUnknown(first + TrailerOffset.keyB..<first + TrailerOffset.end)
      }
    }
    image.signature = signature
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
    var unknownKeys: [Int: Set<Key>] = [:]
    var bytes = image.memory.filled(from: product.factoryImage(uid: uid))
    var generator = SplitMix64(seed: uid)
    for sector in 0..<product.sectorCount {
      let first = Product.trailer(ofSector: sector) * Product.blockSize
      let parts: [(Range<Int>, [UInt8], Key?)] = [
        (0..<TrailerOffset.access, generator.bytes(6), .a),
        (TrailerOffset.access..<TrailerOffset.keyB, Self.transportConditions, nil),
        (TrailerOffset.keyB..<TrailerOffset.end, generator.bytes(6), .b),
      ]
      for (range, unknown, key) in parts {
        let place = first + range.lowerBound..<first + range.upperBound
        guard image.memory.known(place) == nil else { continue }
        bytes.replaceSubrange(place, with: unknown)
        if let key { unknownKeys[sector, default: []].insert(key) }
      }
    }
    let sak = image.sak.flatMap { Self.blockCount(sak: $0) == product.blockCount ? $0 : nil }
    let atqa = image.atqa.flatMap { Self.isPlausible($0, uid) ? Array($0.reversed()) : nil }
    self.init(product, uid: uid, image: bytes, atqa: atqa, sak: sak)
    self.unknownKeys = unknownKeys
    signature = image.signature.flatMap { $0.count == Signature.size ? $0 : nil }
    // Of a trailer, the access bits count: keys may be unknown.
    unknownBlocks = Set(
      (0..<product.blockCount).filter { block in
        let isTrailer = block == Product.trailer(ofSector: Product.sector(ofBlock: block))
        let range = isTrailer ? TrailerOffset.access..<TrailerOffset.keyB : 0..<Product.blockSize
        let first = block * Product.blockSize
        return image.memory.known(first + range.lowerBound..<first + range.upperBound) == nil
      })
  }

  /// The number of blocks of cards with these answers, with and without applications (NXP AN10833, table 6).
  private static func blockCount(sak: UInt8) -> Int? {
    [0x01: 64, 0x08: 64, 0x28: 64, 0x88: 64, 0x09: 20, 0x18: 256, 0x38: 256, 0x98: 256][sak]
  }

  /// Returns whether a card with this UID can answer with an ATQA: it names the UID's size, and a slot for the
  /// anticollision (ISO/IEC 14443-3, 6.5.2).
  private static func isPlausible(_ atqa: [UInt8], _ uid: [UInt8]) -> Bool {
    guard atqa.count == 2 else { return false }
    let (sizeBits, double, slots): (UInt8, UInt8, UInt8) = (0xC0, 0x40, 0x1F)
    return atqa[1] & sizeBits == (uid.count == 7 ? double : 0) && atqa[1] & slots != 0
  }
}

extension SmartMX: ImagedChip {
  /// The image of its sectors, which a reader can dump from such a card.
  var tagImage: TagImage { classic.tagImage }

  /// Returns whether a card with this SAK has applications (ISO/IEC 14443-3, table 9).
  static func isIndicated(by sak: UInt8) -> Bool { sak & sakISO14443Part4 != 0 }
}
