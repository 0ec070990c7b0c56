import SwiftNFCCore
import Testing

@testable import Recordings

/// Tests that no content of a tag is left in a recording for others.
@Suite struct ContentReplacementTests {
  /// Bytes that stand for what somebody's card says about them: 16 of them.
  private static let personal = Array("4111222233334444".utf8)
  private static let typeA = Target.iso14443a(
    ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0x44, 0x00], sak: 0x00))
  private static let classic = Target.iso14443a(
    ISO14443ATarget(uid: [1, 2, 3, 4], atqa: [0x04, 0x00], sak: 0x08))
  private static let card = Target.iso14443a(
    ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0x44, 0x03], sak: 0x20, ats: [0x75, 0x77]))
  private static let feliCa = Target.feliCa(
    FeliCaTarget(
      idm: [1, 2, 3, 4, 5, 6, 7, 8], pmm: [UInt8](repeating: 0, count: 8), systemCode: [0, 3],
      bitRate: 212))
  private static let vicinity = Target.iso15693(
    ISO15693Target(uid: [0xE0, 2, 0x26, 0, 0, 0, 0, 1]))

  struct Conversation: CustomTestStringConvertible {
    let testDescription: String
    let target: Target
    let exchanges: [([UInt8], [UInt8])]

    init(_ name: String, _ target: Target, _ exchanges: ([UInt8], [UInt8])...) {
      (testDescription, self.target, self.exchanges) = (name, target, exchanges)
    }
  }

  private static let idm: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
  private static let completed: [UInt8] = [0x91, 0x00]
  private static let done: [UInt8] = [0x90, 0x00]

  static let conversations = [
    // The last entries of a transit card begin with 16, as the attribute block of version 1.6 would.
    Conversation(
      "FeliCa history", feliCa,
      (
        [0x12, 0x06] + idm + [1, 0x0F, 0x09, 2, 0x80, 0x00, 0x80, 0x01],
        [0x2D, 0x07] + idm + [0, 0, 2, 0x16, 1, 0, 0] + personal.prefix(12) + personal
      )),
    Conversation(
      "FeliCa, two services", feliCa,
      (
        [0x14, 0x06] + idm + [2, 0x0F, 0x09, 0x8B, 0x00, 2, 0x80, 0x00, 0x81, 0x00],
        [0x2D, 0x07] + idm + [0, 0, 2] + personal + personal
      )),
    Conversation(
      "FeliCa, high numbers", feliCa,
      (
        [0x11, 0x06] + idm + [1, 0x0F, 0x09, 1, 0x00, 0x90, 0x01],
        [0x1D, 0x07] + idm + [0, 0, 1] + personal
      )),
    Conversation("READ RECORD", card, ([0x00, 0xB2, 0x01, 0x14, 0x00], personal + done)),
    Conversation(
      "READ RECORD of Calypso", card, ([0x94, 0xB2, 0x01, 0x44, 0x1D], personal + done)),
    Conversation(
      "UPDATE RECORD", card, ([0x00, 0xDC, 0x01, 0x14, 0x10] + personal, done)),
    Conversation("GET DATA", card, ([0x80, 0xCA, 0x9F, 0x36, 0x00], personal + done)),
    Conversation(
      "SELECT", card,
      (
        [0x00, 0xA4, 0x04, 0x00, 0x02, 0xD4, 0x10, 0x00],
        [0x6F, 0x18, 0x84, 2, 0xD4, 0x10, 0xB0, 0x12, 0, 1] + personal + done
      )),
    Conversation(
      "GET PROCESSING OPTIONS", card,
      (
        [0x80, 0xA8, 0, 0, 2, 0x83, 0, 0],
        [0x77, 0x16, 0x82, 2, 0x20, 0, 0x57, 0x10] + personal + done
      )),
    Conversation(
      "extended UPDATE BINARY", card,
      ([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x05], done),
      ([0x00, 0xD6, 0x00, 0x00, 0x00, 0x00, 0x10] + personal, done)),
    Conversation(
      "READ BINARY with a short identifier", card,
      ([0x00, 0xB0, 0x85, 0x00, 0x10], personal + done)),
    Conversation(
      "READ BINARY with data objects", card,
      ([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x05], done),
      ([0x00, 0xB1, 0, 0, 3, 0x54, 1, 0, 0], [0x53, 0x10] + personal + done)),
    Conversation(
      "DESFire, wrapped, two frames", card,
      ([0x90, 0xBD, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0], personal + [0x91, 0xAF]),
      ([0x90, 0xAF, 0, 0, 0], personal + completed)),
    Conversation(
      "DESFire, native, three frames", card,
      ([0xAD, 1, 0, 0, 0, 0, 0, 0], [0xAF] + personal), ([0xAF], [0xAF] + personal),
      ([0xAF], [0x00] + personal)),
    Conversation(
      "DESFire, written in two frames", card,
      ([0x3D, 1, 0, 0, 0, 0x20, 0, 0] + personal, [0xAF]), ([0xAF] + personal, [0x00])),
    Conversation(
      "DESFire, a record changed", card,
      (
        [0x90, 0xDB, 0, 0, 26, 1, 2, 0, 0, 3, 0, 0, 0x10, 0, 0] + personal + [0],
        [0x91, 0x00]
      )),
    Conversation(
      "DESFire, a record changed in two frames", card,
      ([0xDB, 1, 2, 0, 0, 3, 0, 0, 0x20, 0, 0] + personal, [0xAF]), ([0xAF] + personal, [0x00])),
    Conversation("DESFire, value", card, ([0x6C, 1], [0x00] + personal.prefix(4))),
    Conversation(
      "Korean transport card", card, ([0x90, 0x4C, 0, 0, 4], personal.prefix(4) + done)),
    Conversation(
      "MIFARE Plus, read", card, ([0x33, 4, 0, 1] + idm, [0x90] + personal + idm)),
    Conversation("MIFARE Plus, write", card, ([0xA3, 4, 0] + personal + idm, [0x90])),
    Conversation("Classic without a directory", classic, ([0x30, 1], personal)),
    Conversation(
      "Classic, as if it had a message", classic, ([0x30, 4], [0x01, 0x0E] + personal.prefix(14))),
    Conversation(
      "another sector of an NTAG I2C", typeA,
      ([0x30, 0], [4, 1, 2, 0, 3, 4, 5, 6, 0, 0, 0, 0, 0xE1, 0x10, 0x6D, 0]),
      ([0xC2, 0xFF], [0x0A]),
      ([0x01, 0, 0, 0], [0x0A]), ([0x30, 0x00], personal), ([0x3A, 0xF8, 0xFB], personal)),
    Conversation(
      "COMPATIBILITY WRITE", typeA, ([0xA0, 4], [0x0A]), (personal, [0x0A])),
    Conversation("READ MULTIPLE BLOCKS", vicinity, ([0x02, 0x23, 0, 3], [0] + personal)),
    Conversation("WRITE MULTIPLE BLOCKS", vicinity, ([0x02, 0x24, 0, 3] + personal, [0])),
    Conversation("extended fast read", vicinity, ([0x02, 0x3D, 0, 1, 3, 0], [0] + personal)),
    Conversation("fast read of ST", vicinity, ([0x02, 0xC3, 0x02, 0, 3], [0] + personal)),
    Conversation("protocol extension", vicinity, ([0x0A, 0x23, 0, 1, 3], [0] + personal)),
    Conversation("mailbox of ST", vicinity, ([0x02, 0xAC, 0x02, 0, 0], [0] + personal)),
    Conversation(
      "INVENTORY READ of NXP", vicinity, ([0x26, 0xA0, 0x04, 0, 0, 3], [0] + personal)),
    Conversation("ST SRx", .iso14443b2sr(uid: idm), ([0x08, 7], personal.prefix(4) + [])),
    Conversation(
      "ASK CTx", .iso14443b2ct(uid: [1, 2, 3, 4], productCode: 0, fabricationCode: 0),
      ([0xC4], personal.prefix(4) + [])),
    Conversation("PicoPass", .iClass(serialNumber: idm), ([0x06, 6], personal + [])),
    Conversation(
      "Calypso B'", .iso14443bPrime(div: [1, 2, 3, 4], version: 0, configuration: 0, atr: []),
      ([0x94, 0xB2, 0x01, 0x44, 0x1D], personal + done)),
  ]

  /// A recording of one reader that finds a tag and exchanges commands with it.
  private func recording(_ target: Target, _ exchanges: [([UInt8], [UInt8])]) throws -> Recording {
    var recording = try Recording(
      (RecordingFormatTests.reader.line(number: 0) + "\n").utf8)
    func add(_ request: RecordedCall.Request, _ outcome: RecordedCall.Outcome) {
      let call = RecordedCall(
        reader: 0, time: .zero, duration: .zero, request: request, outcome: outcome)
      recording.entries.append(.init(number: recording.entries.count + 1, line: .call(call)))
    }
    add(.find(target.technology, excluding: []), .targets([target]))
    for (command, answer) in exchanges {
      add(
        .exchange(RecordedBytes(command), .tagProtocol, timeout: .seconds(1)),
        .answer(RecordedBytes(answer)))
    }
    return recording
  }

  @Test(arguments: conversations) func nothingPersonalIsLeft(_ conversation: Conversation) throws {
    let original = try recording(conversation.target, conversation.exchanges)
    let digits = Array(Self.personal.prefix(4)).hexadecimal
    #expect(original.text.contains(digits))
    let anonymous = original.anonymized(replacingContent: true)
    #expect(!anonymous.text.contains(digits))
    #expect(!anonymous.text.contains(Array(Self.personal.suffix(4)).hexadecimal))
    #expect(anonymous.text.utf8.count == original.text.utf8.count)
    // Status words, counts and numbers of blocks stay.
    for (old, new) in zip(original.calls, anonymous.calls) {
      guard case .exchange(let before, _, _) = old.request,
        case .exchange(let after, _, _) = new.request, case .answer(let answer) = old.outcome,
        case .answer(let newAnswer) = new.outcome
      else { continue }
      if !Self.personal.starts(with: before.bytes.prefix(4)) {
        #expect(before.bytes.first == after.bytes.first)
      }
      if answer.bytes.suffix(2) == [0x90, 0x00] {
        #expect(newAnswer.bytes.suffix(2) == [0x90, 0x00])
      }
    }
  }

  /// Which record UPDATE RECORD of a DESFire changes, and where, is not content.
  @Test func headersStay() throws {
    let header: [UInt8] = [0xDB, 1, 2, 0, 0, 3, 0, 0, 0x10, 0, 0]
    let original = try recording(Self.card, [(header + Self.personal, [0x00])])
    for call in original.anonymized(replacingContent: true).calls {
      guard case .exchange(let bytes, _, _) = call.request else { continue }
      #expect(bytes.bytes.starts(with: header) && bytes.bytes.count == 27)
      #expect(!bytes.bytes.suffix(16).elementsEqual(Self.personal))
    }
  }

  /// The name of an application and the kind of its file are no content.
  @Test func whatStaysOfASelection() throws {
    let answer: [UInt8] = [0x6F, 7, 0x84, 2, 0xD4, 0x10, 0x87, 1, 1, 0x90, 0x00]
    let anonymous = try recording(
      Self.card, [([0x00, 0xA4, 0x04, 0x00, 0x02, 0xD4, 0x10, 0x00], answer)]
    ).anonymized(replacingContent: true)
    guard case .answer(let bytes)? = anonymous.calls.last?.outcome else {
      Issue.record("there is no answer")
      return
    }
    #expect(bytes.bytes == [0x6F, 7, 0x84, 2, 0xD4, 0x10, 0x87, 1, 0x78, 0x90, 0x00])
  }

  /// A recording can be from anybody: templates in templates have an end.
  @Test func nestedTemplates() throws {
    var answer: [UInt8] = Self.personal
    for _ in 0..<10_000 {
      answer = [0x6F, 0x82, UInt8(answer.count >> 8), UInt8(answer.count & 0xFF)] + answer
    }
    let anonymous = try recording(
      Self.card, [([0x00, 0xA4, 0x04, 0x00, 0x02, 0xD4, 0x10, 0x00], answer + Self.done)]
    ).anonymized(replacingContent: true)
    #expect(!anonymous.text.contains(Array(Self.personal.prefix(4)).hexadecimal))
  }

  /// A directory and the messages that it announces keep their structure.
  @Test func directoriesOfClassic() throws {
    var directory: [UInt8] = [0x01, 0x03, 0xE1] + [UInt8](repeating: 0, count: 28)
    directory.insert(MiFareApplicationDirectory.check(directory), at: 0)
    let message: [UInt8] = [0x03, 0x08, 0xD1, 0x01, 0x04, 0x55, 0x00, 0x41, 0x42, 0x43, 0xFE]
    let block = message + [0, 0, 0, 0, 0]
    let anonymous = try recording(
      Self.classic,
      [
        ([0x30, 1], Array(directory[..<16])), ([0x30, 2], Array(directory[16...])),
        ([0x30, 4], block), ([0x30, 8], block),
      ]
    ).anonymized(replacingContent: true)
    let answers = anonymous.calls.compactMap { call in
      if case .answer(let answer) = call.outcome { answer.bytes } else { nil }
    }
    #expect(answers[0] == Array(directory[..<16]))
    #expect(answers[1] == Array(directory[16...]))
    #expect(
      answers[2] == [3, 8, 0xD1, 1, 4, 0x55, 0, 0x78, 0x78, 0x78, 0xFE, 0, 0, 0, 0, 0])
    // Sector 2 is of nobody that the directory names.
    #expect(answers[3] == block.map { $0 == 0 ? 0 : 0x78 })
  }

  /// The answer to reset of a Calypso card ends with the serial number whose half is the identifier.
  @Test func identifiersInAnswersToReset() throws {
    let div: [UInt8] = [0x1C, 0x8A, 0x52, 0xF7]
    let target = Target.iso14443bPrime(
      div: div, version: 0x82, configuration: 0x40, atr: [0x3B, 0x6F, 0x80] + div + [0x82, 0x90])
    let anonymous = try recording(target, []).anonymized()
    #expect(!anonymous.text.contains(div.hexadecimal))
  }
}
