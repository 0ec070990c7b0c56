import ArgumentParser
import NFC

/// Checks telephone numbers in links.
enum TelephoneNumber {
  /// Returns the number without separators. A number consists of digits, which a plus sign may precede (RFC
  /// 3966). A zero in parentheses after a country code is the one that is dialled without it (ITU-T E.123).
  static func checked(_ text: String, isForced: Bool) throws -> String {
    guard !isForced else { return text }
    let separators = " -./()\u{A0}"
    let isInternational = text.first { !separators.contains($0) } == "+"
    let digits = (isInternational ? text.replacing("(0)", with: "", maxReplacements: 1) : text)
      .filter { !separators.contains($0) }
    let number = digits.hasPrefix("+") ? digits.dropFirst() : digits[...]
    guard !number.isEmpty,
      number.allSatisfy({ $0.isASCII && ($0.isNumber || "*#".contains($0)) })
    else {
      throw Failure(
        .usage, "\"\(text)\" is not a telephone number",
        advice: "it is like +441234567890; insist with --as-is")
    }
    return digits.replacing("#", with: "%23")
  }
}

/// The kind of message `tel`.
struct TelephoneKind: RecordKind {
  static let name = "tel"
  static let abstract = "Writes a telephone number to call."
  static let usage = "<number>"
  static let phones =
    "Phones: an iPhone (XS and later) and an Android phone offer to call."
  static let examples = ["tel +441234567890 --virtual ntag213"]

  @Argument(help: "The number.") var number: String

  var templates: [String] { [number] }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let number = values.fill(try TextArgument.checked(number, "the number"))
    return NDEFMessage(.uri("tel:" + (try TelephoneNumber.checked(number, isForced: isForced))))
  }
}

/// The kind of message `sms`.
struct SMSKind: RecordKind {
  static let name = "sms"
  static let abstract = "Writes a text message to send."
  static let usage = "<number> [<text>]"
  static let phones =
    "Phones: an iPhone (XS and later) and an Android phone begin the message."
  static let examples = ["sms +441234567890 \"I have arrived\" --virtual ntag213"]

  @Argument(help: "The number.") var number: String
  @Argument(help: "The message's text.") var text: String?

  var templates: [String] { [number] + (text.map { [$0] } ?? []) }

  /// Returns the message (RFC 5724).
  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let number = values.fill(try TextArgument.checked(number, "the number"))
    let text = try text.map { values.fill(try TextArgument.checked($0, "the text")) }
    let body = text.map { "?body=" + LinkText.component($0) } ?? ""
    return NDEFMessage(
      .uri("sms:" + (try TelephoneNumber.checked(number, isForced: isForced)) + body))
  }
}
