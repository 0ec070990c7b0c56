import Foundation
import TestSupport
import Testing

/// Tests of `nfc write … --each` that continues where another one has ended.
@Suite struct BatchContinuationTests {
  private static let tags = ["--virtual", "ntag213", "--virtual", "ntag215"]

  /// A batch that was not completed goes on with the row, and the number, that it has come to.
  @Test func continuesWithARow() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "rooms.csv").path
      try Data("room\nHall\nB\nC\n".utf8).write(to: URL(filePath: file))
      let each = ["write", "text", "{room} {n}", "--each", "--from", file, "--timeout", "0"]
      let first = try await Tool.run(each + Self.tags)
      #expect(first.status == 66)
      #expect(first.errors.hasSuffix("; the same command continues with --row 3\n"))
      let json = try await Tool.run(each + ["--json", "--first", "7"] + Self.tags)
      #expect(json.lines.last == #"{"written":2,"failed":0,"row":3}"#)
      try await Tool.with("ntag213") { nfc async throws in
        let rest = try await nfc(each + ["--row", "3", "--first", "7", "--json"])
        #expect(rest.status == 0, "\(rest.errors)")
        #expect(rest.lines[0].contains(#""n":9,"#))
        #expect(rest.lines.last == #"{"written":1,"failed":0}"#)
        #expect(try await nfc(["read"]).output == "C 9 (en)\n")
      }
      let after = try await Tool.run(each + ["--row", "4"] + Self.tags)
      #expect(after.status == 65)
      #expect(
        after.errors == "nfc: there is no row 4: the table has 3 rows; nothing was written\n")
      let many = try await Tool.run(each + ["--row", "2", "--count", "3"] + Self.tags)
      #expect(many.status == 65)
      #expect(many.errors.contains("2 rows are not enough from row 2 on for 3 tags"))
      for wrong in [["--row", "0"], ["--row", "x"]] {
        #expect(try await Tool.run(each + wrong + Self.tags).status == 64)
      }
      let alone = try await Tool.run(
        ["write", "text", "a", "--each", "--row", "2"] + Self.tags)
      #expect(alone.status == 64)
      #expect(alone.errors.contains("--row requires --from"))
    }
  }

  @Test func continuesWithANumber() async throws {
    let each = ["write", "text", "{n}", "--each", "--count", "3", "--first", "5"]
    let result = try await Tool.run(each + ["--timeout", "0"] + Self.tags)
    #expect(result.status == 66)
    #expect(result.errors.hasSuffix("; the same command continues with --first 7\n"))
    let same = try await Tool.run(
      ["write", "text", "a", "--each", "--count", "3", "--timeout", "0"] + Self.tags)
    #expect(!same.errors.contains("continues"))
    let interrupted = try await Tool.run(each + Self.tags, interruptedAfter: 2)
    #expect(interrupted.status == 130)
    #expect(
      interrupted.errors == "nfc: interrupted; the same command continues with --first 7\n")
    #expect(interrupted.lines.last == "2 tags written, 0 failed")
  }

  /// As the help of --timeout says, 10 seconds are waited for the next tag.
  @Test func aBatchEndsWhenNoOtherTagComes() async throws {
    let start = ContinuousClock.now
    let result = try await Tool.run(
      ["write", "text", "a", "--each", "--count", "3"] + Self.tags)
    #expect(result.status == 66)
    #expect(result.lines.last == "2 tags written, 0 failed")
    #expect(result.errorLines.count == 1)
    #expect((.seconds(9) ... .seconds(40)).contains(ContinuousClock.now - start))
  }
}
