import SwiftNFCCore
import TagImages

extension MIFAREPlus: ImagedChip {
  /// Blocks and keys are included in security level 3. In level 1 the card is a MIFARE Classic, whose image would be
  /// that of another card.
  var tagImage: TagImage {
    var image = interface.image(.iso14443a)
    guard securityLevel == 3, nextSecurityLevel == 3 else { return image }
    var plus = TagImage.MIFAREPlus()
    plus.model = hasMessagingOfEV1 ? .ev1 : product.isX ? .x : .s
    plus.securityLevel = securityLevel
    plus.memory = TagImage.Memory(unitSize: TagImage.MIFAREPlus.blockSize, bytes: blocks)
    plus.keys = keys.filter { Self.imagedKeys.contains($0.key) || $0.key < KeyAddress.cardMaster }
    image.plus = plus
    return image
  }

  /// The keys of the card that a file holds; the key of level 2 has no use in level 3.
  private static let imagedKeys: Set<UInt16> = [
    KeyAddress.cardMaster, KeyAddress.cardConfiguration, KeyAddress.levelThreeSwitch,
    KeyAddress.levelOneCard,
  ]

  /// Creates a card in security level 3. Unknown keys are random, unknown blocks zero, and unknown sector trailers as
  /// on delivery.
  ///
  /// - Throws: ``VirtualTagNameError/notADump(_:)`` for another level, and a size that no virtual card has.
  init(_ image: TagImage) throws(VirtualTagNameError) {
    guard let plus = image.plus, plus.securityLevel == 3 else {
      throw .notADump("blocks and keys of a MIFARE Plus are those of security level 3")
    }
    let product: Product
    switch (plus.memory.unitCount, plus.model) {
    case (Product.x4K.blockCount, _): product = .x4K
    case (Product.s2K.blockCount, .s): product = .s2K
    case (Product.x2K.blockCount, _): product = .x2K
    default: throw .notADump("a virtual MIFARE Plus has 2 KB or 4 KB")
    }
    self.init(product, uid: image.uid.flatMap { $0.count == 7 ? $0 : nil })
    interface = try ProximityInterface(image)
    hasMessagingOfEV1 = plus.model == .ev1 || plus.model == .ev2
    blocks = plus.memory.filled(from: blocks)
    for address in keys.keys.sorted() {
      keys[address] = plus.keys[address] ?? random(Self.keySize)
    }
  }
}
