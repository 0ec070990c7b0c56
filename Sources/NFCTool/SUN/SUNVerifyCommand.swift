import SwiftNFCJSONText
import ArgumentParser
import NFC
import SUNMessage

/// The command `nfc sun verify`.
struct SUNVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks a link that a chip has signed, without a reader.",
    usage: "nfc sun verify <url> --key <hex> [--file-key <hex>] [<options>]",
    discussion: """
      Prints UID, read counter and decrypted file data. Ends with exit code 77 if the MAC or the key is \
      wrong, and 65 if the link has no such parts. For a link of an NTAG 223 DNA or NTAG 224 DNA, give the \
      key of its SUNCMAC; for StatusDetect chips, the state of the wire is printed, too.

      A correct link may still be a copy: only a counter that is greater than the last one shows that it \
      is new. --after N refuses counters up to N.

      The parts are found in the query by their usual names (picc_data, enc, cmac; e, c; p, m; uid, ctr). \
      One parameter may hold them all, separated by x, as NTAG 223 DNA inserts them. For any other link give \
      a template, in which {picc}, {uid}, {counter}, {enc}, {tamper} and {mac} stand for them.

      Examples:
        nfc sun verify 'https://ntag.nxp.com/424?e=EF963FF7828658A599F3041510671E88&c=94EED9EE65337086' \\
          --key 00000000000000000000000000000000
        nfc sun verify 'https://x.example/041E3C8A2D6B80/000006/4B00064004B0B3D3' \\
          --template 'https://x.example/{uid}/{counter}/{mac}' --key 00000000000000000000000000000000
        nfc sun verify 'https://x.example/?m=046910EA841390x000000xCO00000000x146F1F74FFB89569' \\
          --key 00000000000000000000000000000000
      """)

  @Argument(help: ArgumentHelp("The link; - for standard input.", valueName: "url"))
  var url: String

  @Option(
    help: ArgumentHelp(
      "The key for UID and counter (SDMMetaRead), 16 bytes, and for the MAC unless --file-key is given.",
      discussion: "The environment variable NFC_KEYS does the same.", valueName: "hex"),
    transform: { try SUNKeyText.key($0, "--key") })
  var key: SUNKey?

  @Option(
    help: ArgumentHelp("The key for MAC and file data (SDMFileRead), 16 bytes.", valueName: "hex"),
    transform: { try SUNKeyText.key($0, "--file-key") })
  var fileKey: SUNKey?

  @Option(help: ArgumentHelp("The form of the link.", valueName: "url-template"))
  var template: String?

  @Option(
    help: ArgumentHelp(
      "What the MAC covers: none, enc, first, link or a byte's number; what fits unless given.",
      valueName: "start"),
    transform: { try SUNMACInput(argument: $0) })
  var macInput: SUNMACInput?

  @Option(
    help: ArgumentHelp("Refuse a link whose counter is not greater.", valueName: "counter"),
    transform: { try NumberArgument.integer($0, "--after", in: 0...0xFF_FFFF) })
  var after: Int?

  @Option(
    help: ArgumentHelp(
      "The key for MAC and file data is a master key.",
      discussion: """
        The tag's own key is derived from its UID and these bytes, which name application and system (NXP AN10922).
        """, valueName: "hex"),
    transform: { try SUNKeyText.diversification($0) })
  var diversify: [UInt8]?

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup private var ignored: IgnoredReaderOptions

  func run() async throws {
    let message = try message()
    guard let key = try key ?? fileKey ?? SUNKeyText.inEnvironment() else {
      throw Failure(.usage, "no key is given", advice: "give it with --key or NFC_KEYS")
    }
    let reading: SUNReading
    do {
      let fileReadKey = fileKey ?? key
      reading = try message.verified(metaReadKey: key, macInput: macInput ?? .automatic) { uid in
        guard let diversify else { return fileReadKey }
        return uid.flatMap { fileReadKey.diversified(by: $0 + diversify) }
      }
    } catch {
      throw Failure(error)
    }
    if let after {
      guard let counter = reading.readCounter else {
        throw Failure(.content, "the link has no read counter to compare with --after")
      }
      guard counter > after else {
        throw Failure(
          .notAllowed, "the link is an old one: its read counter is \(counter), not above \(after)",
          tag: reading.uid.map { "tag \($0.hexadecimal)" }, advice: "tap the tag again")
      }
    }
    try show(reading)
  }

  private func message() throws -> SUNMessage {
    var text = ArgumentText.utf8(url) ?? ArgumentText.shown(url)
    if url == File.standard {
      text = try File.readText(url).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }
    guard let template else {
      do { return try SUNMessage(url: text) } catch { throw Failure(error) }
    }
    // The length of the chip's part indicates which cryptography the chip uses.
    let forms: [SUNTemplate]
    do {
      forms = [try SUNTemplate(template), try SUNTemplate(template, mode: .lrp)]
    } catch {
      throw Failure(.usage, "--template is not a template: \(error)")
    }
    let form = forms.first { $0.link.count == text.utf8.count } ?? forms[0]
    do { return try SUNMessage(url: text, template: form) } catch { throw Failure(error) }
  }

  private func show(_ reading: SUNReading) throws {
    guard !json else {
      return try Output.line(
        JSONValue.members([
          "uid": reading.uid.map { .bytes($0) },
          "counter": reading.readCounter.map { .integer($0) },
          "fileData": reading.fileData.map { .bytes($0) }, "mode": .string(reading.mode.rawValue),
          "covered": .string(reading.authenticatedText), "tamper": reading.tamperStatus?.json,
        ]).text)
    }
    if let uid = reading.uid { try Output.fact("UID", uid.hexadecimal) }
    if let counter = reading.readCounter { try Output.fact("read counter", "\(counter)") }
    if let data = reading.fileData {
      let isText = data.allSatisfy { (0x20...0x7E).contains($0) }
      try Output.fact(
        "file data",
        data.hexadecimal + (isText ? " (\(String(decoding: data, as: UTF8.self)))" : ""))
    }
    if let status = reading.tamperStatus { try Output.fact("tamper status", status.text) }
    try Output.fact("MAC", "right, \(reading.mode.rawValue)")
    let identity =
      reading.tamperStatus != nil
      ? "UID, counter and tamper status"
      : [
        reading.uid == nil ? nil : "UID", reading.readCounter == nil ? nil : "counter",
      ].compactMap(\.self).joined(separator: " and ")
    try Output.fact(
      "MAC covers",
      identity + (reading.authenticatedText.isEmpty ? "" : ", " + reading.authenticatedText))
  }
}

extension SUNTamperStatus {
  fileprivate var text: String {
    guard stored != .hidden || current != .hidden else { return "not reported" }
    return "\(stored.rawValue) as stored, now \(current.rawValue)"
  }

  fileprivate var json: JSONValue {
    .members([
      "stored": .string(stored.rawValue), "current": .string(current.rawValue),
      "other": .bytes(otherBytes),
    ])
  }
}

extension Failure {
  fileprivate init(_ error: SUNError) {
    switch error {
    case .wrongMAC, .wrongKey:
      self.init(.notAllowed, "\(error)", advice: "another key is needed, or the link is forged")
    case .noKey:
      self.init(.usage, "\(error)", advice: "give it with --key")
    case .missing, .malformed:
      self.init(.content, "\(error)", advice: "--template shows where the parts are")
    case .differsFromTemplate:
      self.init(.content, "\(error)")
    }
  }
}

extension SUNMACInput {
  init(argument: String) throws {
    switch argument {
    case "none": self = .none
    case "enc": self = .fileData
    case "first": self = .firstMirror
    case "link": self = .link
    default: self = .offset(try NumberArgument.integer(argument, "--mac-input", in: 0...0xFFFF))
    }
  }
}
