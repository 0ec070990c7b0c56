import Foundation
import NFC
import TagImages
import Testing
import VirtualNFC

@testable import SwiftNFCTool
@testable import TagTools

/// Tests of `nfc restore` and `nfc copy` with the SRx and ST25TB chips of ST, which answer nothing to a write.
@Suite struct SRxRestoreTests {
  private static let newData: [UInt8] = [0x11, 0x22, 0x33, 0x44]

  /// Returns an image for Flipper Zero: all blocks FF, except those given.
  private static func file(
    uid: String = "D0020C1F5A88136E", type: String = "X4K", count: Int = 128,
    _ blocks: [Int: String] = [:], system: String = "FF FF FF FF"
  ) -> Data {
    let fresh = blocks.merging([5: "FE FF FF FF"]) { given, _ in given }
    let lines = (0..<count).map { "Block \($0): \(fresh[$0] ?? "FF FF FF FF")" }
    let head = "Filetype: Flipper NFC device\nVersion: 4\nDevice type: ST25TB\n"
    return Data(
      (head + "UID: \(uid)\nST25TB Type: \(type)\n" + lines.joined(separator: "\n")
        + "\nSystem OTP Block: \(system)\n").utf8)
  }

  private static func tag(_ file: Data) throws -> VirtualTag {
    try .image(ImageFormat.flipper.decode(Array(file)))
  }

  /// Writes a file, and runs `body` with its path and a tag.
  private static func with(
    _ tag: Data = file(), restoring file: Data, as name: String = "tag.nfc",
    _ body: (_ path: String, _ nfc: @escaping ([String]) async throws -> Tool.Result)
      async throws -> Void
  ) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let path = directory.appending(path: name)
      try file.write(to: path)
      try await Tool.with([try Self.tag(tag)]) { nfc async throws in
        try await body(path.path, nfc)
      }
    }
  }

  /// The blocks that can be written again are written; counters, one-time bits and locks stay.
  @Test func restoresTheBlocksThatCanBeWrittenAgain() async throws {
    let image = Self.file(
      [0: "00 00 00 00", 5: "01 00 00 00", 7: "01 02 03 04", 127: "11 22 33 44"],
      system: "FF FF FF FD")
    try await Self.with(restoring: image) { path, nfc async throws in
      let plan = try await nfc(["restore", path, "--plan"])
      #expect(plan.status == 0, "\(plan.errors)")
      #expect(
        plan.lines == [
          "block 0: leave out, bits that can only be cleared are never written",
          "block 5: leave out, a counter is never written", "block 7: FFFFFFFF → 01020304",
          "block 127: FFFFFFFF → 11223344",
          "block 255: leave out, lock bits are written only with --include-locks",
        ])
      let done = try await nfc(["restore", path, "--json"])
      #expect(done.status == 0, "\(done.errors)")
      #expect(done.lines.contains { $0.hasPrefix(#"{"block":7,"written":[7]"#) }, "\(done.output)")
      #expect(done.errors.contains("a counter is never written"))
      let again = try await nfc(["restore", path, "--plan"])
      #expect(!again.output.contains("→"), "\(again.output)")
      #expect(
        try await nfc(["diff", path, "-"]).lines.map { $0.prefix(8) } == [
          "block 0:", "block 5:", "system b",
        ])
    }
  }

  /// Bytes without the name of their tag are those of the tag on the reader.
  @Test func restoresPlainBytes() async throws {
    var bytes = [UInt8](repeating: 0xFF, count: 512)
    bytes[20] = 0xFE
    bytes.replaceSubrange(64..<68, with: Self.newData)
    try await Self.with(restoring: Data(bytes), as: "tag.bin") { path, nfc async throws in
      let plan = try await nfc(["restore", path, "--plan"])
      #expect(plan.output == "block 16: FFFFFFFF → 11223344\n", "\(plan.errors)")
      #expect(try await nfc(["restore", path]).status == 0)
      #expect(try await nfc(["diff", path, "-"]).status == 0)
      let short = path + ".short.bin"
      try Data(bytes.prefix(508)).write(to: URL(filePath: short))
      let wrong = try await nfc(["restore", short])
      #expect(wrong.status == 65 && wrong.errorLines.count == 1)
      #expect(wrong.errors.contains("the tag has 512"), "\(wrong.errors)")
    }
  }

  /// A locked block is not written, everything else is.
  @Test func aLockedBlockIsNamed() async throws {
    let locked = Self.file(system: "FF FF FF FD")
    let image = Self.file([9: "01 02 03 04", 20: "01 02 03 04"], system: "FF FF FF FD")
    try await Self.with(locked, restoring: image) { path, nfc async throws in
      let result = try await nfc(["restore", path])
      #expect(result.status == 77)
      #expect(result.errors.contains("block 9: it is locked"), "\(result.errors)")
      #expect(try await nfc(["diff", path, "-"]).lines.count == 1)
    }
  }

  /// Locks are written after the blocks that they make permanent. The chips differ in what a bit locks: bit 24 of an
  /// SRIX4K locks blocks 7 and 8, that of an SRI512 only block 8.
  @Test(
    .asking(.blockLock),
    arguments: [
      ("D0020C1F5A88136E", "X4K", 128, "FF FF FF FE", [7, 8]),
      ("D0021B1F5A88136E", "512AC", 16, "FF FF FF FE", [8]),
      ("D002331F5A88136E", "512AT", 16, "FF FF 7F FF", [7]),
    ])
  func locksOnRequest(
    uid: String, type: String, count: Int, system: String, locked: [Int]
  ) async throws {
    let tag = Self.file(uid: uid, type: type, count: count)
    let image = Self.file(
      uid: uid, type: type, count: count, [7: "01 02 03 04"], system: system)
    try await Self.with(tag, restoring: image) { path, nfc async throws in
      let new = system.filter { $0 != " " }
      let plan = try await nfc(["restore", path, "--plan", "--include-locks"])
      #expect(
        plan.lines == [
          "block 7: FFFFFFFF → 01020304", "block 255: FFFFFFFF → \(new)",
          "cannot be undone: what is locked can never be written again",
        ],
        "\(plan.output)\(plan.errors)")
      #expect(try await nfc(["restore", path, "--include-locks"]).status == 0)
      #expect(try await nfc(["diff", path, "-"]).status == 0)
      // What is locked now refuses another content.
      let other = path + ".other.nfc"
      let content = Dictionary(uniqueKeysWithValues: [7, 8, 9].map { ($0, "05 06 07 08") })
      try Self.file(uid: uid, type: type, count: count, content, system: system)
        .write(to: URL(filePath: other))
      let refused = try await nfc(["restore", other])
      #expect(refused.status == 77)
      #expect(refused.errors.contains("it is locked"), "\(refused.errors)")
      let rest = try await nfc(["diff", other, "-"])
      #expect(rest.lines.count == locked.count, "\(rest.output)")
    }
  }

  /// A lock would make permanent what is in a block that could not be written.
  @Test func doesNotLockWhatIsNotRestored() async throws {
    // Bit 22 of an SRI512 locks counter 6, which is not restored.
    let uid = "D0021B1F5A88136E"
    let tag = Self.file(uid: uid, type: "512AC", count: 16)
    let image = Self.file(
      uid: uid, type: "512AC", count: 16, [6: "00 00 00 01"], system: "FF FF BF FF")
    try await Self.with(tag, restoring: image) { path, nfc async throws in
      let result = try await nfc(["restore", path, "--include-locks"])
      #expect(result.status == 77)
      #expect(result.errors.contains("block 6 would be locked with another content"))
    }
  }

  // MARK: Exchanges

  /// An SRIX4K on a virtual reader, and a restoration of new content to some of its blocks.
  private struct Bench {
    let card: VirtualTag
    let field = VirtualField()
    let virtual: VirtualReader
    let reader: Reader
    let image: TagImage

    init(_ blocks: [Int]) async throws {
      card = try SRxRestoreTests.tag(SRxRestoreTests.file())
      field.place(card)
      virtual = try VirtualReader(field)
      reader = try await Reader.open(virtual.connectionString)
      var image = try #require(card.image)
      for block in blocks { image.memory.set(SRxRestoreTests.newData, at: 4 * block) }
      self.image = image
    }

    /// Finds the tag, and reads it.
    func restoration() async throws -> SRxRestoration {
      let found = try await reader.firstTag(within: .seconds(10))
      try await found.connect()
      guard case .other(let tag) = found else { throw NFCError(.wrongTag, "not an SRx") }
      let now = try await SRxMemory(tag).read().image
      return try await SRxRestoration(tag, image, now: now, locksPermanently: false)
    }

    func end() async {
      await reader.close()
      virtual.close()
    }
  }

  /// Returns the number of exchanges that a restoration of these blocks takes.
  private static func exchanges(_ blocks: [Int]) async throws -> Int {
    let bench = try await Bench(blocks)
    let restoration = try await bench.restoration()
    let before = bench.virtual.statistics.exchanges
    let report = try await restoration.run()
    let count = bench.virtual.statistics.exchanges - before
    #expect(report.map(\.written) == blocks.map { [$0] })
    #expect(bench.card.image?.memory == bench.image.memory)
    await bench.end()
    return count
  }

  /// For each block the write, which nothing answers, and its check; between them, the reader finds the silent tag again
  /// (Initiate, Select, Get_UID).
  @Test func theExchangesOfABlock() async throws {
    let one = try await Self.exchanges([20])
    let three = try await Self.exchanges([20, 21, 22])
    #expect(three - one == 2 * (2 + 3))
  }

  /// A tag that is removed at any exchange is lost (74), and the next call completes the rest.
  @Test func isCompletedAfterTheTagWasRemoved() async throws {
    let blocks = [20, 21]
    for exchange in 0..<(try await Self.exchanges(blocks)) {
      let bench = try await Bench(blocks)
      let restoration = try await bench.restoration()
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(exchange))])
      let error = await #expect(throws: NFCError.self, "\(exchange)") {
        _ = try await restoration.run()
      }
      #expect(error.map { ExitStatus($0.code) } == .lost, "\(exchange): \(error.debugDescription)")
      bench.virtual.setFaults([])
      bench.field.place(bench.card)
      _ = try await bench.restoration().run()
      #expect(bench.card.image?.memory == bench.image.memory, "\(exchange)")
      await bench.end()
    }
  }

  /// Kinds whose memory nobody can write, or not without a key, say so.
  @Test(arguments: [
    ("barcode", "bin", 77, "was made with it"), ("bprime", "nfc", 66, "no memory"),
    ("ask-ctx", "nfc", 66, "no public document"), ("iclass", "picopass", 66, "without its keys"),
  ])
  func saysWhyATagIsNotWritten(
    name: String, format: String, status: Int32, reason: String
  ) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.\(format)").path
      #expect(try await Tool.run("dump", file, "--partial", "--virtual", name).status == 0)
      for arguments in [[], ["--plan"]] {
        let result = try await Tool.run(["restore", file, "--virtual", name] + arguments)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.output == "" && result.errorLines.count == 1)
        #expect(result.errors.contains(reason), "\(result.errors)")
      }
    }
  }
}
