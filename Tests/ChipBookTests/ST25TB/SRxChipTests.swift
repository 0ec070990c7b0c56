import SwiftNFCCore
import Testing

@testable import SwiftNFCChipBook

@Suite struct SRxChipTests {
  @Test(arguments: [
    ("D0020C1F5A88136E", "SRIX4K", 512), ("D0020F1F5A88136E", "SRIX4K", 512),
    ("D002101F5A88136E", "SRIX512", 64), ("D0021B1F5A88136E", "SRI512 or ST25TB512-AC", 64),
    ("D0021F1F5A88136E", "SRI4K or ST25TB04K", 512),
    ("D002331F5A88136E", "SRT512 or ST25TB512-AT", 64),
    ("D0023F1F5A88136E", "SRI2K or ST25TB02K", 256),
  ])
  func namesAChipByItsUID(_ uid: String, _ name: String, _ size: Int) throws {
    let product = SRxChip(uid: try #require([UInt8](hexadecimal: uid)))?.product
    #expect(product?.name == name)
    #expect(product?.memorySize == size)
  }

  /// Bits of the system block, least significant byte first: a cleared one locks.
  @Test(
    arguments: [
      ("D0020C1F5A88136E", [0xFF, 0xFF, 0xFF, 0xFE], [7, 8]),
      ("D0020C1F5A88136E", [0xFF, 0xFF, 0xFF, 0x7F], [15]),
      ("D0020C1F5A88136E", [0x00, 0x00, 0x00, 0xFF], []),
      ("D0021B1F5A88136E", [0xFF, 0xFF, 0xFE, 0x7F], [0, 15]),
      ("D0021B1F5A88136E", [0x00, 0x00, 0xFF, 0xFF], []), ("D0021B1F5A88136E", [], []),
    ] as [(String, [UInt8], [Int])])
  func locks(_ uid: String, _ system: [UInt8], _ blocks: [Int]) throws {
    let bytes = try #require([UInt8](hexadecimal: uid))
    let chip = try #require(SRxChip(uid: bytes))
    let register = try #require(chip.lockRegister)
    #expect((0..<20).filter { register.locks($0, system) } == blocks)
  }

  @Test(arguments: ["", "D0020C", "6E13885A1F0C02D0", "D0040C1F5A88136E", "D002081F5A88136E"])
  func namesNoOther(_ uid: String) throws {
    #expect(SRxChip(uid: try #require([UInt8](hexadecimal: uid))) == nil)
  }
}
