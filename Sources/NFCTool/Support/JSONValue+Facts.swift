import JSONText
import NFC

extension JSONValue {
  /// Seconds, in thousandths.
  static func seconds(_ duration: Duration) -> JSONValue { .number(duration.secondsText) }

  /// Bytes as upper-case hexadecimal.
  static func bytes(_ bytes: [UInt8]) -> JSONValue { .string(bytes.hexadecimal) }

  /// A string or a number as people write it; `nil` of anything else.
  var plainText: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .null, .bool, .array, .object: nil
    }
  }
}

extension Duration {
  /// Seconds with three decimals.
  var secondsText: String {
    let (seconds, attoseconds) = components
    let milliseconds = String(abs(attoseconds) / 1_000_000_000_000_000)
    let zeros = String(repeating: "0", count: max(0, 3 - milliseconds.count))
    return "\(seconds).\(zeros)\(milliseconds)"
  }
}
