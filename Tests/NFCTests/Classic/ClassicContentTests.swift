import NFC
import TestSupport
import Testing
import VirtualNFC

/// MIFARE Classic cards as they are found in the field: with other TLVs, broken ones, in use, half locked.
@Suite struct ClassicContentTests {
  static func message(_ count: Int) -> [UInt8] { ClassicNDEFTests.message(count) }

  static func ndef(_ bench: Bench) async throws -> any NDEFTag {
    try #require(try await bench.tag().ndef)
  }

  /// Puts bytes at the beginning of the NFC sectors' data.
  static func put(_ bytes: [UInt8], on card: VirtualTag) {
    var blocks = (4..<64).filter { $0 % 4 != 3 }[...]
    for start in stride(from: 0, to: bytes.count, by: 16) {
      guard let block = blocks.popFirst() else { return }
      let part = bytes[start..<min(start + 16, bytes.count)]
      card.memory.replaceSubrange(block * 16..<block * 16 + part.count, with: part)
    }
  }

  static func data(of card: VirtualTag) -> [UInt8] {
    (4..<64).filter { $0 % 4 != 3 }.flatMap { card.memory[$0 * 16..<$0 * 16 + 16] }
  }

  /// A proprietary TLV after the message, wherever a new message ends.
  @Test(arguments: [0, 1, 10, 40, 300])
  func proprietaryTLVsAreKept(count: Int) async throws {
    let card = VirtualTag.classic1K()
    let other: [UInt8] = [0xFD, 0x04, 0x11, 0x22, 0x33, 0x44]
    Self.put([0x03, 0x03, 0xD0, 0x00, 0x00] + other + [0xFE], on: card)
    let bench = try await Bench(card)
    let tag = try await Self.ndef(bench)
    #expect(try await tag.queryNDEFStatus().capacity == 710)
    try await tag.writeNDEFBytes(Self.message(count), verify: true)
    let data = Self.data(of: card)
    #expect(data.indices.contains { data[$0...].starts(with: other) })
    #expect(try await tag.queryNDEFStatus().capacity == 710)
    let memory = card.memory
    await #expect { try await tag.writeNDEFBytes(Self.message(711), verify: false) } throws: {
      ($0 as? NFCError)?.code == .capacityExceeded
    }
    #expect(card.memory == memory)
  }

  /// One byte is left, or none: an empty message has no room either, and nothing is written.
  @Test(arguments: [0, 1])
  func anAreaThatIsFullIsLeftUnchanged(room: Int) async throws {
    let card = VirtualTag.classic1K()
    let size = 720 - 4 - room
    let other =
      [0xFD, 0xFF, UInt8(size >> 8), UInt8(size & 0xFF)] + [UInt8](repeating: 0xAB, count: size)
    Self.put(other + (room == 1 ? [0xFE] : []), on: card)
    let memory = card.memory
    let bench = try await Bench(card)
    let tag = try await Self.ndef(bench)
    for message in [[], [0xD0, 0x00, 0x00]] as [[UInt8]] {
      await #expect { try await tag.writeNDEFBytes(message, verify: false) } throws: {
        ($0 as? NFCError)?.code == .capacityExceeded
      }
    }
    await #expect(throws: NFCError.self) { try await tag.formatNDEF() }
    #expect(card.memory == memory)
  }

  /// A lost frame of a write is not a refusal: the message is written, whichever frame is lost.
  @Test(arguments: [false, true]) func aWriteSurvivesALostFrame(isAnswer: Bool) async throws {
    ReplayedReaders.begin()
    var (survived, moment) = (0, 0)
    while moment < 60 {
      let card = try VirtualTag.classic1K(ndef: Self.message(40))
      let field = VirtualField()
      field.place(card)
      let direct = DirectReader(field)
      let reader = try await Reader.open { direct.driver() }
      let tag = try await reader.firstTag(within: .seconds(10))
      _ = try await tag.ndef?.queryNDEFStatus()
      direct.setFaults([Fault(isAnswer ? .answerLost : .frameLost, at: .exchange(moment))])
      do {
        try await tag.ndef?.writeNDEFBytes(Self.message(60), verify: true)
        if direct.exchanges > moment { survived += 1 }
      } catch let error as NFCError {
        // Authentications and reads are not repeated after silence. What was begun is reported as such.
        let isAsBefore = try await Self.bytes(on: reader) == Self.message(40)
        #expect(isAsBefore || error.recovery != nil, "\(moment): \(error)")
      }
      guard direct.exchanges > moment else { break }
      await reader.close()
      moment += 1
    }
    // Two exchanges of each of four blocks, at least: some authentications between them are repeated as well.
    #expect(moment < 60 && survived >= 8)
  }

  private static func bytes(on reader: Reader) async throws -> [UInt8]? {
    let tag = try await reader.firstTag(within: .seconds(10))
    return try await tag.ndef?.readNDEFBytes()
  }

  /// A trailer whose acknowledge is lost is looked at, and the lock goes on.
  @Test(.asking(.accessBits)) func aLockSurvivesALostAcknowledge() async throws {
    ReplayedReaders.begin()
    var (survived, moment) = (0, 0)
    while moment < 400 {
      let card = VirtualTag.classicMini()
      let memory = card.memory
      let field = VirtualField()
      field.place(card)
      let direct = DirectReader(field)
      let reader = try await Reader.open { direct.driver() }
      let tag = try await reader.firstTag(within: .seconds(10))
      direct.setFaults([Fault(.answerLost, at: .exchange(moment))])
      do {
        try await tag.ndef?.makeReadOnly()
        if direct.exchanges > moment, card.memory != memory { survived += 1 }
      } catch let error as NFCError {
        #expect(card.memory == memory || error.recovery != nil, "\(moment): \(error)")
      }
      guard direct.exchanges > moment else { break }
      await reader.close()
      moment += 1
    }
    // Two exchanges of each of four trailers.
    #expect(moment < 400 && survived == 8)
  }

  /// Reading says what is broken; writing, emptying and formatting mend it, as the error promises.
  @Test(arguments: 0..<3)
  func aBrokenTLVIsRepaired(way: Int) async throws {
    let card = VirtualTag.classic1K()
    Self.put([0x03, 0xFF, 0x03, 0x00, 0x55, 0x66], on: card)
    let bench = try await Bench(card)
    let tag = try await Self.ndef(bench)
    await #expect { try await tag.readNDEFBytes() } throws: {
      ($0 as? NFCError)?.code == .malformedContent
    }
    switch way {
    case 0: try await tag.writeNDEFBytes(Self.message(60), verify: true)
    case 1: try await tag.writeNDEFBytes([], verify: true)
    default: try await tag.formatNDEF()
    }
    #expect(try await tag.readNDEFBytes() == (way == 0 ? Self.message(60) : nil))
  }

  /// A card in use under the keys of the factory is formatted only if that is to be wiped.
  @Test func formatRefusesACardInUse() async throws {
    let card = VirtualTag.classic1K(formatted: false)
    card.memory[9 * 16 + 5] = 0x42
    let memory = card.memory
    let bench = try await Bench(card)
    let tag = try await Self.ndef(bench)
    await #expect { try await tag.formatNDEF() } throws: {
      ($0 as? NFCError)?.code == .unsupported && ($0 as? NFCError)?.place == .block(9)
    }
    #expect(card.memory == memory)
    try await tag.formatNDEF(wipe: true)
    try await tag.writeNDEFBytes(Self.message(300), verify: true)
  }

  /// A card that is closed in all its sectors needs no key B to be found closed; one sector that is open is
  /// closed, whatever the first one says.
  @Test(.asking(.accessBits)) func aHalfLockedCardIsCompleted() async throws {
    let card = try VirtualTag.classic1K(ndef: Self.message(40))
    let closed: [UInt8] = [0x07, 0x8F, 0x0F, 0x43]
    // The first NFC sector and the last are closed, with another key B than a formatted card's.
    for trailer in [7, 63] {
      card.memory.replaceSubrange(trailer * 16 + 6..<trailer * 16 + 10, with: closed)
      card.memory.replaceSubrange(trailer * 16 + 10..<trailer * 16 + 16, with: [1, 2, 3, 4, 5, 6])
    }
    let bench = try await Bench(card)
    let tag = try await Self.ndef(bench)
    #expect(try await tag.queryNDEFStatus().access == .readOnly)
    try await tag.makeReadOnly()
    for sector in 1..<16 {
      let trailer = sector * 4 + 3
      #expect(Array(card.memory[trailer * 16 + 6..<trailer * 16 + 10]) == closed)
    }
    let memory = card.memory
    try await tag.makeReadOnly()
    #expect(card.memory == memory)
  }

  /// One sector has another key B: nothing is written.
  @Test func aLockThatCannotBeCompleteIsNotBegun() async throws {
    let card = try VirtualTag.classic1K(ndef: Self.message(40))
    card.memory.replaceSubrange(31 * 16 + 10..<32 * 16, with: [1, 2, 3, 4, 5, 6])
    let memory = card.memory
    let bench = try await Bench(card)
    let tag = try await Self.ndef(bench)
    await #expect { try await tag.makeReadOnly() } throws: {
      ($0 as? NFCError)?.code == .notAuthenticated && ($0 as? NFCError)?.place == .sector(7)
    }
    #expect(card.memory == memory)
  }

  /// Every call reaches the card.
  @Test func aCardThatHasLeftIsDetected() async throws {
    let card = try VirtualTag.classic1K(ndef: Self.message(40))
    let bench = try await Bench(card)
    for ask in 0..<3 {
      bench.field.place(card)
      let tag = try await Self.ndef(bench)
      #expect(try await tag.readNDEFBytes() == Self.message(40))
      _ = try await tag.queryNDEFStatus()
      bench.field.remove(card)
      await #expect {
        switch ask {
        case 0: _ = try await tag.readNDEFBytes()
        case 1: _ = try await tag.queryNDEFStatus()
        default: try await tag.writeNDEFBytes(Self.message(40), verify: false)
        }
      } throws: {
        ($0 as? NFCError)?.code == .tagConnectionLost
      }
    }
  }

  /// A trailer that the card acknowledges and does not keep is reported: under condition 000 no key writes
  /// the access bits.
  @Test func aTrailerThatIsNotKeptIsReported() async throws {
    let card = VirtualTag.classic1K(formatted: false)
    let bench = try await Bench(card)
    let classic = try #require(try await bench.tag(.iso14443).miFare.classic)
    var image = card.memory
    let wanted = MiFareClassicSectorTrailer(
      keyA: .ndef, accessConditions: .ndef, generalPurposeByte: 0x40, keyB: .factory)
    image.replaceSubrange(7 * 16..<8 * 16, with: wanted.bytes)
    let plan = try await classic.restorePlan(image)
    // After the plan was made, the sector has become another.
    let final = try #require(MiFareClassicAccessConditions(groups: [0, 0, 0, 0]))
    card.memory.replaceSubrange(7 * 16 + 6..<7 * 16 + 9, with: final.bytes)
    let report = try await classic.perform(plan, accepting: Set(plan.effects))
    #expect(report.steps.isEmpty)
    #expect(report.omissions.map(\.reason) == [.refused])
  }
}
