import ArgumentParser
import NFC

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The kind of message `home-assistant`.
struct HomeAssistantKind: RecordKind {
  static let name = "home-assistant"
  static let abstract = "Writes a tag for Home Assistant, as its own app does."
  static let usage = "[<id>]"
  static let details = """
    The tag has a link with its id, and the name of the app for Android. Home Assistant knows it by that id, whichever \
    phone or reader reads it; nfc watch --home-assistant reports the same one. Without an id, the tag gets a new one.
    """
  static let phones =
    "Phones: an iPhone (XS and later) and an Android phone open the app of Home Assistant."
  static let examples = [
    "home-assistant --virtual ntag213", "home-assistant kitchen-lamp --virtual ntag213",
  ]

  @Argument(help: ArgumentHelp("The tag's id; a new one unless given.", valueName: "id"))
  var identifier: String?

  var templates: [String] { [identifier].compactMap(\.self) }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let text = try identifier.map { values.fill(try TextArgument.checked($0, "the id")) }
    let id = text ?? UUID().uuidString.lowercased()
    guard !id.isEmpty, id.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      throw Failure(
        .usage, "the id is empty, or has a control character",
        advice: "leave the id out for a new one")
    }
    return HomeAssistantTag.message(id: id)
  }
}

/// The tags of Home Assistant's own apps: a link whose last part is the tag's id.
///
/// Source: home-assistant/android, `WriteNfcTag` and `TagReaderActivity`; home-assistant/iOS, `iOSTagManager`.
enum HomeAssistantTag {
  private static let host = "www.home-assistant.io"
  private static let path = "/tag/"
  private static let application = "io.homeassistant.companion.android"

  /// Returns the message that the app writes.
  static func message(id: String) -> NDEFMessage {
    // The characters that a URI may have anywhere (RFC 3986, 2.3).
    let escaped = id.utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      let isPlain = character.isASCII && (character.isLetter || character.isNumber)
      return isPlain || "-._~".contains(character)
        ? String(character) : "%" + [byte].hexadecimal
    }
    return NDEFMessage(
      .uri("https://\(host)\(path)\(escaped.joined())"), .androidApplication(application))
  }

  /// Returns the id in a message, or `nil` if no link of it is one of Home Assistant.
  static func id(in message: NDEFMessage) -> String? {
    message.records.lazy.compactMap(Tap.uri).compactMap(id).first
  }

  /// Returns the id in a link.
  static func id(in link: String) -> String? {
    guard let parts = URLComponents(string: link),
      ["https", "http"].contains(parts.scheme?.lowercased()),
      [host, String(host.dropFirst("www.".count))].contains(parts.host?.lowercased()),
      parts.percentEncodedPath.hasPrefix(path)
    else { return nil }
    var id = parts.percentEncodedPath.dropFirst(path.count)
    while id.last == "/" { id = id.dropLast() }
    return id.isEmpty || id.contains("/") ? nil : String(id).removingPercentEncoding
  }
}
