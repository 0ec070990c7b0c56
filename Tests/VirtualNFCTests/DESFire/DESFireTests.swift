import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite("MIFARE DESFire")
struct DESFireTests {
  private func check(
    _ exchanges: [(command: String, answer: String)], on card: inout DESFire
  ) throws {
    for (command, answer) in exchanges {
      let bytes = try #require([UInt8](hexadecimal: command))
      #expect(card.process(bytes).hexadecimal == answer, "after \(command)")
    }
  }

  private static func card(_ model: DESFireModel = .ev1, formatted: Bool = true) throws -> DESFire {
    var card = DESFire(model, formatted: formatted)
    card.powerOn()
    return card
  }

  // MARK: The card

  @Test(arguments: DESFireModel.all)
  func versions(_ model: DESFireModel) throws {
    var card = try Self.card(model)
    let last = model.defaultUID.hexadecimal + "BA3464A0101812"
    try check(
      [
        ("9060000000", model.hardwareVersion.hexadecimal + "91AF"),
        ("90AF000000", model.softwareVersion.hexadecimal + "91AF"), ("90AF000000", last + "9100"),
        ("90AF000000", "911C"),
        ("60", "AF" + model.hardwareVersion.hexadecimal),
        ("AF", "AF" + model.softwareVersion.hexadecimal), ("AF", "00" + last),
        ("6001", "7E"), ("906000000201", "6700"), ("9060000001010 0", "917E"),
        ("9060010000", "6A86"), ("90F9000000", "911C"), ("AF00", "1C"),
        // Another command discards the pending frames, as on a genuine EV3.
        ("9060000000", model.hardwareVersion.hexadecimal + "91AF"), ("9064000001 0000", "91CA"),
        ("9060000000", model.hardwareVersion.hexadecimal + "91AF"),
        ("00A4040C07D2760000850100", "9000"),
        ("90AF000000", "911C"),
      ], on: &card)
  }

  /// Read_Sig (AN12196): 56 bytes, and its own status; the models' UIDs and signatures are those of
  /// genuine chips.
  @Test func originalitySignatures() throws {
    for model in DESFireModel.all {
      var card = try Self.card(model)
      let signature = model.signature?.hexadecimal
      try check(
        [
          ("903C00000100 00", signature.map { $0 + "9190" } ?? "911C"),
          ("3C00", signature.map { "90" + $0 } ?? "1C"),
          ("3C01", signature == nil ? "1C" : "9E"), ("3C", signature == nil ? "1C" : "7E"),
        ], on: &card)
      #expect(model.signature.map { $0.count == 56 } ?? true)
    }
    var other = DESFire(.ev2, uid: [0x04, 1, 2, 3, 4, 5, 6])
    other.powerOn()
    try check([("3C00", "90" + String(repeating: "00", count: 56))], on: &other)
  }

  @Test func activation() throws {
    for model in DESFireModel.all {
      let tag = VirtualTag.desfire(model)
      #expect(tag.name == model.name && tag.identifier == model.defaultUID)
      let answers = try tag.withChip(DESFire.self) { card in
        var reader = CardReader(card)
        try reader.activate()
        return [reader.answer.hexadecimal, try reader.send("60")]
      }
      #expect(answers == [model.ats.hexadecimal, "AF" + model.hardwareVersion.hexadecimal])
    }
    #expect(Set(DESFireModel.all.map(\.defaultUID)).count == DESFireModel.all.count)
  }

  /// The commands of libfreefare's `mifare-desfire-info`, for a card as on delivery.
  @Test func factoryState() throws {
    var card = try Self.card(formatted: false)
    try check(
      [
        ("00A4040007D2760000850100", "9000"), ("9045000000", "0F019100"),
        ("906400000100 00", "009100"), ("906E000000", "0013009100"), ("906A000000", "9100"),
        ("6D", "00"), ("00A4040007D276000085010100", "6A82"), ("5A010000", "A0"),
        ("5A000000", "00"),
        ("6F", "9D"), ("F501", "9D"), ("6401", "40"), ("6E00", "7E"), ("5A0000", "7E"),
        // Commands for applications are refused if none is selected.
        ("C7", "9D"), ("A7", "9D"), ("C700", "7E"), ("FC", "AE"), ("FC", "AE"), ("51", "AE"),
        ("540F", "AE"), ("C400", "AE"), ("C1", "7E"), ("C2", "1C"), ("BD01000000000000", "9D"),
        ("3D0100000001000000", "9D"),
      ], on: &card)
    #expect(card.memory.isEmpty)
  }

  // MARK: NFC Forum Type 4

  /// NXP AN11004, chapter 6, read with ISO/IEC 7816-4 commands and with native ones.
  @Test func formattedCard() throws {
    var card = try Self.card()
    try check(
      [
        ("00A4040007D276000085010100", "9000"), ("00B0000002", "6985"), ("00A4000C02E103", "9000"),
        ("00B000000F", "000F20003B00340406E104100000009000"), ("00D60000010F", "6982"),
        ("00B000000E", "000F20003B00340406E1041000009000"), ("00B0000F01", "6B00"),
        ("00B0000D04", "00006282"), ("00B0000D00", "00009000"),
        ("00A4000C02E104", "9000"), ("00B0000002", "00009000"), ("00D6000005 0003D00000", "9000"),
        ("00B0000005", "0003D000009000"), ("00D60FFF02AABB", "6A84"), ("00D6100001AA", "6B00"),
        // The file is selected by its number: bit 8 of P1.
        ("00B0810002", "000F9000"), ("00B0820205", "D0000000009000"), ("00B0830001", "6A82"),
        ("00A4020C02E105", "6A82"), ("00A4010C02E103", "6A82"), ("00A4030C02E103", "6A87"),
        ("00A4000402E103", "6A86"), ("00A4000C01E1", "6A87"), ("00A4040C06D27600008501", "6A82"),
        ("00B0000000 01", "6700"), ("00D60000", "6700"), ("00C0000000", "6D00"),
        // Classes with ISO/IEC 7816-4 secure messaging are not supported; 0C is the native code of
        // Credit.
        ("0CB0000000", "F0"), ("80B0000000", "1C"), ("00B000", "6700"),
        // Native.
        ("6A", "9D"), ("9045000000", "0F019100"), ("906F000000", "01029100"),
        ("61", "0003E104E1"), ("F501", "00" + "000000E00F0000"), ("F502", "00" + "0000E0EE001000"),
        ("F503", "F0"), ("6D", "9D"), ("5A000000", "00"),
        ("6D", "00" + "010000" + "10E1" + "D2760000850101"), ("6A", "00010000"),
        ("906E000000", "C002009100"), ("5A010000", "00"),
        ("BD02000000050000", "000003D00000"), ("90BD00000702020000030000 00", "D000009100"),
        ("BD02FF0F00020000", "BE"), ("BD02001000000000", "BE"), ("BD020000", "7E"),
        ("BD03000000010000", "F0"), ("3D0100000001000000", "AE"), ("3D02000000010000AA", "00"),
        ("3D02FF0F00020000AABB", "BE"), ("3D02000000000000", "9E"), ("3D0200", "7E"),
        ("3D02000000010000AABB", "7E"), ("BD02000000010000", "00AA"), ("0000", "6700"),
        // The master file and the application by their identifiers.
        ("00A4000C023F00", "9000"), ("6F", "9D"), ("00A4010C02E110", "9000"), ("6F", "000102"),
        ("00A4000C", "9000"), ("6F", "9D"),
      ], on: &card)
    #expect(card.memory.count == 15 + 4096)
  }

  @Test(arguments: [(DESFireModel.ntag413, "0080"), (.light, "0100"), (.ev3, "1000")])
  func otherFormattedModels(model: DESFireModel, size: String) throws {
    var card = try DESFire(model, ndef: [0xD0, 0x00, 0x00])
    card.powerOn()
    try check(
      [
        ("00A4040007D276000085010100", "9000"), ("00A4000C02E103", "9000"),
        ("00B0000B04", size + "00009000"), ("00A4000C02E104", "9000"),
        ("00B0000005", "0003D000009000"), ("00D60000020000", "9000"),
      ], on: &card)
  }

  @Test func lightFromTheFactory() throws {
    var card = try Self.card(.light, formatted: false)
    try check(
      [
        ("00A4040007D276000085010100", "6A82"),
        ("00A4040010A00000039656434103F015400000000B00", "9000"), ("00A4000C02EF04", "9000"),
        ("00B0000001", "6982"),
        // NXP AN12343, tables 12 and 13: files, and the settings of two of them.
        ("6F", "000F1F03000104"), ("61", "001FEF00EF01EF04EF"), ("F500", "000003301F000100"),
        ("F503", "000203301200000000FFFFFF7F0000000003"),
        // Commands cannot create applications, and only the transaction MAC file can be deleted.
        ("CA0102030F01", "1C"), ("DF00", "AE"), ("DF0F", "AE"),
      ], on: &card)
  }

  @Test func messageMustFit() throws {
    for (model, capacity) in zip(DESFireModel.all, [4094, 4094, 4094, 254, 126]) {
      _ = try DESFire(model, ndef: [UInt8](repeating: 1, count: capacity))
      #expect(throws: VirtualTagError.messageTooLarge(capacity: capacity)) {
        _ = try VirtualTag.desfire(model, ndef: [UInt8](repeating: 1, count: capacity + 1))
      }
    }
  }

  // MARK: Applications and files

  @Test func applicationsAreMadeAndDeleted() throws {
    var card = try Self.card(formatted: false)
    try check(
      [
        ("CA0102030F01", "00"), ("CA0102030F01", "DE"), ("CA0000000F01", "DE"),
        ("CA0102040F0F", "9E"), ("CA0102040FC1", "9E"), ("CA010204", "7E"),
        ("CA0102040F01AA", "7E"), ("CA0102040F8E10E1" + "A0A1A2A3A4", "00"),
        ("CA0102050F0110E1", "DE"), ("CA0102050F0111E1A0A1A2A3A4", "DE"),
        ("6A", "00010203010204"), ("6D", "00" + "010204" + "10E1" + "A0A1A2A3A4"),
        ("00A4040005A0A1A2A3A4", "9000"), ("45", "000F8E"), ("640D", "0000"), ("640E", "40"),
        ("CA0102060F01", "9D"), ("6A", "9D"), ("DA010203", "9D"), ("5A010203", "00"),
        ("45", "000F01"),
        ("CD010000E0200000", "00"), ("CD010000E0200000", "DE"), ("CD200000E0200000", "9E"),
        ("CD020400E0200000", "9E"), ("CD020000E0000000", "9E"), ("CD020010E0200000", "9E"),
        ("CD02000000 FFFF00", "0E"), ("CD0203E10000E0200000", "9E"), ("CD0203E10000E02000", "7E"),
        ("6F", "0001"), ("F501", "00000000E0200000"), ("DF02", "F0"), ("DF01", "00"), ("6F", "00"),
        ("C7", "0C"), ("A7", "0C"), ("DA010203", "AE"), ("5A000000", "00"), ("C7", "9D"),
        ("A7", "9D"), ("DA010205", "A0"), ("DA010203", "AE"), ("6A", "00010203010204"),
      ], on: &card)
  }

  /// Bit 2 of the card's key settings permits the creation of applications without its master key, but
  /// not their deletion, which requires the master key of the card or of the application (MF3ICDx21_41_81
  /// data sheet, 9.4.2; confirmed by libfreefare's tests).
  @Test func deletingTakesAMasterKey() throws {
    var reader = DESFireReader(DESFire(formatted: false))
    for number in UInt8(1)...3 { #expect(reader.send([0xCA, number, 0, 0, 0x0F, 2]).status == 0) }
    #expect(reader.sendPlain([0x45]).data == [0x0F, 0x01])
    #expect(reader.send([0xDA, 1, 0, 0]).status == 0xAE)
    try reader.authenticate(0x0A, 0, .zero(.des))
    #expect(reader.sendPlain([0xDA, 1, 0, 0]).status == 0)
    // The session continues, also after a refusal, since it is one of the first generation; a selection ends it.
    #expect(reader.sendPlain([0xDA, 2, 0, 0]).status == 0)
    #expect(reader.sendPlain([0xDA, 2, 0, 0]).status == 0xA0)
    #expect(reader.sendPlain([0x45]).data == [0x0F, 0x01])
    #expect(reader.send([0x5A, 0, 0, 0]).status == 0)
    #expect(reader.send([0xDA, 3, 0, 0]).status == 0xAE)
    #expect(reader.send([0x6A]).data == [3, 0, 0])
    // Within the application, its master key and no other key permits it; then the card level is
    // selected.
    #expect(reader.send([0x5A, 3, 0, 0]).status == 0)
    try reader.authenticate(0x0A, 1, .zero(.des))
    #expect(reader.sendPlain([0xDA, 3, 0, 0]).status == 0xAE)
    try reader.authenticate(0x0A, 0, .zero(.des))
    #expect(reader.sendPlain([0xDA, 3, 0, 0]).status == 0)
    #expect(reader.send([0x6A]).status == 0 && reader.send([0x6A]).data.isEmpty)
    #expect(reader.send([0x5A, 3, 0, 0]).status == 0xA0)
  }

  @Test func cardHolds28Applications() throws {
    var card = try Self.card(formatted: false)
    for index in UInt8(1)...28 {
      try check([("CA0000" + [index].hexadecimal + "0F01", "00")], on: &card)
    }
    try check([("CA0000FF0F01", "CE")], on: &card)
    // A frame holds 19 identifiers, and 9 follow.
    let first = card.process([0x6A])
    #expect(first.count == 1 + 57 && first[0] == 0xAF)
    #expect(card.process([0xAF]).count == 1 + 27)
    let wrapped = card.process([0x90, 0x6A, 0, 0, 0])
    #expect(wrapped.suffix(2) == [0x91, 0xAF])
  }

  @Test func longDataComesAndGoesInFrames() throws {
    var card = try Self.card()
    try check([("5A010000", "00")], on: &card)
    let data = (0..<130).map { UInt8($0) }
    // The first frame has 52 bytes, further ones up to 59, the size of the first generation's buffer.
    #expect(card.process([0x3D, 2, 0, 0, 0, 130, 0, 0] + data.prefix(52)) == [0xAF])
    #expect(card.process([0xAF] + data[52..<111]) == [0xAF])
    #expect(card.process([0xAF] + data[111...]) == [0x00])
    #expect(card.process([0xBD, 2, 0, 0, 0, 130, 0, 0]) == [0xAF] + data.prefix(59))
    #expect(card.process([0xAF]) == [0xAF] + data[59..<118])
    #expect(card.process([0xAF]) == [0x00] + data[118...])
    #expect(
      card.process([0xBD, 2, 100, 0, 0, 59, 0, 0]) == [0x00] + data[100...]
        + [UInt8](repeating: 0, count: 29))
    // With too much data, or after an abort, nothing is written.
    #expect(card.process([0x3D, 2, 0, 0, 0, 3, 0, 0, 0xAA]) == [0xAF])
    #expect(card.process([0xAF, 0xBB, 0xCC, 0xDD]) == [0x7E])
    #expect(card.process([0x3D, 2, 0, 0, 0, 3, 0, 0, 0xAA]) == [0xAF])
    #expect(card.process([0x6F]) == [0xCA])
    #expect(card.process([0xBD, 2, 0, 0, 0, 3, 0, 0]) == [0x00, 0x00, 0x01, 0x02])
    #expect(card.memory[15...17] == [0, 1, 2])
    #expect(card.process([0xBD, 2, 0, 0, 0, 130, 0, 0])[0] == 0xAF)
    #expect(card.process([0xAF, 0x00]) == [0x7E])
  }

  @Test func memoryIsSetWithoutRegardToRights() throws {
    var card = try Self.card()
    card.memory = [9, 8]
    #expect(card.memory.count == 4111 && card.memory.prefix(3) == [9, 8, 0x20])
  }

  @Test func noCommandTraps() throws {
    var generator = SplitMix64(seed: 0xDE5)
    for model in DESFireModel.all {
      var card = try Self.card(model)
      let codes: [UInt8] = [
        0x0A, 0x1A, 0x3C, 0x3D, 0x45, 0x51, 0x54, 0x5A, 0x5F, 0x60, 0x61, 0x64, 0x6A, 0x6D, 0x6E,
        0x6F, 0x8D, 0xAA, 0xAD, 0xAF, 0xBD, 0xC4, 0xCA, 0xCD, 0xDA, 0xDF, 0xF5, 0xFC,
      ]
      for _ in 0..<1500 {
        var parameters = generator.bytes(upTo: 24)
        for index in parameters.indices where Bool.random(using: &generator) {
          parameters[index] &= 0x03
        }
        let code = codes.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: _ = card.process(generator.bytes(upTo: 30))
        case 1: #expect(card.process([0x90, code, 0, 0] + parameters).count >= 2)
        case 2:
          let head: [UInt8] =
            [[0x00, 0xA4, 0x00, 0x0C, 0x02], [0x00, 0xB0, 0x82], [0x00, 0xD6]]
            .randomElement(using: &generator) ?? []
          #expect(card.process(head + parameters).count >= 2)
        case 3:
          #expect(card.process([0x5A, 1, 0, 0]).count >= 1)
          #expect(card.process([code] + parameters).count >= 1)
        default: #expect(card.process([code] + parameters).count >= 1)
        }
      }
    }
  }
}
