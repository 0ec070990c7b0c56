import Testing

@testable import SwiftNFCCore

/// What cards are by the bytes that real ones gave: logs, Proxmark3's tables and pcsc-tools' list of ATRs.
@Suite struct TypeAIdentificationTests {
  private static func target(_ sak: UInt8, historical: String) throws -> ISO14443ATarget {
    let bytes = try #require([UInt8](hexadecimal: historical))
    let ats: [UInt8] = [0x78, 0x77, 0x81, 0x02] + bytes
    return ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0x03, 0x44], sak: sak, ats: ats)
  }

  /// Hardware part of GetVersion: type, subtype, major and minor version.
  @Test(
    arguments: [
      ("01010002", "MIFARE DESFire", true), ("01010100", "MIFARE DESFire EV1", true),
      ("01011200", "MIFARE DESFire EV2", true), ("01012200", "MIFARE DESFire EV2", true),
      ("01013300", "MIFARE DESFire EV3", true), ("81014301", "MIFARE DESFire EV3", true),
      ("81014200", "MIFARE DESFire EV2", true), ("91016200", "Apple Wallet DESFire", true),
      ("91016201", "Apple Wallet DESFire", true), ("0101A000", "MIFARE DUOX", true),
      ("83010100", "MIFARE DESFire", true), ("A1010100", "MIFARE 2GO", true),
      ("08013000", "MIFARE DESFire Light", true), ("88013000", "MIFARE DESFire Light", true),
      ("04021000", "NTAG 413 DNA", false), ("04023000", "NTAG 424 DNA", false),
      ("02011100", "MIFARE Plus EV1", false), ("82011100", "MIFARE Plus EV1", false),
      ("02012200", "MIFARE Plus EV2", false), ("02014400", "MIFARE Plus", false),
      ("01017700", nil, true), ("7F010100", nil, false),
    ] as [(String, String?, Bool)])
  func versions(_ version: String, name: String?, isDESFire: Bool) throws {
    let bytes = try #require([UInt8](hexadecimal: version))
    let hardware = [0x04] + bytes + [0x1A, 0x05]
    let decoded = try #require(DESFireVersion(hardware: hardware, bytes: nil))
    #expect(decoded.product?.name == name)
    let target = try Self.target(0x20, historical: "80")
    let kind = TypeAIdentification.kind(target, version: decoded)
    let isPlus = name?.hasPrefix("MIFARE Plus") == true
    #expect(kind == (isDESFire ? .miFare(.desfire) : isPlus ? .miFare(.plus) : .iso7816))
    // Another maker's chip, and too little of an answer.
    #expect(DESFireVersion(hardware: [0x05] + hardware.dropFirst(), bytes: nil) == nil)
    #expect(DESFireVersion(hardware: Array(hardware.prefix(6)), bytes: nil) == nil)
  }

  /// Historical bytes, whether the card is asked for its version, and what it is without one.
  @Test(
    arguments: [
      // DESFire, and DESFires whose issuers changed the answer to select.
      ("80", true, nil), ("810280", true, nil), ("5345204445534669 7265", true, nil),
      ("", true, nil),
      // Plus S, X, SE with either capacitance, and the others whose bytes begin so.
      ("C1052F2F0035C7", false, "MIFARE Plus S"), ("C1052F2F01BCD6", true, "MIFARE Plus X"),
      ("C105213000F6D1", true, "MIFARE Plus SE"), ("C105213010F6D1", true, "MIFARE Plus SE"),
      ("C10521300077C1", true, "MIFARE Plus SE"), ("C105203000AB9B", true, "MIFARE Plus SE"),
      ("C105213000AAAA", true, "MIFARE Plus"), ("C1052F2F020304", true, "MIFARE Plus"),
      ("4D46505F454E47", true, "MIFARE Plus"), ("4D46505F454E", true, nil), ("C105", true, nil),
      // Passports, payment and JCOP cards.
      ("8073842140", false, nil), ("8031B8738421 60", false, nil),
      ("00000000009171 7100", false, nil),
      ("4A434F5076323431", true, nil), ("0073C84000009000", false, nil),
    ] as [(String, Bool, String?)])
  func historicalBytes(_ text: String, isAsked: Bool, plus: String?) throws {
    let target = try Self.target(0x20, historical: text.filter { $0 != " " })
    #expect(TypeAIdentification.needsVersion(target) == isAsked)
    #expect(TypeAIdentification.plus(target)?.name == plus)
    #expect(
      TypeAIdentification.kind(target, version: nil) == (plus == nil ? .iso7816 : .miFare(.plus)))
    // A card with Classic sectors beside is not asked.
    let combined = try Self.target(0x28, historical: "80")
    #expect(!TypeAIdentification.needsVersion(combined))
  }

  /// ATRs of real readers: some have the historical bytes, some the whole answer to select.
  @Test(arguments: [
    ("067577810280", "7577810280", "80"), ("06757781028F", "757781028F", "8F"),
    ("0C75778002C1052F2F0035C7", "75778002C1052F2F0035C7", "C1052F2F0035C7"),
    ("80", "", "80"), ("810280", "", "810280"), ("C1052F2F01BCD6", "", "C1052F2F01BCD6"),
    ("030202", "", "030202"), ("0244", "", "0244"), ("07757781", "", "07757781"), ("", "", ""),
    ("06F577810280", "", "06F577810280"),
  ])
  func answersInTheATR(_ bytes: String, ats: String, historical: String) throws {
    let target = ISO14443ATarget(
      uid: [4, 1, 2, 3], historicalBytes: try #require([UInt8](hexadecimal: bytes)))
    #expect(target.ats.hexadecimal == ats)
    #expect(target.historicalBytes.hexadecimal == historical)
  }
}
