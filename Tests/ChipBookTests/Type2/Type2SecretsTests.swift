import Testing

@testable import SwiftNFCChipBook

@Suite struct Type2SecretsTests {
  /// The pages of passwords and keys, by the answer to GET_VERSION (data sheets; for NTAG 22x DNA Proxmark3).
  @Test(
    arguments: [
      ([0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0B, 0x03], [0x12, 0x13]),
      ([0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0E, 0x03], [0x27, 0x28]),
      ([0x00, 0x04, 0x03, 0x01, 0x04, 0x00, 0x0F, 0x03], Array(0x30...0x3B)),
      ([0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03], [0x2B, 0x2C]),
      ([0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x11, 0x03], [0x85, 0x86]),
      ([0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x13, 0x03], [0xE5, 0xE6]),
      ([0x00, 0x04, 0x04, 0x05, 0x02, 0x02, 0x13, 0x03], [0xE5, 0xE6]),
    ] as [([UInt8], [Int])])
  func pages(_ version: [UInt8], _ pages: [Int]) throws {
    #expect(try #require(Type2Chip.version(version)).secretPages.sorted() == pages)
  }

  /// Where the secrets of a chip are is not known: it may have those of any chip.
  @Test func aChipWithoutMap() throws {
    let chip = try #require(Type2Chip.version([0x00, 0x04, 0x04, 0x02, 0x05, 0x00, 0x10, 0x03]))
    #expect(chip.pages == nil && chip.secretPages == Type2Chip.secretPagesOfAll)
    #expect(chip.secretPages.isSuperset(of: 0x44...0x47))
  }

  @Test func withoutGetVersion() {
    #expect(Type2Chip.secretPagesWithoutVersion == Set(0x2C...0x30))
  }

  /// What an image hides is what a recording masks.
  @Test func oneIdeaOfASecret() {
    for chip in Type2Chip.all {
      let pages = Set(chip.secretBytes.flatMap { $0 }.map { $0 / Type2PageMap.pageSize })
      #expect(pages.isSubset(of: chip.secretPages), "\(chip.name)")
      #expect(chip.pages == nil || (chip.access == .none) == pages.isEmpty, "\(chip.name)")
    }
  }
}
