import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests Secure Dynamic Messaging of an EV3, and RestoreTransfer and GetKeySettings of EV2 and later.
@Suite("MIFARE DESFire, later generations")
struct DESFireLaterTests {
  private func check(
    _ exchanges: [(command: String, answer: String)], on card: inout DESFire
  ) throws {
    for (command, answer) in exchanges {
      let bytes = try #require([UInt8](hexadecimal: command))
      let expected = answer.filter { $0 != " " }
      #expect(card.process(bytes).hexadecimal == expected, "after \(command)")
    }
  }

  /// An application with keys, and file 2 of 64 bytes, which everyone may read, write and change.
  private func card(
    _ model: DESFireModel = .ev3, keys: String = "83", option: String = "40"
  ) throws -> DESFire {
    var card = DESFire(model, formatted: false)
    card.powerOn()
    try check(
      [
        ("90CA000007 010000 0F\(keys) 10E1 00", "9100"), ("905A000003 010000 00", "9100"),
        (
          "90CD000007 02 \(option) EEEE 400000 00",
          option == "00" || model == .ev3 ? "9100" : "919E"
        ),
      ], on: &card)
    return card
  }

  // MARK: Secure Dynamic Messaging

  @Test(arguments: [DESFireModel.ev1, .ev2, .light, .ntag413])
  func olderGenerationsRefuse(_ model: DESFireModel) throws {
    guard model == .ev1 || model == .ev2 else {
      var card = DESFire(model)
      card.powerOn()
      try check([("90F6000001 02 00", "911C")], on: &card)
      return
    }
    var card = try card(model)
    try check(
      [
        ("90CD000007 02 00 EEEE 400000 00", "9100"), ("90F6000001 02 00", "911C"),
        ("905F00000A 02 40 EEEE C1 FFEF 000000 00", model == .ev1 ? "917E" : "919E"),
      ], on: &card)
  }

  /// Only a file of standard data that was created for it has it.
  @Test func creation() throws {
    var card = try card(option: "00")
    try check(
      [
        ("905F00000D 02 40 EEEE C0 FFEF 000000 0E0000 00", "919D"),
        ("90CB000007 03 40 EEEE 200000 00", "919E"), ("90CD000007 04 60 EEEE 200000 00", "919E"),
        ("90CD000007 04 43 EEEE 200000 00", "9100"), ("90F5000001 04 00", "0003EEEE2000009100"),
        ("90F6000001 02 00", "919D"), ("90F6000001 09 00", "91F0"),
      ], on: &card)
  }

  /// A plain UID and counter. AndroidCrypto's programs send the bytes of an NTAG 424 DNA to EV3 cards.
  @Test func plainMirror() throws {
    var card = try card()
    let uid = Array(DESFireModel.ev3.defaultUID.hexadecimal.utf8)
    try check(
      [
        ("90F5000001 02 00", "0000EEEE4000009100"),
        ("905F00000D 02 40 EEEE C1 FEEF 010000 100000 00", "9100"),
        ("90F5000001 02 00", "0040EEEE400000 C1FEEF 010000 100000 9100"),
        ("90F6000001 02 00", "00000000009100"),
        ("90AD000007 02 000000 180000 00", "00 \(uid.hexadecimal) 00 303030303031 0000 9100"),
        // Further reads of the same kind are not counted; another command ends that.
        ("90AD000007 02 100000 060000 00", "3030303030319100"), ("00B0821006", "3030303030329000"),
        ("00B0821006", "3030303030329000"), ("90BD000007 02 100000 060000 00", "3030303030339100"),
        ("90F6000001 02 00", "03000000009100"), ("00B0821006", "3030303030349000"),
        // A read that is refused is not counted.
        ("90AD000007 02 400000 010000 00", "91BE"), ("90F6000001 02 00", "04000000009100"),
        // Settings that stay dynamic keep the counter; others set it to zero.
        ("905F000010 02 40 EEEE E1 FEEF 010000 100000 050000 00", "9100"),
        ("90F6000001 02 00", "04000000009100"), ("00B0821006", "3030303030359000"),
        // The limit is reached.
        ("90F6000001 02 00", "05000000009100"), ("00B0821006", "6982"),
        ("90AD000007 02 100000 060000 00", "919D"),
        ("905F000010 02 40 EEEE E1 FEEF 010000 100000 050000 00", "919E"),
        ("905F000004 02 00 EEEE 00", "9100"), ("90F6000001 02 00", "919D"),
        ("00B0821006", "0000000000009000"),
        ("905F00000D 02 40 EEEE C1 FEEF 010000 100000 00", "9100"),
        ("90F6000001 02 00", "00000000009100"),
      ], on: &card)
  }

  /// Two dynamic files are counted separately.
  @Test func eachFileCounts() throws {
    var card = try card()
    try check(
      [
        ("90CD000007 03 40 EEEE 400000 00", "9100"),
        ("905F00000D 02 40 EEEE C1 FEEF 010000 100000 00", "9100"),
        ("905F00000D 03 40 EEEE C1 FEEF 010000 100000 00", "9100"),
        ("00B0821006", "3030303030319000"), ("00B0831006", "3030303030319000"),
        ("00B0821006", "3030303030329000"), ("90F6000001 03 00", "01000000009100"),
      ], on: &card)
  }

  /// Additional rights stand before SDM, as NXP's reader library and liblogicalaccess send them.
  @Test func additionalRights() throws {
    var card = try card()
    let settings = "C1FEEF 010000 100000"
    try check(
      [
        ("905F000012 02 C0 EEEE 02 FF1F FF2F \(settings) 00", "9100"),
        ("90F5000001 02 00", "00C0EEEE400000 02FF1FFF2F \(settings) 9100"),
        ("905F000012 02 C0 EEEE \(settings) 02 FF1F FF2F 00", "919E"),
        ("905F000008 02 80 EEEE 02 FF1F 00", "917E"), ("905F000005 02 80 EEEE 00 00", "919E"),
        ("90F5000001 02 00", "00C0EEEE400000 02FF1FFF2F \(settings) 9100"),
      ], on: &card)
  }

  @Test(
    arguments: [
      // A key that does not exist, file data without a counter, an offset beyond the end, two places that overlap.
      "C1 FF3F", "91 FE1E 000000 000000 000000 200000 200000",
      "C1 FFEF 330000 000000", "C1 FFEF 000000 0D0000",
      // Nothing, reserved options, binary encoding.
      "01 FFEF", "C3 FFEF 000000 100000", "C0 FFEF 000000 100000",
    ])
  func invalidSettings(_ settings: String) throws {
    var card = try card()
    let bytes = try #require([UInt8](hexadecimal: "02 40 EEEE \(settings)"))
    #expect(card.process([0x90, 0x5F, 0, 0, UInt8(bytes.count)] + bytes + [0]) == [0x91, 0x9E])
    #expect(card.process([0x90, 0x5F, 0, 0, UInt8(bytes.count + 1)] + bytes + [0, 0]).last != 0)
    try check([("90F5000001 02 00", "0000EEEE4000009100")], on: &card)
  }

  /// Keys of an application with other keys than AES encrypt and sign nothing.
  @Test func keysMustBeAES() throws {
    var card = try card(keys: "03")
    try check(
      [
        ("905F00000A 02 40 EEEE C1 FF1F 000000 00", "919E"),
        ("905F00000D 02 40 EEEE C1 FEEF 010000 100000 00", "9100"),
      ], on: &card)
  }

  /// In a session, the file is read as it was written, and its counter with the key that the settings name.
  @Test func session() throws {
    var reader = DESFireReader(try card())
    #expect(reader.card.process([0x90, 0x60, 0, 0, 0]).last == 0xAF)
    // The reader of these tests sends native commands.
    reader.card.powerOff()
    reader.card.powerOn()
    #expect(reader.send([0x5A, 1, 0, 0]).status == 0)
    let settings: [UInt8] = [0xC1, 0xF1, 0x22, 0, 0, 0, 0x20, 0, 0, 0x20, 0, 0]
    // The MAC needs room after encrypted data of 32 characters.
    try reader.authenticate(0xAA, 0, .zero(.aes))
    #expect(reader.sendPlain([0x5F, 2, 0x40, 0x00, 0xE0] + settings).status == 0)
    #expect(reader.read(2, count: 64, .plain).data == [UInt8](repeating: 0, count: 64))
    #expect(reader.sendPlain([0xF6, 2]).status == 0xAE)
    // Now only key 0 changes the settings, encrypted; another key may not.
    try reader.authenticate(0xAA, 1, .zero(.aes))
    #expect(reader.sendEncrypted([0x5F, 2], [0x00, 0xEE, 0xEE]).status == 0xAE)
    let dynamic = reader.send([0xAD, 2, 0, 0, 0, 48, 0, 0])
    #expect(dynamic.status == 0 && dynamic.data.allSatisfy { (0x30...0x46).contains($0) })
    #expect(reader.send([0xF6, 2]).status == 0xAE)
    try reader.authenticate(0xAA, 0, .zero(.aes))
    #expect(reader.sendEncrypted([0x5F, 2], [0x40, 0xEE, 0xEE] + settings).status == 0)
    #expect(reader.sendEncrypted([0x5F, 2], [0x44, 0xEE, 0xEE] + settings).status != 0)
  }

  // MARK: RestoreTransfer

  /// An application with the value files 1 (5, from 0 to 100), 2 (50, to 60) and 3 (70), which needs key 0 and a MAC.
  private static func values(_ model: DESFireModel) throws -> DESFireReader {
    var reader = DESFireReader(DESFire(model, formatted: false))
    #expect(reader.send([0xCA, 1, 0, 0, 0x0F, 0x83]).status == 0)
    #expect(reader.send([0x5A, 1, 0, 0]).status == 0)
    for (number, upper, value, setting, right) in [
      (UInt8(1), UInt8(100), UInt8(5), UInt8(0), UInt8(0xEE)), (2, 60, 50, 0, 0xEE),
      (3, 100, 70, 1, 0x00),
    ] {
      #expect(
        reader.send(
          [0xCC, number, setting, right, right, 0, 0, 0, 0, upper, 0, 0, 0, value, 0, 0, 0, 0]
        ).status == 0)
    }
    return reader
  }

  @Test func restoreTransfer() throws {
    var reader = try Self.values(.ev2)
    func value(_ reader: inout DESFireReader, _ file: UInt8) -> UInt8? {
      reader.send([0x6C, file]).data.first
    }
    #expect(reader.send([0xB1, 1, 2]).status == 0)
    #expect(value(&reader, 1) == 5)
    #expect(reader.send([0xC7]).status == 0)
    #expect(value(&reader, 1) == 50 && value(&reader, 2) == 50)
    #expect(reader.send([0x0C, 1, 15, 0, 0, 0]).status == 0)
    #expect(reader.send([0xC7]).status == 0)
    // The target keeps its limits, and what is not committed is lost.
    #expect(reader.send([0xB1, 2, 1]).status == 0xBE)
    #expect(reader.send([0xC7]).status == 0x0C)
    #expect(reader.send([0xB1, 1, 2]).status == 0)
    #expect(reader.send([0xA7]).status == 0)
    #expect(value(&reader, 1) == 65)
    for (command, status) in [
      ([0xB1, 1, 1], UInt8(0x9E)), ([0xB1, 1], 0x7E), ([0xB1, 1, 2, 3], 0x7E), ([0xB1], 0x7E),
      ([0xB1, 1, 9], 0xF0), ([0xB1, 9, 1], 0xF0), ([0xB1, 3, 1], 0xAE), ([0xB1, 1, 3], 0xAE),
    ] as [([UInt8], UInt8)] {
      #expect(reader.send(command).status == status, "\(command.hexadecimal)")
    }
    // With the target's protection.
    try reader.authenticate(0xAA, 0, .zero(.aes))
    #expect(reader.sendAuthenticated([0xB1], [3, 1]).status == 0)
    #expect(reader.sendPlain([0xC7]).status == 0)
    #expect(reader.sendPlain([0xB1, 3, 1]).status == 0x7E)
    try reader.authenticate(0xAA, 1, .zero(.aes))
    #expect(reader.sendAuthenticated([0xB1], [3, 1]).status == 0xAE)
    try reader.authenticate(0xAA, 0, .zero(.aes))
    #expect(reader.sendPlain([0xB1, 1, 3]).status == 0)
    var old = try Self.values(.ev1)
    #expect(old.send([0xB1, 1, 2]).status == 0x1C)
  }

  // MARK: Key settings

  @Test func keySettingsWithKeySets() throws {
    for model in [DESFireModel.ev2, .ev3] {
      var card = DESFire(model, formatted: false)
      card.powerOn()
      try check(
        [
          ("90CA00000A 010000 0F93 01 07 04 10 02 00", "9100"), ("905A000003 010000 00", "9100"),
          ("9045000000", "0F83 07041002 9100"), ("905A000003 000000 00", "9100"),
          ("90CA000005 020000 0F83 00", "9100"), ("905A000003 020000 00", "9100"),
          ("9045000000", "0F83 9100"),
        ], on: &card)
    }
  }
}
