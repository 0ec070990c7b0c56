import Foundation
import TestSupport
import Testing

/// Images in which keys that were not read are zeros (RfidResearchGroup/proxmark3#1656).
@Suite struct RestoredKeysTests {
  private static let file = ReportFile.path("classic-keys-not-read.mfd")
  private static let remark = "key A is not in the file, the card's stays"

  @Test func theCardKeepsItsKeys() async throws {
    try await Tool.with("classic-1k") { nfc async throws in
      #expect(try await nfc(["write", "uri", "https://a.example"]).status == 0)
      let plan = try await nfc(["restore", Self.file, "--plan"])
      #expect(plan.status == 0, "\(plan.errors)")
      #expect(plan.output.contains(Self.remark), "\(plan.output)")
      #expect(!plan.output.contains("block 7: "), "nothing of the trailer differs")
      let restore = try await nfc(["restore", Self.file])
      #expect(restore.status == 0, "\(restore.errors)")
      #expect(restore.errorLines == ["nfc: left out sectors 0-15: \(Self.remark)"])
      let read = try await nfc(["read"])
      #expect(read.status == 0, "\(read.errors)")
      #expect(read.output != "https://a.example\n", "the data are those of the file")
    }
  }

  /// Other programs' formats without a mark for a key that is not known.
  @Test(arguments: ["bin", "eml", "json"])
  func otherFormats(format: String) async throws {
    try await TemporaryDirectory.with { folder async throws in
      let path = folder.appending(path: "card.\(format)").path
      try Self.write(try Data(contentsOf: URL(filePath: Self.file)), to: path)
      try await Tool.with("classic-1k") { nfc async throws in
        let restore = try await nfc(["restore", path])
        #expect(restore.status == 0, "\(restore.errors)")
        #expect(restore.errors.contains(Self.remark))
        #expect(try await nfc(["read"]).status == 0)
      }
    }
  }

  /// Formats with a mark for a key that is not known say the same.
  @Test(arguments: ["nfc", "mct"])
  func formatsWithMarks(format: String) async throws {
    try await TemporaryDirectory.with { folder async throws in
      let path = folder.appending(path: "card.\(format)").path
      #expect(try await Tool.run("convert", Self.file, path).status == 0)
      try await Tool.with("classic-1k") { nfc async throws in
        let plan = try await nfc(["restore", path, "--plan"])
        #expect(plan.status == 0 && plan.output.contains(Self.remark), "\(plan.output)")
        let restore = try await nfc(["restore", path])
        #expect(restore.status == 0, "\(restore.errors)")
        #expect(restore.errorLines == ["nfc: left out sectors 0-15: \(Self.remark)"])
      }
    }
  }

  private static func write(_ bytes: Data, to path: String) throws {
    func blocks() -> [String] {
      stride(from: 0, to: bytes.count, by: 16).map { start in
        bytes[start..<start + 16].map { String(format: "%02X", $0) }.joined()
      }
    }
    var data = bytes
    if path.hasSuffix(".eml") { data = Data((blocks().joined(separator: "\n") + "\n").utf8) }
    if path.hasSuffix(".json") {
      let lines = blocks().enumerated().map { "\"\($0)\": \"\($1)\"" }.joined(separator: ",\n")
      data = Data(
        """
        {"Created": "proxmark3", "FileType": "mfc v2",
        "Card": {"UID": "6F21D40A", "ATQA": "0400", "SAK": "08"}, "blocks": {\(lines)}}
        """.utf8)
    }
    try data.write(to: URL(filePath: path))
  }

  /// Where the access bits hide it, key B was not read either; where they do not, zeros are its content.
  @Test func keyBIsHiddenByTheAccessBits() async throws {
    try await TemporaryDirectory.with { folder async throws in
      var bytes = Array(try Data(contentsOf: URL(filePath: Self.file)))
      for sector in 0..<16 {
        bytes.replaceSubrange(
          sector * 64 + 58..<sector * 64 + 64, with: [UInt8](repeating: 0, count: 6))
      }
      // Sector 15 has the access bits as delivered, with which key B is data.
      bytes.replaceSubrange(15 * 64 + 54..<15 * 64 + 58, with: [0xFF, 0x07, 0x80, 0x69])
      let path = folder.appending(path: "card.mfd").path
      try Data(bytes).write(to: URL(filePath: path))
      try await Tool.with("classic-1k") { nfc async throws in
        let restore = try await nfc(["restore", path])
        #expect(restore.status == 0, "\(restore.errors)")
        #expect(
          restore.errors.contains("sectors 0-14: key A and key B are not in the file"),
          "\(restore.errors)")
        #expect(restore.errors.contains("sector 15: key A is not in the file"))
        let lock = try await nfc(["lock", "--plan"])
        #expect(lock.errors.contains("sector 15") || lock.status == 0)
      }
    }
  }

  @Test func keysOfZerosAreWrittenWhenTheyAreNamed() async throws {
    try await Tool.with("classic-1k") { nfc async throws in
      let restore = try await nfc(["restore", Self.file, "--include-zero-keys"])
      #expect(restore.status == 0, "\(restore.errors)")
      #expect(!restore.errors.contains("left out"))
      #expect(try await nfc(["read"]).status == 77)
      #expect(try await nfc(["read", "--key", "000000000000"]).status == 0)
    }
  }

  @Test func a4KIsLikeA1K() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let path = folder.appending(path: "card.mfd").path
      try await Tool.with("classic-4k") { nfc async throws in
        #expect(try await nfc(["write", "text", "new"]).status == 0)
        #expect(try await nfc(["dump", path]).status == 0)
      }
      var bytes = Array(try Data(contentsOf: URL(filePath: path)))
      for sector in 0..<40 {
        let trailer = sector < 32 ? sector * 64 + 48 : 2048 + (sector - 32) * 256 + 240
        bytes.replaceSubrange(trailer..<trailer + 6, with: [UInt8](repeating: 0, count: 6))
      }
      try Data(bytes).write(to: URL(filePath: path))
      try await Tool.with("classic-4k") { nfc async throws in
        let restore = try await nfc(["restore", path])
        #expect(restore.status == 0, "\(restore.errors)")
        #expect(restore.errors.contains("left out sectors 0-39: \(Self.remark)"))
        #expect(try await nfc(["read"]).output == "new (en)\n")
      }
    }
  }

  /// What is unknown stays unknown in formats that can say so, by both ways from one file to another.
  @Test(
    arguments: ["nfc", "mct"],
    [["convert", file], ["dump", "--virtual", file]])
  func keysThatWereNotReadStayUnknown(format: String, command: [String]) async throws {
    try await TemporaryDirectory.with { folder async throws in
      let path = folder.appending(path: "card.\(format)").path
      let made = try await Tool.run([command[0]] + command.dropFirst() + [path])
      #expect(made.status == 0, "\(made.errors)")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let trailer =
        format == "nfc"
        ? "Block 3: ?? ?? ?? ?? ?? ?? 78 77 88 C1 FF FF FF FF FF FF"
        : "------------787788C1FFFFFFFFFFFF"
      #expect(text.contains(trailer), "\(text.prefix(600))")
      try await Tool.with("classic-1k") { nfc async throws in
        #expect(try await nfc(["restore", path]).status == 0)
        #expect(try await nfc(["read"]).status == 0)
      }
    }
  }

  /// Zeros in plain bytes stay as they are there, and are no key in a report.
  @Test func zerosAreNoKey() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let path = folder.appending(path: "card.bin").path
      #expect(try await Tool.run("convert", Self.file, path).status == 0)
      let original = try Data(contentsOf: URL(filePath: Self.file))
      #expect(try Data(contentsOf: URL(filePath: path)) == original)
    }
    let info = try await Tool.run("info", "--virtual", Self.file)
    #expect(info.status == 0, "\(info.errors)")
    #expect(info.output.contains("key B FFFFFFFFFFFF"), "\(info.output)")
    #expect(!info.output.contains("key A given"), "\(info.output)")
    let json = try await Tool.run("info", "--json", "--virtual", Self.file)
    #expect(!json.output.contains("keyA"), "\(json.output)")
  }

  @Test func aCopyKeepsTheKeysOfTheSecondCard() async throws {
    let copy = try await Tool.run(
      "copy", "--virtual", Self.file, "--virtual", "classic-1k", "--plan")
    #expect(copy.status == 0, "\(copy.errors)")
    #expect(!copy.output.contains("block 3:"))
  }
}
