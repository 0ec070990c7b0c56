import ArgumentParser
import NFC

/// The kind of message `mime`.
struct MIMEKind: RecordKind {
  static let name = "mime"
  static let abstract = "Writes a file with its media type."
  static let usage = "<type> <file>"
  static let examples = ["mime text/plain notes.txt --virtual ntag215"]

  @Argument(help: "The media type, such as image/png.") var type: String
  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let type = try TextArgument.checked(type, "the media type")
    if !isForced { try check(type) }
    return NDEFMessage(.media(type, try File.read(file)))
  }

  /// Checks the media type, which is two tokens separated by a solidus, and parameters (RFC 2045, 5.1).
  private func check(_ text: String) throws {
    let essence = text.prefix { $0 != ";" }
    let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
    let isOne =
      parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isToken) }
    guard isOne else {
      throw Failure(
        .usage, "\"\(text)\" is not a media type",
        advice: "it is like text/plain or image/png; insist with --as-is")
    }
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !#"()<>@,;:\"/[]?="#.utf8.contains(byte)
  }
}
