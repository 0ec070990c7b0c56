/// JSON as Proxmark3 writes it: objects, strings, numbers (RFC 8259). Keys that are there twice are refused.
enum JSONText: Hashable, Sendable {
  struct Member: Hashable, Sendable {
    let key: String
    let value: JSONText
    let line: Int
  }

  case object([Member])
  case array([JSONText])
  case string(String)
  /// A number, `true`, `false` or `null`, as it is written.
  case literal(String)

  func member(_ key: String) -> Member? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }
  }

  /// - Throws: `malformed` with the line.
  init(decoding bytes: [UInt8]) throws(ImageError) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var parser = Parser(bytes: bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes)
    self = try parser.value(depth: 0)
    parser.skipBlanks()
    guard parser.isAtEnd else { throw parser.error("something follows the last brace") }
  }

  /// Indented by two, one member per line.
  func text(indent: Int = 0) -> String {
    let blanks = String(repeating: " ", count: indent + 2)
    switch self {
    case .object(let members):
      guard !members.isEmpty else { return "{}" }
      let lines = members.map { "\(blanks)\"\($0.key)\": \($0.value.text(indent: indent + 2))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n" + String(repeating: " ", count: indent)
        + "}"
    case .array(let values):
      return "[" + values.map { $0.text(indent: indent + 2) }.joined(separator: ", ") + "]"
    // Only names and hexadecimal are written.
    case .string(let text): return "\"\(text)\""
    case .literal(let text): return text
    }
  }

  private struct Parser {
    let bytes: [UInt8]
    private var position = 0
    private var line = 1

    private static let deepest = 32

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }
    private var next: UInt8? { isAtEnd ? nil : bytes[position] }

    func error(_ reason: String) -> ImageError { ImageError(reason, at: .line(line)) }

    mutating func skipBlanks() {
      while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
        if byte == 0x0A { line += 1 }
        position += 1
      }
    }

    private mutating func take(_ byte: Character) -> Bool {
      skipBlanks()
      guard next == byte.asciiValue else { return false }
      position += 1
      return true
    }

    mutating func value(depth: Int) throws(ImageError) -> JSONText {
      guard depth < Self.deepest else { throw error("there are too many levels") }
      skipBlanks()
      switch next {
      case UInt8(ascii: "{"): return try object(depth)
      case UInt8(ascii: "["): return try array(depth)
      case UInt8(ascii: "\""): return .string(try string())
      default: return try literal()
      }
    }

    private mutating func object(_ depth: Int) throws(ImageError) -> JSONText {
      position += 1
      var members: [Member] = []
      var keys: Set<String> = []
      if take("}") { return .object([]) }
      repeat {
        skipBlanks()
        let start = line
        guard next == UInt8(ascii: "\"") else { throw error("a key in quotes should stand here") }
        let key = try string()
        guard keys.insert(key).inserted else { throw error("\"\(key)\" is there twice") }
        guard take(":") else { throw error("a colon should follow \"\(key)\"") }
        members.append(Member(key: key, value: try value(depth: depth + 1), line: start))
      } while take(",")
      guard take("}") else { throw error("a comma or a closing brace should stand here") }
      return .object(members)
    }

    private mutating func array(_ depth: Int) throws(ImageError) -> JSONText {
      position += 1
      var values: [JSONText] = []
      if take("]") { return .array([]) }
      repeat { values.append(try value(depth: depth + 1)) } while take(",")
      guard take("]") else { throw error("a comma or a closing bracket should stand here") }
      return .array(values)
    }

    private mutating func string() throws(ImageError) -> String {
      position += 1
      var content: [UInt8] = []
      while let byte = next {
        position += 1
        switch byte {
        case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let escaped = next else { throw error("the text does not end") }
          position += 1
          content += try character(escaped)
        case 0..<0x20: throw error("the text does not end")
        default: content.append(byte)
        }
      }
      throw error("the text does not end")
    }

    private mutating func character(_ escaped: UInt8) throws(ImageError) -> [UInt8] {
      switch escaped {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [escaped]
      case UInt8(ascii: "b"): return [0x08]
      case UInt8(ascii: "f"): return [0x0C]
      case UInt8(ascii: "n"): return [0x0A]
      case UInt8(ascii: "r"): return [0x0D]
      case UInt8(ascii: "t"): return [0x09]
      case UInt8(ascii: "u"):
        let digits = String(decoding: bytes.dropFirst(position).prefix(4), as: UTF8.self)
        guard digits.utf8.count == 4, let number = UInt32(digits, radix: 16) else {
          throw error("four digits should follow \\u")
        }
        position += 4
        // No name or number in such a file needs a pair of surrogates.
        return Array(String(Character(Unicode.Scalar(number) ?? "\u{FFFD}")).utf8)
      default: throw error("there is no escape of this kind")
      }
    }

    private mutating func literal() throws(ImageError) -> JSONText {
      let start = position
      while let byte = next, byte > 0x20, !",]}:\"{[".utf8.contains(byte) { position += 1 }
      let text = String(decoding: bytes[start..<position], as: UTF8.self)
      guard ["true", "false", "null"].contains(text) || Double(text) != nil else {
        throw error(text.isEmpty ? "a value should stand here" : "\"\(text)\" is not a value")
      }
      return .literal(text)
    }
  }
}
