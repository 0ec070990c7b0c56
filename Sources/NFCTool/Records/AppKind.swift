import ArgumentParser
import NFC

/// The kind of message `app`.
struct AppKind: RecordKind {
  static let name = "app"
  static let abstract = "Writes the name of an Android app to open."
  static let usage = "<package>"
  static let phones =
    "Phones: an Android phone starts the app, or shows it in the store; an iPhone does nothing with such a tag, and would open a link of the app."
  static let examples = ["app org.mozilla.firefox --virtual ntag213"]

  @Argument(help: "The app's package name.") var package: String

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let package = try TextArgument.checked(package, "the package")
    if !isForced { try check(package) }
    return NDEFMessage(.androidApplication(package))
  }

  private func check(_ text: String) throws {
    do throws(NDEFSyntaxError) {
      try AndroidApplicationRecord.validate(packageName: text)
    } catch {
      throw Failure(
        .usage, "\"\(text)\" is not a package name",
        advice: error.advice(otherwise: "it is like org.mozilla.firefox"))
    }
  }
}
