/// What opens a chip: something that is printed on the document.
///
/// It is never shown, and overwritten when the last copy is released.
public struct AccessPassword: Sendable {
  /// What is printed.
  public enum Kind: String, Hashable, Sendable {
    /// The document number, the date of birth and the date of expiry of the machine readable zone.
    case machineReadableZone = "mrz"
    /// The card access number.
    case cardAccessNumber = "can"
  }

  /// What is printed.
  public let kind: Kind
  private let characters: Secret

  private init(_ kind: Kind, _ characters: [UInt8]) {
    self.kind = kind
    self.characters = Secret(characters)
  }

  /// Takes the password from a machine readable zone.
  ///
  /// - Throws: ``ZoneError`` if a check digit is wrong, or anything else of the zone.
  public init(_ zone: MachineReadableZone) throws(ZoneError) {
    try zone.check()
    self.init(.machineReadableZone, zone.information)
  }

  /// Takes the password from the fields of a zone, without their check digits.
  ///
  /// - Parameters:
  ///   - documentNumber: as it is printed; a number of less than nine characters needs no fillers.
  ///   - birth: YYMMDD.
  ///   - expiry: YYMMDD.
  /// - Throws: ``ZoneError`` with the field, and the position in it.
  public init(documentNumber: String, birth: String, expiry: String) throws(ZoneError) {
    var number = Array(documentNumber.uppercased().utf8)
    while number.last == CheckDigit.filler { number.removeLast() }
    if let index = number.firstIndex(where: { CheckDigit.value(of: $0) == nil }) {
      throw ZoneError(.character, .documentNumber, line: 0, column: index + 1)
    }
    // The number of a TD1 has at most 9 and 13 characters (Doc 9303-5, 4.2.2).
    guard (1...22).contains(number.count) else {
      throw ZoneError(
        .size, .documentNumber, line: 0, column: 0,
        suggestion: "the document number has 1 to 22 characters")
    }
    if number.count < 9 {
      number += [UInt8](repeating: CheckDigit.filler, count: 9 - number.count)
    }
    var information = number + [CheckDigit.of(number)].compactMap(\.self)
    for (text, field) in [(birth, ZoneError.Field.birth), (expiry, ZoneError.Field.expiry)] {
      let date = Array(text.utf8)
      if let index = date.firstIndex(where: {
        !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == CheckDigit.filler)
      }) {
        let capital = date[index] & 0xDF
        throw ZoneError(
          .letterForDigit, field, line: 0, column: index + 1,
          suggestion: CheckDigit.digitsForLetters[capital].map {
            "\(Character(UnicodeScalar($0))) may be meant"
          })
      }
      guard ZoneDate.isPossible(date) else {
        throw ZoneError(.date, field, line: 0, column: 0)
      }
      information += date + [CheckDigit.of(date)].compactMap(\.self)
    }
    self.init(.machineReadableZone, information)
  }

  /// Takes the card access number: its digits, usually six.
  ///
  /// - Returns: `nil` for anything but digits.
  public init?(cardAccessNumber: String) {
    let digits = Array(cardAccessNumber.utf8)
    guard (1...32).contains(digits.count),
      digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    self.init(.cardAccessNumber, digits)
  }

  /// What keys are derived from: the hash of the zone's information, or the number as it is (Doc 9303-11, 9.7.3).
  var secret: [UInt8] {
    switch kind {
    case .machineReadableZone: DigestAlgorithm.sha1(characters.bytes)
    case .cardAccessNumber: characters.bytes
    }
  }

  /// The number of the password in PACE (Doc 9303-11, 4.4.4.1).
  var reference: UInt8 { kind == .machineReadableZone ? 1 : 2 }
}

extension AccessPassword: CustomStringConvertible, CustomReflectable {
  /// The kind, and nothing of the password.
  public var description: String {
    kind == .machineReadableZone ? "the machine readable zone" : "the card access number"
  }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
