import Foundation
import Testing

/// Text that is not seen, or turns a line, is visible in output: two links that look alike are not alike.
@Suite struct DeceptiveTextTests {
  /// U+200B and U+FEFF in a link, a word joiner and a tag in one, and U+202E in a text.
  private static let messages: [([UInt8], plain: String, json: String)] = [
    (
      Array("\u{04}exam\u{200B}\u{FEFF}ple.com".utf8), #"exam\u{200B}\u{FEFF}ple.com"#,
      #"exam\u200B\uFEFFple.com"#
    ),
    (
      Array("\u{04}exam\u{2060}ple.com\u{E0041}".utf8), #"exam\u{2060}ple.com\u{E0041}"#,
      #"exam\u2060ple.com\uDB40\uDC41"#
    ),
    (
      Array("\u{02}eninvoice\u{202E}gnp.exe".utf8), #"invoice\u{202E}gnp.exe"#,
      #"invoice\u202Egnp.exe"#
    ),
  ]

  @Test(arguments: messages.indices)
  func decodedTextShowsWhatIsNotSeen(_ index: Int) async throws {
    let (payload, plain, json) = Self.messages[index]
    let type: UInt8 = payload[0] == 0x04 ? 0x55 : 0x54
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "message.ndef")
      try Data([0xD1, 0x01, UInt8(payload.count), type] + payload).write(to: file)
      let text = try await Tool.run("decode", file.path)
      #expect(text.status == 0 && text.output.contains(plain), "\(text.output)")
      let object = try await Tool.run("decode", "--json", file.path)
      #expect(object.status == 0 && object.output.contains(json), "\(object.output)")
      // The same text for a program that reads it.
      let decoded = try JSONSerialization.jsonObject(with: Data(object.output.utf8))
      let hidden = String(decoding: payload.dropFirst(payload[0] == 0x04 ? 1 : 3), as: UTF8.self)
      #expect("\(decoded)".unicodeScalars.count > 0 && object.output.utf8.allSatisfy { $0 < 0x80 })
      let fields = try #require(
        ((decoded as? [String: Any])?["records"] as? [[String: Any]])?.first)
      let values = fields.values.compactMap { $0 as? String }
      #expect(
        values.contains {
          Array($0.unicodeScalars).suffix(7) == Array(hidden.unicodeScalars).suffix(7)
        },
        "\(values)")
    }
  }

  /// Joiners are part of the spelling of some scripts, and of emoji.
  @Test func joinersStay() async throws {
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "message.ndef")
      let text =
        "\u{02}fa\u{0645}\u{06CC}\u{200C}\u{062E}\u{0648}\u{0627}\u{0647}\u{0645} \u{1F468}\u{200D}\u{1F467}"
      try Data([0xD1, 0x01, UInt8(text.utf8.count), 0x54] + Array(text.utf8)).write(to: file)
      let result = try await Tool.run("decode", file.path)
      let scalars = Array(result.output.unicodeScalars)
      #expect(scalars.firstRange(of: ["\u{06CC}", "\u{200C}", "\u{062E}"]) != nil)
      #expect(scalars.contains("\u{200D}"))
    }
  }
}
