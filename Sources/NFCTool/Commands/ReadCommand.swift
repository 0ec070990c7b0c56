import ArgumentParser
import NFC
import TagTools

/// The command `nfc read`.
struct ReadCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads the NDEF message.",
    usage: "nfc read [--raw <file>] [--phone] [--trust <path>] [--verify] [<options>]",
    discussion: """
      Prints one line per record. Ends with exit code 66 if the tag is not an NDEF tag, and 65 if its \
      message is broken. --phone adds what an iPhone and an Android phone do with such a tag.

      --trust adds what the message's signature records say: which records are unchanged since somebody has \
      signed them (65 if one was changed), and whether the certificate is trusted. With --verify, it ends with 77 \
      unless every record is signed by somebody who is trusted.

      Examples:
        nfc read --virtual ntag216
        nfc read --trust signer.pem --verify
        nfc read --phone --virtual ntag216
      """)

  @Option(
    help: ArgumentHelp(
      "Save the bytes of the message in a file; with - only they are printed.",
      valueName: "file"), completion: .file())
  var raw: String?

  @Flag(help: "Say what phones do with the message, without an app of their own.")
  var phone = false

  @OptionGroup var signatures: SignatureOptions
  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let secrets = try TagSecrets(keys, password)
    try File.checkNew(raw, isForced: options.force)
    let check = try signatures.load()
    try await Session.run(options) { session in
      let tag = try await session.selectTag(
        "a tag", polling: .ndef, requestsVersion: false, for: .reading
      ) { $0 }
      let (content, isSpool) = try await tag.changingNDEF {
        try await tag.kind.open(with: secrets)
        let content = try await NDEFContent(tag.kind)
        let hasNone = content.status.access == .notSupported
        return (content, hasNone ? try await SpoolMemory.isOne(tag.kind) : false)
      }
      guard content.status.access != .notSupported else {
        if options.json { try Output.line(try content.json.text) }
        let advice = await isSpool ? SpoolMemory.advice : tag.kind.adviceWithoutNDEF
        throw Failure(.notThere, "the tag holds no NDEF", tag: tag.name, advice: advice)
      }
      if let raw {
        try File.write(
          content.bytes, to: raw,
          isPublic: !secrets.areGiven && !Credentials.mayBe(in: content.bytes))
        if raw == File.standard { return }
      }
      let message: NDEFMessage
      do {
        message = try content.message
      } catch {
        throw Failure(
          .content, "the NDEF message is broken: \(error)", tag: tag.name,
          advice: "nfc write or nfc erase replaces it")
      }
      let phones = phone ? PhoneReactions(message) : nil
      let signatures = check?.report(on: message)
      if options.json {
        try Output.line(
          try content.json(adding: ["phones": phones?.json, "signatures": signatures?.json]).text)
      } else {
        try Output.line(message.description)
        try signatures?.print()
        try phones?.print()
      }
      try signatures?.check(tag: tag.name)
    }
  }
}
