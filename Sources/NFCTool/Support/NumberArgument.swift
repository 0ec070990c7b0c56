import ArgumentParser

/// Parses numbers on the command line.
enum NumberArgument {
  /// Parses an integer within bounds.
  ///
  /// - Parameter name: the description of the number, at the beginning of a sentence: `--count`, `The block`.
  static func integer(_ text: String, _ name: String, in range: ClosedRange<Int>) throws -> Int {
    let shown = ArgumentText.shown(text)
    guard let number = Int(ArgumentText.utf8(text) ?? text) else {
      throw ValidationError("\(name) is a whole number, not \"\(shown)\".")
    }
    guard range.contains(number) else {
      throw ValidationError(
        range.upperBound == .max
          ? "\(name) is a number from \(range.lowerBound) on, not \(shown)."
          : "\(name) is a number from \(range.lowerBound) to \(range.upperBound), not \(shown).")
    }
    return number
  }

  /// Parses a number with or without decimals.
  static func decimal(_ text: String) -> Double? {
    guard let text = ArgumentText.utf8(text), let value = Double(text), value.isFinite else {
      return nil
    }
    return value
  }
}
