/// The links that may be opened for a tag.
struct LinkPolicy: Hashable, Sendable {
  /// The permitted schemes, in lower case and without the colon.
  let schemes: Set<String>

  static let standard = LinkPolicy(schemes: ["http", "https", "tel", "mailto", "geo", "sms"])

  /// The maximum length of a link. Desktops and browsers truncate or refuse longer links.
  static let maximumLength = 4096

  /// Returns whether a tag's link may be opened. Its scheme must be permitted, it must not be longer than
  /// ``maximumLength``, and it must not contain blanks or control characters, which a handler could
  /// misinterpret.
  func permits(_ link: String) -> Bool {
    guard let scheme = Self.scheme(of: link), schemes.contains(scheme) else { return false }
    return link.utf8.count <= Self.maximumLength
      && link.unicodeScalars.allSatisfy { $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) }
  }

  /// Returns the scheme of a URI in lower case (RFC 3986, 3.1), or `nil` if there is none.
  static func scheme(of uri: String) -> String? {
    guard let colon = uri.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = uri[..<colon]
    guard let first = scheme.first, first.isASCII, first.isLetter,
      scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else { return nil }
    return scheme.lowercased()
  }
}
