import ArgumentParser
import NFC

/// The kind of message `raw`.
struct RawKind: RecordKind {
  static let name = "raw"
  static let isFromFile = true
  static let abstract = "Writes the bytes of an NDEF message, as read --raw saves them."
  static let usage = "<file>"
  static let examples = ["raw saved.ndef --virtual ntag215"]

  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    try MessageFile.raw(try File.read(file), file)
  }
}

/// The kind of message `json`.
struct JSONKind: RecordKind {
  static let name = "json"
  static let isFromFile = true
  static let abstract = "Writes a message in the form that read --json prints."
  static let usage = "<file>"
  static let details = """
    The file holds one message as read --json prints it, a bare array of records, or one record. A \
    record's decoded fields are enough: {"uri":"…"} or {"text":"…","language":"en"}. If a payload \
    contradicts them, or is not of the record's type, nothing is written (exit code 65); --as-is writes a \
    payload that is not of its type.
    """
  static let examples = ["json message.json --virtual ntag215"]

  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    try MessageFile.json(try File.read(file), file)
  }
}
