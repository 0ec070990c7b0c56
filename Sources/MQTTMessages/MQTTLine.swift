#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A message in one line of JSON, between `nfc watch` and `nfc-mqtt`.
package protocol MQTTLine: Codable {}

extension MQTTLine {
  /// Decodes a line without its end; `nil` if it is another message, or none.
  package init?(line: some Sequence<UInt8>) {
    guard let message = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
    self = message
  }

  /// The message in JSON, without an end of the line.
  package var line: String {
    // Texts, numbers and truth values can always be encoded.
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
