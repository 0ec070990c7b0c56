import SwiftNFCJSONText
import ArgumentParser
import NFC
import TagImages
import Synchronization
import TagTools

/// The command `nfc convert`.
struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Converts an image to another format, without a reader.",
    usage: "nfc convert <input> <output> [--iso15693] [--force]",
    discussion: """
      The extensions name the formats: .bin and .mfd are the bytes as they are, .eml is text of Proxmark3 \
      and libnfc, .json Proxmark3, .nfc Flipper Zero (versions 2 to 4 are read, 4 is written), .mct MIFARE \
      Classic Tool, .picopass Flipper Zero's iCLASS cards. Whatever the new file cannot hold is listed in one line.

      Plain bytes have no name of their tag, which their size and content show. A size that no known tag has is \
      refused without --iso15693.

      Example:
        nfc convert card.mfd card.nfc
      """)

  @Argument(help: "The image.", completion: .file())
  var input: String
  @Argument(help: "The file to create.", completion: .file())
  var output: String

  @Flag(
    name: .customLong("iso15693"),
    help: "Bytes of any size are of an ISO 15693 tag, if they are of no other kind.")
  var isVicinity = false

  @Flag(help: "Overwrite a file that is there already.")
  var force = false

  @OptionGroup private var ignored: IgnoredReaderOptions
  @OptionGroup private var ignoredJSON: IgnoredJSONOption

  /// The memory of an ISO 15693 tag that Proxmark3's files hold: 256 blocks of four bytes.
  private static let largestInJSON = 1024

  func run() async throws {
    let format = try ImageFile.requiredFormat(of: output)
    try File.checkNew(output, isForced: force)
    let decoding = try ImageFile.read(input)
    var image = decoding.image
    if ImageFile.marksUnknownKeys(output), !ImageFile.marksUnknownKeys(input) {
      image.forgetUnreadKeys()
    }
    if !isVicinity {
      // The other formats need a UID, which plain bytes do not have.
      let isLarge = image.memory.bytes.count > Self.largestInJSON
      let fitting: [ImageFormat] = [.binary, .emulator] + (isLarge ? [] : [.proxmark])
      let name =
        fitting.contains(format) ? "" : "name the output \(isLarge ? ".eml" : ".json"), and "
      try ImageFile.checkKind(
        of: image, in: input, advice: name + "add --iso15693 if they are of an ISO 15693 tag")
    }
    let loss = try ImageFile.write(
      image, to: output, lost: decoding.losses, isPublic: File.isReadableByOthers(input))
    for line in [loss].compactMap(\.self) + ImageFile.notes(on: decoding, in: input) {
      Output.printError("nfc: " + line)
    }
  }
}

/// The command `nfc decode`.
struct DecodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Shows the NDEF message in a file, without a reader.",
    usage: "nfc decode <file> [--json] [--trust <path>] [--verify]",
    discussion: """
      The file is a message as nfc read --raw or nfc encode saves it, a message in JSON, or the image of a \
      tag; no password is needed for what the image has. Prints one line per record. --trust and --verify are \
      those of nfc read.

      Examples:
        nfc decode message.ndef --json
        nfc decode signed.ndef --trust signer.pem --verify
      """)

  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var signatures: SignatureOptions
  @OptionGroup private var ignored: IgnoredReaderOptions

  func run() async throws {
    let check = try signatures.load()
    let message = try await message()
    let signatures = check?.report(on: message)
    if json {
      try Output.line(
        JSONValue.members([
          "length": .integer(message.records.isEmpty ? 0 : message.encoded().count),
          "records": .array(try message.records.map { try JSONValue(encoding: $0) }),
          "signatures": signatures?.json,
        ]).text)
    } else {
      try Output.line(message.description)
      try signatures?.print()
    }
    try signatures?.check()
  }

  private static let jsonStarts: [UInt8] = Array("{[".utf8)

  private func message() async throws -> NDEFMessage {
    let bytes = try File.read(file)
    let format = ImageFile.format(of: file)
    // Messages are saved as .bin, too; no image is a complete message.
    if format == nil || format == .binary, let message = try? NDEFMessage(decoding: bytes),
      !message.records.isEmpty
    {
      return message
    }
    if let decoding = try decoding(bytes, format) { return try await message(on: decoding) }
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if let first, Self.jsonStarts.contains(first) {
      return try MessageFile.json(bytes, file, advice: nil)
    }
    return try MessageFile.raw(bytes, file, advice: nil)
  }

  /// Returns the image, or `nil` for a message.
  private func decoding(_ bytes: [UInt8], _ format: ImageFormat?) throws -> ImageFormat.Decoding? {
    switch format {
    // Messages in JSON have the same extension as images of Proxmark3.
    case .proxmark: return try? ImageFormat.proxmark.decoding(bytes)
    case let format?: return try ImageFile.decode(bytes, format, file)
    case nil:
      switch ImageFormat(guessing: bytes) {
      case .proxmark: return try? ImageFormat.proxmark.decoding(bytes)
      case .binary:
        let decoding = try? ImageFormat.binary.decoding(bytes)
        return decoding.flatMap { $0.image.isRecognized ? $0 : nil }
      case let guess: return try ImageFile.decode(bytes, guess, file)
      }
    }
  }

  /// Reads the image in the same way as a reader reads the tag.
  private func message(on decoding: ImageFormat.Decoding) async throws -> NDEFMessage {
    let image = decoding.image
    let nothing = Failure(.notThere, "\(File.name(file)) holds no NDEF")
    // These have an identity only.
    guard image.kind != .iso14443a, image.kind != .iso14443b,
      image.kind != .iso15693 || !image.memory.isEmpty
    else { throw nothing }
    var decoding = decoding
    decoding.image.removeReadProtection()
    let tags = try VirtualTags(decoding, from: file)
    let hasGaps = image.memory.isKnown.contains(false)
    let options = try GlobalOptions.parse(json ? ["--json"] : [])
    let found = MessageBox()
    try await Session.run(options, showing: tags) { session in
      let tag = try await session.selectTag("a tag", polling: .any, for: .reading) { $0 }
      let content: NDEFContent
      do {
        content = try await tag.addingTagName { try await NDEFContent(tag.kind) }
      } catch let failure as Failure where hasGaps && failure.status == .lost {
        // What the file does not have is not read: the card has not left.
        throw nothing
      }
      guard content.status.access != .notSupported else {
        throw nothing
      }
      do {
        found.set(try content.message)
      } catch {
        throw Failure(.content, "the NDEF message in \(File.name(file)) is broken: \(error)")
      }
    }
    return found.message
  }
}

/// Passes the message out of a session.
private final class MessageBox: Sendable {
  private let content = Mutex(NDEFMessage(records: []))
  var message: NDEFMessage { content.withLock { $0 } }
  func set(_ message: NDEFMessage) { content.withLock { $0 = message } }
}
