/// Check digits of machine readable zones (Doc 9303-3, 4.9).
enum CheckDigit {
  static let filler = UInt8(ascii: "<")

  /// Returns the check digit of characters; `nil` for one that a zone cannot have.
  static func of(_ characters: some Sequence<UInt8>) -> UInt8? {
    var sum = 0
    for (index, character) in characters.enumerated() {
      guard let value = value(of: character) else { return nil }
      sum += value * [7, 3, 1][index % 3]
    }
    return UInt8(ascii: "0") + UInt8(sum % 10)
  }

  static func value(of character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A")) + 10
    case filler: 0
    default: nil
    }
  }

  /// Returns whether a digit is the right one; the filler counts as 0.
  static func fits(_ digit: UInt8, _ characters: some Sequence<UInt8>) -> Bool {
    guard let expected = of(characters) else { return false }
    return digit == expected || digit == filler && expected == UInt8(ascii: "0")
  }

  /// The digit that a letter is mistaken for, and the letter that looks like a digit.
  static let digitsForLetters: [UInt8: UInt8] = [
    UInt8(ascii: "O"): UInt8(ascii: "0"), UInt8(ascii: "Q"): UInt8(ascii: "0"),
    UInt8(ascii: "D"): UInt8(ascii: "0"), UInt8(ascii: "I"): UInt8(ascii: "1"),
    UInt8(ascii: "S"): UInt8(ascii: "5"), UInt8(ascii: "B"): UInt8(ascii: "8"),
    UInt8(ascii: "Z"): UInt8(ascii: "2"), UInt8(ascii: "G"): UInt8(ascii: "6"),
  ]
}
