import SwiftNFCCore
import Testing

/// Frames that make phones answer (kormax/apple-enhanced-contactless-polling; their check bytes are computed).
@Suite struct PollingFrameTests {
  struct Known: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let a: [UInt8]
    let b: [UInt8]
    let name: String
    var testDescription: String { name }
  }

  static let known = [
    Known(
      bytes: [0x6A, 1, 0, 0, 0], a: [0xF6, 0xF1], b: [0xD7, 0x3E], name: "ECP 1, passes or payment"),
    Known(
      bytes: [0x6A, 1, 0, 0, 1], a: [0x7F, 0xE0], b: [0x5E, 0x2F], name: "ECP 1, passes and payment"
    ),
    Known(
      bytes: [0x6A, 1, 0, 0, 2], a: [0xE4, 0xD2], b: [0xC5, 0x1D], name: "ECP 1, passes only"),
    Known(
      bytes: [0x6A, 1, 0, 0, 3], a: [0x6D, 0xC3], b: [0x4C, 0x0C], name: "ECP 1, payment only"),
    Known(
      bytes: [0x6A, 1, 0xCF, 0, 0], a: [0xAB, 0xB1], b: [0x8A, 0x7E],
      name: "ECP 1, ignore this reader"),
    Known(
      bytes: [0x6A, 2, 0xC3, 2, 0, 2, 0xFF, 0xFF], a: [0xD5, 0xCF], b: [0x9C, 0x19],
      name: "ECP 2, access"),
    Known(
      bytes: [0x6A, 2, 0xCB, 2, 6, 2, 0x11, 0, 1, 2, 3, 4, 5, 6, 7, 8], a: [0x1E, 0x5E],
      b: [0x80, 0xB8], name: "ECP 2, access"),
    Known(
      bytes: [0x6A, 2, 0x81, 3, 0, 0], a: [0x35, 0x51], b: [0x09, 0x91], name: "ECP 2, identity"),
  ]

  @Test(arguments: known) func checkBytesAndNames(_ known: Known) throws {
    let frame = try PollingFrame(known.bytes)
    #expect(frame.encoded == known.bytes + known.a)
    #expect(frame.name == known.name)
    #expect(try PollingFrame(known.bytes, technology: .typeB).encoded == known.bytes + known.b)
    #expect(!frame.isTransit)
  }

  @Test func theFrameForPasses() throws {
    #expect(PollingFrame.passesOnly == (try PollingFrame([0x6A, 1, 0, 0, 2])))
    #expect(try PollingFrame([0x6A, 2, 0xC8, 1, 0, 3, 0, 2, 0x79, 0, 0, 0, 0]).isTransit)
    #expect(try PollingFrame(Array("Hello world".utf8)).name == "polling frame of 11 bytes")
  }

  @Test(
    arguments: [
      [], [0x6A, 1], [0x6A, 1, 0, 0], [0x6A, 1, 0, 0, 2, 0xE4, 0xD2], [0x6A, 2],
      [0x6A, 2, 0xC3, 2, 0, 2, 0xFF], [0x6A, 2, 0xC3, 2, 0, 2, 0xFF, 0xFF, 0xD5, 0xCF],
      [UInt8](repeating: 1, count: 63),
    ] as [[UInt8]])
  func framesThatPhonesWouldIgnore(_ bytes: [UInt8]) {
    #expect(throws: NFCError.self) { try PollingFrame(bytes) }
  }
}
