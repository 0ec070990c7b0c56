import ArgumentParser
import NFC

/// The kind of message `app`.
struct AppKind: RecordKind {
  static let name = "app"
  static let abstract = "Writes the name of an Android app to open."
  static let usage = "<package>"
  static let examples = ["app org.mozilla.firefox --virtual ntag213"]

  @Argument(help: "The app's package name.") var package: String

  /// Returns the message. An application ID of Android has two or more parts of letters, digits and
  /// underscores, each beginning with a letter.
  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let package = try TextArgument.checked(package, "the package")
    let parts = package.split(separator: ".", omittingEmptySubsequences: false)
    let isPackage =
      parts.count > 1
      && parts.allSatisfy { part in
        part.first.map { $0.isASCII && $0.isLetter } ?? false
          && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      }
    guard isPackage || isForced else {
      throw Failure(
        .usage, "\"\(package)\" is not a package name",
        advice: "it is like org.mozilla.firefox; insist with --as-is")
    }
    return NDEFMessage(.androidApplication(package))
  }
}
