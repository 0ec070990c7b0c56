/// What is wrong in a machine readable zone, and where.
///
/// The text contains no character of the zone except one that cannot be at its place.
public struct ZoneError: Error, Hashable, Sendable {
  /// The kind of error. More may be added.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// The number or the length of the lines is that of no zone.
    case size
    /// A character is not A to Z, 0 to 9 or <.
    case character
    /// A letter is where only digits can be.
    case letterForDigit
    /// A check digit does not fit the characters before it.
    case checkDigit
    /// Six digits are not a date.
    case date
  }

  /// A field of a zone.
  public enum Field: String, Hashable, Sendable {
    /// The number of the document.
    case documentNumber = "document number"
    /// The date of birth.
    case birth = "date of birth"
    /// The date of expiry.
    case expiry = "date of expiry"
    /// What the state has added.
    case optionalData = "optional data"
    /// Everything that the last check digit covers.
    case all = "whole zone"
  }

  /// The kind of error.
  public let kind: Kind
  /// The field, or `nil` if it is not a single one.
  public let field: Field?
  /// The line, counted from 1; 0 for a field that was given by itself.
  public let line: Int
  /// The position in the line or field, counted from 1; 0 for an error of the whole.
  public let column: Int
  /// What may be meant, as one clause; `nil` if there is no guess.
  public let suggestion: String?

  init(_ kind: Kind, _ field: Field? = nil, line: Int, column: Int, suggestion: String? = nil) {
    self.kind = kind
    self.field = field
    self.line = line
    self.column = column
    self.suggestion = suggestion
  }
}

extension ZoneError: CustomStringConvertible {
  /// One clause with the place.
  public var description: String {
    let name = field.map { "the \($0.rawValue)" } ?? "the zone"
    let what =
      switch kind {
      case .size:
        "a machine readable zone has two lines of 44 or 36 characters, or three of 30"
      case .character: "\(name) has a character that is not A to Z, 0 to 9 or <"
      case .letterForDigit: "\(name) has a letter where only a digit can be"
      case .checkDigit: "the check digit of \(name) does not fit"
      case .date: "\(name) is not a date as YYMMDD"
      }
    let place =
      switch (line, column) {
      case (0, 0): ""
      case (0, let column): " (character \(column))"
      case (let line, 0): " (line \(line))"
      case (let line, let column): " (line \(line), character \(column))"
      }
    return what + place + (suggestion.map { "; \($0)" } ?? "")
  }
}
