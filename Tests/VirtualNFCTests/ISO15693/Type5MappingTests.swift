import SwiftNFCSeededRandom
import Testing

@testable import SwiftNFCCore
@testable import VirtualNFC

@Suite struct Type5MappingTests {
  typealias Reader = VicinityReader<ICODESLIX2>

  static func read<Chip>(_ reader: VicinityReader<Chip>) throws -> [UInt8]? {
    var mapping = reader.mapping()
    return try mapping.read(reader.link)
  }

  static func write<Chip>(_ message: [UInt8], _ reader: VicinityReader<Chip>) throws {
    var mapping = reader.mapping()
    try mapping.write(message, reader.link)
  }

  // MARK: Counts

  /// The number of exchanges of a read: with 32 blocks per read, and without a limit. The size of an
  /// ST25DV is requested once, before the read.
  @Test(arguments: [(137, 129, 2), (868, 129, 7), (137, 65536, 1), (868, 65536, 1), (0, 129, 1)])
  func countsOfReading(length: Int, response: Int, exchanges: Int) throws {
    let message = pattern(length)
    let reader = VicinityReader(
      try PlainVicinityChip(.st25dv64K, ndef: message), response: response)
    var access = reader.access
    _ = try access.systemInformation()
    var mapping = Type5Mapping(knowledge: access.knowledge)
    reader.clearCount()
    #expect(try mapping.read(reader.link) == (length == 0 ? nil : message))
    #expect(reader.exchanges == exchanges)
    // It is not requested again in the same call, but in the next one, because the I²C side may have
    // written.
    reader.clearCount()
    #expect(try mapping.read(reader.link) == (length == 0 ? nil : message))
    #expect(reader.exchanges == 0)
    // The status also reads the bytes after a message.
    #expect(try mapping.status(reader.link).access == .readWrite)
    #expect(reader.exchanges <= 1)
    reader.clearCount()
    mapping.beginCall()
    #expect(try mapping.read(reader.link) == (length == 0 ? nil : message))
    #expect(reader.exchanges == exchanges)
  }

  /// For a chip without another side, only the beginning is read again.
  @Test func aSecondReadCostsOneExchange() throws {
    let message = pattern(308)
    let reader = VicinityReader(try ICODESLIX2(ndef: message))
    var mapping = reader.mapping()
    #expect(try mapping.read(reader.link) == message)
    #expect(reader.exchanges == 2)
    for _ in 0..<2 {
      reader.clearCount()
      mapping.beginCall()
      #expect(try mapping.read(reader.link) == message)
      #expect(reader.exchanges == 1)
      mapping.beginCall()
      #expect(try mapping.status(reader.link).access == .readWrite)
    }
  }

  /// A chip that its UID identifies needs no request for its size.
  @Test func oneExchangeForAKnownChip() throws {
    let message = pattern(137)
    let reader = VicinityReader(try ICODESLIX2(ndef: message))
    #expect(try Self.read(reader) == message)
    #expect(reader.codes == [0x23])
  }

  @Test func countsOfWriting() throws {
    let reader = Reader(ICODESLIX2())
    var mapping = reader.mapping()
    _ = try mapping.status(reader.link)
    reader.clearCount()
    mapping.beginCall()
    // 137 bytes, their header and terminator are in blocks 1 to 35; the length is written last. Before
    // that, the content is read, and once its lock status.
    try mapping.write(pattern(137), reader.link)
    #expect(reader.codes.count { $0 == 0x21 } == 35)
    #expect(reader.codes.prefix(3) == [0x23, 0x2C, 0x21])
    #expect(reader.exchanges == 37)
    // One byte changes: the length is set to zero, the byte is written, and the length is restored.
    var message = pattern(137)
    message[100] ^= 0xFF
    reader.clearCount()
    mapping.beginCall()
    try mapping.write(message, reader.link)
    #expect(reader.codes == [0x23, 0x21, 0x21, 0x21])
    reader.clearCount()
    mapping.beginCall()
    try mapping.write(message, reader.link)
    #expect(reader.exchanges == 1)
    mapping.discardCachedContent()
    #expect(try mapping.read(reader.link) == message)
    // Adjacent blocks are written together if the chip supports it.
    let dv = VicinityReader(PlainVicinityChip(.st25dv64K))
    var wide = dv.mapping()
    _ = try wide.status(dv.link)
    // The read fills one answer; the rest of the content to compare with is read too.
    try wide.write([], dv.link)
    _ = try wide.load(0..<1000, dv.link)
    dv.clearCount()
    try wide.write(pattern(800), dv.link)
    // 8 bytes of container, 4 of header, 800, terminator: blocks 2 to 203; block 2 is written last and
    // separately.
    #expect(dv.codes.first == 0x2C)
    #expect(Array(dv.codes.dropFirst()) == [UInt8](repeating: 0x24, count: 50) + [0x21, 0x21])
    #expect(try Self.read(dv) == pattern(800))
  }

  // MARK: Every chip, every length

  static func roundTrips<Chip: VirtualChip>(_ chip: Chip, capacity: Int) throws {
    let reader = VicinityReader(chip)
    for length in [0, 1, 5, 6, 7, 254, 255, capacity]
    where length <= capacity {
      for previous in [[], pattern(min(260, capacity), seed: 5)] {
        try write(previous, reader)
        #expect(try read(reader) ?? [] == previous)
        try write(pattern(length, seed: 9), reader)
        #expect(try read(reader) ?? [] == pattern(length, seed: 9), "\(chip.name) \(length)")
      }
    }
    var mapping = reader.mapping()
    #expect(
      try mapping.status(reader.link) == NDEFStatus(access: .readWrite, capacity: capacity))
    #expect { try mapping.write(pattern(capacity + 1), reader.link) } throws: {
      ($0 as? NFCError)?.code == .capacityExceeded
    }
    #expect(try read(reader) == pattern(capacity, seed: 9))
  }

  @Test func roundTrips() throws {
    try Self.roundTrips(ICODESLIX2(), capacity: 308)
    try Self.roundTrips(ICODESLIX(), capacity: 102)
    try Self.roundTrips(PlainVicinityChip(.icodeSLIS), capacity: 150)
    try Self.roundTrips(PlainVicinityChip(.st25tv02K), capacity: 246)
    try Self.roundTrips(PlainVicinityChip(.tagItHFIPlus), capacity: 246)
    try Self.roundTrips(PlainVicinityChip(.mb89r118), capacity: 1988)
    try Self.roundTrips(PlainVicinityChip(.st25dv64K), capacity: 8180)
  }

  @Test func messagesOfTheFactories() throws {
    let message = pattern(90)
    #expect(try Self.read(VicinityReader(try ICODESLIX(ndef: message))) == message)
    #expect(
      try Self.read(VicinityReader(try PlainVicinityChip(.icodeSLIS, ndef: message))) == message)
    #expect(
      try Self.read(VicinityReader(try PlainVicinityChip(.st25tv02K, ndef: message))) == message)
    #expect(
      try Self.read(VicinityReader(try PlainVicinityChip(.tagItHFIPlus, ndef: message))) == message)
    #expect(
      try Self.read(VicinityReader(try PlainVicinityChip(.mb89r118, ndef: pattern(1988))))
        == pattern(1988))
    #expect(
      try Self.read(VicinityReader(try PlainVicinityChip(.st25dv64K, ndef: pattern(8180))))
        == pattern(8180))
  }

  // MARK: What is on the tag

  @Test(arguments: [
    "00000000", "E1800D01", "FFFFFFFF",
    // These cannot be read without the maker's commands.
    "E1480D01", "E14C0D01",
  ])
  func notFormatted(beginning: String) throws {
    var chip = ICODESLIX2(formatted: false)
    chip.memory = try #require([UInt8](hexadecimal: beginning))
    let reader = VicinityReader(chip)
    var mapping = reader.mapping()
    #expect(try mapping.status(reader.link) == .notSupported)
    #expect { try mapping.read(reader.link) } throws: { ($0 as? NFCError)?.code == .notNDEF }
  }

  @Test(arguments: [
    ("E14027010303D00000FE", "D00000"), ("E140280100000303D00000FE", "D00000"),
    ("E1402701FD03AABBCC0303D00000FE", "D00000"), ("E140270103FF0003D00000FE", "D00000"),
    ("E140000100000026" + "0303D00000FE", "D00000"), ("E1402701FE", ""), ("E14027010300", ""),
  ])
  func contents(memory: String, message: String) throws {
    var chip = ICODESLIX2(formatted: false)
    chip.memory = try #require([UInt8](hexadecimal: memory))
    let reader = VicinityReader(chip)
    #expect((try Self.read(reader) ?? []).hexadecimal == message)
    try Self.write([0xD0, 0, 0, 1, 2, 3], reader)
    #expect(try Self.read(reader) == [0xD0, 0, 0, 1, 2, 3])
    // The bytes before the message are not changed.
    if memory.contains("FD03") {
      #expect(reader.chip.memory[4..<9].hexadecimal == "FD03AABBCC")
    }
  }

  @Test func brokenField() throws {
    var chip = ICODESLIX2(formatted: false)
    chip.memory = try #require([UInt8](hexadecimal: "E140270103FFFFFF"))
    let reader = VicinityReader(chip)
    #expect { try Self.read(reader) } throws: {
      let error = $0 as? NFCError
      return error?.code == .malformedContent && error?.place == .offset(4)
    }
    // Writing, emptying and formatting make it usable, as the error states.
    for way in 0..<3 {
      let reader = VicinityReader(chip)
      var mapping = reader.mapping()
      #expect(try mapping.statusForWriting(reader.link).access == .readWrite)
      switch way {
      case 0: try mapping.write(pattern(40), reader.link)
      case 1: try mapping.write([], reader.link)
      default: try mapping.format(wipe: false, reader.link)
      }
      #expect(try Self.read(reader) == (way == 0 ? pattern(40) : nil))
    }
  }

  /// The size is requested from a chip that does not match its UID.
  @Test func wrongUID() throws {
    let reader = VicinityReader(
      try ICODESLIX(uid: ICODESLIX2.model.defaultUID, ndef: pattern(50)), response: 65536)
    #expect(try Self.read(reader) == pattern(50))
    #expect(reader.codes == [0x23, 0x2B, 0x23])
  }

  /// An ICODE SLI-S refuses writes with the option flag (SL2 ICS53/ICS54 data sheet rev. 3.0, 8.1.2.2), which a
  /// container that was copied from a Tag-it announces.
  @Test func containerOfAnotherChip() throws {
    var chip = ICODESLIXS(.icodeSLIS, uid: nil)
    chip.core.store([0xE1, 0x40, 0x13, 0x10], block: 0)
    let reader = VicinityReader(chip)
    try Self.write(pattern(40), reader)
    #expect(try Self.read(reader) == pattern(40))
    #expect(reader.requests.allSatisfy { $0[0] & 0x40 == 0 || $0[1] == 0x20 })
  }

  // MARK: Format and lock

  static func formats<Chip: VirtualChip>(_ chip: Chip, _ beginning: String) throws {
    let reader = VicinityReader(chip)
    var mapping = reader.mapping()
    #expect(try mapping.status(reader.link) == .notSupported)
    try mapping.format(wipe: false, reader.link)
    #expect(
      reader.chip.memory.prefix(beginning.count / 2).hexadecimal == beginning, "\(chip.name)")
    #expect(try mapping.status(reader.link).access == .readWrite)
    try write(pattern(60), reader)
    #expect(try read(reader) == pattern(60))
    // A formatted tag is emptied.
    var other = reader.mapping()
    try other.format(wipe: false, reader.link)
    #expect(try read(reader) == nil)
  }

  @Test func formats() throws {
    try Self.formats(ICODESLIX2(formatted: false), "E14027090300FE00")
    try Self.formats(ICODESLIX(formatted: false), "E1400D090300FE00")
    try Self.formats(PlainVicinityChip(.icodeSLIS, formatted: false), "E14013080300FE00")
    try Self.formats(PlainVicinityChip(.st25tv02K, formatted: false), "E1401F090300FE00")
    try Self.formats(PlainVicinityChip(.tagItHFIPlus, formatted: false), "E1401F190300FE00")
    try Self.formats(PlainVicinityChip(.mb89r118, formatted: false), "E140F9090300FE00")
    try Self.formats(PlainVicinityChip(.st25dv64K, formatted: false), "E2400001000003FF0300FE00")
  }

  // MARK: Torn away

  /// At every exchange of a write, the tag holds the old message, none, or the new one, and can be
  /// written again.
  static func tear<Chip: VirtualChip>(_ chip: Chip, old: [UInt8], new: [UInt8]) throws {
    let base = VicinityReader(chip)
    try write(old, base)
    let counting = VicinityReader(base.chip)
    try write(new, counting)
    // A removal before an exchange is the same as one after the previous exchange.
    for exchange in -1..<counting.exchanges {
      let reader = VicinityReader(base.chip)
      reader.faults[max(0, exchange)] = exchange < 0 ? .gone : .goneAfter
      #expect(throws: NFCError.self) { try write(new, reader) }
      reader.restart()
      let found = try read(reader) ?? []
      #expect(
        found == old || found.isEmpty || found == new,
        "\(chip.name) \(old.count) to \(new.count) at \(exchange): \(found.count)")
      // It is sufficient to test for some exchanges that the tag can be written again.
      guard exchange < 4 || exchange.isMultiple(of: 8) else { continue }
      reader.restart()
      try write(new, reader)
      #expect(try read(reader) ?? [] == new)
    }
  }

  @Test(arguments: [(0, 9), (9, 0), (9, 10), (10, 300), (300, 10), (300, 299), (254, 255)])
  func tear(old: Int, new: Int) throws {
    let before = pattern(old)
    let after = pattern(new, seed: 40)
    try Self.tear(ICODESLIX2(), old: before, new: after)
    try Self.tear(PlainVicinityChip(.mb89r118), old: before, new: after)
    try Self.tear(PlainVicinityChip(.st25dv64K), old: before, new: after)
    if max(old, new) <= 246 {
      try Self.tear(PlainVicinityChip(.tagItHFIPlus), old: before, new: after)
    }
  }

  /// A length of three bytes in two blocks, after one, two or three bytes of filler, as some writers add
  /// them.
  @Test(arguments: [(1, 10, 270), (2, 10, 270), (3, 10, 270), (2, 270, 10), (2, 256, 257)])
  func tearAcrossBlocks(filler: Int, old: Int, new: Int) throws {
    var chip = ICODESLIX2()
    chip.memory =
      [0xE1, 0x40, 0x27, 0x01] + [UInt8](repeating: 0, count: filler) + [0x03, 0x00, 0xFE]
    try Self.tear(chip, old: pattern(old), new: pattern(new, seed: 40))
  }

  /// There is no message yet: its type byte makes it valid.
  @Test(arguments: 0...3)
  func tearWithoutAMessage(filler: Int) throws {
    var chip = ICODESLIX2()
    chip.memory =
      [0xE1, 0x40, 0x27, 0x01, 0xFD] + [UInt8(filler)] + [UInt8](repeating: 0xAA, count: filler)
      + [0xFE]
    for length in filler == 1 ? [5, 280] : [5] {
      try Self.tear(chip, old: [], new: pattern(length))
    }
  }

  /// An interrupted format leaves a tag that is formatted or not, and can be formatted.
  @Test func tearOfFormat() throws {
    for exchange in 0..<6 {
      let reader = Reader(ICODESLIX2(formatted: false))
      var mapping = reader.mapping()
      reader.faults[exchange] = .goneAfter
      try? mapping.format(wipe: false, reader.link)
      reader.restart()
      var again = reader.mapping()
      let status = try again.status(reader.link)
      #expect(status == .notSupported || status.capacity == 308)
      try again.format(wipe: false, reader.link)
      #expect(try Self.read(reader) == nil)
    }
  }

  /// Temporary faults are overcome without a visible effect.
  @Test(arguments: [Reader.Fault.deaf, .mute, .broken], 0..<12)
  func passingFailures(fault: Reader.Fault, exchange: Int) throws {
    let reader = Reader(ICODESLIX2())
    try Self.write(pattern(20), reader)
    reader.restart()
    reader.faults[exchange] = fault
    try Self.write(pattern(30, seed: 4), reader)
    reader.restart()
    reader.faults[exchange] = fault
    #expect(try Self.read(reader) == pattern(30, seed: 4))
  }

  // MARK: Any memory

  @Test func anyMemory() {
    var generator = SplitMix64(seed: 5)
    var read = 0
    for _ in 0..<150 {
      var chip = ICODESLIX()
      var memory = [0xE1, 0x40] + generator.bytes(upTo: 110)
      if Bool.random(using: &generator), memory.count > 5 { memory[4] = 0x03 }
      chip.memory = memory
      let reader = VicinityReader(chip)
      var mapping = reader.mapping()
      if (try? mapping.read(reader.link)) != nil { read += 1 }
      _ = try? mapping.status(reader.link)
      try? mapping.write([1, 2, 3], reader.link)
      var other = reader.mapping()
      try? other.format(wipe: true, reader.link)
    }
    #expect(read > 20)
  }
}
