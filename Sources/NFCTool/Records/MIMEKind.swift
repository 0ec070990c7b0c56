import ArgumentParser
import NFC

/// The kind of message `mime`.
struct MIMEKind: RecordKind {
  static let name = "mime"
  static let abstract = "Writes a file with its media type."
  static let usage = "<type> <file>"
  static let phones =
    "Phones: only an Android phone with an app for the type opens it."
  static let examples = ["mime text/plain notes.txt --virtual ntag215"]

  @Argument(help: "The media type, such as image/png.") var type: String
  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    let type = try TextArgument.checked(type, "the media type")
    if !isForced { try check(type) }
    return NDEFMessage(.media(type, try File.read(file)))
  }

  private func check(_ text: String) throws {
    do throws(NDEFSyntaxError) {
      try MIMERecord.validate(mediaType: text)
    } catch {
      throw Failure(
        .usage, "\"\(text)\" is not a media type",
        advice: error.advice(otherwise: "it is like text/plain or image/png"))
    }
  }
}
