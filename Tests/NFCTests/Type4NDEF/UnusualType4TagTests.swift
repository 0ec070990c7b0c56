import NFC
import Testing
import VirtualNFC

/// Type 4 tags that do not keep to what they say.
@Suite struct UnusualType4TagTests {
  private static func container(_ changes: [Int: UInt8]) -> [UInt8] {
    var bytes = ScriptedApplication.container
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
    let application = ScriptedApplication(
      container: container, ndefFile: ScriptedApplication.file(pattern(20)))
    let bench = try await NDEFBench(application.tag)
    try await bench.expectRefusal(.malformedContent, at: .file(file)) {
      _ = try await $0.queryNDEFStatus()
    }
    try await bench.expectRefusal(.malformedContent, at: .file(file)) {
      _ = try await $0.readNDEFBytes()
    }
    try await bench.expectRefusal(.malformedContent, at: .file(file)) {
      try await $0.makeReadOnly()
    }
  }

  private enum Mending: CaseIterable {
    case write, erase, format
  }

  /// A container that is broken, or names a file that is not there, is replaced by each of the three; what is
  /// right in it stays.
  @Test(
    arguments: [
      // CCLEN; a proprietary file first; a file of 2 bytes; MLe and MLc of 0; nothing but zeros, or ones.
      (container([1: 0x0E]), 0xFB), (container([7: 0x05]), 0xFB), (container([12: 0x02]), 0xFB),
      (container([3: 0, 4: 0, 5: 0, 6: 0]), 0x0F),
      (container([2: 0x30, 7: 0x06, 8: 0x08]), 0xFB),
      // The NDEF file is not there.
      (container([10: 0x07]), 0xFB),
    ] as [([UInt8], UInt8)])
  func brokenContainersAreRepaired(_ container: [UInt8], _ maximumRead: UInt8) async throws {
    for way in Mending.allCases {
      let tag = ScriptedApplication(
        container: container, ndefFile: ScriptedApplication.file(pattern(20))
      ).tag
      let bench = try await NDEFBench(tag)
      let ndef = try await bench.connected()
      switch way {
      case .write: try await ndef.writeNDEFBytes(pattern(30, seed: 3), verify: true)
      case .erase: try await ndef.writeNDEFBytes([], verify: true)
      case .format: try await ndef.formatNDEF()
      }
      #expect(
        Array(tag.memory.prefix(15)) == [
          0x00, 0x0F, 0x20, 0x00, maximumRead, 0x00, maximumRead == 0x0F ? 0x0D : 0xF6, 0x04, 0x06,
          0xE1, 0x04, 0x00, 0x40, 0x00, 0x00,
        ])
      let again = try await bench.connected()
      #expect(
        try await again.readNDEFBytes() == (way == .write ? pattern(30, seed: 3) : nil))
      #expect(
        try await again.queryNDEFStatus() == NDEFStatus(access: .readWrite, capacity: 62))
    }
  }

  /// Torn away in the middle, the tag is mended by the next write.
  @Test func anInterruptedRepairIsResumed() async throws {
    let tag = ScriptedApplication(
      container: Self.container([7: 0x05]), ndefFile: ScriptedApplication.file(pattern(20))
    ).tag
    let image = tag.memory
    let bench = try await NDEFBench(tag)
    let whole = try await bench.connected()
    let count = try await bench.bench.counting {
      try await whole.writeNDEFBytes(pattern(30, seed: 3), verify: false)
    }.exchanges
    for moment in stride(from: count - 1, through: 0, by: -3) {
      tag.memory = image
      let torn = try await bench.connected()
      bench.bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      await #expect(throws: NFCError.self) {
        try await torn.writeNDEFBytes(pattern(30, seed: 3), verify: false)
      }
      bench.bench.virtual.setFaults([])
      bench.bench.field.place(tag)
      try await bench.connected().writeNDEFBytes(pattern(30, seed: 3), verify: true)
      #expect(try await bench.connected().readNDEFBytes() == pattern(30, seed: 3))
    }
  }

  /// Apps that stand for a tag have nothing beyond their message (host-based card emulation on Android: TechBooster's
  /// C85 sample and MichaelsPlayground's HceNdefEmulator answer 6A82, others 6A86, 6B00 or 6700).
  @Test(arguments: [[0x6A, 0x82], [0x6A, 0x86], [0x6B, 0x00], [0x67, 0x00], [0x6F, 0x00]])
  func nothingIsBehindTheMessage(_ status: [UInt8]) async throws {
    for length in [0, 1, 20, 62] {
      var application = ScriptedApplication(
        container: ScriptedApplication.container,
        ndefFile: ScriptedApplication.file(pattern(length)))
      application.statusBeyondMessage = status
      let tag = application.tag
      let bench = try await NDEFBench(tag)
      let ndef = try await bench.connected()
      let message = length == 0 ? nil : pattern(length)
      #expect(try await ndef.readNDEFBytes() == message)
      #expect(try await ndef.readNDEFBytes() == message)
      // The app changes its message: a shorter one, a longer one, and one of the same length.
      for new in [pattern(5, seed: 2), pattern(40, seed: 4), pattern(40, seed: 6)] {
        tag.memory = ScriptedApplication.container + ScriptedApplication.file(new)
        #expect(try await ndef.readNDEFBytes() == new)
      }
      for new in [pattern(5, seed: 2), pattern(40, seed: 4)] {
        let again = try await bench.connected()
        try await again.writeNDEFBytes(new, verify: true)
        #expect(try await again.readNDEFBytes() == new)
      }
    }
  }

  /// A file that is closed is not asked twice.
  @Test func aClosedFileIsAskedOnce() async throws {
    var application = ScriptedApplication(
      container: ScriptedApplication.container, ndefFile: ScriptedApplication.file(pattern(20)))
    application.readStatus = [0x69, 0x82]
    let bench = try await NDEFBench(application.tag)
    let ndef = try await bench.connected()
    _ = try await ndef.queryNDEFStatus()
    let count = try await bench.commands {
      await #expect(throws: NFCError.self) { try await ndef.readNDEFBytes() }
    }
    #expect(count == 1)
  }

  /// Programs that make a reader a tag write to the NDEF file, whichever file is selected (libnfc's
  /// `nfc-emulate-forum-tag4`, `emulatetag` of the Arduino library for the PN532).
  @Test func aLockThatHitsTheMessageIsUndone() async throws {
    for message in [pattern(5), pattern(40)] {
      var application = ScriptedApplication(
        container: ScriptedApplication.container, ndefFile: ScriptedApplication.file(message))
      application.ignoresSelection = true
      let tag = application.tag
      let before = tag.memory
      let bench = try await NDEFBench(tag)
      try await bench.expectRefusal(.tagRefused) { try await $0.makeReadOnly() }
      #expect(tag.memory == before)
      #expect(try await bench.connected().readNDEFBytes() == message)
    }
  }

  /// A program that makes a reader a tag ends at the first command that it does not know (libnfc's
  /// `nfc-emulate-forum-tag4`), and has no historical bytes.
  @Test func anEmulatedTagIsNotAskedForItsVersion() async throws {
    let application = ScriptedApplication(
      container: ScriptedApplication.container, ndefFile: ScriptedApplication.file(pattern(20)))
    let bench = try await NDEFBench(VirtualTag(EmulatedTag(application)))
    #expect(try await bench.connected().readNDEFBytes() == pattern(20))
  }

  /// A container that cannot be written, or is too short, stays; nothing is changed.
  @Test func whatCannotBeRepairedIsRefused() async throws {
    for container in [Array(Self.container([:]).prefix(9)), []] {
      let application = ScriptedApplication(
        container: container, ndefFile: ScriptedApplication.file(pattern(20)))
      try await NDEFBench(application.tag).expectRefusal(.malformedContent, at: .file(0xE103)) {
        try await $0.writeNDEFBytes([1], verify: false)
      }
    }
    var closed = ScriptedApplication(
      container: Self.container([7: 0x05]), ndefFile: ScriptedApplication.file(pattern(20)))
    closed.isContainerClosed = true
    let bench = try await NDEFBench(closed.tag)
    try await bench.expectRefusal(.unsupported, at: .file(0xE103)) {
      try await $0.writeNDEFBytes([1], verify: false)
    }
    try await bench.expectRefusal(.unsupported, at: .file(0xE103)) { try await $0.formatNDEF() }
  }

  /// What a card says that makes no sense is reported as such, and the card stays connected.
  @Test func nonsenseIsNotALostTag() async throws {
    var application = ScriptedApplication(
      container: ScriptedApplication.container, ndefFile: ScriptedApplication.file(pattern(20)))
    application.readStatus = [0x90]
    let bench = try await NDEFBench(application.tag)
    let ndef = try await bench.connected()
    let card = try #require(ndef as? any ISO7816Tag)
    let error = await #expect(throws: NFCError.self) { _ = try await ndef.readNDEFBytes() }
    #expect(error?.code == .tagResponseError)
    #expect(error?.reason.contains("status word") == true)
    // What was selected still is: READ BINARY of the NDEF file, without a SELECT.
    let again = await #expect(throws: NFCError.self) {
      _ = try await card.sendCommand(
        APDU(
          instructionClass: 0, instructionCode: 0xB0, p1: 0, p2: 0, data: [], expectedLength: 2))
    }
    #expect(again?.code == .tagResponseError)
    #expect(try await ndef.queryNDEFStatus().access == .readWrite)
    bench.bench.field.remove(bench.tag)
    let left = await #expect(throws: NFCError.self) { _ = try await ndef.readNDEFBytes() }
    #expect(left?.code == .tagConnectionLost)
  }

  @Test func noContainerAtAll() async throws {
    var application = ScriptedApplication(container: [])
    application.files = []
    try await NDEFBench(application.tag).expectRefusal(.malformedContent, at: .file(0xE103)) {
      _ = try await $0.queryNDEFStatus()
    }
  }

  /// An unknown major version is not for us.
  @Test func anotherMappingVersion() async throws {
    let application = ScriptedApplication(
      container: Self.container([2: 0x40]), ndefFile: ScriptedApplication.file(pattern(20)))
    let bench = try await NDEFBench(application.tag)
    #expect(try await bench.connected().queryNDEFStatus() == .notSupported)
  }

  /// The file is shorter than the container says.
  @Test func aShortFile() async throws {
    let application = ScriptedApplication(
      container: ScriptedApplication.container,
      ndefFile: Array(ScriptedApplication.file(pattern(40)).prefix(30)))
    let bench = try await NDEFBench(application.tag)
    try await bench.expectRefusal(.malformedContent, at: .file(0xE104)) {
      _ = try await $0.readNDEFBytes()
    }
    let empty = try await NDEFBench(
      ScriptedApplication(container: ScriptedApplication.container, ndefFile: []).tag)
    try await empty.expectRefusal(.malformedContent, at: .file(0xE104)) {
      _ = try await $0.readNDEFBytes()
    }
  }

  /// Less is taken, or given, at once than the container says.
  @Test func commandsThatAreCutShort() async throws {
    var application = ScriptedApplication(
      container: ScriptedApplication.container, ndefFile: ScriptedApplication.file(pattern(60)))
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
    var application = ScriptedApplication(
      container: ScriptedApplication.container, ndefFile: ScriptedApplication.file(pattern(60)))
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
    var application = ScriptedApplication(
      container: ScriptedApplication.container, ndefFile: ScriptedApplication.file(pattern(60)))
    application.updateStatus = status
    try await NDEFBench(application.tag).expectRefusal(code, at: .file(0xE104)) {
      try await $0.writeNDEFBytes(pattern(20), verify: false)
    }
  }

  /// The container can be written: locking is one byte of it.
  @Test(.asking(.accessRights)) func locks() async throws {
    let application = ScriptedApplication(
      container: ScriptedApplication.container, ndefFile: ScriptedApplication.file(pattern(20)))
    let tag = application.tag
    let bench = try await NDEFBench(tag)
    let before = tag.memory
    let ndef = try await bench.connected()
    try await ndef.makeReadOnly()
    #expect(before.indices.filter { before[$0] != tag.memory[$0] } == [14])
    #expect(tag.memory[14] == 0xFF)
    // The NDEF file is selected again.
    #expect(try await ndef.readNDEFBytes() == pattern(20))
    #expect(try await ndef.queryNDEFStatus().access == .readOnly)
    try await bench.expectRefusal(.readOnly) { try await $0.writeNDEFBytes([1], verify: false) }
  }
}
