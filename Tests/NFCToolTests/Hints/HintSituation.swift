import Foundation
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// Command lines that end with an error, and what the error says to do instead.
///
/// In all texts, `{folder}` is a directory of the situation's own, `{reader}` the reader with ``tag``, `{uid}` the UID of
/// the first of two tags that an error names, and `{zeros}`, `{key}` and `{ones}` are keys of 16 bytes. A line that
/// begins with `!` is for the shell; one that begins with `@` names its reader itself; one that begins with `&` runs
/// until it is interrupted, after its first line of output. Variables may precede a command.
struct HintSituation: Sendable, CustomTestStringConvertible {
  /// The chip in the field; `nil` for a command line that reaches none.
  var tag: String?
  /// Command lines that lead into the situation.
  var before: [String] = []
  let line: String
  let status: Int32
  /// What the error says to do, without the part before it.
  let hint: String
  /// What it says, as command lines. `…` is the line that has failed.
  let leads: [String]

  var testDescription: String { line }

  static let all =
    common + secrets + locks + smartCards + commandLines + messages + watching + documents
    + passes

  /// Performs the lines.
  func walk() async throws {
    try await TemporaryDirectory.with { folder in
      try Data([0xD1, 0x01, 0x20, 0x55]).write(to: folder.appending(path: "broken.bin"))
      guard let tag else { return try await walk(in: folder, reader: nil) }
      let field = VirtualField()
      for tag in try VirtualTags([tag]).tags { field.place(tag) }
      let watch = FieldWatch(field, #_sourceLocation)
      let virtual = try VirtualReader(field)
      try await walk(in: folder, reader: virtual.connectionString)
      virtual.close()
      withExtendedLifetime(watch) {}
    }
  }

  private func walk(in folder: URL, reader: String?) async throws {
    var uid = ""
    func filled(_ text: String) -> String {
      let values = [
        "folder": folder.path, "reader": reader ?? "", "uid": uid,
        "zeros": String(repeating: "0", count: 32), "ones": String(repeating: "F", count: 32),
        "key": "00112233445566778899AABBCCDDEEFF", "long": String(repeating: "a", count: 200),
      ]
      return values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
    func nfc(_ text: String) async throws -> Tool.Result {
      let text = filled(text)
      if text.hasPrefix("!") { return try await Tool.shell(String(text.dropFirst())) }
      var words = Self.words(text)
      let isInterrupted = words.first == "&"
      if isInterrupted { words.removeFirst() }
      let namesReader = words.first == "@"
      if namesReader { words.removeFirst() }
      var environment: [String: String] = [:]
      while let word = words.first, let sign = word.firstIndex(of: "="),
        word[..<sign].allSatisfy({ $0.isUppercase || $0 == "_" })
      {
        environment[String(word[..<sign])] = String(word[word.index(after: sign)...])
        words.removeFirst()
      }
      if let reader, !namesReader { words += ["--reader", reader] }
      guard isInterrupted else { return try await Tool.run(words, environment: environment) }
      var result = try await Tool.run(words, environment: environment, interruptedAfter: 1)
      if result.status == 130, !result.output.isEmpty { result.status = 0 }
      return result
    }
    for line in before {
      let result = try await nfc(line)
      #expect(result.status == 0, "\(line): \(result.errors)")
    }
    let failed = try await nfc(line)
    #expect(failed.status == status, "\(failed.output)\(failed.errors)")
    let text = failed.errors + failed.output
    #expect(text.contains(filled(hint)), "\(text)")
    uid = text.firstMatch(of: #/field, ([0-9A-F]+) /#).map { String($0.1) } ?? ""
    for lead in leads {
      let line = Self.lead(lead, from: line)
      let result = try await nfc(line)
      #expect(result.status == 0, "\(line): \(result.output)\(result.errors)")
    }
  }

  /// Returns a command line in which `…` is the line that has failed.
  private static func lead(_ lead: String, from line: String) -> String {
    // What names its reader itself stays at the beginning.
    let isMarked = line.hasPrefix("@ ") && lead.contains(" …")
    return (isMarked ? "@ " : "")
      + lead.replacing("…", with: isMarked ? String(line.dropFirst(2)) : line)
  }

  /// Returns the words of a command line. Quotation marks keep blanks.
  private static func words(_ line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    for character in line {
      switch character {
      case "'":
        isQuoted.toggle()
        word = word ?? ""
      case " " where !isQuoted:
        if let whole = word { words.append(whole) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + [word].compactMap(\.self)
  }
}
