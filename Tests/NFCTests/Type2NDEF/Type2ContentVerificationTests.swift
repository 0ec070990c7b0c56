import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCCore

/// What an earlier call has read proves nothing.
@Suite struct Type2ContentVerificationTests {
  /// The wired side changes one byte between a read and a write.
  @Test(arguments: [VirtualTag.ntagI2C1K(), .ntagI2C2K()])
  func theWiredSideIsSeen(_ tag: VirtualTag) async throws {
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    let message = message(100)
    try await ndef.writeNDEFBytes(message, verify: false)
    #expect(try await ndef.readNDEFBytes() == message)
    tag.memory[80] ^= 0xFF
    #expect(try await ndef.readNDEFBytes() != message)
    tag.memory[80] ^= 0xFF
    #expect(try await ndef.readNDEFBytes() == message)
    tag.memory[80] ^= 0xFF
    try await ndef.writeNDEFBytes(message, verify: false)
    #expect(Array(tag.memory[18..<118]) == message)
    await bench.reader.close()
  }

  @Test(arguments: [VirtualTag.ntag213(), .ultralight(), .ntagI2C1K()])
  func aTagThatHasLeftIsDetected(_ tag: VirtualTag) async throws {
    for call in 0..<3 {
      let bench = try await Bench(tag)
      let ndef = try #require(try await bench.tag().ndef)
      _ = try await ndef.readNDEFBytes()
      _ = try await ndef.queryNDEFStatus()
      bench.field.remove(tag)
      let error = await #expect(throws: NFCError.self) {
        switch call {
        case 0: _ = try await ndef.readNDEFBytes()
        case 1: _ = try await ndef.queryNDEFStatus()
        default: try await ndef.writeNDEFBytes([], verify: false)
        }
      }
      #expect(error?.code == .tagConnectionLost)
      await bench.reader.close()
    }
  }

  /// After SECTOR_SELECT of the program's own, NDEF is looked for in sector 0.
  @Test(arguments: [true, false]) func findsItsSector(_ isTyped: Bool) async throws {
    let content = message(60)
    let tag = try VirtualTag.ntagI2C2K(ndef: content)
    let image = tag.memory
    let bench = try await Bench(tag)
    let found = try await bench.tag().miFare
    let commands = try #require(found.ultralight)
    if isTyped {
      try await commands.selectSector(1)
    } else {
      _ = try await found.sendMiFareCommand([0xC2, 0xFF])
      // The second half is acknowledged by silence.
      _ = try? await found.sendMiFareCommand([0x01, 0x00, 0x00, 0x00])
      try await commands.selectSector(1)
    }
    #expect(try await found.readNDEFBytes() == content)
    #expect(tag.memory == image)
    await bench.reader.close()
  }

  /// What was proved to the tag outlasts every call of ours.
  @Test func aKeyStaysProved() async throws {
    let tag = VirtualTag.ultralightC()
    // All pages from 6 on ask for the key, for reading as well.
    tag.memory.replaceSubrange(168..<176, with: [6, 0, 0, 0, 0, 0, 0, 0])
    let bench = try await Bench(tag)
    let commands = try await UltralightDumpTests.commands(bench)
    try await commands.authenticate(key: Array("IEMKAERB!NACUOYF".utf8))
    #expect(try await commands.originality() == .unknown)
    #expect(try await commands.dump().isComplete)
    #expect(try await commands.readPages(6..<10) == Array(tag.memory[24..<40]))
    // A refusal of the program's own making ends it on the tag, and it is proved again.
    await #expect(throws: NFCError.self) { try await commands.version() }
    #expect(try await commands.readPage(8) == Array(tag.memory[32..<36]))
    await bench.reader.close()
  }

  /// A public message in front of pages that ask for a password.
  @Test func readsInFrontOfAPassword() async throws {
    let content = message(25)
    let tag = try VirtualTag.ntag213(ndef: content)
    tag.memory[0x29 * 4 + 3] = 0x10
    tag.memory[0x2A * 4] = 0x80
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.readNDEFBytes() == content)
    // Pages 4 to 15, without the lock control TLV and the message's own header.
    #expect(
      try await ndef.queryNDEFStatus() == NDEFStatus(access: .readWrite, capacity: 48 - 5 - 2))
    try await ndef.writeNDEFBytes(message(41, seed: 5), verify: true)
    await bench.reader.close()
  }

  /// Every chip there is: an optional question fails no tag.
  @Test(arguments: [
    VirtualTag.ultralight(), .ultralightC(), .ultralightEV1(), .ntag203(), .ntag210(), .ntag216(),
    .ntagI2C1K(),
  ]) func optionalQuestionsFailNoTag(_ tag: VirtualTag) async throws {
    let bench = try await Bench(tag)
    let commands = try await UltralightDumpTests.commands(bench)
    _ = try await commands.originality()
    _ = try await commands.counters()
    #expect(try await commands.dump().isComplete)
    await bench.reader.close()
  }

  /// A tag that holds something is not formatted over unless that is asked for.
  @Test(.asking(.oneTimeBits)) func formatsOnlyABlankTag() async throws {
    let tag = VirtualTag.ultralight(formatted: false)
    tag.memory[40] = 0x77
    let image = tag.memory
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    let error = await #expect(throws: NFCError.self) { try await ndef.formatNDEF() }
    #expect(error?.code == .unsupported)
    #expect(error?.place == .page(10))
    #expect(tag.memory == image)
    try await ndef.formatNDEF(wipe: true)
    #expect(try await ndef.readNDEFBytes() == nil)
    await bench.reader.close()
  }

  /// The four pages of a key are written all or not at all, at whichever frame the task is cancelled.
  @Test func aCancelledKeyChangeIsComplete() async throws {
    let factory = Array("IEMKAERB!NACUOYF".utf8)
    let new = (0..<16).map { UInt8($0 * 2 + 1) }
    var frame = 0
    while frame < 40 {
      let cancellation = ExchangeCancellation()
      let tag = cancellation.watched(VirtualTag.ultralightC().chip)
      let bench = try await Bench(tag)
      let commands = try await UltralightDumpTests.commands(bench)
      let before = Array(tag.memory[176..<192])
      let isCancelled = await cancellation.cancelling(at: frame) {
        try await commands.changeKey(new)
      }
      let again = try await UltralightDumpTests.commands(bench)
      let isUnchanged = Array(tag.memory[176..<192]) == before
      try await again.authenticate(key: isUnchanged ? factory : new)
      await bench.reader.close()
      guard isCancelled else { break }
      frame += 1
    }
    // The four pages at least.
    #expect((4..<40).contains(frame))
  }

  /// The only byte that is left is a TLV that has no length, or there is none: an empty message has no room either, and
  /// nothing is written, least of all outside the data area.
  @Test(arguments: [0, 1])
  func anAreaThatIsFullIsLeftUnchanged(room: Int) async throws {
    let tag = VirtualTag.ntag213()
    let other: [UInt8] = [0xFD, UInt8(144 - 2 - room)]
    let value = [UInt8](repeating: 0xAB, count: 142 - room)
    tag.memory.replaceSubrange(16..<160, with: other + value + (room == 1 ? [0x55] : []))
    let memory = tag.memory
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    for message in [[], [0xD0, 0x00, 0x00]] as [[UInt8]] {
      let error = await #expect(throws: NFCError.self) {
        try await ndef.writeNDEFBytes(message, verify: false)
      }
      #expect(error?.code == (room == 1 ? .capacityExceeded : .notNDEF))
    }
    await #expect(throws: NFCError.self) { try await ndef.formatNDEF() }
    #expect(tag.memory == memory)
    await bench.reader.close()
  }
}
