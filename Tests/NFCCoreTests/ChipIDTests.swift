import Foundation
import Testing

@testable import NFCCore

/// What code decides by is a chip's identity, and not its name.
@Suite struct ChipIDTests {
  @Test(
    arguments: [
      ("E00401082AD28E83", 80, ChipID.icodeSLIX2), ("E0040118009B5FEE", nil, .icodeDNAOrNTAG5),
      ("E0040118009B5FEE", 64, .icodeDNA), ("E0040118009B5FEE", 128, .ntag5Switch),
      ("E0040118009B5FEE", 512, .ntag5LinkOrBoost), ("E004035010963A52", 8, .icodeSLIXL),
      ("E004020011223344", 40, .icodeSLIS), ("E00401008A5C982E", 28, .icodeSLI),
      ("E002230011223344", nil, .st25tv512Or02K), ("E002230011223344", 16, .st25tv512),
      ("E002230011223344", 64, .st25tv02K), ("E00208000A227AAA", 80, .st25tv02KC),
      ("E002260011223344", 2048, .st25dv), ("E002240011223344", 128, .st25dv),
      ("E002480011223344", 512, .st25tv16K), ("E002480011223344", 2048, .st25tv64K),
      ("E002480011223344", nil, .st25tv16KOr64K), ("E0022C0011223344", 2048, nil),
    ] as [(String, Int?, ChipID?)])
  func ofAVicinityChip(_ uid: String, _ blockCount: Int?, _ chip: ChipID?) throws {
    let uid = try #require([UInt8](hexadecimal: uid))
    var product = try #require(ISO15693Product(uid: uid))
    if let blockCount {
      product = product.narrowed(
        by: ISO15693SystemInformation(uid: uid, blockSize: 4, blockCount: blockCount))
    }
    #expect(product.tagProduct(uid: uid)?.chip == chip)
  }

  /// The hardware part of the answer to GetVersion.
  @Test(
    arguments: [
      ("04010100011805", ChipID.desfire), ("04010101001805", .desfireEV1),
      ("04010112001805", .desfireEV2), ("04010133001805", .desfireEV3),
      ("040101A0001805", .duox), ("04080230001305", .desfireLight), ("04040210001105", .ntag413DNA),
      ("04040230001105", .ntag424DNA), ("04020111001805", .plusEV1), ("04020122001805", .plusEV2),
      ("04910100001805", nil),
    ] as [(String, ChipID?)])
  func ofADESFireOrPlus(_ version: String, _ chip: ChipID?) throws {
    let hardware = try #require([UInt8](hexadecimal: version))
    let product = try #require(DESFireVersion(hardware: hardware)?.product)
    #expect(product.chip == chip)
  }

  @Test(arguments: [
    (UInt8(0xE2), ChipID.st25ta), (0xE3, .st25taSigned), (0xE4, .st25taSigned), (0x84, .m24sr),
  ])
  func ofAnST25TA(_ code: UInt8, _ chip: ChipID) {
    #expect(TypeAIdentification.st25ta(uid: [0x02, code, 0, 1, 2, 3, 4])?.chip == chip)
    #expect(chip.isST25TA && !chip.isICODE)
  }

  /// Each question has the chips that data sheets name.
  @Test func questionsAboutType2Chips() {
    let products = Type2Chip.all.map(\.product)
    #expect(Set(products.filter(\.isUltralightC).map(\.typeNumber)) == ["MF0ICU2"])
    #expect(Set(products.filter(\.isUltralightAES).map(\.typeNumber)) == ["MF0AES20"])
    let withMirror = products.filter(\.hasMirror).map(\.name)
    #expect(
      Set(withMirror).isSuperset(of: ["NTAG210", "NTAG212", "NTAG213", "NTAG215", "NTAG216"]))
    #expect(!withMirror.contains { $0.contains("I2C") || $0.contains("Ultralight") })
  }

  /// In the sources, no product's name is compared.
  @Test func noNameIsCompared() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let files = try FileManager.default.subpathsOfDirectory(atPath: root.path)
      .filter { $0.hasSuffix(".swift") }
    #expect(files.count > 500)
    let comparison =
      /[pP]roduct(?:\(\))?\??\.name\??(?: [!=]= |\.has(?:Pre|Suf)fix|\.contains)|switch .*[pP]roduct(?:\(\))?\??\.name|\.contains\(\w*[pP]roduct\.name\)/
    for file in files {
      let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
      for match in text.matches(of: comparison) { Issue.record("\(file): \(match.output)") }
    }
  }
}
