import NFC
import Testing
import VirtualNFC

/// Topaz tags over the real libnfc.
@Suite struct Type1Tests {
  @Test(arguments: [1, 13, 90]) func readsTopaz96InOneExchange(_ length: Int) async throws {
    let message = message(length)
    let bench = try await Bench(try .topaz96(ndef: message))
    let ndef = try #require(try await bench.tag().ndef)
    for _ in 0..<2 {
      let read = try await bench.counting { try await ndef.readNDEFBytes() }
      #expect(read.result == message)
      #expect(read.exchanges == 1)
    }
    let status = try await bench.counting { try await ndef.queryNDEFStatus() }
    #expect(status.result == NDEFStatus(access: .readWrite, capacity: 90))
    #expect(status.exchanges == 1)
    await bench.reader.close()
  }

  @Test(arguments: [(0, 13), (13, 90), (90, 0), (13, 13)]) func tearsAtEveryExchange(
    _ old: Int, _ new: Int
  ) async throws {
    try await TearBench(.topaz96(), old: old, new: new).run()
  }

  @Test func writesOneByteInThree() async throws {
    var new = message(60)
    let bench = try await Bench(try .topaz96(ndef: new))
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.readNDEFBytes() == new)
    new[30] ^= 0xFF
    let write = try await bench.counting { try await ndef.writeNDEFBytes(new, verify: false) }
    // RALL and three writes.
    #expect(write.exchanges == 4)
    #expect(try await ndef.readNDEFBytes() == new)
    await bench.reader.close()
  }

  // MARK: Dynamic memory

  /// RALL, which has the first 80 bytes (78 after a length of three), and READ8 for each block more.
  @Test(arguments: [(80, 1), (137, 9), (254, 23), (255, 24), (400, 42), (462, 49)])
  func readsTopaz512(_ length: Int, _ exchanges: Int) async throws {
    let bench = try await Bench(try .topaz512(ndef: message(length)))
    let ndef = try #require(try await bench.tag().ndef)
    for _ in 0..<2 {
      let read = try await bench.counting { try await ndef.readNDEFBytes() }
      #expect(read.result == message(length))
      #expect(read.exchanges == exchanges)
    }
    let status = try await bench.counting { try await ndef.queryNDEFStatus() }
    #expect(status.result == NDEFStatus(access: .readWrite, capacity: 462))
    // The dynamic lock bits; to see what follows the message, the block after it is looked at too.
    #expect(status.exchanges <= 4)
    await bench.reader.close()
  }

  /// RALL, READ8 of the lock bits, a WRITE-E8 for each block that holds a byte of the message or its
  /// terminator.
  @Test(arguments: [(0, 80, 14), (0, 137, 21), (0, 400, 54), (0, 462, 61)])
  func writesTopaz512(_ old: Int, _ new: Int, _ exchanges: Int) async throws {
    let tag = try VirtualTag.topaz512(ndef: message(old))
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    let write = try await bench.counting {
      try await ndef.writeNDEFBytes(message(new), verify: false)
    }
    #expect(write.exchanges == exchanges)
    let expected = try VirtualTag.topaz512(ndef: message(new))
    #expect(tag.memory == expected.memory)
    #expect(try await ndef.readNDEFBytes() == message(new))
    await bench.reader.close()
  }

  @Test func writesOneByteOfTopaz512InThree() async throws {
    var new = message(400)
    let bench = try await Bench(try .topaz512(ndef: new))
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.queryNDEFStatus().access == .readWrite)
    #expect(try await ndef.readNDEFBytes() == new)
    _ = try await ndef.queryNDEFStatus()
    new[300] ^= 0xFF
    let write = try await bench.counting { try await ndef.writeNDEFBytes(new, verify: false) }
    // RALL, the lock bits, what is there now with its terminator, and three writes.
    #expect(write.exchanges == 46)
    #expect(try await ndef.readNDEFBytes() == new)
    await bench.reader.close()
  }

  @Test(arguments: [(0, 100), (90, 120), (120, 20)]) func tearsTopaz512AtEveryExchange(
    _ old: Int, _ new: Int
  ) async throws {
    try await TearBench(.topaz512(), old: old, new: new).run()
  }

  /// A lock bit of a block far beyond the message makes the tag read-only, and nothing is written.
  @Test func seesDynamicLockBits() async throws {
    let tag = try VirtualTag.topaz512(ndef: message(20))
    tag.memory[0x7F] = 0x80
    let image = tag.memory
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    let error = await #expect(throws: NFCError.self) {
      try await ndef.writeNDEFBytes(message(400), verify: false)
    }
    #expect(error?.code == .readOnly)
    #expect(tag.memory == image)
    await bench.reader.close()
  }

  /// An answer that breaks on the air, by the chip's registers: the check finds it, and the tag is there
  /// for the next try.
  @Test(arguments: [
    (Fault.Effect.answerBroken, NFCError.Cause.checksum), (.answerLost, .noAnswer),
    (.frameLost, .noAnswer),
  ])
  func aBrokenREAD8IsAnError(_ effect: Fault.Effect, _ cause: NFCError.Cause) async throws {
    let bench = try await Bench(try .topaz512(ndef: message(137)))
    let ndef = try #require(try await bench.tag().ndef)
    // A READ8 is repeated once.
    bench.virtual.setFaults([4, 5].map { Fault(effect, at: .exchange($0)) })
    let error = await #expect(throws: NFCError.self) { try await ndef.readNDEFBytes() }
    #expect(error?.code == .tagResponseError)
    #expect(error?.cause == cause)
    bench.virtual.setFaults([])
    #expect(try await ndef.readNDEFBytes() == message(137))
    await bench.reader.close()
  }

  @Test(arguments: [90, 462]) func formatsABlankTag(_ length: Int) async throws {
    let tag: VirtualTag =
      length == 90 ? .topaz96(formatted: false) : .topaz512(formatted: false)
    let formatted: VirtualTag = length == 90 ? .topaz96() : .topaz512()
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.queryNDEFStatus() == .notSupported)
    let error = await #expect(throws: NFCError.self) { try await ndef.readNDEFBytes() }
    #expect(error?.code == .notNDEF)
    try await ndef.formatNDEF()
    #expect(tag.memory == formatted.memory)
    #expect(try await ndef.readNDEFBytes() == nil)
    try await ndef.writeNDEFBytes(message(length), verify: true)
    try await ndef.formatNDEF()
    #expect(try await ndef.readNDEFBytes() == nil)
    await bench.reader.close()
  }

  /// RALL; the lock bits of blocks 8 to C, the dynamic ones, the container, those of blocks 1 to 7; RALL.
  @Test(.asking(.lockBits), arguments: [true, false]) func locks(_ isStatic: Bool) async throws {
    let tag: VirtualTag = try isStatic ? .topaz96(ndef: message(20)) : .topaz512(ndef: message(20))
    tag.memory[0x71] &= ~0x40
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.readNDEFBytes() == message(20))
    let lock = try await bench.counting { try await ndef.makeReadOnly() }
    // Dynamic lock bytes are six, read before and after.
    #expect(lock.exchanges == (isStatic ? 5 : 13))
    #expect(tag.memory[11] == 0x0F)
    #expect(tag.memory[0x70] & 0xFE == 0xFE && tag.memory[0x71] & 0x1F == 0x1F)
    #expect(isStatic || tag.memory[0x7A..<0x80].allSatisfy { $0 == 0xFF })
    #expect(try await ndef.queryNDEFStatus().access == .readOnly)
    let image = tag.memory
    let error = await #expect(throws: NFCError.self) {
      try await ndef.writeNDEFBytes([1], verify: false)
    }
    #expect(error?.code == .readOnly)
    try await ndef.makeReadOnly()
    #expect(tag.memory == image)
    #expect(try await ndef.readNDEFBytes() == message(20))
    await bench.reader.close()
  }

  /// Tags that are sold have block E locked: their lock bits cannot be set, and nothing is changed.
  @Test(arguments: [true, false]) func lockingATagAsItIsSoldChangesNothing(_ isStatic: Bool)
    async throws
  {
    let tag: VirtualTag = try isStatic ? .topaz96(ndef: message(20)) : .topaz512(ndef: message(20))
    let image = tag.memory
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    let error = await #expect(throws: NFCError.self) { try await ndef.makeReadOnly() }
    #expect(error?.code == .unsupported)
    #expect(tag.memory == image)
    await bench.reader.close()
  }

  /// Torn away at every exchange, a lock is completed by the next call, whatever the container says by then.
  @Test(.asking(.lockBits), arguments: [true, false]) func anInterruptedLockIsCompleted(
    _ isStatic: Bool
  )
    async throws
  {
    let bench = try await Bench()
    var moment = 0
    var isTorn = true
    while isTorn {
      let tag: VirtualTag =
        try isStatic ? .topaz96(ndef: message(20)) : .topaz512(ndef: message(20))
      tag.memory[0x71] &= ~0x40
      bench.field.place(tag)
      var ndef = try #require(try await bench.tag().ndef)
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      do {
        try await ndef.makeReadOnly()
        isTorn = false
      } catch let error as NFCError {
        #expect(error.code == .tagConnectionLost)
      }
      bench.virtual.setFaults([])
      bench.field.place(tag)
      ndef = try #require(try await bench.tag().ndef)
      try await ndef.makeReadOnly()
      #expect(tag.memory[11] == 0x0F, "moment \(moment)")
      #expect(tag.memory[0x70] & 0xFE == 0xFE && tag.memory[0x71] & 0x1F == 0x1F)
      #expect(isStatic || tag.memory[0x7A..<0x80].allSatisfy { $0 == 0xFF })
      bench.field.remove(tag)
      moment += 1
    }
    #expect(moment > 3)
    await bench.reader.close()
  }

  @Test func lockBitsSufficeToMakeItReadOnly() async throws {
    let tag = try VirtualTag.topaz96(ndef: message(20))
    tag.memory[0x71] |= 0x01
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.queryNDEFStatus().access == .readOnly)
    await bench.reader.close()
  }

  /// A container that promises more than the chip has: the chip knows better.
  @Test func theChipIsBelievedBeforeItsContainer() async throws {
    let lying = try VirtualTag.topaz96(ndef: message(20))
    lying.memory[10] = 0x3F
    let bench = try await Bench(lying)
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.readNDEFBytes() == message(20))
    #expect(try await ndef.queryNDEFStatus().capacity == 90)
    await bench.reader.close()
  }

  /// Reading says what is broken; writing, emptying and formatting mend it, as the error promises.
  @Test(arguments: 0..<3) func aBrokenTLVIsRepaired(_ way: Int) async throws {
    let broken = VirtualTag.topaz96()
    broken.memory[13] = 0x80
    let bench = try await Bench(broken)
    let ndef = try #require(try await bench.tag().ndef)
    let error = await #expect(throws: NFCError.self) { try await ndef.readNDEFBytes() }
    #expect(error?.code == .malformedContent)
    #expect(error?.place == .block(1))
    switch way {
    case 0: try await ndef.writeNDEFBytes(message(13), verify: true)
    case 1: try await ndef.writeNDEFBytes([], verify: true)
    default: try await ndef.formatNDEF()
    }
    #expect(try await ndef.readNDEFBytes() == (way == 0 ? message(13) : nil))
    await bench.reader.close()
  }

  /// A program's own WRITE-E, after which the message is another.
  @Test func aRawWriteIsSeen() async throws {
    let tag = try VirtualTag.topaz96(ndef: message(20))
    let bench = try await Bench(tag)
    guard case .other(let topaz) = try await bench.tag() else {
      Issue.record("no Jewel tag")
      return
    }
    #expect(try await topaz.readNDEFBytes() == message(20))
    _ = try await topaz.transceive([0x53, 0x14, 0xEE])
    #expect(try await topaz.readNDEFBytes() != message(20))
    try await topaz.writeNDEFBytes(message(20), verify: false)
    #expect(tag.memory == (try VirtualTag.topaz96(ndef: message(20))).memory)
    #expect(try await topaz.product()?.name == "Topaz 96")
    await bench.reader.close()
  }

  /// Every call reaches the tag: one that has left is found out.
  @Test func aTagThatHasLeftIsDetected() async throws {
    let tag = try VirtualTag.topaz96(ndef: message(20))
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.readNDEFBytes() == message(20))
    bench.field.remove(tag)
    let error = await #expect(throws: NFCError.self) { try await ndef.queryNDEFStatus() }
    #expect(error?.code == .tagConnectionLost)
    await bench.reader.close()
  }

  /// A tag that holds something else is formatted only if that is to be wiped; one that a format has left half
  /// done is.
  @Test func formatRefusesATagInUse() async throws {
    let tag = VirtualTag.topaz96(formatted: false)
    tag.memory[40] = 0x77
    let image = tag.memory
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    let error = await #expect(throws: NFCError.self) { try await ndef.formatNDEF() }
    #expect(error?.code == .unsupported && error?.place == .block(5))
    #expect(tag.memory == image)
    try await ndef.formatNDEF(wipe: true)
    #expect(try await ndef.readNDEFBytes() == nil)
    await bench.reader.close()
  }
}
