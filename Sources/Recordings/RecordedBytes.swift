import NDEF
import SwiftNFCCore

/// The bytes of a command or an answer, some of which may be masked because they are keys or
/// passwords.
///
/// Their text is hexadecimal, with `**` for each masked byte.
public struct RecordedBytes: Hashable, Sendable {
  /// The bytes; masked bytes are zero.
  public private(set) var bytes: [UInt8]
  /// Whether each byte is masked.
  public private(set) var isMasked: [Bool]

  /// Creates bytes that are all known.
  public init(_ bytes: [UInt8]) { self.init(bytes, masking: []) }

  /// Creates bytes of which the given ranges are masked.
  package init(_ bytes: [UInt8], masking secrets: [Range<Int>]) {
    self.bytes = bytes
    isMasked = Array(repeating: false, count: bytes.count)
    for range in secrets {
      for index in range.clamped(to: bytes.indices) {
        self.bytes[index] = 0
        isMasked[index] = true
      }
    }
  }

  /// Parses the form of ``text``; `nil` for anything else.
  init?(text: String) {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    let mask = UInt8(ascii: "*")
    bytes = []
    isMasked = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      if digits[index] == mask, digits[index + 1] == mask {
        bytes.append(0)
        isMasked.append(true)
      } else if let high = digits[index].hexadecimalDigitValue,
        let low = digits[index + 1].hexadecimalDigitValue
      {
        bytes.append(high << 4 | low)
        isMasked.append(false)
      } else {
        return nil
      }
    }
  }

  /// The bytes in upper-case hexadecimal.
  public var text: String {
    guard hasMasked else { return bytes.hexadecimal }
    return bytes.indices.map { isMasked[$0] ? "**" : [bytes[$0]].hexadecimal }.joined()
  }

  /// Whether some of the bytes are masked.
  package var hasMasked: Bool { isMasked.contains(true) }

  /// Returns whether these bytes can be the recorded ones: masked bytes match any byte.
  package func matches(_ other: [UInt8]) -> Bool {
    bytes.count == other.count
      && bytes.indices.allSatisfy { isMasked[$0] || bytes[$0] == other[$0] }
  }

  /// Replaces known bytes.
  mutating func replace(at position: Int, by replacement: [UInt8]) {
    for (offset, byte) in replacement.enumerated() where bytes.indices.contains(position + offset) {
      if !isMasked[position + offset] { bytes[position + offset] = byte }
    }
  }

  /// Returns the same bytes with new check bytes at the end, if `old` ended with check bytes.
  func withCheck(like old: RecordedBytes) -> RecordedBytes {
    let size = 2
    guard old.bytes.count > size, old.bytes.count == bytes.count else { return self }
    let checks: [(ArraySlice<UInt8>) -> [UInt8]] = [
      { CyclicRedundancyCheck.a($0) }, { CyclicRedundancyCheck.b($0) },
    ]
    let check = Array(old.bytes.suffix(size))
    guard let compute = checks.first(where: { $0(old.bytes.dropLast(size)) == check }) else {
      return self
    }
    var result = self
    result.replace(at: bytes.count - size, by: compute(bytes.dropLast(size)))
    return result
  }
}
