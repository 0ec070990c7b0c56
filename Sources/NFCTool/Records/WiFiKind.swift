import ArgumentParser
import NFC

/// The kind of message `wifi`.
struct WiFiKind: RecordKind {
  /// The option for the tag's password. `--password` is the network's password.
  typealias Password = TagPasswordBesideAnother

  /// The security of a network.
  enum Security: String, ExpressibleByArgument, CaseIterable, Sendable {
    case open
    case wpa2
    case wpa3
  }

  static let name = "wifi"
  static let abstract = "Writes the name and password of a Wi-Fi network."
  static let usage = "<ssid> [--password <text>]"
  static let phones =
    "Phones: an Android phone offers to join the network; an iPhone does nothing with such a tag."
  static let examples = ["wifi Guests --password \"correct horse\" --virtual ntag213"]

  @Argument(help: "The network's name.") var ssid: String
  @Option(
    name: .customLong("password"),
    help: ArgumentHelp("The network's password.", valueName: "text"))
  var networkPassword: String?
  @Option(
    help: ArgumentHelp(
      "How the network is protected: open, wpa2 or wpa3; wpa2 if there is a password.",
      discussion:
        "For wpa3, the network is described as WPA2 too, which takes twice the space on a tag.",
      valueName: "kind"))
  var security: Security?

  /// The limits of IEEE 802.11-2020: names in 9.4.2.2, passphrases of WPA2 in annex J.4. SAE accepts any
  /// length.
  private static let longestName = 32
  private static let passphraseLengths = 8...63
  private static let longestPassword = 64

  var templates: [String] { [ssid] + [networkPassword].compactMap(\.self) }

  mutating func validate() throws {
    let security = security ?? (networkPassword == nil ? .open : .wpa2)
    guard security == .open || networkPassword != nil else {
      throw ValidationError("--security \(security.rawValue) needs a --password.")
    }
    guard security != .open || networkPassword == nil else {
      throw ValidationError("An open network has no --password.")
    }
  }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let name = values.fill(try TextArgument.checked(ssid, "the network's name"))
    guard (1...Self.longestName).contains(name.utf8.count) else {
      throw Failure(
        .usage, "a network's name has 1 to \(Self.longestName) bytes, not \(name.utf8.count)")
    }
    guard let networkPassword else {
      return NDEFMessage(WiFiRecord(credentials: [WiFiCredential(ssid: name, key: nil)]).record)
    }
    let isWPA3 = security == .wpa3
    let password = values.fill(try TextArgument.checked(networkPassword, "the password"))
    if !isForced { try check(password, isWPA3) }
    let wpa2 = WiFiCredential(ssid: name, key: password)
    guard isWPA3 else { return NDEFMessage(WiFiRecord(credentials: [wpa2]).record) }
    var wpa3 = wpa2
    wpa3.authentication = .wpa3Personal
    // Android uses the first credential only, ignores one that names WPA3, even beside WPA2, and changes from WPA2
    // to WPA3 by itself (NfcWifiProtectedSetup.java, populateAllowedKeyManagement).
    let credentials = Self.isWPA2(password) ? [wpa2, wpa3] : [wpa3]
    return NDEFMessage(WiFiRecord(credentials: credentials).record)
  }

  /// Returns whether WPA2 permits a password.
  private static func isWPA2(_ password: String) -> Bool {
    let count = password.utf8.count
    return passphraseLengths.contains(count)
      || count == longestPassword && password.allSatisfy(\.isHexDigit)
  }

  private func check(_ password: String, _ isWPA3: Bool) throws {
    let count = password.utf8.count
    guard isWPA3 ? (1...Self.longestPassword).contains(count) : Self.isWPA2(password) else {
      throw Failure(
        .usage, "a password of \(count) byte\(count == 1 ? "" : "s") does not fit this network",
        advice: isWPA3
          ? "it has 1 to 64 bytes; insist with --as-is"
          : "WPA2 requires 8 to 63 characters; insist with --as-is")
    }
  }
}
