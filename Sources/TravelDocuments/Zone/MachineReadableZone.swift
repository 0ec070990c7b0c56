/// The machine readable zone of a travel document: the lines at the bottom of its data page, and data group 1 of its
/// chip (Doc 9303, parts 4 to 6).
public struct MachineReadableZone: Hashable, Sendable {
  /// The size of the document.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// An identity card: three lines of 30 characters.
    case td1 = "TD1"
    /// Two lines of 36 characters. Visas of type B have the same.
    case td2 = "TD2"
    /// A passport: two lines of 44 characters.
    case td3 = "TD3"

    var lineCount: Int { self == .td1 ? 3 : 2 }

    var lineLength: Int {
      switch self {
      case .td1: 30
      case .td2: 36
      case .td3: 44
      }
    }
  }

  /// The size of the document.
  public let format: Format
  /// The lines as they are.
  public let lines: [String]
  /// One or two characters, `P` for a passport; fillers are left out, as in every field below.
  public let documentCode: String
  /// The state or organization, by the codes of Doc 9303-3, 5.
  public let issuingState: String
  /// The number, also one of more than nine characters.
  public let documentNumber: String
  /// The code of the holder's nationality.
  public let nationality: String
  /// The date of birth as YYMMDD; unknown parts are fillers.
  public let birth: String
  /// `M`, `F`, or empty if it is not specified.
  public let sex: String
  /// The date of expiry as YYMMDD.
  public let expiry: String
  /// What the state has added; without the rest of a long document number.
  public let optionalData: String
  /// The primary identifier, with spaces for fillers.
  public let surname: String
  /// The secondary identifier, with spaces for fillers.
  public let givenNames: String
  /// What is wrong with the zone. A chip's zone may be wrong and can be shown nevertheless.
  public let problems: [ZoneError]
  /// What the keys are derived from.
  let information: [UInt8]

  /// Parses a zone: 72, 88 or 90 characters; line breaks and spaces at the ends of lines are ignored, and small
  /// letters are taken for capitals.
  ///
  /// - Throws: ``ZoneError`` for another number of characters, and for one that a zone cannot have. What else is
  ///   wrong is in ``problems``.
  public init(_ text: String) throws(ZoneError) {
    let given = text.split(whereSeparator: \.isNewline).map { line in
      Array(line.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") })
        .map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0 }
    }.filter { !$0.isEmpty }
    let characters = given.flatMap(\.self)
    guard
      let format = Format.allCases.first(where: {
        $0.lineCount * $0.lineLength == characters.count
      }),
      given.count == 1
        || given.map(\.count)
          == Array(
            repeating: format.lineLength, count: format.lineCount)
    else {
      let wrong = given.firstIndex { line in
        !Format.allCases.contains { $0.lineLength == line.count }
      }
      throw ZoneError(.size, line: (wrong ?? -1) + 1, column: 0)
    }
    try self.init(characters, format)
  }

  /// Parses the characters of data group 1.
  init(_ characters: [UInt8]) throws(ZoneError) {
    guard
      let format = Format.allCases.first(where: { $0.lineCount * $0.lineLength == characters.count }
      )
    else { throw ZoneError(.size, line: 0, column: 0) }
    try self.init(characters, format)
  }

  private init(_ characters: [UInt8], _ format: Format) throws(ZoneError) {
    let layout = Layout(format)
    if let index = characters.firstIndex(where: { CheckDigit.value(of: $0) == nil }) {
      let place = layout.place(of: index)
      throw ZoneError(.character, line: place.line, column: place.column)
    }
    func text(_ range: Range<Int>) -> String {
      String(decoding: characters[range], as: UTF8.self)
    }
    func field(_ range: Range<Int>) -> String { text(range).withoutFillers }
    self.format = format
    lines = (0..<format.lineCount).map {
      text($0 * format.lineLength..<($0 + 1) * format.lineLength)
    }
    documentCode = field(layout.code)
    issuingState = field(layout.issuer)
    nationality = field(layout.nationality)
    birth = text(layout.birth)
    expiry = text(layout.expiry)
    sex = field(layout.sex)
    let names = text(layout.names).split(separator: "<<", maxSplits: 1).map {
      $0.split(separator: "<").joined(separator: " ")
    }
    surname = names.first ?? ""
    givenNames = names.count > 1 ? names[1] : ""
    let number = Number(characters, layout)
    documentNumber = String(decoding: number.characters, as: UTF8.self).withoutFillers
    let optional =
      String(decoding: characters[layout.optional].dropFirst(number.sizeInOptional), as: UTF8.self)
      .withoutFillers
    let second = layout.secondOptional.map(field) ?? ""
    optionalData = [optional, second].filter { !$0.isEmpty }.joined(separator: " ")
    problems = Self.problems(characters, layout, number)
    information =
      number.characters + [number.digit] + characters[layout.birth]
      + [characters[layout.birth.upperBound]]
      + characters[layout.expiry] + [characters[layout.expiry.upperBound]]
  }

  /// - Throws: the first of ``problems``.
  public func check() throws(ZoneError) {
    if let problem = problems.first { throw problem }
  }

  // MARK: Number

  /// The document number. One of more than nine characters continues in the optional data, where its check digit and a
  /// filler follow (Doc 9303-5, 4.2.2.1; part 6).
  private struct Number {
    /// With fillers to nine characters.
    var characters: [UInt8]
    var digit: UInt8
    var digitIndex: Int
    /// The number of characters of the optional data that belong to it, with the check digit.
    var sizeInOptional = 0

    init(_ zone: [UInt8], _ layout: Layout) {
      characters = Array(zone[layout.number])
      digitIndex = layout.number.upperBound
      digit = zone[digitIndex]
      guard layout.format != .td3, digit == CheckDigit.filler else { return }
      let rest = zone[layout.optional].prefix { $0 != CheckDigit.filler }
      guard let last = rest.last, rest.count > 1 else { return }
      characters += rest.dropLast()
      digit = last
      digitIndex = rest.endIndex - 1
      sizeInOptional = rest.count
    }
  }

  // MARK: Checks

  private static func problems(
    _ zone: [UInt8], _ layout: Layout, _ number: Number
  ) -> [ZoneError] {
    var problems: [ZoneError] = []
    func error(
      _ kind: ZoneError.Kind, _ field: ZoneError.Field, at index: Int, _ suggestion: String? = nil
    ) {
      let place = layout.place(of: index)
      problems.append(
        ZoneError(kind, field, line: place.line, column: place.column, suggestion: suggestion))
    }
    func checkDigits(_ range: Range<Int>, _ field: ZoneError.Field) -> Bool {
      guard
        let index = zone[range].firstIndex(where: { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 })
      else { return true }
      error(
        .letterForDigit, field, at: index,
        CheckDigit.digitsForLetters[zone[index]].map {
          "\(Character(UnicodeScalar($0))) may be meant"
        })
      return false
    }
    if UInt8(ascii: "A")...UInt8(ascii: "Z") ~= number.digit {
      _ = checkDigits(number.digitIndex..<number.digitIndex + 1, .documentNumber)
    } else if !CheckDigit.fits(number.digit, number.characters) {
      error(
        .checkDigit, .documentNumber, at: number.digitIndex,
        Self.alternative(number.characters, number.digit))
    }
    for (range, field) in [
      (layout.birth, ZoneError.Field.birth), (layout.expiry, ZoneError.Field.expiry),
    ] {
      guard checkDigits(range.lowerBound..<range.upperBound + 1, field) else { continue }
      if !CheckDigit.fits(zone[range.upperBound], zone[range]) {
        error(.checkDigit, field, at: range.upperBound)
      } else if !ZoneDate.isPossible(Array(zone[range])) {
        error(.date, field, at: range.lowerBound)
      }
    }
    if let digit = layout.optionalDigit, !CheckDigit.fits(zone[digit], zone[layout.optional]) {
      error(.checkDigit, .optionalData, at: digit)
    }
    let covered = layout.composite.flatMap { zone[$0] }
    // It covers what was found wrong already.
    if problems.isEmpty, !CheckDigit.fits(zone[layout.compositeDigit], covered) {
      error(.checkDigit, .all, at: layout.compositeDigit)
    }
    return problems
  }

  /// Says what may be meant in a document number: only a single character that is often mistaken, and only if the check
  /// digit fits then.
  static func alternative(_ characters: [UInt8], _ digit: UInt8) -> String? {
    let letters = [UInt8](CheckDigit.digitsForLetters.keys).sorted()
    for index in characters.indices {
      var candidates = [CheckDigit.digitsForLetters[characters[index]]].compactMap(\.self)
      candidates += letters.filter { CheckDigit.digitsForLetters[$0] == characters[index] }
      for candidate in candidates {
        var changed = characters
        changed[index] = candidate
        guard CheckDigit.of(changed) == digit else { continue }
        return "it would with \(Character(UnicodeScalar(candidate))) as character \(index + 1)"
          + " of the number"
      }
    }
    return nil
  }

  /// Where the fields are.
  private struct Layout {
    let format: Format
    let code, issuer, names, number, nationality, birth, sex, expiry, optional: Range<Int>
    let secondOptional: Range<Int>?
    /// The check digit of the optional data, which only passports have.
    let optionalDigit: Int?
    let composite: [Range<Int>]
    let compositeDigit: Int

    init(_ format: Format) {
      self.format = format
      code = 0..<2
      issuer = 2..<5
      switch format {
      case .td1:
        number = 5..<14
        optional = 15..<30
        (birth, sex, expiry) = (30..<36, 37..<38, 38..<44)
        nationality = 45..<48
        secondOptional = 48..<59
        (optionalDigit, compositeDigit) = (nil, 59)
        composite = [5..<30, 30..<37, 38..<45, 48..<59]
        names = 60..<90
      case .td2, .td3:
        let line = format.lineLength
        names = 5..<line
        number = line..<line + 9
        nationality = line + 10..<line + 13
        (birth, sex, expiry) = (line + 13..<line + 19, line + 20..<line + 21, line + 21..<line + 27)
        let end = 2 * line - 1
        optional = line + 28..<(format == .td2 ? end : end - 1)
        optionalDigit = format == .td2 ? nil : end - 1
        secondOptional = nil
        composite = [line..<line + 10, line + 13..<line + 20, line + 21..<end]
        compositeDigit = end
      }
    }

    /// The line and the position in it, counted from 1.
    func place(of index: Int) -> (line: Int, column: Int) {
      (index / format.lineLength + 1, index % format.lineLength + 1)
    }
  }
}

extension String {
  /// The text without fillers at its end, and with spaces for those within it.
  fileprivate var withoutFillers: String {
    split(separator: "<").joined(separator: " ")
  }
}
