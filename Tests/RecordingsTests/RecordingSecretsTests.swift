import NDEF
import SwiftNFCCore
import Testing

@testable import Recordings

/// Tests which bytes of a DESFire's commands a recording masks.
@Suite struct RecordingSecretsTests {
  /// ChangeKey, ChangeKeyEV2, a default key, and the key of transaction MACs.
  @Test(arguments: [0xC4, 0xC6, 0x5C, 0xCE] as [UInt8])
  func keysThatAreSentToACard(_ code: UInt8) {
    var secrets = RecordingSecrets()
    #expect(
      secrets.find(
        inCommand: [0x90, code, 0, 0, 4, 2, 7, 7, 7, 0], framing: .tagProtocol) == [6..<10])
    #expect(secrets.find(inCommand: [code, 2, 7, 7, 7], framing: .tagProtocol) == [2..<5])
    #expect(secrets.find(inAnswer: [0x91, 0x00]) == [])
  }

  /// CreateDelegatedApplication: the second frame holds the first key and the issuer's code.
  @Test func permissionOfAnIssuer() {
    var secrets = RecordingSecrets()
    for (first, second, range) in [
      ([0x90, 0xC9, 0, 0, 2, 5, 5, 0], [0x90, 0xAF, 0, 0, 2, 7, 7, 0], 5..<8),
      ([0xC9, 5, 5], [0xAF, 7, 7], 1..<3),
    ] as [([UInt8], [UInt8], Range<Int>)] {
      #expect(secrets.find(inCommand: first, framing: .tagProtocol) == [])
      #expect(secrets.find(inAnswer: [0x91, 0xAF]) == [] && !secrets.expectsProof)
      #expect(secrets.find(inCommand: second, framing: .tagProtocol) == [range])
      #expect(secrets.find(inAnswer: [1, 2, 3, 4, 5, 6, 7, 8, 0x91, 0x00]) == [])
      // It was the last frame.
      #expect(secrets.find(inCommand: second, framing: .tagProtocol) == [])
    }
  }

  /// WRITE CONFIG and READ CONFIG of an NTAG 5: blocks 20 to 2F and 33 to 36 are keys and passwords.
  @Test(
    arguments: [
      ([0x02, 0xC1, 0x04, 0x20, 7, 7, 7, 7], 4..<8, false),
      ([0x22, 0xC1, 0x04, 1, 2, 3, 4, 5, 6, 7, 8, 0x36, 7, 7, 7, 7], 12..<16, false),
      ([0x12, 0xC1, 0x04, 0x37, 7, 7, 7, 7], nil, false),
      ([0x02, 0xC1, 0x07, 0x20, 7, 7], nil, false),
      ([0x02, 0xC0, 0x04, 0x20, 3], nil, true), ([0x02, 0xC0, 0x04, 0x1F, 1], nil, true),
      ([0x02, 0xC0, 0x04, 0x0C, 0x0B], nil, false), ([0x02, 0xC0, 0x04], nil, false),
      ([0x02, 0xC0, 0x04, 0x10, 0xFF], nil, true),
    ] as [([UInt8], Range<Int>?, Bool)])
  func configurationOfNTAG5(_ command: [UInt8], _ secret: Range<Int>?, _ isAnswerSecret: Bool) {
    var secrets = RecordingSecrets()
    secrets.turn(to: .iso15693(ISO15693Target(uid: [0xE0, 4, 1, 0x58, 0, 0, 0, 0])))
    #expect(secrets.find(inCommand: command, framing: .tagProtocol) == (secret.map { [$0] } ?? []))
    #expect(secrets.find(inAnswer: [0, 1, 2, 3, 4]) == (isAnswerSecret ? [0..<5] : []))
  }

  /// Pages with passwords and keys: by the answer to GET_VERSION, for a chip without the command, and for one that is not
  /// known.
  @Test(
    arguments: [
      // NTAG215, NTAG216F, Ultralight EV1, Ultralight AES.
      ("0004040201001103", [0x85, 0x86], [0x34, 0x84, 0x2C]), ("0004040401001303", [0xE5], [0x85]),
      ("0004030101000B03", [0x12, 0x13], [0x11, 0x14]), ("0004030104000F03", [0x30, 0x37], [0x12]),
      // NTAG 223 DNA and 224 DNA: the key of SUNCMAC, and what is not known of them.
      ("0004040204000F03", [0x34, 0x37, 0x2B], [0x43, 0x50]),
      ("0004040205001003", [0x44, 0x47, 0x2B], [0x43, 0x50]),
      // One that is not known.
      ("0004040909090903", [0x85, 0x44, 0x12], [0x50]),
      // Without the command: Ultralight C, and the password and kill password of ST25TN.
      (nil, [0x2C, 0x2F, 0x30], [0x12, 0x85, 0x44]),
    ] as [(String?, [UInt8], [UInt8])])
  func pagesOfSecrets(_ version: String?, _ secret: [UInt8], _ others: [UInt8]) throws {
    var secrets = RecordingSecrets()
    secrets.turn(
      to: .iso14443a(ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0, 0x44], sak: 0)))
    #expect(secrets.find(inCommand: [0x60], framing: .tagProtocol) == [])
    if let version {
      #expect(secrets.find(inAnswer: try #require([UInt8](hexadecimal: version))) == [])
    } else {
      secrets.answerFailed(NFCError(.tagResponseError, "refused"))
    }
    for page in secret + others {
      #expect(
        secrets.find(inCommand: [0xA2, page, 1, 2, 3, 4], framing: .tagProtocol)
          == (secret.contains(page) ? [2..<6] : []), "page \(page)")
    }
  }

  /// Secure messaging, challenges, and files of a travel document without protection.
  @Test func documents() {
    var secrets = RecordingSecrets()
    let card = Target.iso14443a(ISO14443ATarget(uid: [8, 1, 2, 3], atqa: [0, 4], sak: 0x20))
    secrets.turn(to: card)
    func command(_ bytes: [UInt8]) -> [Range<Int>] {
      secrets.find(inCommand: bytes, framing: .tagProtocol)
    }
    let answer: [UInt8] = [1, 2, 3, 0x90, 0x00]
    let protected: [UInt8] =
      [0x0C, 0xB0, 0x9D, 0, 13, 0x97, 1, 0xDF, 0x8E, 8] + answer + [0, 0, 0, 0]
    #expect(command(protected) == [5..<19])
    #expect(secrets.find(inAnswer: answer) == [0..<3])
    #expect(command([0x00, 0xC0, 0, 0, 0x10]) == [])
    #expect(secrets.find(inAnswer: answer) == [0..<3])
    #expect(command([0x00, 0x84, 0, 0, 8]) == [])
    #expect(secrets.find(inAnswer: answer) == [0..<3])
    // EF.CardAccess is about nobody.
    #expect(command([0x00, 0xB0, 0x9C, 0, 0]) == [])
    #expect(secrets.find(inAnswer: answer) == [])
    let application: [UInt8] = [0xA0, 0, 0, 2, 0x47, 0x10, 1]
    #expect(command([0x00, 0xA4, 0x04, 0x0C, 7] + application) == [])
    #expect(secrets.find(inAnswer: [0x90, 0]) == [])
    #expect(command([0x00, 0xB0, 0x81, 0, 0]) == [])
    #expect(secrets.find(inAnswer: answer) == [0..<3])
    // Another application, and another tag.
    #expect(command([0x00, 0xA4, 0x04, 0x0C, 5, 1, 2, 3, 4, 5]) == [])
    #expect(command([0x00, 0xB0, 0x81, 0, 0]) == [])
    #expect(secrets.find(inAnswer: answer) == [])
    #expect(command([0x00, 0xA4, 0x04, 0x0C, 7] + application) == [])
    secrets.turn(to: card)
    #expect(command([0x00, 0xB0, 0x81, 0, 0]) == [])
    #expect(secrets.find(inAnswer: answer) == [])
    // Native commands of a DESFire: CREDIT and LIMITED CREDIT.
    #expect(command([0x0C, 0x03, 10, 0, 0, 0]) == [])
    #expect(secrets.find(inAnswer: [0x00]) == [])
  }

  /// MIFARE Plus in its native form: no byte of an address or of a random number changes what is masked.
  @Test func proofsOfPlus() {
    let half = [UInt8](repeating: 7, count: 16)
    for byte in UInt8.min ... .max {
      var secrets = RecordingSecrets()
      secrets.turn(
        to: .iso14443a(ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0, 0x42], sak: 0x20)))
      #expect(secrets.find(inCommand: [0x70, byte, 0x40, 0x00], framing: .tagProtocol) == [])
      #expect(secrets.expectsProof, "\(byte)")
      #expect(secrets.find(inAnswer: [0x90] + half) == [1..<17], "\(byte)")
      let second = [0x72, byte] + half + half.dropLast()
      #expect(secrets.find(inCommand: second, framing: .tagProtocol) == [1..<33], "\(byte)")
      #expect(secrets.expectsProof, "\(byte)")
      #expect(secrets.find(inAnswer: [0x90] + half) == [1..<17], "\(byte)")
    }
  }

  /// AuthenticateEV2First may announce up to six capabilities of the reader.
  @Test(arguments: 0...6) func capabilitiesOfAReader(_ count: Int) {
    var secrets = RecordingSecrets()
    let capabilities = [UInt8](repeating: 0, count: count)
    let first = secrets.find(
      inCommand: [0x71, 0x00, UInt8(count)] + capabilities, framing: .tagProtocol)
    #expect(first == [] && secrets.expectsProof)
    #expect(secrets.find(inAnswer: [0xAF] + [UInt8](repeating: 7, count: 16)) == [1..<17])
    let proof = [UInt8](repeating: 7, count: 32)
    #expect(secrets.find(inCommand: [0xAF] + proof, framing: .tagProtocol) == [1..<33])
  }

  /// KEY UPDATE has a key; READ BUFFER is answered with the proof that CHALLENGE has asked for.
  @Test func cryptographyOfVicinityTags() {
    var secrets = RecordingSecrets()
    secrets.turn(to: .iso15693(ISO15693Target(uid: [0xE0, 4, 1, 0x18, 0, 0, 0, 0])))
    let key = secrets.find(inCommand: [0x02, 0x36, 1, 7, 7, 7], framing: .tagProtocol)
    #expect(key == [2..<6])
    #expect(secrets.find(inCommand: [0x02, 0x39, 0, 7, 7], framing: .tagProtocol) == [2..<5])
    #expect(secrets.find(inCommand: [0x02, 0x3A], framing: .tagProtocol) == [])
    #expect(secrets.find(inAnswer: [0x06, 7, 7, 7]) == [0..<4])
  }

  /// Passwords of makers whose commands have the codes of other makers' commands: KILL of ST, whose byte before the
  /// password is fixed, and EM4233's LOGIN and WRITE PASSWORD, which have no number before the password.
  @Test(
    arguments: [(0x02, 0xA6, 1), (0x16, 0xE4, 0), (0x16, 0xB4, 0), (0x16, 0xBB, 0)]
      as [(UInt8, UInt8, Int)])
  func passwordsOfOneMaker(_ maker: UInt8, _ code: UInt8, _ start: Int) {
    var secrets = RecordingSecrets()
    secrets.turn(to: .iso15693(ISO15693Target(uid: [0xE0, maker, 1, 0x18, 0, 0, 0, 0])))
    let parameters = [UInt8](repeating: 0, count: start) + [7, 7, 7, 7]
    let uid: [UInt8] = [0, 0, 0, 0, 0x18, 1, maker, 0xE0]
    let selected = secrets.find(inCommand: [0x12, code, maker] + parameters, framing: .tagProtocol)
    #expect(selected == [3 + start..<7 + start])
    let addressed = secrets.find(
      inCommand: [0x22, code, maker] + uid + parameters, framing: .tagProtocol)
    #expect(addressed == [11 + start..<15 + start])
  }

  /// The same code is PASSWORD PROTECT EAS of NXP, which has no password.
  @Test func theCodeOfAnotherMakersPassword() {
    var secrets = RecordingSecrets()
    secrets.turn(to: .iso15693(ISO15693Target(uid: [0xE0, 4, 1, 0x18, 0, 0, 0, 0])))
    #expect(secrets.find(inCommand: [0x02, 0xA6, 4, 1], framing: .tagProtocol) == [])
  }

  /// A lost answer to GET_VERSION does not make a chip one without a password: a refusal does.
  @Test func theVersionMayBeLost() {
    var secrets = RecordingSecrets()
    secrets.turn(
      to: .iso14443a(ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0, 0x44], sak: 0)))
    // PWD of an NTAG213.
    let write: [UInt8] = [0xA2, 0x2B, 7, 7, 7, 7]
    #expect(secrets.find(inCommand: [0x60], framing: .checked) == [])
    secrets.answerFailed(NFCError(.tagResponseError, "no answer", cause: .noAnswer))
    #expect(secrets.find(inCommand: write, framing: .checked) == [2..<6])
    #expect(secrets.find(inCommand: [0x60], framing: .checked) == [])
    secrets.answerFailed(NFCError(.tagResponseError, "no complete answer", cause: .checksum))
    #expect(secrets.find(inCommand: write, framing: .checked) == [])
  }

  /// A command without secrets.
  @Test func otherCommands() {
    var secrets = RecordingSecrets()
    #expect(
      secrets.find(
        inCommand: [0x90, 0xCD, 0, 0, 4, 2, 7, 7, 7, 0], framing: .tagProtocol) == [])
  }

  /// MIFARE Plus in security level 1 proves keys in frames, and in blocks with a byte before them.
  @Test(arguments: [[], [0x02]] as [[UInt8]]) func proofsBelowTheProtocol(_ prologue: [UInt8]) {
    var secrets = RecordingSecrets()
    secrets.turn(
      to: .iso14443a(ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0, 0x42], sak: 0x18)))
    let (start, half) = (prologue.count, [UInt8](repeating: 7, count: 16))
    let first = secrets.find(
      inCommand: prologue + [0x76, 0x04, 0x90, 0xFC, 0x00], framing: .bare)
    #expect(first == [] && secrets.expectsProof)
    #expect(
      secrets.find(inAnswer: prologue + [0x90] + half + [1, 2]) == [start + 1..<start + 19])
    let second = secrets.find(
      inCommand: prologue + [0x72] + half + half + [1, 2], framing: .bare)
    #expect(second == [start + 1..<start + 35])
    // A refusal is no secret.
    #expect(secrets.find(inAnswer: prologue + [0x06, 1, 2]) == [])
  }
}
