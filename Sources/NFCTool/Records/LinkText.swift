import NFC

/// Checks links on the command line. A link that no phone would open is refused, with a suggestion.
enum LinkText {
  /// - Parameter isForced: accepts the text without a check.
  static func checked(_ text: String, isForced: Bool) throws -> String {
    guard !isForced else { return text }
    guard !text.isEmpty else {
      throw Failure(.usage, "the link is empty", advice: "nfc erase empties a tag")
    }
    if let number = telephoneLink(text) { throw refusal(text, "has no scheme", number) }
    guard text.unicodeScalars.allSatisfy(isAllowed) else {
      throw refusal(text, "has a blank or a control character in it", withScheme(encoded(text)))
    }
    if let (missing, example) = missingPart(of: text) {
      throw Failure(
        .usage, "the link \"\(text)\" has no \(missing)",
        advice: "it is like \(example); insist with --as-is")
    }
    guard let scheme = scheme(of: text) else {
      guard let fixed = withScheme(text) else { throw refusal(text, "has no scheme", nil) }
      throw refusal(text, "has no scheme", fixed)
    }
    let known = scheme.lowercased()
    return knownSchemes.contains(known) ? known + text.dropFirst(scheme.count) : text
  }

  /// Schemes that are written in lower case (RFC 3986, 3.1), which is also the case of the abbreviations of the URI
  /// Record Type Definition. Others stay as they are: Matter and HomeKit compare `MT:` and `X-HM:` with their case.
  private static let knownSchemes = ["http", "https", "tel", "mailto", "sms", "geo", "ftp"]

  /// Returns a link to call a telephone number that begins with a plus sign, or `nil` for any other text.
  private static func telephoneLink(_ text: String) -> String? {
    guard text.hasPrefix("+"), let number = try? TelephoneNumber.checked(text, isForced: false)
    else { return nil }
    return "tel:\(number)"
  }

  /// Returns what is missing after the scheme of a link, and an example of such a link; `nil` if nothing is missing, or
  /// if it is not known what links with this scheme need.
  private static func missingPart(of text: String) -> (part: String, example: String)? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let rest = text[text.index(after: colon)...]
    switch text[..<colon].lowercased() {
    case "mailto" where rest.isEmpty: return ("address", "mailto:ada@example.com")
    case "tel" where rest.isEmpty: return ("number", "tel:+441234567890")
    case "sms" where rest.isEmpty: return ("number", "sms:+441234567890")
    case "geo" where rest.isEmpty: return ("place", "geo:51.5,-0.12")
    // RFC 9110, 4.2.1: a sender must not generate such a link with an empty host.
    case "http" where hasNoHost(rest), "https" where hasNoHost(rest):
      return ("host", "https://example.com")
    default: return nil
    }
  }

  private static func hasNoHost(_ rest: Substring) -> Bool {
    guard rest.hasPrefix("//") else { return true }
    let host = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return host.isEmpty || host.hasPrefix(":")
  }

  /// Checks a link with placeholders, which has a scheme as any link.
  static func checkTemplate(_ text: String) throws {
    guard text.unicodeScalars.allSatisfy(isAllowed) else {
      throw Failure(.usage, "the template has a blank or a control character in it")
    }
    guard scheme(of: text) == nil else { return }
    throw Failure(
      .usage, "the template has no scheme",
      advice: withScheme(text).map { "write \($0.shellWord)" }
        ?? "a link is like https://example.com")
  }

  private static func refusal(_ text: String, _ reason: String, _ fixed: String?) -> Failure {
    let advice = fixed.map { "write \($0.shellWord), or insist with --as-is" }
    return Failure(
      .usage, "the link \"\(text)\" \(reason)",
      advice: advice ?? "a link is like https://example.com; insist with --as-is")
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
  }

  /// Returns the scheme of a link (RFC 3986, 3.1).
  private static func scheme(of text: String) -> Substring? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon]
    guard let first = scheme.first, first.isASCII, first.isLetter,
      scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }),
      text.index(after: colon) < text.endIndex,
      // A host with a port is not a scheme.
      !isPort(text[text.index(after: colon)...])
    else { return nil }
    return scheme
  }

  private static func isPort(_ text: Substring) -> Bool {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let next = text.dropFirst(digits.count).first
    return !digits.isEmpty && digits.count <= 5 && next == "/"
  }

  /// Returns the text with a scheme: `https:` for text that looks like a host, and `mailto:` for text that
  /// looks like an address.
  private static func withScheme(_ text: String) -> String? {
    if scheme(of: text) != nil { return text }
    let host = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != ":" }
    guard host.contains("."), !host.hasPrefix("."), !host.hasSuffix(".") else { return nil }
    return host.contains("@") ? "mailto:\(text)" : "https://\(text)"
  }

  /// Percent-encodes each byte that is not allowed in a link (RFC 3986, 2.1).
  private static func encoded(_ text: String) -> String {
    text.unicodeScalars.map { isAllowed($0) ? String($0) : percentEncoded(String($0)) }.joined()
  }

  private static func percentEncoded(_ text: String) -> String {
    text.utf8.map { "%" + [$0].hexadecimal }.joined()
  }

  /// Returns the text in the form for a part of a link. Letters, digits and `-._~` are unchanged, and
  /// everything else is percent-encoded (RFC 3986, 2.3). This includes all characters that are not ASCII,
  /// which not every program accepts in a link.
  ///
  /// - Parameter others: additional characters that are unchanged.
  static func component(_ text: String, keeping others: String = "") -> String {
    text.map { character in
      let isPlain =
        character.isASCII && (character.isLetter || character.isNumber)
        || "-._~".contains(character) || others.contains(character)
      return isPlain ? String(character) : percentEncoded(String(character))
    }.joined()
  }
}
