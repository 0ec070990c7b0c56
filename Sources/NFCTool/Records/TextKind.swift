import ArgumentParser
import NFC

/// The option for the language of a text.
struct LanguageOption: ParsableArguments {
  @Option(help: ArgumentHelp("The text's language (BCP 47).", valueName: "code"))
  var language = "en"

  /// The maximum length. The status byte has six bits for the length (Text RTD 1.0, 3.2.1).
  private static let longest = 63

  mutating func validate() throws {
    guard (1...Self.longest).contains(language.utf8.count), Self.isLanguageTag(language)
    else { throw ValidationError("--language takes a language code such as en or pt-BR.") }
  }

  /// Whether a text has the form of a language tag: subtags of one to eight letters and digits, separated by
  /// hyphens, of which the first has letters only (BCP 47, RFC 5646, section 2.1).
  private static func isLanguageTag(_ text: String) -> Bool {
    let subtags = text.split(separator: "-", omittingEmptySubsequences: false)
    return subtags.allSatisfy { subtag in
      (1...8).contains(subtag.utf8.count)
        && subtag.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    } && subtags[0].allSatisfy(\.isLetter)
  }
}

/// The kind of message `text`.
struct TextKind: RecordKind {
  static let name = "text"
  static let abstract = "Writes a text."
  static let usage = "<text> [--language <code>]"
  static let phones =
    "Phones: none shows a text without an app for tags."
  static let examples = ["text \"Bonjour\" --language fr --virtual ntag213"]

  @Argument(help: "The text.") var text: String
  @OptionGroup var language: LanguageOption

  var templates: [String] { [text] }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let text = values.fill(try TextArgument.checked(text, "the text"))
    return NDEFMessage(.text(text, language: language.language))
  }
}
