// Links that do something other than open a page. Text from people is checked and escaped.

extension URIRecord {
  /// Creates the link that calls a number: `tel:+493012345`.
  ///
  /// Blanks are removed; hyphens, dots and parentheses stay as they are; `*` and `#` are kept as
  /// keys of a telephone. Source: RFC 3966, 3.
  ///
  /// - Throws: ``NDEFSyntaxError`` for a number without digits or with letters.
  public init(telephone number: String) throws(NDEFSyntaxError) {
    self.init("tel:" + (try Self.telephoneNumber(number)))
  }

  /// Creates the link that begins a text message to a number: `sms:+493012345?body=Hello`.
  ///
  /// Source: RFC 5724, 2.2.
  ///
  /// - Throws: ``NDEFSyntaxError`` for a number without digits or with letters.
  public init(sms number: String, body: String? = nil) throws(NDEFSyntaxError) {
    let query = body.map { "?body=" + $0.percentEncoded() } ?? ""
    self.init("sms:" + (try Self.telephoneNumber(number)) + query)
  }

  /// Creates the link that begins a mail: `mailto:a@example.com?subject=Hello&body=…`.
  ///
  /// Line ends in the body become `%0D%0A`. Source: RFC 6068, 2 and 5.
  ///
  /// - Throws: ``NDEFSyntaxError`` for an address without `@`, or with a blank in it.
  public init(
    mail address: String, subject: String? = nil, body: String? = nil
  ) throws(NDEFSyntaxError) {
    let trimmed = address.trimmingBlanks
    guard let at = trimmed.lastIndex(of: "@"), at != trimmed.startIndex,
      trimmed.index(after: at) != trimmed.endIndex
    else { throw NDEFSyntaxError("a mail address has a name, an @ and a domain") }
    guard !trimmed.contains(where: { $0.isWhitespace || $0.isNewline }),
      trimmed.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else {
      throw NDEFSyntaxError(
        "the mail address contains a blank", suggestion: trimmed.filter { !$0.isWhitespace })
    }
    // Characters in the address that have a meaning in the link are escaped (RFC 6068, 2).
    let local = String(trimmed[..<at]).percentEncoded(allowing: "!$'*+")
    let domain = String(trimmed[trimmed.index(after: at)...]).percentEncoded(allowing: ":[]")
    var headers: [String] = []
    if let subject {
      headers.append("subject=" + subject.map(Self.lineAsBlank).joined().percentEncoded())
    }
    if let body {
      headers.append("body=" + body.map(Self.lineEnd).joined().percentEncoded())
    }
    let query = headers.isEmpty ? "" : "?" + headers.joined(separator: "&")
    self.init("mailto:\(local)@\(domain)\(query)")
  }

  private static func lineAsBlank(_ character: Character) -> String {
    character.isNewline ? " " : String(character)
  }

  private static func lineEnd(_ character: Character) -> String {
    character.isNewline ? "\r\n" : String(character)
  }

  /// Creates the link that shows a place: `geo:52.5,13.4`.
  ///
  /// - Parameter coordinates: latitude and longitude in degrees (WGS 84), separated by a comma or a
  ///   blank; their digits are kept.
  ///
  /// Source: RFC 5870, 3.3 and 3.4.2.
  ///
  /// - Throws: ``NDEFSyntaxError`` for anything other than two numbers, and for numbers outside ±90
  ///   and ±180 degrees.
  public init(geo coordinates: String) throws(NDEFSyntaxError) {
    let parts = coordinates.split { $0 == "," || $0.isWhitespace }.map(String.init)
    guard parts.count == 2, let latitude = Self.degrees(parts[0]),
      let longitude = Self.degrees(parts[1])
    else {
      throw NDEFSyntaxError(
        "a place is a latitude and a longitude in degrees, such as 52.5163,13.3777")
    }
    guard abs(latitude.value) <= 90 else {
      let isSwapped = abs(longitude.value) <= 90 && abs(latitude.value) <= 180
      throw NDEFSyntaxError(
        "a latitude is between -90 and 90 degrees",
        suggestion: isSwapped ? "\(longitude.text),\(latitude.text)" : nil)
    }
    guard abs(longitude.value) <= 180 else {
      throw NDEFSyntaxError("a longitude is between -180 and 180 degrees")
    }
    self.init("geo:\(latitude.text),\(longitude.text)")
  }

  /// Returns a number of degrees in the form of RFC 5870: no plus sign, a digit before the point.
  private static func degrees(_ text: String) -> (text: String, value: Double)? {
    let isNegative = text.hasPrefix("-")
    let digits = text.dropFirst(isNegative || text.hasPrefix("+") ? 1 : 0)
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), digits.utf8.contains(where: \.isDigitASCII),
      parts.allSatisfy({ $0.utf8.allSatisfy(\.isDigitASCII) })
    else { return nil }
    let whole = parts[0].isEmpty ? "0" : String(parts[0])
    let fraction = parts.count == 2 && !parts[1].isEmpty ? ".\(parts[1])" : ""
    let written = (isNegative ? "-" : "") + whole + fraction
    return Double(written).map { (written, $0) }
  }

  /// Returns a telephone number in the form of RFC 3966.
  private static func telephoneNumber(_ number: String) throws(NDEFSyntaxError) -> String {
    var written = ""
    for scalar in number.trimmingBlanks.unicodeScalars {
      switch scalar {
      case "0"..."9", "-", ".", "(", ")": written.unicodeScalars.append(scalar)
      case "+" where written.isEmpty: written = "+"
      case "*": written += "*"
      case "#": written += "%23"
      case _ where scalar.properties.isWhitespace: continue
      default:
        throw NDEFSyntaxError(
          "a telephone number has no \(String(scalar).escapingControls)")
      }
    }
    guard written.utf8.contains(where: \.isDigitASCII) else {
      throw NDEFSyntaxError("a telephone number has digits")
    }
    return written
  }
}
