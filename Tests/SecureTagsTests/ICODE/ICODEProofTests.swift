import NFC
import TestSupport
import Testing

@testable import SecureTags
@testable import VirtualNFC

/// Tests the proof of a key of ICODE DNA.
@Suite(.replayed) struct ICODEProofTests {
  /// A key, a challenge, the tag's random number, and the answer in the standard's order: of a program for
  /// UCODE DNA, which has the same authentication (`DecryptTAM1`; the second is the beginning of a TAM2).
  struct Vector: Sendable, CustomTestStringConvertible {
    let key: String
    let challenge: String
    let random: String
    let answer: String
    var testDescription: String { answer }
  }

  static let vectors = [
    Vector(
      key: "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", challenge: "E4D3000B55C8C30508FD",
      random: "834C947C", answer: "4EDE50BD72F0AEACB532D1677DEB2908"),
    Vector(
      key: "11111111111111111111111111111111", challenge: "BDF5340CAC92052B038B",
      random: "BD4B89D4", answer: "141585F836BC9D8EAA8F421D34DB9026"),
  ]

  private static let key = [UInt8](repeating: 0x5A, count: 16)
  private static let other = SecretKey([UInt8](repeating: 0x5B, count: 16))

  private static func bytes(_ text: String) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: text))
  }

  @Test(arguments: vectors) func knownAnswers(_ vector: Vector) throws {
    let key = SecretKey(try Self.bytes(vector.key))
    let challenge = try Self.bytes(vector.challenge)
    let answer = try Self.bytes(vector.answer)
    #expect(try ICODEProof.isValid(answer, of: challenge, key))
    for index in answer.indices {
      var changed = answer
      changed[index] ^= 0x10
      #expect(try !ICODEProof.isValid(changed, of: challenge, key))
    }
    #expect(try !ICODEProof.isValid(answer, of: challenge.reversed(), key))
    #expect(try !ICODEProof.isValid(answer, of: challenge, Self.other))
  }

  /// The virtual chip gives the known answers, in the order over the air: suite, method, number of the key,
  /// last byte first.
  @Test(arguments: vectors) func theChipGivesKnownAnswers(_ vector: Vector) throws {
    var chip = ICODEDNA(keys: [2: try Self.bytes(vector.key)])
    chip.nextRandomNumbers = [try Self.bytes(vector.random)]
    let answer = chip.receive(
      .iso15693([0x02, 0x35, 0x00, 0x00, 0x02] + (try Self.bytes(vector.challenge)).reversed()))
    #expect(
      answer?.checkedPayload == [0x06, 0xA7] + (try Self.bytes(vector.answer)).reversed())
  }

  @Test(
    arguments: [
      [], [0xA7], [0x27] + [UInt8](repeating: 1, count: 16),
      [0xA6] + [UInt8](repeating: 1, count: 16), [0xA7] + [UInt8](repeating: 1, count: 15),
      [0xA7] + [UInt8](repeating: 1, count: 17),
    ] as [[UInt8]])
  func answersThatAreNone(_ payload: [UInt8]) {
    let error = #expect(throws: NFCError.self) { try ICODEProof.block(payload) }
    #expect(error?.code == .tagResponseError)
  }

  private static func tag(_ reader: Reader) async throws -> ICODETag {
    for _ in 0..<5 {
      guard case .iso15693(let tag)? = try await reader.tagsInField(polling: .iso15693).first
      else { continue }
      try await tag.connect()
      return try await ICODETag(tag)
    }
    throw NFCError(.noTag, "the tag is not found")
  }

  /// A reader that sends the tag's commands unchanged proves the key; the others say that they cannot.
  @Test(
    arguments: [
      VirtualPCSCReader.Dialect.transparentSession, .springCard, .acsPassThrough,
      .identivPassThrough, .springCardPassThrough, .omnikey, .storageCard,
    ])
  func everyReader(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let field = VirtualField()
    field.place(.icodeDNA(keys: [0: [UInt8](repeating: 1, count: 16), 3: Self.key]))
    let virtual = VirtualPCSCReader(field, dialect: dialect)
    let reader = try await Reader.open(over: { virtual.service() })
    let tag = try await Self.tag(reader)
    let error = await failure { try await tag.proveKey(3, SecretKey(Self.key)) }
    let wrong = await failure { try await tag.proveKey(0, SecretKey(Self.key)) }
    if [.transparentSession, .springCard].contains(dialect) { #expect(error == nil) }
    if error == nil {
      #expect(wrong?.code == .authenticationFailed)
      #expect(await failure { try await tag.proveKey(1, Self.other) }?.code == .tagRefused)
    } else {
      #expect(
        error?.code == .unsupported && wrong?.code == .unsupported, "\(String(describing: error))")
    }
    for text in ["\(String(describing: wrong))", "\(Self.other)"] {
      #expect(!text.contains("5A5A") && !text.contains("5B5B"))
    }
    await reader.close()
  }

  /// Nothing is sent for keys that no chip has, or to chips without keys.
  @Test func keysThatNoChipHas() async throws {
    let bench = try await VicinityBench(.icodeDNA(keys: [0: Self.key]))
    let tag = try await ICODETag(bench.tag())
    bench.virtual.setFaults([])
    for (number, key) in [
      (-1, Self.other), (4, Self.other), (256, Self.other), (0, SecretKey([1])),
    ] {
      #expect(await failure { try await tag.proveKey(number, key) }?.code == .invalidParameter)
    }
    #expect(bench.virtual.statistics.exchanges == 0)
    try await tag.proveKey(0, SecretKey(Self.key))
    #expect(bench.virtual.statistics.exchanges == 1)
    let slix = try await VicinityBench(.icodeSLIX2())
    let without = try await ICODETag(slix.tag())
    #expect(await failure { try await without.proveKey(0, Self.other) }?.code == .unsupported)
  }

  // MARK: Mutual authentication

  /// A whole mutual authentication, computed with Python's `cryptography` from the order of NXP's reader library
  /// (`phalICode_Sw_AuthenticateMAM`): the key is 00 to 0F, the challenges are 10 to 19 and A0 to A9.
  private static let (firstAnswer, secondMessage) = (
    "27A5A4A3A2A1A0CD323EE290F02A311394C718C591EBD9",
    "0610992462E08F11E69D1BE5103447787D"
  )

  @Test func mutualAuthenticationOverTheAir() throws {
    let key = (0..<16).map { UInt8($0) }
    let challenge = (0x10..<0x1A).map { UInt8($0) }
    let own = (0xA0..<0xAA).map { UInt8($0) }
    let first = try Self.bytes(Self.firstAnswer)
    let second = try Self.bytes(Self.secondMessage)
    #expect(ICODEMutualProof.firstMessage(2, challenge) == [0x02, 0x02] + challenge.reversed())
    #expect(
      try ICODEMutualProof.tagChallenge(in: first, of: challenge, SecretKey(key)) == own)
    #expect(try ICODEMutualProof.secondMessage(challenge, own, SecretKey(key)) == second)
    var chip = ICODEDNA(keys: [2: key])
    chip.nextRandomNumbers = [own]
    let answer = chip.receive(
      .iso15693([0x02, 0x35, 0x00, 0x02, 0x02] + challenge.reversed()))
    // A real chip sets the bit "done" in this answer, too (community.nxp.com, question 749895).
    #expect(answer?.checkedPayload == [0x04, 0xA7] + first.dropFirst())
    #expect(chip.authenticatedKey == nil)
    let end = chip.receive(.iso15693([0x02, 0x35, 0x00] + second))
    #expect(end?.checkedPayload == [0x00, 0xA7])
    #expect(chip.authenticatedKey == 2)
    chip.powerOff()
    #expect(chip.authenticatedKey == nil)
  }

  /// Every byte of the tag's answer counts, except those of its challenge that nothing proves before the tag itself
  /// refuses what follows from them.
  @Test func changedAnswersOfAMutualAuthentication() throws {
    let key = SecretKey((0..<16).map { UInt8($0) })
    let challenge = (0x10..<0x1A).map { UInt8($0) }
    let own = (0xA0..<0xAA).map { UInt8($0) }
    let first = try Self.bytes(Self.firstAnswer)
    for index in first.indices {
      var changed = first
      changed[index] ^= 0x10
      let found = try? ICODEMutualProof.tagChallenge(in: changed, of: challenge, key)
      #expect(found != own, "\(index)")
    }
    for payload in [[], Array(first.dropLast()), first + [0]] {
      let error = #expect(throws: NFCError.self) {
        try ICODEMutualProof.tagChallenge(in: payload, of: challenge, key)
      }
      #expect(error?.code == .tagResponseError)
    }
    for payload in [[], [0x26], [0xA7, 0x00]] as [[UInt8]] {
      #expect(throws: NFCError.self) { try ICODEMutualProof.checkEnd(payload) }
    }
  }

  @Test func bothSidesProveTheKey() async throws {
    let bench = try await VicinityBench(.icodeDNA(keys: [0: Self.key]))
    let tag = try await ICODETag(bench.tag())
    bench.virtual.setFaults([])
    try await tag.authenticate(withKey: 0, SecretKey(Self.key))
    #expect(bench.virtual.statistics.exchanges == 2)
    bench.virtual.setFaults([])
    // No proof of a key is sent to a tag with another one.
    let wrong = await failure { try await tag.authenticate(withKey: 0, Self.other) }
    #expect(wrong?.code == .authenticationFailed)
    #expect(bench.virtual.statistics.exchanges == 1)
    #expect(
      await failure { try await tag.authenticate(withKey: 1, Self.other) }?.code == .tagRefused)
    for (number, key) in [(-1, Self.other), (4, Self.other), (0, SecretKey([1]))] {
      let error = await failure { try await tag.authenticate(withKey: number, key) }
      #expect(error?.code == .invalidParameter)
    }
    // The tag goes on as usual.
    #expect(try await tag.tag.readBlocks(0..<1).count == 1)
    let slix = try await VicinityBench(.icodeSLIX2())
    let without = try await ICODETag(slix.tag())
    #expect(
      await failure { try await without.authenticate(withKey: 0, Self.other) }?.code
        == .unsupported)
  }

  @Test(
    arguments: [
      VirtualPCSCReader.Fault.Effect.frameLost, .answerLost, .answerBroken, .tagLeaves,
    ], [0, 1])
  func everyFaultOfAMutualAuthentication(
    _ effect: VirtualPCSCReader.Fault.Effect, _ exchange: Int
  ) async throws {
    let bench = try await VicinityBench(.icodeDNA(keys: [1: Self.key]))
    let tag = try await ICODETag(bench.tag())
    bench.virtual.setFaults([VirtualPCSCReader.Fault(effect, at: exchange)])
    let error = await failure { try await tag.authenticate(withKey: 1, SecretKey(Self.key)) }
    #expect(error?.group == .connection, "\(String(describing: error))")
    let again = try await ICODETag(bench.again())
    try await again.authenticate(withKey: 1, SecretKey(Self.key))
    #expect(bench.placed.irreversibleChanges.isEmpty)
  }

  /// No fault is taken for a proof, nor for a wrong key; the same call succeeds afterwards.
  @Test(
    arguments: [
      VirtualPCSCReader.Fault.Effect.frameLost, .answerLost, .answerBroken, .tagLeaves,
    ])
  func everyFault(_ effect: VirtualPCSCReader.Fault.Effect) async throws {
    let bench = try await VicinityBench(.icodeDNA(keys: [1: Self.key]))
    let tag = try await ICODETag(bench.tag())
    bench.virtual.setFaults([VirtualPCSCReader.Fault(effect, at: 0)])
    let error = await failure { try await tag.proveKey(1, SecretKey(Self.key)) }
    #expect(error?.group == .connection, "\(String(describing: error))")
    let again = try await ICODETag(bench.again())
    try await again.proveKey(1, SecretKey(Self.key))
    #expect(bench.placed.irreversibleChanges.isEmpty)
  }
}
