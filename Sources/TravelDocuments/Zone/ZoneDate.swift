/// Dates of machine readable zones: YYMMDD (Doc 9303-3, 4.8).
enum ZoneDate {
  /// Returns whether six characters can be a date. Unknown parts are fillers, or zeros in some documents.
  static func isPossible(_ characters: [UInt8]) -> Bool {
    guard characters.count == 6 else { return false }
    let parts = stride(from: 0, to: 6, by: 2).map { Array(characters[$0..<$0 + 2]) }
    let limits: [ClosedRange<Int>] = [0...99, 0...12, 0...31]
    return zip(parts, limits).allSatisfy { part, limit in
      if part == [CheckDigit.filler, CheckDigit.filler] { return true }
      guard let value = Int(String(decoding: part, as: UTF8.self)),
        part.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
      else { return false }
      return limit.contains(value)
    }
  }
}
