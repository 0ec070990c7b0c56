import NFC
import Synchronization
import Testing
import VirtualNFC

@Suite struct ClassicNDEFTests {
  static func message(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
  }

  static func card(_ name: String, ndef: [UInt8]? = nil, formatted: Bool = true) throws
    -> VirtualTag
  {
    switch (name, ndef) {
    case ("4k", let ndef?): try .classic4K(ndef: ndef)
    case ("4k", nil): .classic4K(formatted: formatted)
    case ("mini", let ndef?): try .classicMini(ndef: ndef)
    case ("mini", nil): .classicMini(formatted: formatted)
    case (_, let ndef?): try .classic1K(ndef: ndef)
    case (_, nil): .classic1K(formatted: formatted)
    }
  }

  /// The directory is one authentication and two reads; each sector one authentication, and as many reads
  /// as the message needs.
  @Test(arguments: [
    (card: "1k", count: 14, exchanges: 3 + 2),
    (card: "1k", count: 137, exchanges: 3 + 3 + 9),
    (card: "1k", count: 716, exchanges: 3 + 15 + 45),
    (card: "4k", count: 137, exchanges: 3 + 3 + 9),
    // Beyond sector 15 the second part of the directory is one authentication and three reads more.
    (card: "4k", count: 868, exchanges: 3 + 4 + 19 + 55),
    (card: "4k", count: 3356, exchanges: 3 + 4 + 38 + 210),
    (card: "mini", count: 190, exchanges: 3 + 4 + 12),
  ])
  func readsInTheFewestExchanges(card: String, count: Int, exchanges: Int) async throws {
    let message = Self.message(count)
    let bench = try await Bench(Self.card(card, ndef: message))
    let tag = try #require(try await bench.tag().ndef)
    let read = try await bench.counting { try await tag.readNDEFBytes() }
    #expect(read.result == message)
    // The time-out of commands is set once.
    #expect(read.commands == exchanges + 1)
    let again = try await bench.counting { try await tag.readNDEFBytes() }
    #expect(again.result == message)
    #expect(again.commands == 1)
  }

  @Test(arguments: [("1k", 716), ("4k", 3356), ("mini", 190)])
  func reportsStatusAndCapacity(card: String, capacity: Int) async throws {
    let bench = try await Bench(Self.card(card))
    let tag = try #require(try await bench.tag().ndef)
    #expect(
      try await tag.queryNDEFStatus() == NDEFStatus(access: .readWrite, capacity: capacity))
    #expect(try await tag.readNDEFBytes() == nil)
    await #expect {
      try await tag.writeNDEFBytes(Self.message(capacity + 1), verify: false)
    } throws: {
      ($0 as? NFCError)?.code == .capacityExceeded
    }
  }

  @Test(arguments: [
    ("1k", 0), ("1k", 1), ("1k", 13), ("1k", 14), ("1k", 15), ("1k", 254), ("1k", 255), ("1k", 716),
    ("4k", 137), ("4k", 868), ("4k", 3356), ("mini", 190),
  ])
  func writesWhatItReads(card: String, count: Int) async throws {
    let bench = try await Bench(Self.card(card, ndef: [0xD0, 0x00, 0x00]))
    let tag = try #require(try await bench.tag().ndef)
    let message = Self.message(count)
    try await tag.writeNDEFBytes(message, verify: true)
    #expect(try await tag.readNDEFBytes() == (message.isEmpty ? nil : message))
    let other = try #require(try await bench.tag().ndef)
    #expect(try await other.readNDEFBytes() == (message.isEmpty ? nil : message))
  }

  /// What is written over the air: WRITE of a block.
  @Test func writesNoMoreBlocksThanChange() async throws {
    let writes = WriteLog()
    let bench = try await Bench(Self.card("1k")) { writes.note($0) }
    let tag = try #require(try await bench.tag().ndef)
    let message = Self.message(137)
    try await tag.writeNDEFBytes(message, verify: false)
    // Nine blocks, the farthest first; the length comes last and was 0 before.
    #expect(writes.take() == [14, 13, 12, 10, 9, 8, 6, 5, 4])
    try await tag.writeNDEFBytes(message, verify: false)
    #expect(writes.take() == [])
    var changed = message
    changed[100] ^= 0xFF
    try await tag.writeNDEFBytes(changed, verify: false)
    #expect(writes.take() == [4, 12, 4])
    changed[3] ^= 0xFF
    try await tag.writeNDEFBytes(changed, verify: false)
    #expect(writes.take() == [4])
    try await tag.writeNDEFBytes([], verify: false)
    #expect(writes.take() == [4])
    #expect(try await tag.readNDEFBytes() == nil)
  }

  @Test(arguments: ["1k", "4k", "mini"])
  func formatsABlankCard(name: String) async throws {
    let blank = try Self.card(name, formatted: false)
    let bench = try await Bench(blank)
    let tag = try #require(try await bench.tag().ndef)
    #expect(try await tag.queryNDEFStatus() == .notSupported)
    await #expect { try await tag.readNDEFBytes() } throws: { ($0 as? NFCError)?.code == .notNDEF }
    try await tag.formatNDEF()
    let status = try await tag.queryNDEFStatus()
    #expect(status.access == .readWrite)
    #expect(blank.memory == (try Self.card(name)).memory)
    try await tag.writeNDEFBytes(Self.message(status.capacity), verify: true)
    // A formatted card is emptied.
    try await tag.formatNDEF()
    #expect(try await tag.readNDEFBytes() == nil)
  }

  @Test(.asking(.accessBits), arguments: ["1k", "4k"])
  func locksPermanently(name: String) async throws {
    let message = Self.message(40)
    let card = try Self.card(name, ndef: message)
    let bench = try await Bench(card)
    let tag = try #require(try await bench.tag().ndef)
    try await tag.makeReadOnly()
    #expect(try await tag.queryNDEFStatus().access == .readOnly)
    #expect(try await tag.readNDEFBytes() == message)
    let memory = card.memory
    await #expect { try await tag.writeNDEFBytes([0xD0, 0, 0], verify: false) } throws: {
      ($0 as? NFCError)?.code == .readOnly
    }
    await #expect { try await tag.formatNDEF() } throws: { ($0 as? NFCError)?.code == .readOnly }
    #expect(card.memory == memory)
    // Locking what is locked does nothing.
    try await tag.makeReadOnly()
    // Access bits 07 8F 0F, general purpose byte 43 (AN1304, 6.1 and 6.4).
    #expect(Array(card.memory[7 * 16 + 6..<7 * 16 + 10]) == [0x07, 0x8F, 0x0F, 0x43])
  }

  /// A sector in the middle that another key closes, or that is read-only: nothing is written.
  @Test func refusesBeforeAnythingIsWritten() async throws {
    let message = Self.message(137)
    let card = try Self.card("1k", ndef: message)
    let trailer = 11 * 16
    card.memory.replaceSubrange(trailer + 6..<trailer + 10, with: [0x07, 0x8F, 0x0F, 0x43])
    let memory = card.memory
    let bench = try await Bench(card)
    let tag = try #require(try await bench.tag().ndef)
    await #expect {
      try await tag.writeNDEFBytes(Self.message(200).reversed(), verify: false)
    } throws: {
      ($0 as? NFCError)?.code == .readOnly && ($0 as? NFCError)?.place == .sector(2)
    }
    #expect(card.memory == memory)
    // What does not touch it can be written.
    try await tag.writeNDEFBytes(Self.message(40), verify: true)

    card.memory.replaceSubrange(trailer..<trailer + 6, with: [1, 2, 3, 4, 5, 6])
    let closed = card.memory
    let again = try #require(try await bench.tag().ndef)
    await #expect {
      try await again.writeNDEFBytes(Self.message(200).reversed(), verify: false)
    } throws: {
      ($0 as? NFCError)?.code == .notAuthenticated && ($0 as? NFCError)?.place == .sector(2)
    }
    #expect(card.memory == closed)
  }

  @Test func saysWhatIsBroken() async throws {
    // A TLV longer than the area, in a card of 720 bytes of data.
    let card = try Self.card("1k")
    card.memory.replaceSubrange(4 * 16..<4 * 16 + 4, with: [0x03, 0xFF, 0x03, 0x00])
    let bench = try await Bench(card)
    let tag = try #require(try await bench.tag().ndef)
    await #expect { try await tag.readNDEFBytes() } throws: {
      ($0 as? NFCError)?.code == .malformedContent
    }
    // A directory with a wrong check is none.
    card.memory[1 * 16] ^= 1
    let again = try #require(try await bench.tag().ndef)
    #expect(try await again.queryNDEFStatus() == .notSupported)
  }

  /// NULL TLVs and a proprietary one in front of the message stay where they are.
  @Test func writesAfterOtherTLVs() async throws {
    let card = try Self.card("1k")
    let head: [UInt8] = [0x00, 0xFD, 0x0A] + [UInt8](repeating: 0xAB, count: 10) + [0x00, 0x00]
    card.memory.replaceSubrange(4 * 16..<4 * 16 + 18, with: head + [0x03, 0x00, 0xFE])
    let bench = try await Bench(card)
    let tag = try #require(try await bench.tag().ndef)
    for count in [1, 300, 20, 0] {
      try await tag.writeNDEFBytes(Self.message(count), verify: true)
      #expect(Array(card.memory[4 * 16..<4 * 16 + 15]) == head)
    }
  }
}

/// The blocks that are written, as the host's commands to the chip show them.
final class WriteLog: Sendable {
  private let blocks = Mutex<[UInt8]>([])

  func note(_ event: TraceEvent) {
    guard case .command(let bytes) = event, bytes.count == 20, bytes[0] == 0x40, bytes[2] == 0xA0
    else { return }
    blocks.withLock { $0.append(bytes[3]) }
  }

  func take() -> [UInt8] {
    blocks.withLock { blocks in
      defer { blocks = [] }
      return blocks
    }
  }
}
