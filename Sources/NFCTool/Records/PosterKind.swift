import ArgumentParser
import NFC

/// The kind of message `poster`.
struct PosterKind: RecordKind {
  static let name = "poster"
  static let abstract = "Writes a link with a title (Smart Poster)."
  static let usage = "<url> --title <text>"
  static let phones =
    "Phones: an Android phone opens the link; an iPhone does nothing with such a tag, because it looks for a plain link (nfc write uri)."
  static let examples = ["poster https://example.com --title \"Opening hours\" --virtual ntag213"]

  @Argument(help: "The link.") var url: String
  @Option(help: ArgumentHelp("The title.", valueName: "text"))
  var title: String
  @OptionGroup var language: LanguageOption

  var templates: [String] { [url, title] }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let link = values.fill(try TextArgument.checked(url, "the link"))
    let title = values.fill(try TextArgument.checked(title, "--title"))
    let poster = SmartPosterRecord(
      uri: try LinkText.checked(link, isForced: isForced), title: title,
      language: language.language)
    return NDEFMessage(poster.record)
  }
}
