import NFC
import Testing
import VirtualNFC

/// A card is taken away at every exchange of a write, a format, a lock.
@Suite struct ClassicTearTests {
  static func bytes(_ count: Int, _ seed: UInt8) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 5) &+ seed }
  }

  /// Runs `body` on fresh cards, torn away at the first, second, … exchange until it goes through.
  static func tear(
    _ card: () throws -> VirtualTag, step: Int = 1,
    _ body: (any NDEFTag) async throws -> Void,
    then check: (_ isTorn: Bool, any NDEFTag, VirtualTag) async throws -> Void
  ) async throws -> Int {
    let bench = try await Bench()
    var moment = 0
    while true {
      let card = try card()
      bench.field.place(card)
      let tag = try #require(try await bench.tag(.iso14443).ndef)
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      var isTorn = false
      do {
        try await body(tag)
      } catch let error as NFCError {
        #expect(error.code == .tagConnectionLost, "\(error)")
        isTorn = true
      }
      bench.virtual.setFaults([])
      bench.field.place(card)
      try await check(isTorn, try #require(try await bench.tag(.iso14443).ndef), card)
      bench.field.remove(card)
      guard isTorn else { return moment }
      moment += step
    }
  }

  @Test(arguments: [
    (card: "1k", old: 0, new: 10), (card: "1k", old: 10, new: 12), (card: "1k", old: 5, new: 60),
    (card: "1k", old: 100, new: 20), (card: "1k", old: 60, new: 0),

  ])
  func aWriteLeavesOldOrNoneOrNew(card: String, old: Int, new: Int) async throws {
    let oldMessage = Self.bytes(old, 1)
    let newMessage = Self.bytes(new, 2)
    let allowed: [[UInt8]?] = [old == 0 ? nil : oldMessage, nil, new == 0 ? nil : newMessage]
    let exchanges = try await Self.tear {
      try ClassicNDEFTests.card(card, ndef: oldMessage)
    } _: {
      try await $0.writeNDEFBytes(newMessage, verify: false)
    } then: { isTorn, tag, _ in
      let found = try await tag.readNDEFBytes()
      #expect(isTorn ? allowed.contains(found) : found == allowed[2])
      try await tag.writeNDEFBytes(newMessage, verify: true)
    }
    #expect(exchanges > 5)
  }

  /// From sector 15 to 17: after a TLV of another kind that fills the sectors before.
  @Test func aWriteAroundTheSecondDirectory() async throws {
    let oldMessage = Self.bytes(20, 1)
    let newMessage = Self.bytes(70, 2)
    _ = try await Self.tear {
      let card = try ClassicNDEFTests.card("4k")
      card.memory.replaceSubrange(64..<68, with: [0xFD, 0xFF, 0x02, 0xA0])
      let block = 61 * 16
      card.memory.replaceSubrange(
        block..<block + 24, with: [0x00, 0x00, 0x03, 20] + oldMessage)
      return card
    } _: {
      try await $0.writeNDEFBytes(newMessage, verify: false)
    } then: { isTorn, tag, _ in
      let found = try await tag.readNDEFBytes()
      #expect(isTorn ? [oldMessage, nil, newMessage].contains(found) : found == newMessage)
      try await tag.writeNDEFBytes(newMessage, verify: true)
    }
  }

  /// A message that begins in the last bytes of a block: its length lies in the next.
  @Test(arguments: [14, 15]) func aLengthAcrossBlocks(offset: Int) async throws {
    let oldMessage = Self.bytes(30, 1)
    let newMessage = Self.bytes(258, 2)
    _ = try await Self.tear {
      let card = try ClassicNDEFTests.card("1k")
      let area =
        [UInt8](repeating: 0, count: offset) + [0x03, UInt8(oldMessage.count)] + oldMessage + [0xFE]
      card.memory.replaceSubrange(
        64..<112, with: area.prefix(48) + [UInt8](repeating: 0, count: 48 - area.prefix(48).count))
      return card
    } _: {
      try await $0.writeNDEFBytes(newMessage, verify: false)
    } then: { isTorn, tag, _ in
      let found = try await tag.readNDEFBytes()
      #expect(isTorn ? [oldMessage, nil, newMessage].contains(found) : found == newMessage)
      try await tag.writeNDEFBytes(newMessage, verify: true)
    }
  }

  @Test(arguments: [("mini", 1), ("4k", 41)])
  func formattingCanBeRepeated(card: String, step: Int) async throws {
    let formatted = try ClassicNDEFTests.card(card).memory
    let exchanges = try await Self.tear(
      {
        try ClassicNDEFTests.card(card, formatted: false)
      }, step: step
    ) {
      try await $0.formatNDEF()
    } then: { isTorn, tag, card in
      if isTorn, try await tag.queryNDEFStatus() == .notSupported { try await tag.formatNDEF() }
      #expect(card.memory == formatted)
    }
    #expect(exchanges > 5)
  }

  @Test(.asking(.accessBits), arguments: [("mini", 1), ("1k", 9)])
  func lockingCanBeRepeated(card: String, step: Int) async throws {
    let message = Self.bytes(60, 1)
    let exchanges = try await Self.tear(
      {
        try ClassicNDEFTests.card(card, ndef: message)
      }, step: step
    ) {
      try await $0.makeReadOnly()
    } then: { isTorn, tag, card in
      #expect(try await tag.readNDEFBytes() == message)
      try await tag.makeReadOnly()
      #expect(try await tag.queryNDEFStatus().access == .readOnly)
      // Key A, 07 8F 0F, 43: every NFC sector.
      for trailer in stride(from: 7 * 16, to: card.memory.count, by: 64) {
        #expect(Array(card.memory[trailer + 6..<trailer + 10]) == [0x07, 0x8F, 0x0F, 0x43])
      }
    }
    #expect(exchanges > 5)
  }
}
