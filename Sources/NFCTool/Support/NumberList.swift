import ArgumentParser
import TagTools

/// Parses numbers of blocks or sectors on the command line: `0`, `0-7` or `3,5,9-12`.
extension NumberList {
  /// Parses an argument, and returns the numbers in the given order.
  static func argument(_ text: String, _ name: String, upTo maximum: Int) throws -> [Int] {
    try ranges(text, name, upTo: maximum).flatMap { $0 }
  }

  /// Parses an argument, and returns the ranges in the given order.
  static func ranges(
    _ text: String, _ name: String, upTo maximum: Int
  ) throws -> [ClosedRange<Int>] {
    let text = ArgumentText.shown(text)
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let ends = try part.split(separator: "-", omittingEmptySubsequences: false).map {
        guard let number = number($0), number <= maximum else {
          throw ValidationError(
            "\(name) \"\(text)\" is not like 0, 0-7 or 3,5,9-12, with numbers up to \(maximum).")
        }
        return number
      }
      guard let first = ends.first, let last = ends.last, ends.count <= 2, first <= last else {
        throw ValidationError("\(name) \"\(text)\": a range goes from a number up to another.")
      }
      return first...last
    }
  }

  private static func number(_ digits: Substring) -> Int? {
    digits.allSatisfy { ("0"..."9").contains($0) } ? Int(digits) : nil
  }
}
