import SwiftNFCJSONText
import NFC

/// What phones do with a message when a tag that has it is held to them and no app is open.
///
/// The sources are, for iPhones, Apple's article "Adding Support for Background Tag Reading", and for Android the program
/// that takes the message (NfcDispatcher.java, NfcWifiProtectedSetup.java and HandoverDataParser.java of the Android
/// Open Source Project). Phone makers may have changed it.
struct PhoneReactions: Sendable {
  /// What one kind of phone does.
  struct Reaction: Hashable, Sendable {
    /// Whether the phone does anything without an app that the user has installed for such tags.
    var acts: Bool
    var text: String

    static func does(_ text: String) -> Reaction { Reaction(acts: true, text: text) }
    static func nothing(_ text: String) -> Reaction { Reaction(acts: false, text: text) }
  }

  let iPhone: Reaction
  let android: Reaction

  init(_ message: NDEFMessage) {
    iPhone = Self.iPhone(message)
    android = Self.android(message)
  }

  // MARK: iPhone

  /// The schemes in addition to those of web links that an iPhone opens from a tag, each with what it offers.
  private static let schemes = [
    "mailto": "offers to write a mail", "sms": "offers to write a message", "tel": "offers to call",
    "facetime": "offers a FaceTime call", "facetime-audio": "offers a FaceTime call",
    "x-hm": "offers to add the HomeKit accessory",
  ]

  /// The system takes the first record of the well-known type U. It ignores all others, and so also what a Smart Poster
  /// contains.
  private static func iPhone(_ message: NDEFMessage) -> Reaction {
    let links = message.records.lazy.compactMap { try? $0.decoded as? URIRecord }
    guard let uri = links.first?.uri else {
      return .nothing("does nothing: it looks for a link, and there is none")
    }
    let scheme = scheme(of: uri)
    if ["http", "https"].contains(scheme) {
      return .does("XS and later: offers to open the link in its app, else in the browser")
    }
    if let offer = schemes[scheme] { return .does("XS and later: \(offer)") }
    return .nothing("does nothing with a link of the scheme \(scheme.onOneLine)")
  }

  private static func scheme(of uri: String) -> String {
    String(uri.prefix { $0 != ":" }).lowercased()
  }

  // MARK: Android

  private static func android(_ message: NDEFMessage) -> Reaction {
    let records = message.records.map { try? $0.decoded }
    if records.contains(where: { $0 is WiFiRecord }) { return .does("offers to join the network") }
    if records.contains(where: { $0 is BluetoothRecord || $0 is BluetoothLERecord }) {
      return .does("offers to connect to the device")
    }
    // The record of the application may have any place, but the first record has to be one that is passed on.
    let apps = records.lazy.compactMap { $0 as? AndroidApplicationRecord }
    if let app = apps.first {
      return .does("starts the app \(app.packageName.onOneLine), or shows it in the store")
    }
    guard let first = records.first else { return .nothing("does nothing: there is no record") }
    switch first {
    case let link as URIRecord: return android(link.uri)
    case let poster as SmartPosterRecord: return android(poster.uri.uri)
    case is VCardRecord: return .does("offers to save the contact")
    case is TextRecord: return .nothing("does nothing unless an app for texts is installed")
    case is MIMERecord, is ExternalRecord, is AbsoluteURIRecord:
      return .nothing("does nothing unless an app for this type is installed")
    default: return .nothing("does nothing unless an app for such tags is installed")
    }
  }

  private static func android(_ uri: String) -> Reaction {
    switch scheme(of: uri) {
    case "http", "https": .does("opens the link in its app, else in the browser")
    case "mailto": .does("begins a mail")
    case "sms", "smsto": .does("begins a message")
    case "tel": .does("opens the telephone with the number")
    case "geo": .does("opens the place in a map")
    case let scheme: .nothing("does nothing unless an app for \(scheme.onOneLine) is installed")
    }
  }

  // MARK: Output

  /// The members for `--json`.
  var json: JSONValue {
    func value(_ reaction: Reaction) -> JSONValue {
      .members(["acts": .bool(reaction.acts), "text": .string(reaction.text)])
    }
    return .members(["iPhone": value(iPhone), "android": value(android)])
  }

  func print() throws {
    try Output.fact("iPhone", iPhone.text)
    try Output.fact("Android", android.text)
  }
}
