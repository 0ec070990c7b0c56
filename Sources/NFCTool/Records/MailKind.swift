import ArgumentParser
import NFC

/// The kind of message `mail`.
struct MailKind: RecordKind {
  static let name = "mail"
  static let abstract = "Writes an e-mail to send."
  static let usage = "<address> [--subject <text>]"
  static let phones =
    "Phones: an iPhone (XS and later) and an Android phone begin the mail."
  static let examples = ["mail ada@example.com --subject \"Lamp 7 is broken\" --virtual ntag213"]

  @Argument(help: "The address.") var address: String
  @Option(help: ArgumentHelp("The subject.", valueName: "text"))
  var subject: String?
  @Option(help: ArgumentHelp("The text.", valueName: "text"))
  var body: String?

  var templates: [String] { [address] + [subject, body].compactMap(\.self) }

  /// Returns the message (RFC 6068).
  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let address = values.fill(try TextArgument.checked(address, "the address"))
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    let isAddress =
      parts.count == 2 && !parts.contains(where: \.isEmpty)
      && !address.contains(where: \.isWhitespace)
    guard isAddress || isForced else {
      throw Failure(
        .usage, "\"\(address)\" is not an e-mail address",
        advice: "it is like ada@example.com; insist with --as-is")
    }
    var fields: [String] = []
    for (name, value) in [("subject", subject), ("body", body)] {
      guard let value else { continue }
      let text = values.fill(try TextArgument.checked(value, "--\(name)"))
      // Lines end with CR LF (RFC 6068, 5).
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      fields.append("\(name)=" + LinkText.component(lines.joined(separator: "\r\n")))
    }
    let query = fields.isEmpty ? "" : "?" + fields.joined(separator: "&")
    return NDEFMessage(.uri("mailto:" + LinkText.component(address, keeping: "@+!$*'") + query))
  }
}
