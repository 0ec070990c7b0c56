import Testing

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore

@Suite struct MiFareClassicKindTests {
  /// AN10833, table 6; libnfc's target-subr.c for the cards of other makers.
  @Test(arguments: [
    (UInt8(0x01), 1024, "TNP3xxx"), (0x08, 1024, "MIFARE Classic 1K"),
    (0x09, 320, "MIFARE Classic Mini"), (0x10, 2048, "MIFARE Plus 2K"),
    (0x11, 4096, "MIFARE Plus 4K"), (0x18, 4096, "MIFARE Classic 4K"),
    (0x19, 2048, "MIFARE Classic 2K"), (0x88, 1024, "MIFARE Classic 1K"),
    (0x98, 4096, "MPCOS with MIFARE Classic 4K"),
  ])
  func everyQuestionHasOneAnswer(sak: UInt8, size: Int, name: String) throws {
    let target = ISO14443ATarget(uid: [1, 2, 3, 4], atqa: [0, 4], sak: sak)
    #expect(TypeAIdentification.kind(target, version: nil) == .miFare(.classic))
    #expect(MiFareClassicGeometry(sak: sak)?.memorySize == size)
    #expect(TypeAIdentification.classic(target)?.name == name)
    #expect(TypeAIdentification.classic(target)?.memorySize == size)
    #expect(ClassicMapping(target) != nil)
  }

  /// A card that runs ISO/IEC 14443-4 is a smart card, and has sectors beside it.
  @Test(arguments: [(UInt8(0x28), 1024), (0x38, 4096)])
  func smartCardsWithSectors(sak: UInt8, size: Int) {
    let target = ISO14443ATarget(uid: [1, 2, 3, 4], atqa: [0, 4], sak: sak)
    #expect(TypeAIdentification.kind(target, version: nil) == .iso7816)
    #expect(MiFareClassicGeometry(sak: sak)?.memorySize == size)
  }

  @Test(arguments: [UInt8(0x00), 0x04, 0x0A, 0x20, 0x53])
  func everythingElseHasNoSectors(sak: UInt8) {
    #expect(MiFareClassicKind(sak: sak) == nil)
    #expect(MiFareClassicGeometry(sak: sak) == nil)
  }

  /// A Plus that says what it is does not say how large it is.
  @Test func plusInSecurityLevel1() {
    var target = ISO14443ATarget(uid: [1, 2, 3, 4], atqa: [0, 4], sak: 0x08)
    target.ats = [0x0C, 0x75, 0x77, 0x80, 0x02, 0xC1, 0x05, 0x2F, 0x2F, 0x00, 0x35, 0xC7]
      .dropFirst().map { $0 }
    #expect(TypeAIdentification.kind(target, version: nil) == .miFare(.classic))
    #expect(
      TypeAIdentification.classic(target)
        == TagProduct("plusS", name: "MIFARE Plus S", maker: "NXP")
    )
  }
}
