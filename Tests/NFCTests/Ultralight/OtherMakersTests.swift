import NFC
import TestSupport
import Testing
import VirtualNFC

/// Type 2 tags of other makers, which answer as a MIFARE Ultralight and know no GET_VERSION: the maker is the first
/// byte of the UID (ISO/IEC 7816-6), and no chip is named after another maker's.
@Suite(.replayed) struct OtherMakersTests {
  @Test(
    arguments: [
      ([0x04, 0x51, 0x2C, 0x8A, 0x3D, 0x61, 0x80], "MIFARE Ultralight"),
      // ST25TN512 and ST25TN01K begin with 02 (STMicroelectronics), my-d move with 05 3x (Infineon).
      ([0x02, 0x84, 0x00, 0x31, 0x52, 0x07, 0x19], nil),
      ([0x05, 0x30, 0x11, 0x22, 0x33, 0x44, 0x55], nil),
      ([0x05, 0x3F, 0x11, 0x22, 0x33, 0x44, 0x55], nil),
    ] as [([UInt8], String?)])
  func isNotNamedAfterAnother(_ uid: [UInt8], _ name: String?) async throws {
    let bench = try await Bench(.ultralight(uid: uid))
    guard case .miFare(let tag) = try await bench.tag(.iso14443a) else {
      throw NFCError(.wrongTag, "no tag of type 2")
    }
    #expect(tag.identifier == uid && tag.atqa == [0x00, 0x44] && tag.sak == 0)
    #expect(try await tag.product()?.name == name)
    #expect(try await tag.sendMiFareCommand([0x30, 0x00]).prefix(3) == uid.prefix(3))
    await bench.reader.close()
  }

  /// A chip is asked for once: what depends on it, and is refused because it is not known, needs no exchange.
  @Test func isAskedForItsChipOnce() async throws {
    let bench = try await Bench(.ultralight(uid: [0x05, 0x30, 0x11, 0x22, 0x33, 0x44, 0x55]))
    guard case .miFare(let tag) = try await bench.tag(.iso14443a) else {
      throw NFCError(.wrongTag, "no tag of type 2")
    }
    #expect(try await tag.product() == nil)
    let ultralight = try #require(tag.ultralight)
    let operations: [@Sendable () async throws -> Void] = [
      { _ = try await ultralight.dump() },
      { _ = try await ultralight.protectionPlan(nil as UltralightProtection?) },
      { _ = try await ultralight.protectionPlan(nil as UltralightCProtection?, key: nil) },
    ]
    for operation in operations {
      let (error, commands, _) = await bench.counting {
        await #expect(throws: NFCError.self) { try await operation() }
      }
      #expect(error?.code == .unsupported && error?.cause == nil)
      #expect(commands == 0)
    }
    await bench.reader.close()
  }
}
