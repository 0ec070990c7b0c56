import SwiftNFCChipBook

extension TagImage {
  /// The numbers of the blocks of FeliCa Lite-S, in the order in which an image has them: S_PAD0 to S_PAD13, REG,
  /// RC, MAC, ID, D_ID, SER_C, SYS_C, CKV, CK, MC, WCNT, MAC_A, STATE, CRC_CHECK (FeliCa Lite-S User's Manual, 3).
  public static let feliCaLiteBlocks: [UInt8] =
    Array(0x00...0x0E) + Array(0x80...0x88) + [0x90, 0x91, 0x92, 0xA0]

  /// S_PAD0 to REG: the content of files without block numbers.
  static let feliCaLiteUserBlockCount = 15
  static let feliCaBlockSize = 16

  /// Returns an image of a FeliCa Lite without known content.
  public static func feliCaLite() -> TagImage {
    TagImage(
      .feliCaLite,
      memory: Memory(unitSize: feliCaBlockSize, unitCount: feliCaLiteBlocks.count))
  }

  /// Sets a block by its number on the card.
  public mutating func setFeliCaLiteBlock(_ number: UInt8, _ data: [UInt8]) {
    guard let index = Self.feliCaLiteBlocks.firstIndex(of: number) else { return }
    memory.set(Array(data.prefix(Self.feliCaBlockSize)), at: index * Self.feliCaBlockSize)
  }

  /// Returns a block by its number on the card; `nil` if it is not known.
  public func feliCaLiteBlock(_ number: UInt8) -> [UInt8]? {
    Self.feliCaLiteBlocks.firstIndex(of: number).flatMap {
      memory.known(memory.range(ofUnit: $0))
    }
  }

  static let feliCaLiteSecrets: [Range<Int>] = FeliCaLiteLayout.hiddenBlocks.compactMap { number in
    feliCaLiteBlocks.firstIndex(of: number).map {
      $0 * feliCaBlockSize..<($0 + 1) * feliCaBlockSize
    }
  }
}
