import Testing

/// A rule of a data sheet as lines that a ``Type2Bench`` runs with a chip.
struct Type2Script: Sendable, CustomTestStringConvertible {
  let name: String
  let chip: String
  let lines: String

  init(_ name: String, _ chip: String = "ntag213", _ lines: String) {
    self.name = name
    self.chip = chip
    self.lines = lines
  }

  var testDescription: String { "\(chip): \(name)" }
}
