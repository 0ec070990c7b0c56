import Foundation
import NFC
import TestSupport
import Testing

@testable import SwiftNFCTool

/// Tests of what protects and informs a person who writes tags: files that are not overwritten, the tag's password under
/// one name, the old message, and the results of a batch.
@Suite struct WritingForPeopleTests {
  // MARK: Files

  /// What is in a file that is named again is there afterwards, byte for byte.
  @Test(arguments: [
    "dump FILE.bin --virtual ntag213", "encode text a --output FILE.bin",
    "convert OTHER.bin FILE.bin", "read --raw FILE.bin --virtual ntag213",
    "poll --once --record FILE.bin --virtual ntag213",
    "poll --once --pcap FILE.bin --virtual ntag213", "doctor --report FILE.bin --virtual ntag213",
    "recording anonymize OTHER.jsonl FILE.bin", "write text a --backup FILE.bin --virtual ntag213",
    "virtual ntag213 --pcap FILE.bin",
  ])
  func overwritesNoFile(_ line: String) async throws {
    try await TemporaryDirectory.with { folder async throws in
      let old = Data("the backup of another tag".utf8)
      let file = folder.appending(path: "a")
      try old.write(to: file.appendingPathExtension("bin"))
      let other = folder.appending(path: "b")
      _ = try await Tool.run("dump", other.path + ".bin", "--virtual", "ntag213")
      _ = try await Tool.run(
        "poll", "--once", "--record", other.path + ".jsonl", "--virtual", "ntag213")
      let words = line.split(separator: " ").map {
        String($0).replacing("FILE", with: file.path).replacing("OTHER", with: other.path)
      }
      let result = try await Tool.run(words)
      #expect(result.status == 64)
      #expect(result.errors.contains("a.bin is there already and is not overwritten"))
      #expect(result.errors.contains("add --force"))
      #expect(try Data(contentsOf: file.appendingPathExtension("bin")) == old)
      guard !line.hasPrefix("virtual") else { return }
      let forced = try await Tool.run(words + ["--force"])
      #expect(forced.status == 0, "\(forced.errors)")
      #expect(try Data(contentsOf: file.appendingPathExtension("bin")) != old)
    }
  }

  /// As `mktemp` creates them.
  @Test func writesToEmptyFiles() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "a.bin")
      try Data().write(to: file)
      let result = try await Tool.run("dump", file.path, "--virtual", "ntag213")
      #expect(result.status == 0, "\(result.errors)")
      #expect(try Data(contentsOf: file).count == 180)
    }
  }

  // MARK: Passwords

  @Test(
    arguments: [
      ("text:abcd", [0x61, 0x62, 0x63, 0x64]), ("text:a b\n", [0x61, 0x20, 0x62]),
      ("61626364", [0x61, 0x62, 0x63, 0x64]), ("0x61:62", [0x61, 0x62]),
    ] as [(String, [UInt8])])
  func takesPasswordsAsText(_ text: String, _ bytes: [UInt8]) throws {
    #expect(try TagPasswordText.parse(text).get() == bytes)
  }

  @Test(arguments: ["text:", "text:\n", "text:ä", "text:a\u{7}", "abcd1", "texta"])
  func refusesOtherPasswords(_ text: String) {
    #expect(throws: Hexadecimal.Problem.self) { try TagPasswordText.parse(text).get() }
  }

  /// The network's password and the tag's have names of their own, and no error shows the tag's.
  @Test func namesTheTagsPassword() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      #expect(try await nfc(["protect", "--tag-password", "text:abcd"]).status == 0)
      let wifi = ["write", "wifi", "G", "--password", "87654321"]
      let closed = try await nfc(wifi)
      #expect(closed.status == 77)
      #expect(closed.errors.contains("the tag requires a password"))
      #expect(closed.errors.contains("give the tag's password with --tag-password"))
      let wrong = try await nfc(wifi + ["--tag-password", "text:abcé"])
      #expect(wrong.status == 64)
      #expect(!wrong.errors.contains("abc\u{E9}"))
      #expect(try await nfc(wifi + ["--tag-password", "text:abcd"]).status == 0)
      #expect(try await nfc(["--tag-password", "61626364", "write", "text", "a"]).status == 64)
      #expect(try await nfc(["write", "--tag-password", "61626364", "text", "a"]).status == 0)
      #expect(try await nfc(["write", "text", "b", "--password", "61626364"]).status == 0)
      #expect(try await nfc(["unprotect", "--tag-password", "text:abcd"]).status == 0)
    }
  }

  // MARK: One tag

  @Test(.asking(.oneTimeBits)) func formatsABlankTagFirst() async throws {
    try await Tool.with("blank-ultralight") { nfc async throws in
      let write = ["write", "uri", "https://a.example", "--json"]
      #expect(try await nfc(write).status == 66)
      let result = try await nfc(write + ["--format"])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try await nfc(["read"]).output == "https://a.example\n")
      // A tag that is formatted keeps its message for --append.
      #expect(try await nfc(["write", "text", "b", "--append", "--format"]).status == 0)
      #expect(try await nfc(["read"]).output == "https://a.example\nb (en)\n")
    }
    let batch = try await Tool.run(
      "write", "text", "a", "--each", "--count", "2", "--format", "--virtual", "blank-ultralight",
      "--virtual", "blank-ntag213")
    #expect(batch.status == 0, "\(batch.errors)")
  }

  @Test func savesTheOldMessage() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "old.ndef").path
      try await Tool.with("ntag213") { nfc async throws in
        _ = try await nfc(["write", "text", "old"])
        #expect(try await nfc(["write", "text", "new", "--backup", file]).status == 0)
        #expect(try await nfc(["read"]).output == "new (en)\n")
        #expect(try await nfc(["write", "raw", file]).status == 0)
        #expect(try await nfc(["read"]).output == "old (en)\n")
        // Nothing is written if the old message cannot be saved.
        let nowhere = folder.appending(path: "no/old.ndef").path
        #expect(try await nfc(["write", "text", "new", "--backup", nowhere]).status == 66)
        #expect(try await nfc(["read"]).output == "old (en)\n")
        let each = ["write", "text", "a", "--each", "--count", "1", "--backup", "x"]
        #expect(try await nfc(each).status == 64)
      }
    }
  }

  /// A plan shows what a command would do, and does nothing.
  @Test func showsPlans() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      let first = try await nfc(["write", "text", "old", "--plan"])
      let old = "D101065402656E6F6C64"
      #expect(first.output == "message: empty → \(old)\n")
      _ = try await nfc(["write", "text", "old"])
      let write = try await nfc(["write", "text", "new", "--plan", "--json"])
      #expect(write.status == 0, "\(write.errors)")
      #expect(
        write.output
          == #"{"action":"message","before":"\#(old)","after":"D101065402656E6E6577"}"# + "\n")
      let erase = try await nfc(["erase", "--plan"])
      #expect(erase.output.hasPrefix("message: \(old) → "), "\(erase.output)")
      let same = try await nfc(["write", "text", "old", "--plan"])
      #expect(same.output == "nothing to be changed\n")
      let lock = try await nfc(["write", "text", "new", "--lock", "--plan"])
      #expect(lock.output.contains("cannot be undone"), "\(lock.output)")
      #expect(
        try await nfc(["write", "text", String(repeating: "x", count: 200), "--plan"]).status == 65)
      #expect(try await nfc(["read"]).output == "old (en)\n")
    }
    let blank = ["--virtual", "blank-ultralight", "--plan"]
    #expect(try await Tool.run(["write", "text", "a"] + blank).status == 66)
    let format = try await Tool.run(["write", "text", "a", "--format"] + blank)
    #expect(format.status == 0 && format.lines.count == 2, "\(format.output)\(format.errors)")
  }

  @Test func savesTheMessageBeforeErasing() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "old.ndef").path
      try await Tool.with("ntag213") { nfc async throws in
        _ = try await nfc(["write", "text", "old"])
        #expect(try await nfc(["erase", "--backup", file]).status == 0)
        #expect(try await nfc(["write", "raw", file]).status == 0)
        #expect(try await nfc(["read"]).output == "old (en)\n")
      }
    }
  }

  // MARK: Batches

  @Test(
    arguments: [
      ("a,b\n1,2\n", ","), ("a;b\n1;2,5\n", ";"), ("a\tb\n1\t2\n", "\t"), ("a\n1\n", ","),
      ("\"x;y;z\",b\n1,2\n", ","), ("\n\na;b\n1;2\n", ";"),
    ] as [(String, Character)])
  func recognizesTheSeparator(_ text: String, _ separator: Character) throws {
    let table = try CSVTable(text, name: "t")
    #expect(table.separator == separator)
    #expect(table.rows.count == 1)
    let line = CSVTable.line(table.rows[0].values, separatedBy: separator)
    let columns = CSVTable.line(table.columns, separatedBy: separator)
    let again = try CSVTable(columns + "\n" + line + "\n", name: "t")
    #expect(again.columns == table.columns)
    #expect(again.rows[0].values == table.rows[0].values)
  }

  /// A result says which row was written to which tag, and the table with the results goes on with the batch.
  @Test func reportsRowsAndContents() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "links.csv").path
      let results = folder.appending(path: "results.csv").path
      try Data("Name;Link\nA;https://a.example/1\nB;https://a.example/2\n".utf8)
        .write(to: URL(filePath: file))
      let write = ["write", "uri", "{Link}", "--from", file, "--results", results, "--json"]
      let first = try await Tool.run(write + ["--virtual", "ntag213", "--timeout", "0"])
      #expect(first.status == 66)
      #expect(
        first.lines[0].contains(
          #""row":1,"columns":{"Name":"A","Link":"https://a.example/1"},"#))
      #expect(first.lines[0].contains(#""content":"https://a.example/1""#))
      let uid = try #require(first.lines[0].firstMatch(of: /"uid":"([0-9A-F]+)"/)).1
      let half =
        "Name;Link;uid;state\nA;https://a.example/1;\(uid);written\nB;https://a.example/2;;\n"
      #expect(try String(contentsOf: URL(filePath: results), encoding: .utf8) == half)
      let rest = try await Tool.run(
        write + ["--row", "2", "--verify", "--virtual", "ntag215", "--timeout", "0"])
      #expect(rest.status == 0, "\(rest.errors)")
      let all = try String(contentsOf: URL(filePath: results), encoding: .utf8)
      #expect(all.contains("\(uid);written\n") && all.contains(";verified\n"))
      // A file that is not of this table is not overwritten.
      try Data("a;b\n".utf8).write(to: URL(filePath: results))
      #expect(try await Tool.run(write + ["--virtual", "ntag213"]).status == 64)
    }
  }

  /// A password in a table is not in the results.
  @Test func keepsPasswordsOutOfResults() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "nets.csv").path
      try Data("net,key\nG,correct horse\n".utf8).write(to: URL(filePath: file))
      let result = try await Tool.run(
        "write", "wifi", "{net}", "--password", "{key}", "--from", file, "--json", "--virtual",
        "ntag213")
      #expect(result.status == 0, "\(result.errors)")
      #expect(!result.output.contains("horse"))
      #expect(result.lines[0].contains(#""content":"a Wi-Fi network""#))
    }
  }
}
