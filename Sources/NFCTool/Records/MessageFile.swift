import NFC

/// Reads files that contain an NDEF message.
enum MessageFile {
  /// Returns the message that the bytes encode.
  static func raw(_ bytes: [UInt8], _ file: String) throws -> NDEFMessage {
    let name = File.name(file)
    let message: NDEFMessage
    do {
      message = try NDEFMessage(decoding: bytes)
    } catch {
      throw Failure(.content, "\(name) is not an NDEF message: \(error)", advice: nothingWasWritten)
    }
    guard !message.records.isEmpty else {
      throw Failure(.content, "\(name) is empty", advice: "nfc erase empties a tag")
    }
    return message
  }

  /// Returns the message of a file in the form that `read --json` prints.
  static func json(_ bytes: [UInt8], _ file: String) throws -> NDEFMessage {
    let message: NDEFMessage
    do {
      message = try NDEFMessage(json: bytes)
    } catch {
      throw Failure(
        .content, "\(File.name(file)) is not an NDEF message in JSON: \(error)",
        advice: nothingWasWritten)
    }
    try MessageCheck.check(message, .content)
    return message
  }

  private static let nothingWasWritten = "nothing was written"
}
