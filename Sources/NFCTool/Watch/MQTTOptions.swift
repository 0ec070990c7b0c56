#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The address of a broker: `mqtt://` or `mqtts://`, `[user@]host[:port]`.
struct MQTTOptions: Hashable, Sendable {
  let host: String
  let port: UInt16
  let isSecure: Bool
  let user: String?
  /// The file with certificate authorities, or `nil` for those of the system.
  var authorities: String?
  var password: String?

  private static let port: UInt16 = 1883
  private static let securePort: UInt16 = 8883

  /// Returns whether there is a password before the host, as in `mqtt://user:password@host`.
  static func hasPassword(_ text: String) -> Bool {
    let authority = text.firstRange(of: "//").map { text[$0.upperBound...] } ?? text[...]
    guard let at = authority.lastIndex(of: "@") else { return false }
    return authority[..<at].contains(":")
  }

  /// Parses an address, or returns `nil` for a text that does not name a broker. A password is not accepted,
  /// because other users can see the command line.
  init?(_ text: String) {
    guard let components = URLComponents(string: text),
      let scheme = components.scheme?.lowercased(),
      ["mqtt", "mqtts"].contains(scheme), let host = components.host, !host.isEmpty,
      components.password == nil, ["", "/"].contains(components.path), components.query == nil
    else { return nil }
    isSecure = scheme == "mqtts"
    self.host = host.filter { $0 != "[" && $0 != "]" }
    user = components.user
    guard let number = components.port else {
      port = isSecure ? Self.securePort : Self.port
      return
    }
    guard let port = UInt16(exactly: number), port > 0 else { return nil }
    self.port = port
  }
}
