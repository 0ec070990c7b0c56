import SwiftNFCCore
import Testing

@testable import SwiftNFCChipBook

@Suite struct ISO15693ChipTests {
  /// UIDs of chips as they were printed by readers, or made of the makers' rules.
  @Test(arguments: [
    // The record of an ICODE SLI through an ACR1552.
    ("E00401008A5C982E", "ICODE SLI", "NXP"),
    ("E0040150AABBCCDD", "ICODE SLIX", "NXP"),
    // Two whose signatures have been published; bits 36 and 35 of the second are those of NTAG 5 too.
    ("E00401082AD28E83", "ICODE SLIX2", "NXP"),
    ("E0040118009B5FEE", "ICODE DNA or NTAG 5", "NXP"),
    // An NTAG 5 link that was recorded (VivoKey's ntag5sensor), and what it shows in privacy mode.
    ("E004015849841000", "ICODE DNA or NTAG 5", "NXP"),
    ("E004000000000000", "ICODE DNA or NTAG 5 in privacy mode", "NXP"),
    // Bit 37 alone.
    ("E004012011223344", "ICODE 3", "NXP"),
    ("E004020011223344", "ICODE SLI-S", "NXP"),
    // A figure for a story box: a SLIX-L.
    ("E004035010963A52", "ICODE SLIX-L", "NXP"),
    ("E00208000A227AAA", "ST25TV512C/02KC", "STMicroelectronics"),
    ("E002260011223344", "ST25DV16K/64K", "STMicroelectronics"),
    ("E0022C0011223344", "M24LR64-R", "STMicroelectronics"),
    ("E007000011223344", "Tag-it HF-I Plus", "Texas Instruments"),
    ("E007C00011223344", "Tag-it HF-I Standard", "Texas Instruments"),
    ("E007C40011223344", "Tag-it HF-I Pro", "Texas Instruments"),
    ("E008010011223344", "MB89R118", "Fujitsu"),
    ("E016240011223344", "EM4233", "EM Microelectronic"),
    ("E005500011223344", "my-d vicinity SRF55V02S", "Infineon"),
    // The upper six bits are the chip's; 23 is a later chip.
    ("E002150011223344", "LRI64", "STMicroelectronics"),
    ("E002170011223344", "LRI64", "STMicroelectronics"),
    ("E002220011223344", "LRI2K", "STMicroelectronics"),
    ("E002230011223344", "ST25TV512/02K", "STMicroelectronics"),
    ("E0022B0011223344", "LRIS2K", "STMicroelectronics"),
    ("E0022C0011223344", "M24LR64-R", "STMicroelectronics"),
    ("E002350011223344", "ST25TV04K-P", "STMicroelectronics"),
    ("E016780011223344", "EM4425", "EM Microelectronic"),
  ])
  func names(uid: String, name: String, maker: String) throws {
    let product = ISO15693Chip.tagProduct(uid: try #require([UInt8](hexadecimal: uid)))
    #expect(product?.name == name)
    #expect(product?.maker == maker)
  }

  @Test(arguments: [
    "", "E004", "E0FF010011223344", "D004010011223344", "E004990011223344",
    // Bit 37 with others: none that is known.
    "E004013011223344", "E004016011223344",
  ])
  func unknownChips(uid: String) throws {
    #expect(ISO15693Chip.tagProduct(uid: try #require([UInt8](hexadecimal: uid))) == nil)
  }

  /// Of a chip that is not known, the maker is.
  @Test(arguments: [
    ("E034010011223344", "Mikron"), ("E03D010011223344", "HID Global"),
    ("E040010011223344", "Thales (Gemalto)"), ("E019010011223344", "Xicor"),
    ("E01B010011223344", "Malaysia Microelectronic Solutions"),
    ("E023010011223344", "Shanghai Belling"), ("E004990011223344", "NXP"),
  ])
  func makers(uid: String, maker: String) throws {
    let uid = try #require([UInt8](hexadecimal: uid))
    #expect(ISO15693Chip.manufacturer(uid: uid) == maker)
  }

  @Test func sizes() throws {
    func size(_ uid: String) throws -> Int? {
      ISO15693Chip.tagProduct(uid: try #require([UInt8](hexadecimal: uid)))?.memorySize
    }
    #expect(try size("E00401008A5C982E") == 112)
    #expect(try size("E00401082AD28E83") == 320)
    #expect(try size("E008010011223344") == 2000)
    #expect(try size("E002260011223344") == nil)
  }

  /// Chips whose UIDs begin alike, by their number of blocks of 4 bytes (DS10925, DS12074, ST's drivers).
  @Test(arguments: [
    ("E002240011223344", 128, "ST25DV04K", 512), ("E002250011223344", 128, "ST25DV04K", 512),
    ("E002260011223344", 512, "ST25DV16K", 2048), ("E002260011223344", 2048, "ST25DV64K", 8192),
    ("E002270011223344", 2048, "ST25DV64K", 8192), ("E002510011223344", 512, "ST25DV16KC", 2048),
    ("E002230011223344", 16, "ST25TV512", 64), ("E002230011223344", 64, "ST25TV02K", 256),
    ("E002080011223344", 80, "ST25TV02KC", 320), ("E002480011223344", 2048, "ST25TV64K", 8192),
    ("E0040118009B5FEE", 64, "ICODE DNA", 256),
    ("E0040118009B5FEE", 128, "NTAG 5 switch", 512),
    ("E0040118009B5FEE", 512, "NTAG 5 link or boost", 2048),
    ("E0040118009B5FEE", 100, "ICODE DNA or NTAG 5", nil),
    ("E004012011223344", 76, "ICODE 3", nil),
    // A number that none of them has leaves it open.
    ("E002260011223344", 100, "ST25DV16K/64K", nil),
    // What the UID names stays so, whatever the tag says.
    ("E00401082AD28E83", 28, "ICODE SLIX2", 320),
  ])
  func namesByMemory(uid: String, blockCount: Int, name: String, size: Int?) throws {
    let uid = try #require([UInt8](hexadecimal: uid))
    let product = ISO15693Chip(uid: uid)?.narrowed(blockSize: 4, blockCount: blockCount).tagProduct
    #expect(product?.name == name)
    #expect(product?.memorySize == size)
  }

  /// The sizes of passwords for the memory, by UID and number of blocks.
  @Test(arguments: [
    ("E00401082AD28E83", 80, [4]), ("E004020011223344", 40, [4]), ("E004025011223344", 40, [4]),
    ("E0040118009B5FEE", 0, [4]), ("E004000000000000", 0, [4]), ("E0040118009B5FEE", 128, [4]),
    ("E0040118009B5FEE", 512, [4]), ("E002230011223344", 0, [8, 4]),
    ("E002230011223344", 64, [8, 4]), ("E002080011223344", 16, [8, 4]),
    ("E002480011223344", 512, [8]), ("E002240011223344", 128, [8]), ("E002260011223344", 0, [8]),
    ("E002510011223344", 2048, [8]),
    // None that is known.
    ("E00401008A5C982E", 28, []), ("E0040150AABBCCDD", 28, []), ("E004035010963A52", 8, []),
    ("E0040118009B5FEE", 64, []), ("E004012011223344", 76, []), ("E002350011223344", 128, []),
    ("E0022C0011223344", 2048, []), ("E007000011223344", 64, []),
  ])
  func passwordsForTheMemory(uid: String, blockCount: Int, sizes: [Int]) throws {
    let uid = try #require([UInt8](hexadecimal: uid))
    let chip = ISO15693Chip(uid: uid)?.narrowed(blockSize: 4, blockCount: blockCount)
    #expect(chip?.memoryPasswordSizes == sizes)
  }
}
