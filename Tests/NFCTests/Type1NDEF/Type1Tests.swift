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

  /// What lies beyond block C of a Topaz 512 is out of this reader's reach, and said to be.
  @Test func readsAndWritesTheStaticPartOfTopaz512() async throws {
    let long = try VirtualTag.topaz512(ndef: message(137))
    let bench = try await Bench(long)
    let ndef = try #require(try await bench.tag().ndef)
    #expect(
      try await ndef.queryNDEFStatus() == NDEFStatus(access: .readWrite, capacity: 462))
    let error = await #expect(throws: NFCError.self) { try await ndef.readNDEFBytes() }
    #expect(error?.code == .unsupported)
    let image = long.memory
    let refused = await #expect(throws: NFCError.self) {
      try await ndef.writeNDEFBytes(message(81), verify: false)
    }
    #expect(refused?.code == .unsupported)
    #expect(long.memory == image)
    try await ndef.writeNDEFBytes(message(80), verify: true)
    #expect(try await ndef.readNDEFBytes() == message(80))
    await bench.reader.close()
  }

  @Test(arguments: [90, 80]) func formatsABlankTag(_ length: Int) async throws {
    let tag: VirtualTag =
      try length == 90 ? .topaz96(formatted: false) : .topaz512(formatted: false)
    let formatted: VirtualTag = try length == 90 ? .topaz96() : .topaz512()
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
    #expect(lock.exchanges == (isStatic ? 3 : 9))
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
    let lying = try VirtualTag.topaz96()
    lying.memory[10] = 0x3F
    let broken = try VirtualTag.topaz96()
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
