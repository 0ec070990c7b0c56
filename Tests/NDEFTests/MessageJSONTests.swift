import SwiftNFCSeededRandom
import Foundation
import NDEF
import Testing

@Suite struct MessageJSONTests {
  private func error(_ text: String) -> NDEFJSONError? {
    do throws(NDEFJSONError) {
      _ = try NDEFMessage(json: Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    #"{"uid":"04","status":"readWrite","records":[{"uri":"tel:1"},{"text":"x"}]}"#,
    #"[{"uri":"tel:1"},{"text":"x"}]"#,
    "\u{FEFF}[\r\n{\"uri\":\"tel:1\"},\r\n{\"text\":\"x\"}]\r\n",
    #"[{"uri":"tel:\u0031"},{"te\u0078t":"x","note":[1.5e3,true,null,{}]}]"#,
  ])
  func messageAndListAreOneForm(_ text: String) throws {
    #expect(try NDEFMessage(json: text.utf8) == NDEFMessage(.uri("tel:1"), .text("x")))
  }

  @Test func aSingleRecordIsAMessage() throws {
    #expect(try NDEFMessage(json: #"{"uri":"tel:1"}"#.utf8) == NDEFMessage(.uri("tel:1")))
    #expect(try NDEFMessage(json: #"{"records":[]}"#.utf8) == NDEFMessage(records: []))
    let escaped = #"{"text":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}"#
    #expect(try NDEFMessage(json: escaped.utf8) == NDEFMessage(.text("\"\\/\u{8}\u{C}\n\r\té😀")))
  }

  // A line, a place and a sentence that a person understands.
  @Test(arguments: [
    ("", 1, "", "it is empty"),
    ("{\n\"records\":[\n{\"uri\":5}]}", 3, "records[0].uri", "it is a number where a string is"),
    (
      "[{\"uri\":\"a:b\"},\n{\n\"text\":\"a\",\n\"uri\":\"a:b\"}]", 3, "[1].text", "does not belong"
    ),
    ("{\"uri\":\"a\nb\"}", 1, "", "ends on the line on which it begins"),
    ("{\"uri\":\"a:b\"\n\"id\":\"\"}", 2, "", "a comma or } is expected"),
    ("{\"uri\":\"a:b\",\n}", 2, "", "a field's name in quotation marks"),
    ("{\"uri\":\"a:b\",\"uri\":\"a:b\"}", 1, "", "more than one \"uri\""),
    ("[{\"uri\":\"a:b\"}\n]\nx", 3, "", "after the end"),
    ("{\"uri\": a}", 1, "", "\"a\" is neither a number nor"),
    ("{\"uri\":\"\\x\"}", 1, "", "no such escape"),
    ("{\"uri\":\"\\ud800\"}", 1, "", "half of a surrogate pair"),
    ("{\"uri\":\"\\u12\"}", 1, "", "four hexadecimal"),
    ("{\"uri\":01}", 1, "", "neither a number"), ("{\"uri\"", 1, "", "a colon is expected"),
    ("[", 1, "", "the text ends"), ("\"a\"", 1, "", "it is a string where a message"),
    ("{\"records\":5}", 1, "records", "it is a number where a list"),
    ("[5]", 1, "[0]", "an object"),
    ("{\"note\":1}", 1, "payload", "a record has a payload, or fields such as uri"),
    (
      "{\"wifi\":{\"credentials\":[\n{\"networkKey\":\"x\"}]}}", 2, "wifi.credentials[0].ssid",
      "missing"
    ),
  ])
  func errorsNameLineAndField(_ text: String, line: Int, place: String, reason: String) throws {
    let error = try #require(self.error(text))
    #expect(error.line == line)
    #expect(error.place == place)
    #expect(error.reason.contains(reason), "\(error)")
    #expect(error.description.hasPrefix("line \(line): "))
  }

  @Test func bytesThatAreNotTextAreRefusedWithTheirLine() throws {
    let error = #expect(throws: NDEFJSONError.self) {
      try NDEFMessage(json: Array("{\n\"uri\":\"".utf8) + [0xFF] + Array("\"}".utf8))
    }
    #expect(error?.line == 2)
  }

  @Test func deepNestingEnds() {
    let error = self.error(String(repeating: "[", count: 100_000))
    #expect(error?.reason == "the values are nested too deeply")
  }

  @Test func anyBytesGiveAMessageOrAnError() {
    var random = SplitMix64(seed: 7)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "uri", "\"text\"", "1", "-", "e", "\n", "é", "null",
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<12, using: &random)
      let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      if let error = self.error(text) { #expect(error.line >= 1 && !error.reason.isEmpty) }
    }
  }

  // Foundation and our own reader agree.
  @Test func foundationReadsTheSame() throws {
    let text = #"[{"smartPoster":{"uri":"a:b","titles":[{"text":"x"}],"size":7}}]"#
    let own = try NDEFMessage(json: text.utf8)
    #expect(try JSONDecoder().decode(NDEFMessage.self, from: Data(text.utf8)) == own)
  }
}
