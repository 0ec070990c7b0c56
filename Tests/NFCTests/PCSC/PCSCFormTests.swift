import TestSupport
import Testing

@testable import NFC
@testable import SwiftNFCPCSC

/// The forms that a PC/SC reader's bytes and names have, without a reader.
@Suite(.replayed) struct PCSCFormTests {
  /// Answers to reset that are known of real cards (Ludovic Rousseau's list of smart cards; Gemalto
  /// Prox-DU and Prox-SU, PC/SC guide, tables 16 and 17).
  @Test(
    arguments: [
      ("3B8F8001804F0CA0000003060B00140000000077", true, false, nil),
      ("3B8F8001804F0CA000000306030001000000006A", false, false, 0x08),
      ("3B8F8001804F0CA0000003060300020000000069", false, false, 0x18),
      ("3B8F8001804F0CA0000003060300030000000068", false, false, 0x00),
      ("3B8F8001804F0CA000000306030026000000004D", false, false, 0x09),
      ("3B8F8001804F0CA00000030603003A0000000051", false, false, 0x00),
      ("3B8F8001804F0CA00000030603FF88000000001C", false, false, 0x88),
      ("3B8F8001804F0CA00000030611003B0000000042", false, true, nil),
      ("3B8F8001804F0CA00000030603F011000000008A", false, true, nil),
    ] as [(String, Bool, Bool, UInt8?)])
  func readsStorageCards(
    _ text: String, _ isVicinity: Bool, _ isFeliCa: Bool, _ sak: UInt8?
  ) throws {
    let bytes = try #require([UInt8](hexadecimal: text))
    guard case .storageCard(let card)? = ContactlessATR(bytes) else {
      Issue.record("no storage card")
      return
    }
    #expect(card.isVicinity == isVicinity)
    #expect(card.isFeliCa == isFeliCa)
    #expect(card.isTypeA == (sak != nil))
    #expect(card.sak == sak)
  }

  @Test func readsSmartCards() {
    #expect(
      ContactlessATR([0x3B, 0x81, 0x80, 0x01, 0x80, 0x80])
        == .smartCard(historicalBytes: [0x80]))
    #expect(ContactlessATR([0x3B, 0x80, 0x80, 0x01, 0x01]) == .smartCard(historicalBytes: []))
    let idm: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    #expect(
      ContactlessATR([0x3B, 0x8C, 0x80, 0x01, 0x04, 0x43, 0xFD] + idm + [0x01, 0x00]) == .feliCa)
    // Contact cards, and pieces.
    for bytes: [UInt8] in [
      [], [0x3B], [0x3B, 0x82, 0x80, 0x01, 0x80, 0x80], [0x3B, 0x68, 0, 0, 0, 0x73, 0xC8, 0x40],
      [0x3F, 0x81, 0x80, 0x01, 0x80, 0x80],
    ] {
      #expect(ContactlessATR(bytes) == nil)
    }
  }

  @Test func anyBytesGiveAnOutcome() {
    for length in 0..<40 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
      _ = ContactlessATR([0x3B, 0x8F, 0x80, 0x01] + bytes)
      _ = ExchangeOutcome(bytes)
      _ = StorageCardCommands.command(for: bytes)
      _ = DirectTransmit.outcome(bytes + [0x90, 0x00], of: bytes)
      _ = TransparentSession.outcome(bytes)
    }
    #expect(ExchangeOutcome([0x90]) == .malformed)
    #expect(DirectTransmit.outcome([0xD5, 0x41, 0x00, 0x90, 0x00], of: [0x60]) == .malformed)
  }

  /// The answer to "switch protocol" of an ACM1252U-Y3 for ISO/IEC 14443-4 (reference manual 1.03, page 32).
  @Test func readsObjectsWithTagsOfTwoBytes() {
    let done: [UInt8] = [0xC0, 0x03, 0x00, 0x90, 0x00]
    let atr: [UInt8] = [0x5F, 0x51, 0x05, 0x3B, 0x80, 0x80, 0x01, 0x01]
    #expect(TransparentSession.isDone(done + atr))
    #expect(TransparentSession.outcome(done + atr + [0x97, 0x01, 0x0A]) == .answer([0x0A]))
    for count in 1..<atr.count {
      #expect(!TransparentSession.isDone(done + atr.prefix(count)), "\(count)")
    }
  }

  /// The commands are those of the makers' manuals: ACR122U 2.04, 5.1 and 5.2; uTrust 3720F 1.00,
  /// 6.2.3 and 6.2.4.
  @Test func loadsKeysAsTheReaderNamesThem() {
    let key = [UInt8](repeating: 0xFF, count: 6)
    #expect(
      StorageCardCommands.load(key, .a, .common) == [0xFF, 0x82, 0x00, 0x00, 0x06] + key)
    #expect(
      StorageCardCommands.authenticate(block: 4, .a, .common)
        == [0xFF, 0x86, 0x00, 0x00, 0x05, 0x01, 0x00, 0x04, 0x60, 0x00])
    #expect(
      StorageCardCommands.load(key, .b, .byKeyType) == [0xFF, 0x82, 0x00, 0x61, 0x06] + key)
    #expect(
      StorageCardCommands.authenticate(block: 4, .b, .byKeyType)
        == [0xFF, 0x86, 0x00, 0x00, 0x05, 0x01, 0x00, 0x04, 0x61, 0x01])
  }
}
