import SwiftNFCJSONText
import Testing

@Suite struct JSONTextTests {
  private static func node(_ text: String) throws(JSONError) -> JSONNode {
    try JSONNode(parsing: Array(text.utf8))
  }

  /// RFC 8259, and what this package asks beyond it: no name twice, and a bound for the depth.
  @Test(arguments: [
    "", "[", String(repeating: "[", count: 40) + "1" + String(repeating: "]", count: 40),
    #"{"a":1,"a":2}"#, #"{"a" 1}"#, "01x", "01", "+1", "1.", ".5", "1e", "\"\\u12\"", "\"\\u+123\"",
    "\"\\uD800\"", "\"\\uD800\\u0041\"", "\"\\q\"", "\"\u{1}\"", "nan", "1e999", "{} {}", "-",
    "tru", "[1,]",
    #"{"a":1,}"#, "[1 2]", "\"a", "\"a\\",
  ])
  func othersAreRefused(_ text: String) {
    #expect(throws: JSONError.self) { try Self.node(text) }
  }

  @Test func bytesThatAreNotUTF8AreRefusedWithTheirLine() {
    let error = #expect(throws: JSONError.self) { try JSONNode(parsing: [0x5B, 0x0A, 0xFF, 0x5D]) }
    #expect(error?.line == 2)
  }

  @Test func eachNodeHasItsLine() throws {
    let node = try Self.node("\u{FEFF}{\r\n\"a\":\n[1,\n{\"b\": null}]}")
    #expect(node.line == 1 && node["a"]?.line == 3)
    guard case .array(let elements) = node["a"]?.content else { throw JSONError.unexpected }
    #expect(elements.map(\.line) == [3, 4])
  }

  @Test func textsAreEscapedAndBack() throws {
    let text = "\u{0}\n\r\t\u{8}\u{C}\"\\ é \u{1F600} \u{2028}\u{7F}"
    let value = JSONValue.members(["key": .string(text), "none": nil, "number": .integer(-3)])
    #expect(try Self.node(value.text).value == value)
    #expect(!value.text.utf8.contains(10))
    #expect(try Self.node(#""\uD83D\uDE00\/""#).string == "\u{1F600}/")
  }

  @Test func numbersStayAsTheyAreWritten() throws {
    for number in ["0", "-0", "1.50", "1e3", "12345678901234567890"] {
      #expect(try Self.node(number).value == .number(number))
    }
  }

  @Test func isWrittenInTwoForms() throws {
    let value = JSONValue.members([
      "b": .array([.integer(1), .null, .bool(true)]), "a": .members(["c": .string("x")]),
      "empty": .object([]),
    ])
    #expect(value.text == #"{"b":[1,null,true],"a":{"c":"x"},"empty":{}}"#)
    #expect(
      value.indentedText == """
        {
          "b": [1, null, true],
          "a": {
            "c": "x"
          },
          "empty": {}
        }
        """)
    #expect(try Self.node(value.indentedText).value == value)
    #expect(value["a"]?["c"]?.string == "x" && value["b"]?.list?.first?.integer == 1)
  }
}

extension JSONError {
  fileprivate static let unexpected = JSONError(line: 0, reason: "not a list")
}
