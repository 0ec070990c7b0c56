import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// The chip as a card, with the host's commands on one side and a reader's frames on the other: UM0701-02, 7.3.14 to
/// 7.3.21, and ISO/IEC 14443-4.
@Suite struct PN532TargetTests {
  /// TgInitAsTarget: mode 05, SENS_RES 0004, a UID, SEL_RES 20, no FeliCa parameters, NFCID3t, general or historical
  /// bytes.
  private static let arm =
    "8C050400A1B2C320" + String(repeating: "00", count: 18 + 10) + "0000"
  private static let reqa = RadioFrame([0x26], modulation: .typeA, bitsInLastByte: 7)
  private static let rats: [UInt8] = [0xE0, 0x80]
  private static let ats: [UInt8] = [0x05, 0x75, 0x33, 0x92, 0x03]
  /// Polling for any system.
  private static let polling = RadioFrame.feliCa([0x00, 0xFF, 0xFF, 0x00, 0x00])

  /// Starts a command that waits.
  private static func start(
    _ command: String, _ bench: inout PN532Bench
  ) throws -> PN532Chip.Pending {
    guard case .pending(let pending) = bench.chip.execute([UInt8](hexadecimal: command) ?? [])
    else { throw Ended(command: command) }
    return pending
  }

  private struct Ended: Error {
    let command: String
  }

  /// A frame of the reader, and what it receives within a millisecond.
  private static func ask(_ bench: PN532Bench, _ frame: RadioFrame) -> RadioFrame? {
    bench.chip.target.exchange(frame, limit: .milliseconds(1)) { false }
  }

  private static func ask(_ bench: PN532Bench, _ block: [UInt8]) -> [UInt8]? {
    ask(bench, .typeA(block))?.checkedPayload
  }

  /// Switches the reader's field on and selects the card.
  private static func select(_ bench: PN532Bench) {
    bench.chip.target.setField(true)
    #expect(ask(bench, reqa)?.bytes == [0x04, 0x00])
    let uid: [UInt8] = [0x08, 0xA1, 0xB2, 0xC3]
    let part = uid + [uid.reduce(0, ^)]
    #expect(ask(bench, RadioFrame([0x93, 0x20], modulation: .typeA))?.bytes == part)
    #expect(ask(bench, [0x93, 0x70] + part) == [0x20])
  }

  /// A card that a reader has activated.
  private static func activated() throws -> PN532Bench {
    var bench = PN532Bench()
    var pending = try start(arm, &bench)
    select(bench)
    #expect(bench.chip.proceed(&pending) == nil)
    #expect(ask(bench, rats) == ats)
    #expect(bench.chip.proceed(&pending) == [0x8D, 0x08] + rats)
    return bench
  }

  @Test func withoutTgInitAsTarget() {
    var bench = PN532Bench()
    for (command, answer) in [
      ("86", "8725"), ("8E9000", "8F25"), ("88", "8925"), ("909000", "9125"), ("8A", "8B0000"),
    ] {
      #expect(bench.send(command) == answer)
    }
    bench.chip.target.setField(true)
    #expect(Self.ask(bench, Self.reqa) == nil)
  }

  @Test func anyCommandEndsTheWait() throws {
    for command in ["02", "8A", "86"] {
      var bench = PN532Bench()
      _ = try Self.start(Self.arm, &bench)
      Self.select(bench)
      _ = bench.send(command)
      #expect(Self.ask(bench, Self.reqa) == nil)
      #expect(bench.send("8A") == "8B0000")
    }
  }

  @Test func pollingIsAnsweredUnlessTheModeDetectorIsOff() throws {
    var bench = PN532Bench()
    _ = try Self.start(Self.arm, &bench)
    bench.chip.target.setField(true)
    #expect(
      Self.ask(bench, Self.polling)?.checkedPayload == [0x01] + [UInt8](repeating: 0, count: 16))
    #expect(bench.send("0863013F") == "09")
    _ = try Self.start(Self.arm, &bench)
    #expect(Self.ask(bench, Self.polling) == nil)
    Self.select(bench)
  }

  @Test func aReaderThatDoesNothing() throws {
    let bench = try Self.activated()
    #expect(Self.ask(bench, Self.reqa) == nil)
    // HLTA means nothing in this protocol.
    #expect(Self.ask(bench, [0x50, 0x00]) == nil)
    #expect(Self.ask(bench, [0xD0, 0x11, 0x0A]) == [0xD0])
    for _ in 0..<3 { #expect(Self.ask(bench, [0xB2]) == [0xA3]) }
  }

  @Test func aCommandAndItsAnswer() throws {
    var bench = try Self.activated()
    #expect(bench.send("8A") == "8B0100")
    // There is nothing to answer.
    #expect(bench.send("8E9000") == "8F25")
    #expect(bench.send("86") == "pending")
    #expect(Self.ask(bench, [0x02, 0x00, 0xA4]) == [0xF2, 0x01])
    // It is busy.
    #expect(Self.ask(bench, [0xB2]) == nil)
    #expect(Self.ask(bench, [0xF2, 0x01]) == [0xF2, 0x01])
    #expect(bench.send("86") == "870000A4")
    var pending = try Self.start("8E9000", &bench)
    #expect(bench.chip.proceed(&pending) == nil)
    // The host has answered between the chip's request for more time and the reader's confirmation.
    #expect(Self.ask(bench, [0xF2, 0x01]) == [0x02, 0x90, 0x00])
    #expect(bench.chip.proceed(&pending) == [0x8F, 0x00])
    #expect(bench.send("8E9000") == "8F25")
  }

  @Test func aDeselectedCardIsDeaf() throws {
    var bench = try Self.activated()
    #expect(Self.ask(bench, [0xC2]) == [0xC2])
    #expect(bench.send("8A") == "8B0200")
    #expect(bench.send("86") == "8729")
    #expect(bench.send("86") == "8725")
    #expect(Self.ask(bench, Self.reqa) == nil)
  }

  @Test func theFieldHasGone() throws {
    var bench = try Self.activated()
    bench.chip.target.setField(false)
    #expect(bench.send("86") == "872B")
    #expect(bench.send("86") == "8725")
    #expect(bench.send("8A") == "8B0000")
  }

  /// Without fISO14443-4_PICC, the host plays the card from the RATS on.
  @Test func rawFramesGoToTheHost() throws {
    var bench = PN532Bench()
    #expect(bench.send("1214") == "13")
    var pending = try Self.start(Self.arm, &bench)
    Self.select(bench)
    #expect(Self.ask(bench, Self.rats) == nil)
    #expect(bench.chip.proceed(&pending) == [0x8D, 0x00] + Self.rats)
  }

  @Test func itsOwnFieldEndsTheCard() throws {
    var bench = try Self.activated()
    #expect(bench.send("4A0100") == "4B00")
    #expect(bench.send("86") == "8725")
  }
}
