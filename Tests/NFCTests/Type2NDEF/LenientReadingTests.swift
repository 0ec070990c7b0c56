import NFC
import Testing
import VirtualNFC

/// What `readNDEF` gives of a message that breaks a rule.
@Suite struct LenientReadingTests {
  private static let link: [UInt8] = [0x51, 0x01, 0x05, 0x55, 0x04, 0x61, 0x2E, 0x62, 0x65]

  private static func first(_ bytes: [UInt8]) -> [UInt8] {
    [(bytes[0] | 0x80) & ~0x40] + bytes.dropFirst()
  }
  private static func only(_ bytes: [UInt8]) -> [UInt8] { [bytes[0] | 0xC0] + bytes.dropFirst() }

  /// Bytes, and the number of records that are right.
  @Test(
    arguments: [
      // A record of the format unknown that has a type, between two that are right.
      (
        [
          0x91, 0x01, 0x01, 0x54, 0x00, 0x15, 0x01, 0x01, 0x42, 0x00, 0x51, 0x01, 0x01, 0x55, 0x04,
        ], 2
      ),
      // No ME flag.
      (first(link), 1),
      // The second record is cut short.
      (first(link) + [0x51, 0x01, 0x50, 0x55], 1),
    ] as [([UInt8], Int)])
  func whatIsRightIsRead(_ bytes: [UInt8], _ count: Int) async throws {
    let bench = try await Bench(try VirtualTag.ntag213(ndef: bytes))
    let ndef = try #require(try await bench.tag().ndef)
    #expect(try await ndef.readNDEF()?.records.count == count)
    let error = await #expect(throws: NFCError.self) { _ = try await ndef.readNDEF(.strict) }
    #expect(error?.code == .malformedContent)
  }

  @Test func nothingRightIsAnError() async throws {
    let bench = try await Bench(try VirtualTag.ntag213(ndef: [0xD1, 0x01, 0x50, 0x55] as [UInt8]))
    let ndef = try #require(try await bench.tag().ndef)
    let error = await #expect(throws: NFCError.self) { _ = try await ndef.readNDEF() }
    #expect(error?.code == .malformedContent)
  }

  @Test func aRightMessageIsTheSameEitherWay() async throws {
    let bench = try await Bench(try VirtualTag.ntag213(ndef: Self.only(Self.link)))
    let ndef = try #require(try await bench.tag().ndef)
    let message = try await ndef.readNDEF()
    #expect(message?.records.count == 1)
    #expect(try await ndef.readNDEF(.strict) == message)
  }
}
