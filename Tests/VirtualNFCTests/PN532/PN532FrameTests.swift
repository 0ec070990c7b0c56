import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Frames between host and chip: user manual UM0701-02, 6.2.1.
@Suite struct PN532FrameTests {
  private func bytes(_ text: String) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: text))
  }

  /// GetFirmwareVersion and its answer as in the user manual and in every trace.
  @Test func normalFrames() throws {
    #expect(PN532Frame.encode([0xD4, 0x02]) == (try bytes("0000FF02FED4022A00")))
    #expect(
      PN532Frame.encode([0xD5, 0x03, 0x32, 0x01, 0x06, 0x07])
        == (try bytes("0000FF06FAD50332010607E800")))
  }

  @Test func extendedFrames() throws {
    let data = [0xD5, 0x43] + [UInt8](repeating: 0x11, count: 262)
    let frame = PN532Frame.encode(data)
    #expect(Array(frame.prefix(8)) == (try bytes("0000FFFFFF0108F7")))
    #expect(frame.count == 8 + 264 + 2)
    #expect(frame.dropFirst(5).prefix(3).reduce(0, &+) == 0)
    #expect(frame.dropFirst(8).dropLast().reduce(0, &+) == 0)
  }

  static let streams: [(String, [PN532FrameReader.Event])] = [
    ("0000FF02FED4022A00", [.command([0x02])]),
    // libnfc's wake-up, then SAMConfiguration; nfcpy's ten zeros.
    ("55550000000000000000000000000000" + "0000FF03FDD414011700", [.command([0x14, 0x01])]),
    ("00000000000000000000" + "0000FF02FED4022A00", [.command([0x02])]),
    ("0000FF00FF00", [.acknowledge]), ("0000FFFF0000", [.negativeAcknowledge]),
    ("0000FF00FF00" + "0000FF02FED4022A00", [.acknowledge, .command([0x02])]),
    // An extended frame with a short command is also valid.
    ("0000FFFFFF0002FED4022A00", [.command([0x02])]),
    // Wrong data check, wrong length check, a frame from chip to host, one without a command.
    ("0000FF02FED4022B00", [.damaged]), ("0000FF02FDD4022A00", [.damaged]),
    ("0000FF02FED5022900", [.damaged]), ("0000FF01FFD42C00", [.damaged]),
    // Noise, followed by a valid frame.
    ("FFFF13370000FF02FED4022A00", [.command([0x02])]),
    ("0000FF02FED4022B00" + "0000FF02FED4022A00", [.damaged, .command([0x02])]),
    ("", []), ("00", []), ("0000FF", []), ("0000FF02FED4", []),
  ]

  @Test(arguments: streams) func cuts(_ stream: String, _ events: [PN532FrameReader.Event]) throws {
    var whole = PN532FrameReader()
    #expect(whole.feed(try bytes(stream)) == events)
    var single = PN532FrameReader()
    #expect(try bytes(stream).flatMap { single.feed([$0]) } == events)
  }

  @Test func whatWasAbandonedIsForgotten() throws {
    var reader = PN532FrameReader()
    #expect(reader.feed(try bytes("0000FF09F7D400006C69")) == [])
    #expect(reader.isWithinFrame)
    reader.abandon()
    #expect(!reader.isWithinFrame)
    #expect(reader.feed(try bytes("0000FF02FED4022A00")) == [.command([0x02])])
  }

  @Test func anyBytesAreCut() {
    var generator = SplitMix64(seed: 532)
    var reader = PN532FrameReader()
    var damaged = 0
    for _ in 0..<5000 {
      var bytes = generator.bytes(upTo: 12)
      if Bool.random(using: &generator) { bytes = [0x00, 0x00, 0xFF] + bytes }
      damaged += reader.feed(bytes).count { $0 == .damaged }
    }
    #expect(damaged > 100)
  }

  @Test func parityStreamsRoundTrip() {
    var generator = SplitMix64(seed: 9)
    for _ in 0..<500 {
      let bytes = generator.bytes(upTo: 20) + [0x5A, 0xA5]
      let frame = RadioFrame(bytes, modulation: .typeA)
      let stream = ParityStream.encode(frame)
      #expect(
        ParityStream.decode(
          stream.bytes, bitsInLastByte: stream.bitsInLastByte, modulation: .typeA) == frame)
    }
  }
}
