extension URIRecord {
  /// Checks that a text has the form of a URI or IRI: a scheme, a colon, and no blanks, control
  /// characters or delimiters that must be percent-encoded.
  ///
  /// Use it to check text that a person has entered; a record itself accepts any text.
  ///
  /// Source: RFC 3986, 2 and 3.1; RFC 3987, 2.2.
  ///
  /// - Throws: ``NDEFSyntaxError``, with the corrected form if one is likely: `https://example.com`
  ///   for `example.com` without a scheme, `%20` for a blank.
  public static func validate(_ uri: String) throws(NDEFSyntaxError) {
    let corrected = correction(of: uri)
    let suggestion = corrected != uri && problem(of: corrected) == nil ? corrected : nil
    if let problem = problem(of: uri) { throw NDEFSyntaxError(problem, suggestion: suggestion) }
  }

  /// Characters that a URI contains only percent-encoded (RFC 3986, 2; RFC 2396, 2.4.3 lists them).
  private static let excluded: [Unicode.Scalar] = ["\"", "<", ">", "\\", "^", "`", "{", "|", "}"]

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  /// Returns the reason why the text is not a URI; `nil` if it is one.
  private static func problem(of uri: String) -> String? {
    if uri.isEmpty { return "the URI is empty" }
    for scalar in uri.unicodeScalars {
      if isControl(scalar) { return "the URI contains a control character" }
      if scalar.properties.isWhitespace { return "the URI contains a blank" }
      if excluded.contains(scalar) {
        return "the URI contains \(scalar), which must be percent-encoded"
      }
    }
    guard let scheme = scheme(of: uri) else {
      return "the URI has no scheme such as https: or tel:"
    }
    if uri.utf8.count == scheme.utf8.count + 1 { return "there is nothing after \(scheme):" }
    if hasBrokenEscape(uri) { return "the URI has a % that is not followed by two digits" }
    return nil
  }

  /// Returns the text before the first colon, if it has the form of a scheme (RFC 3986, 3.1).
  static func scheme(of uri: String) -> String? {
    let scheme = uri.utf8.prefix { $0 != UInt8(ascii: ":") }
    guard scheme.endIndex < uri.utf8.endIndex, scheme.first?.isLetterASCII == true,
      scheme.allSatisfy({
        $0.isLetterASCII || $0.isDigitASCII || [UInt8]("+-.".utf8).contains($0)
      })
    else { return nil }
    // localhost:8080 is a host and a port; so is example.com:80.
    let rest = uri.utf8[scheme.endIndex...].dropFirst()
    let port = rest.prefix(while: \.isDigitASCII)
    let isPort =
      !port.isEmpty && (port.endIndex == rest.endIndex || rest[port.endIndex] == UInt8(ascii: "/"))
    let isHost = scheme.contains(UInt8(ascii: ".")) || scheme.elementsEqual("localhost".utf8)
    return isPort && isHost ? nil : String(decoding: scheme, as: UTF8.self)
  }

  /// Returns whether a text is four numbers up to 255 with periods between them (RFC 3986, 3.2.2).
  private static func isIPv4Address(_ text: String) -> Bool {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return numbers.count == 4 && !numbers.contains(nil)
  }

  private static func hasBrokenEscape(_ uri: String) -> Bool {
    let bytes = Array(uri.utf8)
    return bytes.indices.contains { index in
      bytes[index] == UInt8(ascii: "%")
        && !(bytes[index...].dropFirst().prefix(2).count == 2
          && bytes[index...].dropFirst().prefix(2).allSatisfy(\.isHexadecimalDigit))
    }
  }

  /// Returns the URI that was most likely intended.
  private static func correction(of uri: String) -> String {
    var text = uri.trimmingBlanks
    if scheme(of: text) == nil {
      let firstPart = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
      let digits = text.filter { !" -.()".contains($0) }
      if text.hasPrefix("//") {
        text = "https:" + text
      } else if firstPart.contains("@"), !firstPart.hasPrefix("@"), !firstPart.hasSuffix("@") {
        text = "mailto:" + text
      } else if digits.utf8.count > 2, !isIPv4Address(text),
        (digits.first == "+" ? digits.dropFirst() : digits[...]).utf8.allSatisfy(\.isDigitASCII)
      {
        text = "tel:" + digits
      } else if firstPart.contains(".") || firstPart.hasPrefix("localhost") {
        text = "https://" + text
      }
    }
    let hadBrokenEscape = hasBrokenEscape(text)
    var corrected = ""
    for scalar in text.unicodeScalars {
      if scalar.properties.isWhitespace || isControl(scalar) || excluded.contains(scalar)
        || (scalar == "%" && hadBrokenEscape)
      {
        corrected += String(scalar).percentEncoded()
      } else {
        corrected.unicodeScalars.append(scalar)
      }
    }
    return corrected
  }
}
