import PassMessage
import Testing

/// Answers of real iPhones to readers, decrypted with the published key of a demonstration pass, and constructed ones.
@Suite struct VASMessageTests {
  private static let demoType = "pass.com.passkit.pksamples.nfcdemo"
  private static let demoKey = "3D1547F23CD78AD052A58860F1219E8FB791EC4DFE33769F5B9BFA627A656CA1"
  private static let exampleType = "pass.com.example.card"
  private static let exampleKey = "1F2E3D4C5B6A79880796A5B4C3D2E1F00112233445566778899AABBCCDDEEFF0"

  struct Answer: Sendable {
    var passType = VASMessageTests.demoType
    var key = VASMessageTests.demoKey
    var cryptogram: String
    var seconds: Int
    var text: String
  }

  static let answers = [
    // kormax/apple-vas, examples/traces/VASONLY.READ.log
    Answer(
      cryptogram: """
        c0b77375d3f37956d84a538f28ac2a04b38ddc1a67d3647a4dd30abd736ea1cea8038388692e89db99e4746d872d\
        e782395640c536e79a75c47a9343da0af3937f06eeca7a865c4ad05a2c543ad2
        """,
      seconds: 1_688_920_558, text: "6d1UlFpnOc50iVKRaboDOK"),
    // kormax/apple-vas, README
    Answer(
      cryptogram: """
        c0b77375094afa4824addb8abf0a59f4c5b88f7b33cd803666cdf358dc8aa2ecea863673b7e92b8f39bc744233dd\
        a87e53f2ae346eb43415e7b20a50aa41e02de9f3d533f506e29b4ed31eaa9cfa
        """,
      seconds: 1_688_117_458, text: "6d1UlFpnOc50iVKRaboDOK"),
    // RfidResearchGroup/proxmark3, hf vas decrypt
    Answer(
      cryptogram: """
        c0b77375eae416b79449347f9fe838c05cdb57dc7470b97b93b806cb348771d9bfbe29d58538c7c7d7c3d015fa20\
        5b68bfccd726058a62f7f44085ac98dbf877120fd9059f1507b956e0a6d56d0a
        """,
      seconds: 1_688_913_590, text: "499g3sYcKCp7WVI9qVogyT"),
    // Constructed: the first form, the second form, keys whose x coordinates begin with zero, an empty message.
    Answer(
      passType: exampleType, key: exampleKey,
      cryptogram: """
        8be590bc19962c1db43584d71435d1b44224dd62a00c0359c0a53875179e71ad38eaf6d8605fbcce42081529f70f\
        79fdd34b8a27417ef2bf1f49e5f8
        """,
      seconds: 1_678_307_200, text: "4711"),
    Answer(
      passType: exampleType, key: exampleKey,
      cryptogram: """
        8be590bc19962c1db43584d71435d1b44224dd62a00c0359c0a53875179e71ad38eaf6d83322c2f585947ca523e9\
        6cd78741b8b18cb4aa49445d3077
        """,
      seconds: 1_678_307_200, text: "4711"),
    Answer(
      passType: exampleType, key: exampleKey,
      cryptogram: """
        8be590bc005543894af3d00ed7d740abdbd75c96b06877b787db5f70eea78b90a8d7c00a55b899b50135cb5ccd6c\
        d455c2d7ff3320ac4a593c7006ea
        """,
      seconds: 1_678_307_200, text: "4711"),
    Answer(
      passType: exampleType, key: String(repeating: "0", count: 61) + "17B",
      cryptogram: """
        de87182719962c1db43584d71435d1b44224dd62a00c0359c0a53875179e71ad38eaf6d85d0d70fc6742c565e9d1\
        0ea56df88976e2846db1cfa81f9f
        """,
      seconds: 1_678_307_200, text: "4711"),
    Answer(
      passType: exampleType, key: exampleKey,
      cryptogram: """
        8be590bc19962c1db43584d71435d1b44224dd62a00c0359c0a53875179e71ad38eaf6d849e69bce59a0dc202efe\
        9613d893b57871fb7644
        """,
      seconds: 978_307_200, text: ""),
  ]

  @Test(arguments: answers) func decrypts(_ answer: Answer) throws {
    let message = try VASMessage(
      cryptogram: bytes(answer.cryptogram), passType: answer.passType,
      key: MerchantKey(number: bytes(answer.key)))
    #expect(message.text == answer.text)
    #expect(message.secondsSince1970 == answer.seconds)
    #expect(message.phoneKey == Array(bytes(answer.cryptogram)[4..<36]))
  }

  @Test func refusesWhatWasChanged() throws {
    let answer = Self.answers[3]
    let key = try MerchantKey(number: bytes(answer.key))
    let right = bytes(answer.cryptogram)
    for index in right.indices {
      var changed = right
      changed[index] ^= 0x01
      let error = #expect(throws: PassError.self) {
        try VASMessage(cryptogram: changed, passType: answer.passType, key: key)
      }
      switch index {
      case 0..<4: #expect(error == .otherKey(identifier: Array(changed.prefix(4))))
      // A point, or none: half of the numbers are the x coordinate of one.
      case 4..<36: #expect(error == .wrongTag || error == .notAPoint)
      default: #expect(error == .wrongTag)
      }
    }
  }

  @Test func refusesAnotherPassType() throws {
    let answer = Self.answers[3]
    #expect(throws: PassError.wrongTag) {
      try VASMessage(
        cryptogram: bytes(answer.cryptogram), passType: "pass.com.example.other",
        key: MerchantKey(number: bytes(answer.key)))
    }
  }

  /// The first bytes of this one are masked in the publication.
  @Test func namesAnotherKey() throws {
    var cryptogram = bytes(Self.answers[1].cryptogram)
    cryptogram.replaceSubrange(0..<2, with: [0xBE, 0xEF])
    let error = #expect(throws: PassError.self) {
      try VASMessage(
        cryptogram: cryptogram, passType: Self.demoType,
        key: MerchantKey(number: bytes(Self.demoKey)))
    }
    #expect(error?.description.contains("beef7375") == true)
  }

  @Test(arguments: 0...60) func anyLengthIsAnErrorOrAValue(_ count: Int) throws {
    let answer = Self.answers[3]
    let key = try MerchantKey(number: bytes(answer.key))
    let cut = Array(bytes(answer.cryptogram).prefix(count))
    guard count < 60 else {
      #expect(try VASMessage(cryptogram: cut, passType: answer.passType, key: key).text == "4711")
      return
    }
    #expect(throws: count < 56 ? PassError.tooShort(count) : .wrongTag) {
      try VASMessage(cryptogram: cut, passType: answer.passType, key: key)
    }
  }

  @Test func refusesMoreThanAMessageCanBe() throws {
    let answer = Self.answers[3]
    let long = bytes(answer.cryptogram) + [UInt8](repeating: 0, count: 61)
    #expect(throws: PassError.tooLong(121)) {
      try VASMessage(
        cryptogram: long, passType: answer.passType, key: MerchantKey(number: bytes(answer.key)))
    }
  }

  @Test func hashesThePassType() {
    #expect(
      VASMessage.identifierHash(of: Self.demoType)
        == bytes("03B57CDB3ECA0984BA9ABDC2FB45D86626D87B39D33C5C6DBBC313A6347A3146"))
  }

  @Test func showsNothing() throws {
    let answer = Self.answers[3]
    let message = try VASMessage(
      cryptogram: bytes(answer.cryptogram), passType: answer.passType,
      key: MerchantKey(number: bytes(answer.key)))
    #expect(!"\(message)\(String(reflecting: message))".contains("4711"))
  }
}

@Suite struct PassMemoryTests {
  /// The message of 1 678 307 200.
  private func message() throws -> VASMessage {
    let answer = VASMessageTests.answers[3]
    return try VASMessage(
      cryptogram: bytes(answer.cryptogram), passType: answer.passType,
      key: MerchantKey(number: bytes(answer.key)))
  }

  @Test(arguments: [
    (1_678_307_200.0, nil), (1_678_307_210.9, nil), (1_678_307_190.1, nil),
    (1_678_307_212.5, PassMemory.Refusal.tooOld(age: 12.5)),
    (1_678_307_180.0, .fromTheFuture(by: 20)),
  ]) func knowsTheAge(now: Double, refusal: PassMemory.Refusal?) throws {
    var memory = PassMemory()
    #expect(memory.refusal(of: try message(), now: now) == refusal)
  }

  @Test func refusesARepetitionAsLongAsItsTimeWouldBeAccepted() throws {
    var memory = PassMemory()
    let message = try message()
    #expect(memory.refusal(of: message, now: 1_678_307_195) == nil)
    for second in 0...15 {
      let now = 1_678_307_195 + Double(second)
      #expect(memory.refusal(of: message, now: now) == .repeated)
    }
    #expect(memory.refusal(of: message, now: 1_678_307_230) == .tooOld(age: 30))
  }
}

/// The bytes of hexadecimal text.
func bytes(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}
