import SwiftNFCJSONText

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The links that may be opened for a tag.
struct LinkPolicy: Hashable, Sendable {
  /// The permitted schemes, in lower case and without the colon.
  let schemes: Set<String>

  static let standard = LinkPolicy(schemes: ["http", "https", "tel", "mailto", "geo", "sms"])

  /// The maximum length of a link. Desktops and browsers truncate or refuse longer links.
  static let maximumLength = 4096

  /// Returns whether a tag's link may be opened. Its scheme must be permitted, it must not be longer than
  /// ``maximumLength``, and it must not contain blanks or control characters, which a handler could
  /// misinterpret, nor characters that change the direction of writing, with which it would show the name of another
  /// host (RFC 3987, 4.1, does not allow them). A mail must not have an attachment, and a page's address must not have
  /// user information, which looks like its host (RFC 3986, 7.6).
  func permits(_ link: String) -> Bool {
    guard let scheme = Self.scheme(of: link), schemes.contains(scheme) else { return false }
    return link.utf8.count <= Self.maximumLength && link.unicodeScalars.allSatisfy(Self.isVisible)
      && !(scheme == "mailto" && Self.hasAttachment(link))
      && !(Self.pages.contains(scheme) && Self.hasUserInformation(link))
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0x20 && !(0x7F...0x9F).contains(scalar.value)
      && !scalar.properties.isWhitespace && !scalar.isDeceptive
  }

  /// The fields for which mail programs attach a file of this machine. They are in no standard (Evolution,
  /// CVE-2020-11879; KMail, CVE-2020-11880; xdg-email, CVE-2020-27748).
  private static let attachmentFields: Set<String> = ["attach", "attachment"]

  /// Returns whether a mail program may attach a file because of a link. Names of fields may be encoded (RFC 6068,
  /// 2), and the ampersand before them may be that of HTML, `&amp;`.
  private static func hasAttachment(_ link: String) -> Bool {
    link.split { "?&;".contains($0) }.dropFirst().contains { field in
      let name = String(field.prefix { $0 != "=" })
      return attachmentFields.contains((name.removingPercentEncoding ?? name).lowercased())
    }
  }

  private static let pages: Set<String> = ["http", "https"]

  /// Returns whether something stands before the host. Browsers take any number of slashes before the authority, and
  /// backslashes for slashes (URL Standard, 4.4).
  private static func hasUserInformation(_ link: String) -> Bool {
    link.drop { $0 != ":" }.dropFirst().drop { "/\\".contains($0) }
      .prefix { !"/\\?#".contains($0) }.contains("@")
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
