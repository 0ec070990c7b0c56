import NFC

/// Checks links on the command line. A link that no phone would open is refused, with a suggestion; the rule is that of
/// `URIRecord.validate(_:)`.
enum LinkText {
  /// - Parameter isForced: accepts the text without a check.
  static func checked(_ text: String, isForced: Bool) throws -> String {
    guard !isForced else { return text }
    guard !text.isEmpty else {
      throw Failure(.usage, "the link is empty", advice: "nfc erase empties a tag")
    }
    if let number = telephoneLink(text) {
      throw Failure(
        .usage, "the link \"\(text)\" has no scheme",
        advice: "write \(number.shellWord), or insist with --as-is")
    }
    if let (missing, example) = missingPart(of: text) {
      throw Failure(
        .usage, "the link \"\(text)\" has no \(missing)",
        advice: "it is like \(example); insist with --as-is")
    }
    do throws(NDEFSyntaxError) {
      try URIRecord.validate(text)
    } catch {
      throw Failure(
        .usage, "\"\(text)\" is not a link: \(error.reason)",
        advice: error.advice(otherwise: Self.example))
    }
    let scheme = text.prefix { $0 != ":" }
    let known = scheme.lowercased()
    return knownSchemes.contains(known) ? known + text.dropFirst(scheme.count) : text
  }

  private static let example = "a link is like https://example.com"

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

  /// Checks a link with placeholders in braces, for each of which there will be digits.
  static func checkTemplate(_ text: String) throws {
    let link = withoutPlaceholders(text)
    do throws(NDEFSyntaxError) {
      try URIRecord.validate(link)
    } catch {
      // Of the correction, only a scheme can be put before the placeholders.
      let scheme = error.suggestion.flatMap { $0.hasSuffix(link) ? $0.dropLast(link.count) : nil }
      throw Failure(
        .usage, "the template is not a link: \(error.reason)",
        advice: scheme.map { "write \(($0 + text).shellWord)" } ?? example)
    }
  }

  private static func withoutPlaceholders(_ text: String) -> String {
    var link = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      link += rest[..<start] + "0"
      rest = rest[rest.index(after: end)...]
    }
    return link + rest
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
