import SwiftNFCJSONText
import NFC

extension JSONValue {
  /// Returns a duration in seconds, with three decimals.
  package static func seconds(_ duration: Duration) -> JSONValue { .number(duration.secondsText) }

  /// Returns bytes as upper-case hexadecimal.
  package static func bytes(_ bytes: [UInt8]) -> JSONValue { .string(bytes.hexadecimal) }

  /// The text of a string or a number, or `nil` for any other value.
  package var plainText: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .null, .bool, .array, .object: nil
    }
  }
}

extension Duration {
  /// The number of seconds, with three decimals.
  package var secondsText: String {
    let (seconds, attoseconds) = components
    let milliseconds = String(abs(attoseconds) / 1_000_000_000_000_000)
    let zeros = String(repeating: "0", count: max(0, 3 - milliseconds.count))
    return "\(seconds).\(zeros)\(milliseconds)"
  }
}
