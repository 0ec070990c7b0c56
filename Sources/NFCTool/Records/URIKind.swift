import ArgumentParser
import NFC

/// The kind of message `uri`.
struct URIKind: RecordKind {
  static let name = "uri"
  static let abstract = "Writes a link."
  static let usage = "<url>"
  static let phones =
    "Phones: an iPhone (XS and later) and an Android phone open http, https, mailto, sms and tel links; other schemes only where an app for them is installed, and an iPhone none."
  static let examples = ["uri https://example.com --virtual ntag213"]

  @Argument(help: "The link.") var url: String

  var templates: [String] { [url] }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let text = values.fill(try TextArgument.checked(url, "the link"))
    return NDEFMessage(.uri(try LinkText.checked(text, isForced: isForced)))
  }
}
