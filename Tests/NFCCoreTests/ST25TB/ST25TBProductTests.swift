import Testing

@testable import SwiftNFCCore

@Suite struct ST25TBProductTests {
  @Test(arguments: [
    ("D0020C1F5A88136E", "SRIX4K", 512), ("D0020F1F5A88136E", "SRIX4K", 512),
    ("D002101F5A88136E", "SRIX512", 64), ("D0021B1F5A88136E", "SRI512 or ST25TB512-AC", 64),
    ("D0021F1F5A88136E", "SRI4K or ST25TB04K", 512),
    ("D002331F5A88136E", "SRT512 or ST25TB512-AT", 64),
    ("D0023F1F5A88136E", "SRI2K or ST25TB02K", 256),
  ])
  func namesAChipByItsUID(_ uid: String, _ name: String, _ size: Int) throws {
    let product = ST25TBProduct.tagProduct(uid: try #require([UInt8](hexadecimal: uid)))
    #expect(product?.name == name)
    #expect(product?.memorySize == size)
  }

  @Test(arguments: ["", "D0020C", "6E13885A1F0C02D0", "D0040C1F5A88136E", "D002081F5A88136E"])
  func namesNoOther(_ uid: String) throws {
    #expect(ST25TBProduct.tagProduct(uid: try #require([UInt8](hexadecimal: uid))) == nil)
  }
}
