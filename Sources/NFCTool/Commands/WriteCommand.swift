import ArgumentParser
import NFC

// Foundation proper would load ICU at every start of the program.
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `nfc write`.
struct WriteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Writes an NDEF message.",
    discussion: """
      The message replaces the one on the tag. One that does not fit is refused, and nothing is \
      written (exit code 65); nor is it on a read-only tag (77).

      Example:
        nfc write uri https://example.com --verify
      """,
    subcommands: [
      WriteURICommand.self, WriteTextCommand.self, WriteMIMECommand.self,
      WriteExternalCommand.self, WriteRawCommand.self, WriteJSONCommand.self,
    ])
}

/// What all that can be written have in common.
struct WriteOptions: ParsableArguments {
  @OptionGroup var options: GlobalOptions

  @Flag(help: "Read everything back and compare.")
  var verify = false

  /// Writes a message of one record.
  func write(_ record: NDEFRecord) async throws {
    try await write(NDEFMessage(record), status: .usage)
  }

  /// Writes a message, after a check that it will be read as it is meant.
  ///
  /// - Parameter status: what a message that is wrong ends with.
  func write(_ message: NDEFMessage, status: ExitStatus) async throws {
    do {
      try message.validate()
      _ = try message.records.map { try $0.decoded }
    } catch {
      throw Failure(status, "this is no NDEF message: \(error)", advice: "nothing was written")
    }
    try await write(bytes: message.encoded())
  }

  /// Writes the bytes of a message.
  func write(bytes: [UInt8]) async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag()
      try await tag.work { try await tag.kind.writeNDEFBytes(bytes, verify: verify) }
      Output.remark("wrote \(bytes.count) bytes to \(tag.name)")
    }
  }
}

extension Session {
  /// Waits for a tag that NDEF is defined for, and connects to it.
  func selectNDEFTag() async throws -> SelectedTag<any NDEFTag> {
    try await selectTag("an NDEF tag") { $0.ndef }
  }
}

/// `nfc write uri`.
struct WriteURICommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uri", abstract: "Writes a link.",
    discussion: "Example:\n  nfc write uri https://example.com")

  @OptionGroup var options: WriteOptions
  @Argument(help: "The link.") var url: String

  func run() async throws { try await options.write(.uri(url)) }
}

/// `nfc write text`.
struct WriteTextCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "text", abstract: "Writes a text.",
    discussion: "Example:\n  nfc write text \"Bonjour\" --language fr")

  @OptionGroup var options: WriteOptions
  @Argument(help: "The text.") var text: String
  @Option(help: ArgumentHelp("The text's language (BCP 47).", valueName: "code"))
  var language = "en"

  mutating func validate() throws {
    let longest = 63
    guard (1...longest).contains(language.utf8.count),
      language.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw ValidationError("--language takes a language code such as en or pt-BR.") }
  }

  func run() async throws { try await options.write(.text(text, language: language)) }
}

/// `nfc write mime`.
struct WriteMIMECommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mime", abstract: "Writes a file as content of a media type.",
    discussion: "Example:\n  nfc write mime text/vcard card.vcf")

  @OptionGroup var options: WriteOptions
  @Argument(help: "The media type, such as image/png.") var type: String
  @Argument(help: "The file.") var file: String

  func run() async throws { try await options.write(.media(type, try File.read(file))) }
}

/// `nfc write external`.
struct WriteExternalCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "external", abstract: "Writes text of an external type.",
    discussion: "Example:\n  nfc write external example.com:ticket A-1234")

  @OptionGroup var options: WriteOptions
  @Argument(help: "The type: a domain, a colon, a name.") var type: String
  @Argument(help: "The text.") var text: String

  func run() async throws { try await options.write(.external(type, Array(text.utf8))) }
}

/// `nfc write raw`.
struct WriteRawCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "raw", abstract: "Writes the bytes of an NDEF message, as read --raw saves them.",
    discussion: "Example:\n  nfc write raw message.ndef")

  @OptionGroup var options: WriteOptions
  @Argument(help: "The file.") var file: String

  func run() async throws {
    let bytes = try File.read(file)
    let message: NDEFMessage
    do {
      message = try NDEFMessage(decoding: bytes)
    } catch {
      throw Failure(
        .content, "\(file) is no NDEF message: \(error)", advice: "nothing was written")
    }
    guard !message.records.isEmpty else {
      throw Failure(.content, "\(file) is empty", advice: "nfc erase empties a tag")
    }
    try await options.write(bytes: bytes)
  }
}

/// `nfc write json`.
struct WriteJSONCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "json", abstract: "Writes a message in the form that read --json prints.",
    discussion: """
      A record may also be {"uri":"…"} or {"text":"…","language":"en"}.

      Example:
        nfc write json message.json
      """)

  @OptionGroup var options: WriteOptions
  @Argument(help: "The file.") var file: String

  func run() async throws {
    let bytes = try File.read(file)
    let message: NDEFMessage
    do {
      message = try JSONDecoder().decode(NDEFMessage.self, from: Data(bytes))
    } catch {
      throw Failure(
        .content, "\(file) is no NDEF message in JSON: \(Self.reason(error))",
        advice: "nothing was written")
    }
    try await options.write(message, status: .content)
  }

  private static func reason(_ error: any Error) -> String {
    let text =
      switch error {
      case DecodingError.keyNotFound(let key, _): "\"\(key.stringValue)\" is missing"
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        context.debugDescription
      default: "\(error)"
      }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
