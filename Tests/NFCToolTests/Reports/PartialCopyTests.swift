import Foundation
import NFC
import Testing
import VirtualNFC

/// A copy or a restoration that cannot be complete says what it leaves, and plans nothing that cannot be.
@Suite struct PartialCopyTests {
  private static let secret = [UInt8](repeating: 0xA7, count: 6)

  /// A MIFARE Classic with data in blocks 6 and 60, and a sector 5 that no public key opens.
  private static func classic(_ uid: [UInt8]) throws -> VirtualTag {
    let tag = try VirtualTag.named("classic-1k", uid: uid)
    for block in [6, 60] {
      tag.memory.replaceSubrange(
        block * 16..<(block + 1) * 16, with: Array(repeating: 0x41, count: 16))
    }
    let trailer = 23 * 16
    tag.memory.replaceSubrange(trailer..<trailer + 6, with: secret)
    tag.memory.replaceSubrange(trailer + 10..<trailer + 16, with: secret)
    return tag
  }

  @Test func theSectorsOfAClassicAreCopiedOneByOne() async throws {
    let first = try Self.classic([0x6F, 0x21, 0xD4, 0x0A])
    let second = try VirtualTag.named("classic-1k", uid: [0x6F, 0x21, 0xD4, 0x0B])
    try await Tool.with([first, second]) { nfc in
      let plan = try await nfc(["copy", "--plan", "--uid", "6F21D40A"])
      #expect(plan.status == 0, "\(plan.errors)")
      #expect(plan.output.contains("block 6:") && plan.output.contains("block 60:"))
      let copy = try await nfc(["copy", "--json", "--uid", "6F21D40A"])
      #expect(copy.status == 0, "\(copy.errors)")
      #expect(copy.output.contains(#""copied":"the memory""#), "\(copy.output)")
      #expect(copy.output.contains("sector 5"), "\(copy.output)")
    }
    for block in [6, 60] {
      #expect(
        second.memory[block * 16..<(block + 1) * 16] == first.memory[block * 16..<(block + 1) * 16])
    }
  }

  /// Set bits cannot be cleared: after a lock, the image from before it cannot be restored as it was.
  @Test(.asking(.lockBits, .oneTimeBits)) func whatIsLockedIsNotPlanned() async throws {
    let tag = try VirtualTag.named("ntag213")
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "before.nfc").path
      try await Tool.with([tag]) { nfc in
        #expect(try await nfc(["dump", file]).status == 0)
        #expect(try await nfc(["lock", "--permanently"]).status == 0)
        let memory = tag.memory
        let line = ["restore", file, "--include-locks", "--include-capability-container"]
        let plan = try await nfc(line + ["--plan"])
        #expect(plan.status == 0)
        #expect(!plan.output.contains("→"), "\(plan.output)")
        #expect(!plan.output.contains("cannot be undone"), "\(plan.output)")
        #expect(plan.output.contains("page 3: leave out, "), "\(plan.output)")
        let done = try await nfc(line)
        #expect(done.status == 77)
        #expect(done.errors.contains("bits that are set cannot be cleared"), "\(done.errors)")
        #expect(done.errors.contains("nothing was written"), "\(done.errors)")
        #expect(!done.errors.contains("key"), "\(done.errors)")
        // Without the options, nothing that could be written is left out.
        let rest = try await nfc(["restore", file])
        #expect(rest.status == 0 && !rest.errors.contains("--include-"), "\(rest.errors)")
        #expect(tag.memory == memory)
      }
    }
  }

  /// A locked page of the user memory stays, and with it the message that it belongs to.
  @Test func aLockedPageIsNotPlanned() async throws {
    let tag = try VirtualTag.named("ntag213")
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "image.nfc").path
      try await Tool.with([tag]) { nfc in
        #expect(try await nfc(["write", "text", "one"]).status == 0)
        #expect(try await nfc(["dump", file]).status == 0)
        #expect(try await nfc(["write", "text", "two and more"]).status == 0)
        // Pages 5 and 12; the message is in pages 4 to 8.
        tag.memory[10] |= 0x20
        tag.memory[11] |= 0x10
        tag.memory[20 * 4] = 0x11
        let memory = tag.memory
        let plan = try await nfc(["restore", file, "--plan"])
        #expect(plan.lines.contains("page 20: 11000000 → 00000000"), "\(plan.output)")
        #expect(
          plan.lines.contains("page 5: leave out, it is locked"), "\(plan.output)")
        #expect(!plan.output.contains("page 6: 7"), "\(plan.output)")
        let done = try await nfc(["restore", file])
        #expect(done.status == 77)
        #expect(done.errors.contains("it is locked"), "\(done.errors)")
        #expect(done.errors.contains("the rest was written"), "\(done.errors)")
        #expect(tag.memory[20 * 4] == 0)
        #expect(tag.memory[16..<48] == memory[16..<48])
        #expect(try await nfc(["read"]).output == "two and more (en)\n")
      }
    }
  }

  @Test func aCounterThatTheChipDoesNotHaveIsNamed() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let (file, other) = (folder.appending(path: "a.nfc"), folder.appending(path: "b.nfc").path)
      #expect(try await Tool.run("dump", file.path, "--virtual", "ntag215").status == 0)
      let text = try String(contentsOf: file, encoding: .utf8)
        .replacing("Counter 0: 0", with: "Counter 0: 5")
      try text.write(to: file, atomically: true, encoding: .utf8)
      let result = try await Tool.run("convert", file.path, other)
      #expect(result.status == 0)
      #expect(result.errors.contains("Counter 0"), "\(result.errors)")
    }
  }

  // MARK: What is explained

  @Test(arguments: [
    ("+44 (0)20 7946 0958", "tel:+442079460958"), ("(0)20 7946", "tel:0207946"),
    ("+1 (212) 555-0100", "tel:+12125550100"), ("(+44) (0)20", "tel:+4420"),
  ])
  func aZeroInParenthesesIsNotDialled(_ number: String, _ link: String) async throws {
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "t.ndef").path
      #expect(try await Tool.run("encode", "tel", number, "--output", file).status == 0)
      #expect(try await Tool.run("decode", file).output == link + "\n")
    }
  }

  @Test func aFlagWithAValueIsExplained() async throws {
    for line in [
      "--json=true read --virtual ntag215", "--virtual=ntag215 --json=true read",
      "read --json=true --virtual ntag215",
    ] {
      let result = try await Tool.run(line.split(separator: " ").map(String.init))
      #expect(result.status == 64)
      #expect(result.errors.contains("--json' does not take any value"), "\(result.errors)")
    }
  }

  /// The advice about plain bytes leads to a file.
  @Test(arguments: [500, 100_000]) func adviceOnPlainBytesWorks(_ size: Int) async throws {
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "b.bin").path
      #expect(
        try await Tool.shell("head -c \(size) /dev/zero | tr '\\0' '\\7' > '\(file)'").status == 0)
      let first = try await Tool.run("convert", file, folder.appending(path: "o.nfc").path)
      #expect(first.status == 65)
      let ending = size > 1024 ? ".eml" : ".json"
      #expect(first.errors.contains("name the output \(ending)"), "\(first.errors)")
      let output = folder.appending(path: "o" + ending).path
      let second = try await Tool.run("convert", file, output, "--iso15693")
      #expect(second.status == 0, "\(second.errors)")
    }
  }

  @Test func anEmptyFileName() async throws {
    let result = try await Tool.run("dump", "", "--virtual", "ntag215")
    #expect(result.status == 64)
    #expect(result.errors.contains("the name of the file is empty"), "\(result.errors)")
  }

  /// A recording on a full disk ends with a whole line.
  @Test func aRecordingOnAFullDiskEndsWithALine() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let result = try await Tool.shell(
        "cd '\(folder.path)'; ulimit -f 4; \"$NFC\" dump r.mfd --virtual classic-1k --record r.jsonl"
      )
      #expect(result.status == 74, "\(result.errors)")
      let bytes = try Data(contentsOf: folder.appending(path: "r.jsonl"))
      #expect(!bytes.isEmpty && bytes.last == UInt8(ascii: "\n"))
    }
  }
}
