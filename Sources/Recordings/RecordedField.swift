import SwiftNFCJSONText
import SwiftNFCCore

/// Reads the fields of a line; each error says what is wrong with the field.
struct RecordedField {
  struct Problem: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  let value: JSONValue

  init(_ value: JSONValue) { self.value = value }

  func has(_ key: String) -> Bool { value[key] != nil }

  /// Returns the name of a field, or the one that earlier recordings have for it.
  func name(_ key: String, _ former: String) -> String {
    !has(key) && has(former) ? former : key
  }

  private func field<Value>(
    _ key: String, _ kind: String, _ read: (JSONValue) -> Value?
  ) throws(Problem) -> Value {
    guard let member = value[key] else { throw Problem("\"\(key)\" is missing") }
    guard let value = read(member) else { throw Problem("\"\(key)\" is not \(kind)") }
    return value
  }

  func text(_ key: String) throws(Problem) -> String { try field(key, "a string") { $0.string } }
  func flag(_ key: String) throws(Problem) -> Bool { try field(key, "true or false") { $0.flag } }

  func object(_ key: String) throws(Problem) -> RecordedField {
    RecordedField(try field(key, "an object") { $0.members == nil ? nil : $0 })
  }

  func list(_ key: String) throws(Problem) -> [JSONValue] {
    try field(key, "a list") { $0.list }
  }

  func integer(
    _ key: String, in range: ClosedRange<Int> = 0...Int(Int32.max)
  ) throws(Problem) -> Int {
    try field(key, "a number from \(range.lowerBound) to \(range.upperBound)") {
      $0.integer.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  func bytes(_ key: String) throws(Problem) -> [UInt8] {
    try field(key, "hexadecimal") { $0.string.flatMap { [UInt8](hexadecimal: $0) } }
  }

  func maskedBytes(_ key: String) throws(Problem) -> RecordedBytes {
    try field(key, "hexadecimal") { $0.string.flatMap { RecordedBytes(text: $0) } }
  }

  /// One year, which is longer than any call takes.
  static let longest = 31_536_000.0

  func seconds(_ key: String) throws(Problem) -> Duration {
    let seconds = try field(key, "a number of seconds") { value in
      value.decimal.flatMap { 0...Self.longest ~= $0 ? $0 : nil }
    }
    return .microseconds(Int64((seconds * 1_000_000).rounded()))
  }

  func technology(_ key: String) throws(Problem) -> TagTechnology {
    try field(key, "a technology") { $0.string.flatMap(TagTechnology.init) }
  }
}

extension JSONValue {
  static func bytes(_ bytes: [UInt8]) -> JSONValue { .string(bytes.hexadecimal) }

  /// Returns seconds with six decimals, without trailing zeros.
  static func seconds(_ duration: Duration) -> JSONValue {
    let (seconds, attoseconds) = duration.components
    var digits = String(1_000_000 + max(0, attoseconds) / 1_000_000_000_000)
    digits.removeFirst()
    while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
    return .number("\(seconds).\(digits)")
  }
}
