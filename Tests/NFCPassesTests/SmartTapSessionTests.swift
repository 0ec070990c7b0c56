import NDEF
import PassMessage
import Testing

@testable import NFCPasses

/// A session that was constructed with fixed numbers, by two implementations that are independent of this one, with the
/// published demonstration key of Google (google-wallet/smart-tap-sample-app).
@Suite struct SmartTapSessionTests {
  static let collectorKey = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIIJtF+UHZ7FlsOTZ4zL40dHiAiQoT7Ta8eUKAyRucHl9oAoGCCqGSM49
    AwEHoUQDQgAEchyXj869zfmKhRi9xP7f2AK07kEo4lE7ZlWTN14jh4YBTny+hRGR
    XcUzevV9zSSPJlPHpqqu5pEwlv1xyFvE1w==
    -----END EC PRIVATE KEY-----
    """
  static let signature = bytes(
    """
    3045022100C5C3E448D5BE86207C2EA5CF4C33C3A78A5BFEA8D93BBCFCCAE3FFEDFE5EC5640220366AD9A38FFE2AD912A2253F3D6C4BCB8ABD8B56\
    9B28CD9ABC3EC290A3603804
    """)
  static let negotiation = bytes(
    """
    D403B76E6772000194030A7365735555555555555555010154039F637072444444444444444444444444444444444444444444444444444444\
    444444444401020217E617F0B6443928278F96999E69A23A4F2C152BDF6D6CDF66E5B80282D4ED0000000194034873696704304502\
    2100C5C3E448D5BE86207C2EA5CF4C33C3A78A5BFEA8D93BBCFCCAE3FFEDFE5EC5640220366AD9A38FFE2AD912A2253F3D6C4BCB8ABD8B569B28\
    CD9ABC3EC290A3603804540305636C64040133EE80
    """)
  static let negotiationAnswer = bytes(
    """
    D403376E727394030A7365735555555555555555020154032164706B03D65A93977CAA3D1B081852FF57A79E465F1660577304BAEAD505DD3A48\
    589CF3
    """)
  static let request = bytes(
    """
    D40330737271000194030A7365735555555555555555030114030B6D6572D40305636C64040133EE80540307736C72D4030173747200
    """)
  static let answer = bytes(
    """
    D4037273727394030A7365735555555555555555040154035C726562016666666666666666666666661EC0726D6A2F08B869DEA51A4A75278B76\
    9A5073C810F6DAE45014035444C9F0F75E874D585544F47695657979FF2B17BC02E5F4016898AF2E12972BBD9D0C0D9370CF1C57451F5E0479FE\
    DE330B6E
    """)

  static func session() throws -> SmartTapSession {
    SmartTapSession(
      collector: SmartTapCollector(
        identifier: 20_180_608, key: try MerchantKey(pem: collectorKey), keyVersion: 1),
      numbers: .init(
        session: [UInt8](repeating: 0x55, count: 8), nonce: [UInt8](repeating: 0x44, count: 32),
        key: try MerchantKey(number: [UInt8](repeating: 0x11, count: 32))),
      phoneNonce: [UInt8](repeating: 0x33, count: 32))
  }

  @Test func negotiates() throws {
    #expect(try Self.session().negotiation(signature: Self.signature) == Self.negotiation)
  }

  @Test func derivesTheKeys() throws {
    let keys = try Self.session().keys(
      answer: Self.negotiationAnswer, signature: Self.signature)
    #expect(
      keys.derived
        == bytes(
          "E261E2FB71CBC851DBCAAA77331D312CF806F681AF18B17C710593C5E5EE7F3711A82C129720CB90A603764FD3EEF742"
        ))
    #expect(keys.sequence == 2)
  }

  @Test func requests() throws {
    #expect(try Self.session().request(sequence: 3) == Self.request)
  }

  @Test func readsThePass() throws {
    let session = try Self.session()
    let keys = try session.keys(answer: Self.negotiationAnswer, signature: Self.signature)
    let passes = try keys.passes(in: Self.answer, session: session.numbers.session)
    #expect(passes.count == 1)
    #expect(passes.first?.kind == "ly")
    #expect(passes.first?.objectIdentifier == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(passes.first?.value == Array("2018".utf8))
  }

  @Test func refusesWhatWasChanged() throws {
    let session = try Self.session()
    let keys = try session.keys(answer: Self.negotiationAnswer, signature: Self.signature)
    // The vector, the content and the code; before them stand the records' headers.
    for index in Self.answer.indices.suffix(91) {
      var changed = Self.answer
      changed[index] ^= 0x80
      #expect(throws: SmartTapError.wrongCode) {
        try keys.passes(in: changed, session: session.numbers.session)
      }
    }
  }

  @Test func refusesAnotherSession() throws {
    let session = try Self.session()
    let keys = try session.keys(answer: Self.negotiationAnswer, signature: Self.signature)
    #expect(throws: SmartTapError.otherSession) {
      try keys.passes(in: Self.answer, session: [UInt8](repeating: 0x56, count: 8))
    }
  }

  @Test func anyBytesAreAnErrorOrAPass() throws {
    let session = try Self.session()
    let keys = try session.keys(answer: Self.negotiationAnswer, signature: Self.signature)
    for count in Self.answer.indices {
      #expect(throws: SmartTapError.self) {
        try keys.passes(in: Array(Self.answer.prefix(count)), session: session.numbers.session)
      }
    }
    for count in Self.negotiationAnswer.indices {
      #expect(throws: SmartTapError.self) {
        try session.keys(
          answer: Array(Self.negotiationAnswer.prefix(count)), signature: Self.signature)
      }
    }
  }

  @Test func signsSoThatThePhoneCanVerify() throws {
    let session = try Self.session()
    let signature = try #require(session.collector.key.signature(of: session.signedBytes))
    // SEQUENCE of two numbers.
    #expect(signature.first == 0x30 && (68...72).contains(signature.count))
    #expect(signature != session.collector.key.signature(of: session.signedBytes))
  }
}

/// The bytes of hexadecimal text.
func bytes(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}
