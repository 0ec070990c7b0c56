import NFC
import TagImages

/// Reads files that contain an NDEF message.
enum MessageFile {
  /// Returns the message that the bytes encode.
  ///
  /// - Parameter advice: what an error says in addition.
  static func raw(
    _ bytes: [UInt8], _ file: String, advice: String? = nothingWasWritten
  ) throws -> NDEFMessage {
    let name = File.name(file)
    let message: NDEFMessage
    do {
      message = try NDEFMessage(decoding: bytes)
    } catch {
      let reason = KeyFile.remark(on: bytes) ?? "\(error)"
      throw Failure(.content, "\(name) is not an NDEF message: \(reason)", advice: advice)
    }
    guard !message.records.isEmpty else {
      throw Failure(
        .content, "\(name) is empty, as nfc read --raw saves a tag without a message",
        advice: advice == nil ? nil : "nfc erase empties a tag")
    }
    return message
  }

  /// Returns the message of a file in the form that `read --json` prints.
  ///
  /// - Parameter advice: what an error says in addition.
  static func json(
    _ bytes: [UInt8], _ file: String, advice: String? = nothingWasWritten
  ) throws -> NDEFMessage {
    do {
      return try NDEFMessage(json: bytes)
    } catch {
      throw Failure(
        .content, "\(File.name(file)) is not an NDEF message in JSON: \(error)",
        advice: advice)
    }
  }

  static let nothingWasWritten = "nothing was written"
}
