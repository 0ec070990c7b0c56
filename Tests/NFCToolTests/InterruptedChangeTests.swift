import Foundation
import NFC
import Testing
import VirtualNFC

/// Tests of changes that end early, and of tags that come instead of the expected one.
@Suite struct InterruptedChangeTests {
  private static let first = "04010101010101"

  private static func words(_ line: String) -> [String] {
    line.split(separator: " ").map(String.init)
  }

  /// Runs `body` with a reader that its commands share.
  private static func with(
    _ tags: [VirtualTag],
    _ body: (
      _ nfc: @escaping (String) async throws -> Tool.Result, VirtualReader, VirtualField
    ) async throws
      -> Void
  ) async throws {
    let field = VirtualField()
    for tag in tags { field.place(tag) }
    let virtual = try VirtualReader(field)
    defer { virtual.close() }
    let reader = virtual.connectionString
    try await body({ try await Tool.run(words($0) + ["--reader", reader]) }, virtual, field)
  }

  /// At 9600 baud, the image takes seconds. The first or the second signal ends the command.
  @Test(arguments: [1, 2]) func aRestorationSaysWhatTheTagHolds(_ signals: Int) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "image.bin")
      let trace = directory.appending(path: "trace")
      let tag = try VirtualTag.named("ntag216")
      var memory = tag.memory
      for index in 24..<800 { memory[index] = UInt8(truncatingIfNeeded: index) }
      try Data(memory).write(to: file)
      let virtual = try RunningTool([
        "virtual", "ntag216", "--trace", trace.path, "--baud", "9600", "--real-time",
      ])
      let reader = try #require(try await virtual.waitForLines(1).first)
      let restore = try RunningTool(["restore", file.path, "--reader", reader])
      // The WRITE command (NTAG213/215/216 data sheet, 10.4).
      func hasBegun() -> Bool {
        ((try? String(contentsOf: trace, encoding: .utf8)) ?? "").contains("radio > A2")
      }
      let deadline = ContinuousClock.now + .seconds(30)
      while ContinuousClock.now < deadline, !hasBegun() {
        try await Task.sleep(for: .milliseconds(20))
      }
      try #require(hasBegun())
      for _ in 0..<signals { restore.interrupt() }
      let result = try await restore.end()
      #expect(result.status == 130)
      #expect(result.errorLines.count == 1, "\(result.errors)")
      #expect(result.errors.contains("is as it was, or changed in part"), "\(result.errors)")
      #expect(result.errors.contains("the same command completes the change"))
      virtual.interrupt()
      _ = try await virtual.end()
    }
  }

  /// A command that only reads leaves nothing behind that would have to be said.
  @Test func aReadingThatIsInterruptedSaysNothing() async throws {
    let virtual = try RunningTool(["virtual", "ntag216", "--baud", "9600", "--real-time"])
    let reader = try #require(try await virtual.waitForLines(1).first)
    let read = try RunningTool(["info", "--memory", "--reader", reader])
    try await Task.sleep(for: .milliseconds(700))
    read.interrupt()
    let result = try await read.end()
    #expect(result.status == 130)
    #expect(result.errors == "")
    virtual.interrupt()
    _ = try await virtual.end()
  }

  // MARK: Copying

  /// The first tag of the next `nfc copy` would be the one that was written in part, and be copied to the original.
  @Test func aCopyThatIsTornNamesTheFirstTag() async throws {
    let tags = [1, 2].map { VirtualTag.ntag213(uid: [4, $0, $0, $0, $0, $0, $0]) }
    for page in 4..<30 { tags[0].memory[page * 4] = UInt8(page) }
    try await Self.with(tags) { nfc, virtual, field in
      let before = tags[1].memory
      var exchange = 1
      var wasTorn = false
      var status: Int32 = 74
      while !wasTorn, status != 0, exchange < 200 {
        for tag in tags { field.place(tag) }
        virtual.setFaults([Fault(.tagLeaves, at: .exchange(exchange))])
        let result = try await nfc("copy --timeout 1 --uid \(Self.first)")
        status = result.status
        wasTorn = tags[1].memory != before && status != 0
        if wasTorn {
          #expect(status == 74)
          #expect(
            result.errors.contains("copy again, with tag \(Self.first) first"), "\(result.errors)")
        }
        exchange += 5
      }
      #expect(wasTorn, "\(exchange)")
    }
  }

  /// Keys that everybody knows belong to the message, and others to their owner.
  @Test(.asking(.accessBits)) func keysOfAClassicAreLeftBehind() async throws {
    let tags = [
      VirtualTag.classic1K(uid: [1, 1, 1, 1]),
      VirtualTag.classic1K(uid: [2, 2, 2, 2], formatted: false),
    ]
    let (keyA, keyB) = ("A1A2A3A4A5A6", "B1B2B3B4B5B6")
    let (trailer, sector) = (23 * 16, 20 * 16)
    tags[0].memory.replaceSubrange(
      trailer..<trailer + 16,
      with: [0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0x7F, 0x07, 0x88, 0x40]
        + [0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6])
    tags[0].memory[sector] = 0x77
    try await Self.with(tags) { nfc, _, _ in
      let kept = Array(tags[1].memory[trailer..<trailer + 16])
      let result = try await nfc("copy --json --uid 01010101 --key \(keyA) --key \(keyB)")
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("keys of sectors 5"), "\(result.output)")
      #expect(Array(tags[1].memory[trailer..<trailer + 16]) == kept)
      #expect(tags[1].memory[sector] == 0x77)
      // The keys of the message, with which phones read it, are copied.
      #expect(tags[1].memory[7 * 16..<8 * 16] == tags[0].memory[7 * 16..<8 * 16])
      #expect(try await nfc("read --uid 02020202").output == "no message\n")
    }
  }

  // MARK: Random UIDs

  /// Returns a tag that draws a UID at each power-on: RID_ACT (MF0AES data sheet, configuration page 29h).
  private static func hidingTag(_ number: UInt8) -> VirtualTag {
    let tag = VirtualTag.ultralightAES(uid: [4, number, 2, 3, 4, 5, 6])
    tag.memory[0x29 * 4] = 1
    return tag
  }

  /// Each UID is written once, and such a tag has another one whenever it is found. It is refused once until it leaves.
  @Test func aRandomUIDIsNotOneOfMany() async throws {
    let tag = Self.hidingTag(1)
    try await Self.with([tag]) { nfc, _, _ in
      let before = tag.memory
      let each = try await nfc("write text {n} --each --count 2 --timeout 2")
      #expect(each.status == 66, "\(each.errors)")
      #expect(each.lines.count == 2, "\(each.output)")
      #expect(each.lines.last == "0 tags written, 1 failed")
      #expect(each.errors.contains("with a command of its own"))
      #expect(tag.memory == before)
      #expect(try await nfc("write text a").status == 0)
    }
  }

  /// A tag is not copied to itself.
  @Test func aRandomUIDIsNotTheNextTag() async throws {
    try await Self.with([Self.hidingTag(1)]) { nfc, _, _ in
      let result = try await nfc("copy --timeout 2")
      #expect(result.status == 66, "\(result.output)")
      #expect(result.errors.contains("no second tag came"), "\(result.errors)")
    }
  }

  // MARK: Values

  /// Whoever repeats a change of a value after an error must not change it twice.
  @Test func aValueThatWasChangedIsNotChangedAgain() async throws {
    let key = "1A:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"
    let tag = try VirtualTag.named("mifare-plus")
    try await Self.with([tag]) { nfc, virtual, field in
      func value(_ change: String) async throws -> Tool.Result {
        try await nfc("plus value 5 \(change) --key \(key)")
      }
      #expect(try await value("--set 100").output == "100\n")
      var expected = 100
      var isDone = false
      var wasChanged = false
      var exchange = 1
      while !isDone, exchange < 60 {
        virtual.setFaults([Fault(.tagLeaves, at: .exchange(exchange))])
        let result = try await value("--credit 1")
        isDone = result.status == 0
        virtual.setFaults([])
        field.place(tag)
        let now = try #require(Int(try await value("").lines.first ?? ""))
        if now != expected, !isDone {
          wasChanged = true
          let says = ["do not repeat", "may have changed", "read"].contains {
            result.errors.contains($0)
          }
          #expect(says && !result.errors.contains("try again"), "\(exchange): \(result.errors)")
        }
        expected = now
        exchange += 1
      }
      #expect(isDone && wasChanged)
    }
  }

  // MARK: Files

  /// A file that does not fit is not begun: the old one stays, and there is no half of a new one.
  @Test(arguments: ["bin", "json", "nfc"])
  func aFullDiskLeavesTheOldFile(_ format: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let (old, new) = ("old.\(format)", "new.\(format)")
      let script = """
        cd '\(directory.path)' || exit 1
        echo backup > \(old)
        ulimit -f 1
        "$NFC" dump \(old) --force --virtual ntag216 2>> errors; echo $?
        "$NFC" dump \(new) --virtual ntag216 2>> errors; echo $?
        cat \(old); ls
        """
      let result = try await Tool.shell(script)
      #expect(result.lines == ["74", "74", "backup", "errors", old], "\(result)")
      let errors = try String(contentsOf: directory.appending(path: "errors"), encoding: .utf8)
      #expect(errors.contains("cannot write \(new)"), "\(errors)")
    }
  }

  @Test func aShorterFileReplacesALongerOne() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.bin")
      for tag in ["ntag216", "ntag213"] {
        #expect(try await Tool.run("dump", file.path, "--force", "--virtual", tag).status == 0)
      }
      #expect(try Data(contentsOf: file).count == 180)
    }
  }
}
