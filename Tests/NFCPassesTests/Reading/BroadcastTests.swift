import NFC
import Recordings
import Synchronization
import Testing
import VirtualNFC

@testable import NFCPasses

/// The frame that makes phones answer, as a virtual PN532 sends it and virtual phones judge it.
@Suite struct BroadcastTests {
  /// What has happened at the chip.
  private final class Trace: Sendable {
    let events = Mutex<[TraceEvent]>([])
    var commands: [[UInt8]] {
      events.withLock { $0.compactMap { if case .command(let bytes) = $0 { bytes } else { nil } } }
    }
    var frames: [RadioFrame] {
      events.withLock { $0.compactMap { if case .sent(let frame) = $0 { frame } else { nil } } }
    }
  }

  private func with(
    _ tags: [VirtualTag], chip: VirtualPN532 = VirtualPN532(),
    _ body: (Reader, VirtualReader, Trace) async throws -> Void
  ) async throws {
    let field = VirtualField()
    for tag in tags { field.place(tag) }
    let trace = Trace()
    let virtual = try VirtualReader(field, chip: chip) { event in
      trace.events.withLock { $0.append(event) }
    }
    let reader = try await Reader.open(virtual.connectionString)
    try await body(reader, virtual, trace)
    await reader.close()
    virtual.close()
  }

  private static let sent = RadioFrame(
    [0x6A, 0x01, 0x00, 0x00, 0x02, 0xE4, 0xD2], modulation: .typeA)

  @Test func aPhoneAnswersAfterTheFrameAndNotWithout() async throws {
    try await with([VirtualTag(WalletPhone.apple())]) { reader, _, trace in
      let error = await #expect(throws: NFCError.self) {
        _ = try await reader.firstTag(polling: .iso14443a, within: .milliseconds(500))
      }
      #expect(error?.code == .noTag)
      #expect(!trace.frames.contains { $0.bytes.first == 0x6A })
      try reader.setPollingFrames([.passesOnly])
      let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(10))
      #expect(tag.identifier == [0x08, 0xA9, 0x71, 0xE5])
      #expect(trace.frames.filter { $0.bytes.first == 0x6A } == [Self.sent, Self.sent])
      try reader.setPollingFrames([])
    }
  }

  /// Also with a chip that resets the settings of a short frame by itself.
  @Test(arguments: [false, true]) func aRoundHasThreeCommands(_ keepsShortFrame: Bool) async throws
  {
    var chip = VirtualPN532()
    chip.keepsShortFrame = keepsShortFrame
    try await with([VirtualTag(WalletPhone.apple())], chip: chip) { reader, _, trace in
      try reader.setPollingFrames([.passesOnly])
      _ = try await reader.firstTag(polling: .iso14443a, within: .seconds(10))
      let commands = trace.commands
      let first = try #require(commands.firstIndex { $0[0] == 0x42 })
      let last = try #require(commands.lastIndex { $0[0] == 0x42 })
      // From one frame to the next: InListPassiveTarget, WriteRegister, InCommunicateThru. On a slow machine, the next
      // switch of the carrier (RFConfiguration) comes as early as that.
      #expect(
        commands[(first + 1)...last].map { $0[0] }.filter { $0 != 0x32 } == [0x4A, 0x08, 0x42])
      #expect(
        commands[last - 1]
          == [0x08, 0x63, 0x3D, 0x00, 0x63, 0x02, 0x00, 0x63, 0x03, 0x00])
      // One request for each search: no REQA follows another without a frame in between.
      let requests = trace.frames.split { $0.bytes.first == 0x6A }
      #expect(requests.dropLast().allSatisfy { $0.filter { $0.bitCount == 7 }.count <= 1 })
    }
  }

  @Test func theTimeOutOfTheFrameIsNotThatOfCommands() async throws {
    try await with([VirtualTag.ntag215()]) { reader, _, trace in
      try reader.setPollingFrames([.passesOnly])
      // Type B only: the frame for type A is not sent.
      _ = try? await reader.firstTag(polling: .iso14443b, within: .milliseconds(100))
      #expect(!trace.frames.contains { $0.bytes.first == 0x6A })
      let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(10))
      _ = try await reader.otherTags(like: tag)
      #expect(trace.frames.contains(Self.sent))
      guard case .miFare(let ultralight) = tag else {
        Issue.record("not an NTAG")
        return
      }
      #expect(try await ultralight.sendMiFareCommand([0x30, 0x03]).count == 16)
      // RFConfiguration 02: 12.8 ms (08) for the frame, at least 51.2 ms (0A) for a command that may take longer.
      let timeouts = trace.commands.filter { $0.starts(with: [0x32, 0x02]) }.compactMap(\.last)
      #expect(timeouts.contains(0x08))
      #expect(try #require(timeouts.last) >= 0x0A)
    }
  }

  @Test func aFrameOfTypeBFollowsItsSearch() async throws {
    let frame = try PollingFrame([0x6A, 0x01, 0x00, 0x00, 0x02], technology: .typeB)
    try await with([]) { reader, _, trace in
      try reader.setPollingFrames([frame])
      _ = try? await reader.firstTag(polling: .iso14443, within: .milliseconds(200))
      let sent = trace.frames.filter { $0.bytes.first == 0x6A }
      #expect(!sent.isEmpty)
      #expect(
        sent.allSatisfy {
          $0 == RadioFrame([0x6A, 1, 0, 0, 2, 0xC5, 0x1D], modulation: .typeB)
        })
    }
  }

  /// Another frame, and frames that are cut or broken, wake no phone.
  @Test(arguments: ["6A0100000", "Hello"]) func anotherFrame(_ name: String) async throws {
    let bytes: [UInt8] = name == "Hello" ? Array(name.utf8) : [0x6A, 1, 0, 0, 3]
    try await with([VirtualTag(WalletPhone.apple())]) { reader, _, _ in
      try reader.setPollingFrames([try PollingFrame(bytes)])
      await #expect(throws: NFCError.self) {
        _ = try await reader.firstTag(polling: .iso14443a, within: .seconds(1))
      }
    }
  }

  @Test func ordinaryTagsAreFoundMeanwhile() async throws {
    let tags: [VirtualTag] = [
      .ntag215(), .classic1K(), .type4(), .type4B(), .suica(), .topaz512(), .srix4k(),
    ]
    for tag in tags {
      try await with([]) { reader, virtual, _ in
        try reader.setPollingFrames([.passesOnly])
        let wait = Task { try await reader.firstTag(within: .seconds(20)) }
        // It comes in the middle of a round.
        try await Task.sleep(for: .milliseconds(130))
        virtual.field.place(tag)
        #expect(try await wait.value.identifier == tag.identifier, "\(tag.name)")
      }
    }
  }

  @Test func aPhoneNextToATagIsFound() async throws {
    try await with([.ntag215(), VirtualTag(WalletPhone.apple())]) { reader, _, _ in
      try reader.setPollingFrames([.passesOnly])
      let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(20)) {
        if case .iso7816 = $0 { true } else { false }
      }
      #expect(tag.identifier.first == 0x08)
    }
  }

  @Test func pollingReportsAPhone() async throws {
    try await with([VirtualTag(WalletPhone.apple())]) { reader, _, _ in
      try reader.setPollingFrames([.passesOnly])
      for try await tag in reader.tags() {
        #expect(tag.identifier.first == 0x08)
        break
      }
    }
  }

  @Test func aReaderWithoutSuchFramesRefusesThem() async throws {
    let virtual = VirtualPCSCReader(VirtualField())
    let reader = try await Reader.open(over: { virtual.service() })
    let error = #expect(throws: NFCError.self) { try reader.setPollingFrames([.passesOnly]) }
    #expect(error?.code == .unsupported)
    #expect(reader.pollingFrames.isEmpty)
    try reader.setPollingFrames([])
    await reader.close()
  }

  @Test func cancellingEndsARound() async throws {
    try await with([]) { reader, virtual, _ in
      try reader.setPollingFrames([.passesOnly])
      let wait = Task { try await reader.firstTag(polling: .iso14443a) }
      try await Task.sleep(for: .milliseconds(200))
      wait.cancel()
      await #expect(throws: CancellationError.self) { _ = try await wait.value }
      // The reader is ready for the next call.
      try reader.setPollingFrames([])
      virtual.field.place(.ntag215())
      _ = try await reader.firstTag(polling: .iso14443a, within: .seconds(10))
    }
  }

  @Test func theFrameIsNamedInARecordingAndPlayedBack() async throws {
    let lines = Mutex("")
    let capture = Mutex<[UInt8]>([])
    let field = VirtualField()
    field.place(VirtualTag(WalletPhone.apple()))
    let virtual = try VirtualReader(field)
    let recorder = Recorder(
      capture: PacketCapture(since: .zero) { bytes in capture.withLock { $0 += bytes } }
    ) { line in lines.withLock { $0 += line } }
    let reader = try await Reader.open(
      ReaderAddress(virtual.connectionString), through: { recorder.recording($0) })
    try reader.setPollingFrames([.passesOnly])
    _ = try await reader.firstTag(polling: .iso14443a, within: .seconds(10))
    await reader.close()
    virtual.close()
    let text = lines.withLock { $0 }
    #expect(text.contains("\"frame\":\"6A01000002\",\"name\":\"ECP 1, passes only\""))
    let packets = capture.withLock { $0 }
    let frame: [UInt8] = [0x6A, 0x01, 0x00, 0x00, 0x02, 0xE4, 0xD2]
    #expect(packets.contains(frame))
    #expect(packets.contains(Array("ECP 1, passes only".utf8)))
    let replayed = try await ReplayReader(try Recording(text.utf8)).open()
    try replayed.setPollingFrames([.passesOnly])
    let tag = try await replayed.firstTag(polling: .iso14443a, within: .seconds(10))
    #expect(tag.identifier.first == 0x08)
    await replayed.close()
  }
}
