import NFC
import Testing
import VirtualNFC

/// Type 4 tags that do not keep to what they say.
@Suite struct WilfulTagTests {
  private static func container(_ changes: [Int: UInt8]) -> [UInt8] {
    var bytes = WilfulApplication.container
    for (index, value) in changes { bytes[index] = value }
    return bytes
  }

  /// What the container says, and the file that the error names.
  @Test(
    arguments: [
      // CCLEN 14; a container that ends early; a proprietary file first; the NDEF file of 2 bytes.
      (container([1: 0x0E]), 0xE103), (Array(container([:]).prefix(9)), 0xE103), ([], 0xE103),
      (container([7: 0x05]), 0xE103), (container([12: 0x02]), 0xE103),
      // Mapping version 3 with an extended file, for which there is no room.
      (container([2: 0x30, 7: 0x06, 8: 0x08]), 0xE103),
      // CCLEN says 17, and there are 15 bytes.
      (container([1: 0x11, 2: 0x30, 7: 0x06, 8: 0x08]), 0xE103),
      // The NDEF file is not there.
      (container([10: 0x07]), 0xE107),
    ] as [([UInt8], UInt16)])
  func containersThatLie(_ container: [UInt8], _ file: UInt16) async throws {
    let application = WilfulApplication(
      container: container, ndefFile: WilfulApplication.file(pattern(20)))
    let bench = try await NDEFBench(application.tag)
    try await bench.expectRefusal(.malformedContent, at: .file(file)) {
      _ = try await $0.queryNDEFStatus()
    }
    try await bench.expectRefusal(.malformedContent, at: .file(file)) {
      _ = try await $0.readNDEFBytes()
    }
    try await bench.expectRefusal(.malformedContent, at: .file(file)) {
      try await $0.writeNDEFBytes([1], verify: false)
    }
    try await bench.expectRefusal(.malformedContent, at: .file(file)) {
      try await $0.writeLock()
    }
  }

  @Test func noContainerAtAll() async throws {
    var application = WilfulApplication(container: [])
    application.files = []
    try await NDEFBench(application.tag).expectRefusal(.malformedContent, at: .file(0xE103)) {
      _ = try await $0.queryNDEFStatus()
    }
  }

  /// An unknown major version is not for us.
  @Test func anotherMappingVersion() async throws {
    let application = WilfulApplication(
      container: Self.container([2: 0x40]), ndefFile: WilfulApplication.file(pattern(20)))
    let bench = try await NDEFBench(application.tag)
    #expect(try await bench.connected().queryNDEFStatus() == .notSupported)
  }

  /// The file is shorter than the container says.
  @Test func aShortFile() async throws {
    let application = WilfulApplication(
      container: WilfulApplication.container,
      ndefFile: Array(WilfulApplication.file(pattern(40)).prefix(30)))
    let bench = try await NDEFBench(application.tag)
    try await bench.expectRefusal(.malformedContent, at: .file(0xE104)) {
      _ = try await $0.readNDEFBytes()
    }
    let empty = try await NDEFBench(
      WilfulApplication(container: WilfulApplication.container, ndefFile: []).tag)
    try await empty.expectRefusal(.malformedContent, at: .file(0xE104)) {
      _ = try await $0.readNDEFBytes()
    }
  }

  /// Less is taken, or given, at once than the container says.
  @Test func commandsThatAreCutShort() async throws {
    var application = WilfulApplication(
      container: WilfulApplication.container, ndefFile: WilfulApplication.file(pattern(60)))
    application.longestRead = 20
    application.longestUpdate = 7
    let bench = try await NDEFBench(application.tag)
    #expect(try await bench.connected().readNDEFBytes() == pattern(60))
    try await bench.connected().writeNDEFBytes(pattern(62, seed: 9), verify: true)
    #expect(try await bench.connected().readNDEFBytes() == pattern(62, seed: 9))

    application.longestAnswer = 1
    let byByte = try await NDEFBench(application.tag)
    #expect(try await byByte.connected().readNDEFBytes() == pattern(60))
  }

  @Test(
    arguments: [
      ([0x69, 0x82], .notAuthenticated), ([0x6A, 0x81], .tagRefused), ([0x6C, 0x00], .tagRefused),
      ([0x6B, 0x00], .malformedContent), ([0x67, 0x00], .tagRefused),
      ([0x90, 0x00], .malformedContent),
      ([0x61, 0x05], .tagRefused),
    ] as [([UInt8], NFCError.Code)])
  func readingRefused(_ status: [UInt8], _ code: NFCError.Code) async throws {
    var application = WilfulApplication(
      container: WilfulApplication.container, ndefFile: WilfulApplication.file(pattern(60)))
    application.readStatus = status
    try await NDEFBench(application.tag).expectRefusal(code, at: .file(0xE104)) {
      _ = try await $0.readNDEFBytes()
    }
  }

  @Test(
    arguments: [
      ([0x69, 0x82], .notAuthenticated), ([0x6A, 0x81], .tagRefused), ([0x67, 0x00], .tagRefused),
      ([0x6A, 0x84], .malformedContent),
    ] as [([UInt8], NFCError.Code)])
  func writingRefused(_ status: [UInt8], _ code: NFCError.Code) async throws {
    var application = WilfulApplication(
      container: WilfulApplication.container, ndefFile: WilfulApplication.file(pattern(60)))
    application.updateStatus = status
    try await NDEFBench(application.tag).expectRefusal(code, at: .file(0xE104)) {
      try await $0.writeNDEFBytes(pattern(20), verify: false)
    }
  }

  /// The container can be written: locking is one byte of it.
  @Test func locks() async throws {
    let application = WilfulApplication(
      container: WilfulApplication.container, ndefFile: WilfulApplication.file(pattern(20)))
    let tag = application.tag
    let bench = try await NDEFBench(tag)
    let before = tag.memory
    let ndef = try await bench.connected()
    try await ndef.writeLock()
    #expect(before.indices.filter { before[$0] != tag.memory[$0] } == [14])
    #expect(tag.memory[14] == 0xFF)
    // The NDEF file is selected again.
    #expect(try await ndef.readNDEFBytes() == pattern(20))
    #expect(try await ndef.queryNDEFStatus().access == .readOnly)
    try await bench.expectRefusal(.readOnly) { try await $0.writeNDEFBytes([1], verify: false) }
  }
}
