import SwiftNFCJSONText
import NFC
import Testing

@testable import SwiftNFCTool
@testable import TagTools

@Suite struct JSONTests {
  /// The time grows with the list, not with its square.
  @Test(.timeLimit(.minutes(1))) func encodesLongLists() throws {
    let count = 200_000
    let value = try JSONValue(encoding: ["list": Array(0..<count)])
    guard case .array(let list)? = value["list"] else { throw CancellationError() }
    #expect(list.count == count && list.last == .integer(count - 1))
  }

  @Test(arguments: [
    (JSONValue.null, "null"),
    (.bool(true), "true"),
    (.integer(-5), "-5"),
    (.bytes([0x04, 0xAB]), #""04AB""#),
    (.array([]), "[]"),
    (.array([.integer(1), .string("a")]), #"[1,"a"]"#),
    (.members([:]), "{}"),
    (.members(["b": .integer(1), "gone": nil, "a": .null]), #"{"b":1,"a":null}"#),
    // Escapes (RFC 8259, 7).
    (.string("a\"b\\c/d"), #""a\"b\\c/d""#),
    (.string("\n\r\t\u{08}\u{0C}"), #""\n\r\t\b\f""#),
    (.string("\0\u{1F}\u{7F}\u{2028}"), #""\u0000\u001F\u007F\u2028""#),
    (.string("é😀"), #""é😀""#),
    (.seconds(.milliseconds(412)), "0.412"),
    (.seconds(.milliseconds(3_902)), "3.902"),
    (.seconds(.milliseconds(12_007)), "12.007"),
    (.seconds(.zero), "0.000"),
  ])
  func writes(_ value: JSONValue, _ text: String) {
    #expect(value.text == text)
  }

  /// This is the record of the example in cli.md.
  @Test func encodesARecordInItsOrder() throws {
    let json = try JSONValue(encoding: NDEFRecord.uri("https://box.dev"))
    #expect(
      json.text
        == #"{"tnf":"wellKnown","type":"U","id":"","payload":"04626F782E646576","uri":"https://box.dev"}"#
    )
  }

  private struct Nested: Encodable {
    struct Inner: Encodable {
      let numbers: [UInt8]
      let missing: String?
      let ratio: Double
    }
    let zebra: Bool
    let inner: [Inner]
    let apple: Int?
  }

  @Test func encodesNestedValues() throws {
    let value = Nested(
      zebra: false, inner: [.init(numbers: [1, 2], missing: nil, ratio: 0.5)], apple: nil)
    #expect(
      try JSONValue(encoding: value).text
        == #"{"zebra":false,"inner":[{"numbers":[1,2],"ratio":0.5}]}"#)
  }

  @Test func refusesNumbersThatJSONHasNot() {
    #expect(throws: EncodingError.self) {
      try JSONValue(encoding: Nested.Inner(numbers: [], missing: nil, ratio: .nan))
    }
  }
}
