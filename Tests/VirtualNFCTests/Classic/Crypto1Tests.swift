import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite struct Crypto1Tests {
  /// A recorded authentication with a known key.
  struct Trace: Sendable, CustomTestStringConvertible {
    var uid: String
    var nonce: String
    var readerNonce: String
    var readerAnswer: String
    var cardAnswer: String
    var key: String
    var testDescription: String { "\(uid) \(key)" }
  }

  /// The examples in the documentation of mfkey64, as published by the Proxmark3 project.
  static let traces = [
    Trace(
      uid: "9C599B32", nonce: "82A4166C", readerNonce: "A1E458CE", readerAnswer: "6EEA41E0",
      cardAnswer: "5CADF439", key: "FFFFFFFFFFFF"),
    Trace(
      uid: "14579F69", nonce: "CE844261", readerNonce: "F8049CCB", readerAnswer: "0525C84F",
      cardAnswer: "9431CC40", key: "091E639CB715"),
  ]

  static func bytes(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text) ?? [] }

  /// Parses "a1 e4! 58": an exclamation mark indicates that the parity bit is not the byte's odd parity.
  static func frame(_ text: String) -> RadioFrame {
    let tokens = text.split(separator: " ")
    let bytes = tokens.map { UInt8($0.prefix(2), radix: 16) ?? 0 }
    let parity = zip(bytes, tokens).map { Crypto1.oddParity($0) != $1.hasSuffix("!") }
    return RadioFrame(bytes, modulation: .typeA, parity: parity)
  }

  /// The parity was not recorded, so all values are tried: one of 256 sets of eight bits is right.
  @Test(arguments: traces) func cardAcceptsRecordedReader(_ trace: Trace) throws {
    let card = Crypto1.CardAuthentication(
      key: Self.bytes(trace.key), uid: Self.bytes(trace.uid),
      nonce: .init(bytes: Self.bytes(trace.nonce)), isNested: false)
    #expect(card.challenge == .typeA(bare: Self.bytes(trace.nonce)))
    let answers = (0..<256).compactMap { bits in
      card.answer(
        to: RadioFrame(
          Self.bytes(trace.readerNonce + trace.readerAnswer), modulation: .typeA,
          parity: (0..<8).map { bits >> $0 & 1 == 1 }))
    }
    #expect(answers.count == 1)
    #expect(answers.first?.frame.bytes == Self.bytes(trace.cardAnswer))
  }

  @Test(arguments: traces) func wrongKeyIsRefused(_ trace: Trace) {
    var key = Self.bytes(trace.key)
    key[5] ^= 0x80
    let card = Crypto1.CardAuthentication(
      key: key, uid: Self.bytes(trace.uid), nonce: .init(bytes: Self.bytes(trace.nonce)),
      isNested: false)
    for bits in 0..<256 {
      let answer = card.answer(
        to: RadioFrame(
          Self.bytes(trace.readerNonce + trace.readerAnswer), modulation: .typeA,
          parity: (0..<8).map { bits >> $0 & 1 == 1 }))
      #expect(answer == nil)
    }
  }

  /// The long trace in mfkey64's examples: the commands after the second authentication above. The plain
  /// texts are not published; their check bytes prove that the decryption is right.
  @Test func recordedSessionDecrypts() throws {
    let trace = Self.traces[1]
    let card = Crypto1.CardAuthentication(
      key: Self.bytes(trace.key), uid: Self.bytes(trace.uid),
      nonce: .init(bytes: Self.bytes(trace.nonce)), isNested: false)
    let running = (0..<256).lazy.compactMap { bits in
      card.answer(
        to: RadioFrame(
          Self.bytes(trace.readerNonce + trace.readerAnswer), modulation: .typeA,
          parity: (0..<8).map { bits >> $0 & 1 == 1 }))
    }
    var cipher = try #require(running.first).cipher
    var commands: [[UInt8]] = []
    for text in [
      "7093DF99", "9972428CE2E8523F456B99C831E769DCED09", "8CA6827B",
      "AB797FD369E8B93A86776B40DAE3EF686EFD", "C3C381BA", "49E2C9DEF4868D1777670E584C27230286F4",
      "FBDCD7C1", "4ABD964B07D3563AA066ED0A2EAC7F6312BF", "9F9149EA",
    ] {
      // Encrypting and decrypting are the same for the bytes; the parity was not published.
      let plain = RadioFrame(cipher.encrypt(Self.bytes(text)).bytes, modulation: .typeA)
      let payload = try #require(plain.checkedPayload)
      if payload.count == 2 { commands.append(payload) }
    }
    #expect(commands.count == 5)
    #expect(commands.dropLast().allSatisfy { $0[0] == 0x30 })
  }

  /// A recorded session with parity: four authentications with block 0 and key FFFFFFFFFFFF, each nested
  /// in the previous one, and a READ. Published in the documentation of mf_nonce_brute (Proxmark3
  /// project).
  @Test func nestedAuthenticationsMatchRecordedParity() throws {
    let key = [UInt8](repeating: 0xFF, count: 6)
    let uid = Self.bytes("9C599B32")
    // The plain nonces are not published; exactly one matches each encrypted nonce and its parity.
    let rounds = [
      ("82A4166C", "82 a4 16 6c", "a1 e4! 58 ce! 6e ea! 41 e0!", "5c! ad f4 39!", "8e 0e! 5d! b9"),
      (
        "A55D950B", "5a! 92 0d! 85!", "98! d7 6b! 77 d6 c6 e8 70", "ca 7e! 0b! 63!", "3e! 70 9c! 8a"
      ),
      (
        "C9BE54A3", "36! 41 24! 79", "1b! 8c 3a! 48! 83 5a 4a! 27", "40! 6a! 99! 4b",
        "c9 7c 64! 13!"
      ),
      (
        "4A9C3394", "b5! ab! 1d! 2b", "7e! d2 5c! ca! 4b! 50! 88! c4", "bf dd 01 be!",
        "56 98 49 d6!"
      ),
    ]
    for (round, (nonce, challenge, answer, cardAnswer, next)) in rounds.enumerated() {
      let card = Crypto1.CardAuthentication(
        key: key, uid: uid, nonce: .init(bytes: Self.bytes(nonce)), isNested: round > 0)
      #expect(card.challenge.bytes == Self.frame(challenge).bytes)
      #expect(round == 0 || card.challenge.parity == Self.frame(challenge).parity)
      var (frame, cipher) = try #require(card.answer(to: Self.frame(answer)))
      #expect(frame == Self.frame(cardAnswer))
      let command = cipher.bytes(decrypting: Self.frame(next))
      #expect(command == Self.bytes(round < 3 ? "6000F57B" : "300002A8"))
    }
  }

  @Test(arguments: [false, true]) func readerAndCardAgree(isNested: Bool) throws {
    let key = Self.bytes("A0A1A2A3A4A5")
    let uid = Self.bytes("04112233445566")
    let card = Crypto1.CardAuthentication(
      key: key, uid: uid, nonce: .init(generatorState: 0x1234), isNested: isNested)
    let reader = try #require(
      Crypto1.ReaderAuthentication(
        key: key, uid: uid, challenge: card.challenge, readerNonce: [1, 2, 3, 4],
        isNested: isNested))
    var (answer, cardCipher) = try #require(card.answer(to: reader.answer))
    var readerCipher = try #require(reader.cipher(verifying: answer))
    #expect(readerCipher == cardCipher)

    let frame = readerCipher.frame(encrypting: [0x30, 0x04, 0x26, 0xEE])
    #expect(cardCipher.bytes(decrypting: frame) == [0x30, 0x04, 0x26, 0xEE])
    let acknowledge = cardCipher.frame(encryptingAcknowledge: 0x0A)
    #expect(acknowledge.bitsInLastByte == 4)
    #expect(readerCipher.acknowledge(decrypting: acknowledge) == 0x0A)
    #expect(readerCipher == cardCipher)

    answer.bytes[3] ^= 1
    #expect(reader.cipher(verifying: answer) == nil)
    var broken = cardCipher.frame(encrypting: [1, 2, 3])
    broken.parity?[1].toggle()
    #expect(readerCipher.bytes(decrypting: broken) == nil)
    #expect(readerCipher == cardCipher)
  }

  @Test func readerDoesNotAcceptOtherFramesAsChallenge() {
    for frame in [
      RadioFrame.typeA(bare: [1, 2, 3]), .typeA(bare: [4], bitsInLastByte: 4), .typeA(bare: []),
      .typeA(bare: [1, 2, 3, 4], bitsInLastByte: 7),
    ] {
      #expect(
        Crypto1.ReaderAuthentication(
          key: [0, 0, 0, 0, 0, 0], uid: [1, 2, 3, 4], challenge: frame,
          readerNonce: [0, 0, 0, 0], isNested: false) == nil)
    }
  }

  /// Garcia et al., section 3.2: the generator's period is 65535.
  @Test func nonceGeneratorHasFullPeriod() {
    let first = Crypto1.Nonce(generatorState: 1)
    var nonce = first
    var period = 0
    repeat {
      nonce = nonce.successor(1)
      period += 1
    } while nonce != first && period < 70_000
    #expect(period == 65_535)
    #expect(Crypto1.Nonce(bytes: first.bytes) == first)
  }
}
