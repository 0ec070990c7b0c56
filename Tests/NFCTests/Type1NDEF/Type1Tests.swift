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
    #expect(status.exchanges == 0)
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
    #expect(write.exchanges == 3)
    #expect(try await ndef.readNDEFBytes() == new)
    await bench.reader.close()
  }

  // MARK: Dynamic memory

  /// RALL, which has the first 80 bytes (78 behind a length of three), and READ8 for each block more.
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
    // The dynamic lock bits, once.
    #expect(status.exchanges == 1)
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
    #expect(write.exchanges == 3)
    #expect(try await ndef.readNDEFBytes() == new)
    await bench.reader.close()
  }

  @Test(arguments: [(0, 100), (90, 120), (120, 20)]) func tearsTopaz512AtEveryExchange(
    _ old: Int, _ new: Int
  ) async throws {
    try await TearBench(.topaz512(), old: old, new: new).run()
  }

  /// A lock bit of a block far behind makes the tag read-only, and nothing is written.
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
    bench.virtual.setFaults([Fault(effect, at: .exchange(4))])
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

  @Test(arguments: [true, false]) func locks(_ isStatic: Bool) async throws {
    let tag: VirtualTag = try isStatic ? .topaz96(ndef: message(20)) : .topaz512(ndef: message(20))
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.readNDEFBytes() == message(20))
    let lock = try await bench.counting { try await ndef.writeLock() }
    // The dynamic lock bytes have been looked at before: READ8.
    #expect(lock.exchanges == (isStatic ? 3 : 10))
    #expect(tag.memory[11] == 0x0F)
    #expect(Array(tag.memory[0x70...0x71]) == [0xFF, 0xFF])
    #expect(try await ndef.queryNDEFStatus().access == .readOnly)
    let image = tag.memory
    let error = await #expect(throws: NFCError.self) {
      try await ndef.writeNDEFBytes([1], verify: false)
    }
    #expect(error?.code == .readOnly)
    #expect(tag.memory == image)
    #expect(try await ndef.readNDEFBytes() == message(20))
    await bench.reader.close()
  }

  @Test func lockBitsAloneMakeItReadOnly() async throws {
    let tag = try VirtualTag.topaz96(ndef: message(20))
    tag.memory[0x71] |= 0x01
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.queryNDEFStatus().access == .readOnly)
    await bench.reader.close()
  }

  @Test func tellsALyingContainerAndABrokenTLV() async throws {
    let lying = VirtualTag.topaz96()
    lying.memory[10] = 0x3F
    let broken = VirtualTag.topaz96()
    broken.memory[13] = 0x80
    for tag in [lying, broken] {
      let bench = try await Bench(tag)
      let ndef = try #require(try await bench.tag().ndef)
      let error = await #expect(throws: NFCError.self) { try await ndef.readNDEFBytes() }
      #expect(error?.code == .malformedContent)
      #expect(error?.place == .block(1))
      await bench.reader.close()
    }
  }
}
