import Testing

@testable import SUNMessage

/// The test vectors of NXP AN12304, as nfc-developer's sdm-backend and nfc-ev2-crypto publish them.
@Suite struct LeakageResilientPrimitiveTests {
  @Test func evaluation() throws {
    let vectors = try VectorFile.lines("lrp-evaluation.txt")
    #expect(vectors.count == 50)
    for vector in vectors {
      let index = try #require(Int(vector[3]))
      let primitive = LeakageResilientPrimitive(try key(vector[0]), keyIndex: index)
      let digits = vector[1].compactMap { $0.hexDigitValue.map { UInt8($0) } }
      #expect(primitive.evaluate(digits: digits, isFinal: vector[2] == "1") == hex(vector[4]))
    }
  }

  @Test func authenticationCode() throws {
    let vectors = try VectorFile.lines("lrp-cmac.txt")
    #expect(vectors.count == 50)
    for vector in vectors {
      let primitive = LeakageResilientPrimitive(try key(vector[0]), keyIndex: 0)
      #expect(primitive.authenticationCode(hex(vector[1])) == hex(vector[2]))
    }
  }

  /// With padding the plain text is followed by 80 and zeros.
  @Test func decrypting() throws {
    let vectors = try VectorFile.lines("lrp-lricb.txt")
    #expect(vectors.count == 50)
    for vector in vectors {
      let primitive = LeakageResilientPrimitive(try key(vector[0]), keyIndex: 0)
      let plain = primitive.decrypt(hex(vector[4]), counter: hex(vector[1]))
      let expected = hex(vector[3])
      #expect(plain.starts(with: expected))
      let fill = Array(plain.dropFirst(expected.count))
      #expect(
        vector[2] == "1"
          ? fill.first == 0x80 && fill.dropFirst().allSatisfy { $0 == 0 } : fill == [])
    }
  }

  /// AN12304, the steps of the first evaluation.
  @Test func derivedKeys() throws {
    let key = try key("567826B8DA8E768432A9548DBE4AA3A0")
    let plaintexts = LeakageResilientPrimitive.plaintexts(key)
    #expect(plaintexts.count == 16)
    #expect(plaintexts[0] == hex("AC20D39F5341FE98DFCA21DA86BA7914"))
    #expect(plaintexts[15] == hex("71B444AF257A93215311D758DD333247"))
    // They are as secret as the key.
    var shown = ""
    dump(LeakageResilientPrimitive(key, keyIndex: 0), to: &shown)
    #expect(!shown.contains("\(plaintexts[0][0])"))
    for (index, bytes) in [
      0: "163D14ED24ED935373568EC521E96CF4", 2: "FE30AB50467E61783BFE6B5E0560160E",
    ] {
      let updated = LeakageResilientPrimitive.updatedKey(key, index)
      #expect(updated.withBytes { Array($0) } == hex(bytes))
    }
  }

  /// RFC 4493, 4.
  @Test(arguments: [
    ("", "BB1D6929E95937287FA37D129B756746"),
    ("6BC1BEE22E409F96E93D7E117393172A", "070A16B46B4D4144F79BDD9DD04A287C"),
    (
      "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E5130C81C46A35CE411",
      "DFA66747DE9AE63030CA32611497C827"
    ),
    (
      "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51"
        + "30C81C46A35CE411E5FBC1191A0A52EFF69F2445DF4F9B17AD2B417BE66C3710",
      "51F0BEBF7E3B9D92FC49741779363CFE"
    ),
  ])
  func cmacOfAES(message: String, code: String) throws {
    let key = try key("2B7E151628AED2A6ABF7158809CF4F3C")
    #expect(CMAC.code(hex(message)) { AESBlock.encrypt($0, key) } == hex(code))
  }
}
