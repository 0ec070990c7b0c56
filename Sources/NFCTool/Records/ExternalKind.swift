import ArgumentParser
import NFC

/// The kind of message `external`.
struct ExternalKind: RecordKind {
  static let name = "external"
  static let abstract = "Writes text of an external type."
  static let usage = "<type> <text>"
  static let phones =
    "Phones: only an Android phone with an app for the type opens it."
  static let examples = ["external example.com:ticket A-1234 --virtual ntag213"]

  @Argument(help: "The type: a domain, a colon, a name.") var type: String
  @Argument(help: "The text.") var text: String

  var templates: [String] { [text] }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let type = try TextArgument.checked(type, "the type")
    if !isForced { try check(type) }
    let text = values.fill(try TextArgument.checked(text, "the text"))
    // The case does not matter (Record Type Definition 1.0, 3.3), except to Android, whose intent filters match types
    // in lower case only (NdefRecord.java, createExternal).
    return NDEFMessage(.external(isForced ? type : type.lowercased(), Array(text.utf8)))
  }

  private func check(_ text: String) throws {
    guard !Self.isType(text) else { return }
    var advice = "it is like example.com:ticket; insist with --as-is"
    do throws(NDEFSyntaxError) {
      try ExternalRecord.validate(type: text)
    } catch {
      if let type = error.suggestion, Self.isType(type) {
        advice = error.advice(otherwise: advice)
      }
    }
    throw Failure(.usage, "\"\(text)\" is not an external type", advice: advice)
  }

  /// Returns whether a text is a domain name, a colon and a name of these characters (Record Type Definition
  /// 1.0, 3.4).
  private static func isType(_ text: String) -> Bool {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].utf8.allSatisfy(isDomain) && parts[0].contains(".")
      && !parts[0].hasPrefix(".") && !parts[0].hasSuffix(".") && !parts[1].isEmpty
      && parts[1].utf8.allSatisfy(isName)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func isDomain(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "-.".utf8.contains(byte)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "$-_()+,-.:=@;!*'".utf8.contains(byte)
  }
}
