import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore

/// A message of a given length that is one record of type unknown.
func message(_ length: Int, seed: UInt8 = 1) -> [UInt8] {
  guard length > 0 else { return [] }
  return (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(seed)) | 1 }
}

/// How many frames go over the air, as the project's target table has them; the tag is the virtual one
/// and libnfc the real one.
@Suite struct Type2CountTests {
  struct Reading: Sendable, CustomTestStringConvertible {
    let name: String
    let length: Int
    let exchanges: Int
    let tag: @Sendable ([UInt8]) throws -> VirtualTag
    var testDescription: String { "\(length) bytes on \(name)" }
  }

  static let readings = [
    Reading(name: "NTAG216", length: 137, exchanges: 2) { try .ntag216(ndef: $0) },
    Reading(name: "NTAG216", length: 868, exchanges: 5) { try .ntag216(ndef: $0) },
    Reading(name: "NTAG216", length: 40, exchanges: 2) { try .ntag216(ndef: $0) },
    Reading(name: "NTAG216", length: 400, exchanges: 3) { try .ntag216(ndef: $0) },
    Reading(name: "NTAG216", length: 10, exchanges: 1) { try .ntag216(ndef: $0) },
    Reading(name: "NTAG215", length: 137, exchanges: 2) { try .ntag215(ndef: $0) },
    Reading(name: "NTAG213", length: 137, exchanges: 2) { try .ntag213(ndef: $0) },
    Reading(name: "NTAG I2C 1K", length: 868, exchanges: 5) { try .ntagI2C1K(ndef: $0) },
    // The lock control TLV takes five bytes: 144 bytes are 12 and 132.
    Reading(name: "NTAG203", length: 137, exchanges: 10) { try .ntag203(ndef: $0) },
    Reading(name: "Ultralight C", length: 137, exchanges: 9) { ndef in
      // Formatted without a lock control TLV.
      let tag = VirtualTag.ultralightC()
      var memory = tag.memory
      let area = [0x03, UInt8(ndef.count)] + ndef + [0xFE]
      memory.replaceSubrange(16..<(16 + area.count), with: area)
      tag.memory = memory
      return tag
    },
    Reading(name: "Ultralight", length: 46, exchanges: 4) { try .ultralight(ndef: $0) },
    // Two SECTOR_SELECTs of two frames each: to sector 1 and back.
    Reading(name: "NTAG I2C 2K", length: 1868, exchanges: 13) { try .ntagI2C2K(ndef: $0) },
  ]

  @Test(arguments: readings) func reads(_ reading: Reading) async throws {
    let message = message(reading.length)
    let bench = try await Bench(try reading.tag(message))
    let ndef = try #require(try await bench.tag().ndef)
    let first = try await bench.counting { try await ndef.readNDEFBytes() }
    #expect(first.result == message)
    #expect(first.exchanges == reading.exchanges)
    let second = try await bench.counting { try await ndef.readNDEFBytes() }
    #expect(second.result == message)
    // One that proves that the tag is there; a chip with a wired side is read again after it.
    let hasWiredSide = reading.name.hasPrefix("NTAG I2C")
    #expect(second.exchanges == (hasWiredSide ? 1 + first.exchanges : 1))
    await bench.reader.close()
  }

  /// Status and message together, as `nfc read` asks for them: the lock bits as well, and what follows the message.
  ///
  /// On an Ultralight C, a message of 26 bytes fills pages 4 to 12 and the lock bits are in page 40: four READs.
  @Test(arguments: [
    Reading(name: "NTAG213", length: 26, exchanges: 3) { try .ntag213(ndef: $0) },
    Reading(name: "NTAG215", length: 26, exchanges: 3) { try .ntag215(ndef: $0) },
    Reading(name: "NTAG216", length: 26, exchanges: 3) { try .ntag216(ndef: $0) },
    Reading(name: "NTAG216", length: 137, exchanges: 3) { try .ntag216(ndef: $0) },
    Reading(name: "NTAG213", length: 137, exchanges: 2) { try .ntag213(ndef: $0) },
    Reading(name: "NTAG215", length: 400, exchanges: 4) { try .ntag215(ndef: $0) },
    Reading(name: "Ultralight C", length: 26, exchanges: 4) { try .ultralightC(ndef: $0) },
    Reading(name: "Ultralight C", length: 137, exchanges: 10) { try .ultralightC(ndef: $0) },
    Reading(name: "Ultralight EV1", length: 26, exchanges: 2) { try .ultralightEV1(ndef: $0) },
    Reading(name: "Ultralight EV1, 128 bytes", length: 26, exchanges: 3) {
      try .ultralightEV1With128Bytes(ndef: $0)
    },
  ]) func readsContent(_ reading: Reading) async throws {
    let message = message(reading.length)
    let tag = try reading.tag(message)
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    let content = try await bench.counting { try await ndef.readNDEFContent() }
    #expect(content.result.bytes == message)
    #expect(content.result.status.access == .readWrite)
    #expect(content.exchanges == reading.exchanges)
    await bench.reader.close()
  }

  struct Writing: Sendable, CustomTestStringConvertible {
    let old: Int
    let new: Int
    let writes: Int
    var testDescription: String { "\(old) bytes to \(new)" }
  }

  /// WRITEs only: what is there has to be read to know what changes.
  @Test(arguments: [
    // The length page once where there is no message to be taken away first.
    Writing(old: 0, new: 137, writes: 35),
    Writing(old: 130, new: 137, writes: 36),
    Writing(old: 0, new: 868, writes: 218),
    Writing(old: 137, new: 868, writes: 219),
    Writing(old: 868, new: 868, writes: 219),
    Writing(old: 868, new: 0, writes: 1),
  ]) func writes(_ writing: Writing) async throws {
    let trace = Trace()
    let tag = try VirtualTag.ntag216(ndef: message(writing.old))
    let bench = try await Bench(tag, trace: { trace.append($0) })
    let ndef = try #require(try await bench.tag().ndef)
    let new = message(writing.new, seed: 100)
    trace.clear()
    try await ndef.writeNDEFBytes(new, verify: false)
    #expect(trace.writes == writing.writes)
    #expect(try await ndef.readNDEFBytes() ?? [] == new)
    await bench.reader.close()
  }

  @Test(arguments: [0, 1, 5, 60, 136]) func rewritesOneByte(_ index: Int) async throws {
    let trace = Trace()
    var new = message(137)
    let tag = try VirtualTag.ntag216(ndef: new)
    let bench = try await Bench(tag, trace: { trace.append($0) })
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.readNDEFBytes() == new)
    new[index] ^= 0x55
    trace.clear()
    try await ndef.writeNDEFBytes(new, verify: false)
    // The first two bytes share the length's page, which is then the only one to change.
    #expect(trace.writes == (index < 2 ? 1 : 3))
    trace.clear()
    try await ndef.writeNDEFBytes(new, verify: false)
    #expect(trace.writes == 0)
    #expect(try await ndef.readNDEFBytes() == new)
    await bench.reader.close()
  }

  @Test func statusAndWriteTakeFewExchanges() async throws {
    let bench = try await Bench(.ntag216())
    let ndef = try #require(try await bench.tag().ndef)
    let status = try await bench.counting { try await ndef.queryNDEFStatus() }
    #expect(status.result == NDEFStatus(access: .readWrite, capacity: 868))
    #expect(status.exchanges == 2)
    #expect(try await bench.counting { try await ndef.queryNDEFStatus() }.exchanges == 1)
    let write = try await bench.counting {
      try await ndef.writeNDEFBytes(message(137), verify: false)
    }
    // One of them proves that the tag is still what it was.
    #expect(write.exchanges == 36)
    await bench.reader.close()
  }

  /// READ alone, on a chip that is known not to have FAST_READ: 12 bytes with the container, then 16.
  @Test(arguments: [(137, 9), (868, 55)]) func readsWithoutFastRead(
    _ length: Int, _ exchanges: Int
  ) throws {
    let driver = ChipDriver(try NTAG21x(.ntag216, ndef: message(length)))
    var mapping = Type2Mapping(UltralightIdentification(chip: .ntag203))
    #expect(try mapping.read(driver.link) == message(length))
    #expect(driver.exchanges == exchanges)
  }

  /// A tag of this size that refuses FAST_READ is asked for it once.
  @Test func triesFastReadOnce() throws {
    let driver = ChipDriver(try NTAG21x(.ntag216, ndef: message(868)), refusing: 0x3A)
    var mapping = Type2Mapping()
    #expect(try mapping.read(driver.link) == message(868))
    #expect(driver.exchanges == 56)
    mapping.beginCall()
    #expect(try mapping.read(driver.link) == message(868))
    #expect(driver.exchanges == 57)
    mapping.discardCachedContent()
    #expect(try mapping.read(driver.link) == message(868))
    #expect(driver.exchanges == 57 + 55)
  }
}
