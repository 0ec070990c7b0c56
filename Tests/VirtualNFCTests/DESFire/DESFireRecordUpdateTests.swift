import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests UpdateRecord of the virtual cards, with native commands.
@Suite struct DESFireRecordUpdateTests {
  private static func card(_ model: DESFireModel) throws -> DESFire {
    var card = DESFire(model, formatted: false)
    card.powerOn()
    // An application that everyone may use, with a file of two records of four bytes, and a third possible.
    for command in [
      "CA01000F0F01", "5A01000F", "C10300EEEE040000030000", "3B03000000040000 01020304", "C7",
      "3B03000000040000 05060708", "C7", "CD0100EEEE040000",
    ] {
      let bytes = try #require([UInt8](hexadecimal: command))
      try #require(card.process(bytes) == [0x00], "\(command)")
    }
    return card
  }

  @Test(arguments: [DESFireModel.ev2, .ev3]) func statuses(_ model: DESFireModel) throws {
    var card = try Self.card(model)
    for (command, answer) in [
      // In two frames; the newest record is number 0.
      ("DB03 000000 010000 020000 A1", "AF"), ("AF A2", "00"), ("BB03 000000 010000", "0005060708"),
      ("C7", "00"), ("BB03 000000 000000", "000102030405A1A208"),
      ("BA03 010000 000000 010000 B1", "00"), ("C7", "00"),
      ("BB03 000000 000000", "00B102030405A1A208"),
      // Chaining by ISO/IEC 14443-4 has no further frames.
      ("BA03 010000 000000 020000 B1", "7E"), ("AF B2", "1C"),
      // No such record, beyond the record, no data, too much data, an incomplete header.
      ("DB03 020000 000000 010000 00", "BE"), ("DB03 FFFFFF 000000 010000 00", "BE"),
      ("DB03 000000 030000 020000 0000", "BE"), ("DB03 000000 FFFFFF 010000 00", "BE"),
      ("DB03 000000 000000 000000", "9E"), ("DB03 000000 000000 010000 0000", "7E"),
      ("DB03 000000 000000 0100", "7E"), ("DB", "7E"),
      // No such file, and a file without records.
      ("DB04 000000 000000 010000 00", "F0"), ("DB01 000000 000000 010000 00", "9E"),
      ("C7", "0C"), ("BB03 000000 000000", "00B102030405A1A208"),
      // Abort, and another application.
      ("DB03 000000 000000 010000 77", "00"), ("A7", "00"), ("C7", "0C"),
      ("DB03 000000 000000 010000 77", "00"), ("5A000000", "00"), ("5A01000F", "00"), ("C7", "0C"),
      ("BB03 000000 000000", "00B102030405A1A208"), ("5A000000", "00"),
      ("DB03 000000 000000 010000 77", "9D"),
    ] {
      let bytes = try #require([UInt8](hexadecimal: command))
      #expect(card.process(bytes).hexadecimal == answer, "after \(command)")
    }
  }

  @Test(arguments: [DESFireModel.ev1, .ntag413]) func before(_ model: DESFireModel) throws {
    var card = DESFire(model, formatted: false)
    card.powerOn()
    #expect(card.process([0xDB, 3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]) == [0x1C])
    #expect(card.process([0xBA, 3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]) == [0x1C])
  }
}
