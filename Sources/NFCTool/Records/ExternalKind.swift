import ArgumentParser
import NFC

/// The kind of message `external`.
struct ExternalKind: RecordKind {
  static let name = "external"
  static let abstract = "Writes text of an external type."
  static let usage = "<type> <text>"
  static let examples = ["external example.com:ticket A-1234 --virtual ntag213"]

  @Argument(help: "The type: a domain, a colon, a name.") var type: String
  @Argument(help: "The text.") var text: String

  var templates: [String] { [text] }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let type = try TextArgument.checked(type, "the type")
    if !isForced { try check(type) }
    let text = values.fill(try TextArgument.checked(text, "the text"))
    return NDEFMessage(.external(type, Array(text.utf8)))
  }

  /// Checks the type, which is a domain name, a colon and a name of these characters (Record Type Definition
  /// 1.0, 3.4).
  private func check(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let isOne =
      parts.count == 2 && parts[0].utf8.allSatisfy(Self.isDomain) && parts[0].contains(".")
      && !parts[0].hasPrefix(".") && !parts[0].hasSuffix(".") && !parts[1].isEmpty
      && parts[1].utf8.allSatisfy(Self.isName)
    guard isOne else {
      throw Failure(
        .usage, "\"\(text)\" is not an external type",
        advice: "it is like example.com:ticket; insist with --as-is")
    }
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
