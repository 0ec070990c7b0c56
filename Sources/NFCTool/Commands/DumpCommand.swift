import ArgumentParser
import NFC
import TagImages

/// What `nfc dump` and `nfc mifare dump` have in common.
struct DumpArguments: ParsableArguments {
  @OptionGroup var keys: TagKeys
  @OptionGroup var password: TagPassword

  @Flag(
    help:
      "Save what can be read; the rest is unknown, or zeros where the format has no mark for that.")
  var partial = false

  @Argument(
    help: ArgumentHelp("The file, whose extension names the format; - for standard output."))
  var file: String

  func run(_ options: GlobalOptions, onlyMiFare: Bool) async throws {
    let format = try ImageFile.requiredFormat(of: file)
    let isPlain = onlyMiFare && (format == .binary || format == .emulator)
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectMemoryTag(for: .reading, onlyMiFare: onlyMiFare)
      let content = try await tag.work {
        try await Progress.during("Reading \(tag.name)") {
          // Bytes as they are are all that is asked for.
          try await tag.kind.read(keys, password: password, isPlain ? .memory : .everything)
        }
      }
      if let missing = content.missing {
        guard partial else {
          throw Failure(
            .notAllowed, "not all of the tag was read: \(missing)", tag: tag.name,
            advice: "nothing was saved; give another --key, or --partial for the rest")
        }
        session.note("what was not read was left out: \(missing)")
      }
      if let loss = try ImageFile.write(content.image, to: file), !isPlain { session.note(loss) }
      let size = try ImageFile.size(of: content.image, in: file)
      guard file != File.standard else { return }
      try Output.done(
        options, tag.detected.identifier,
        ["saved": .integer(size), "file": .string(File.name(file))])
      if !options.json { Output.remark("saved \(size) bytes of \(tag.name)") }
    }
  }
}

/// `nfc dump`.
struct DumpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Saves a tag's memory in a file.",
    discussion: """
      Of any tag that has a memory: MIFARE Classic, Ultralight and NTAG, ISO 15693, FeliCa, Topaz; of DESFire, \
      Type 4 tags and other smart cards the files that can be read without a key (.nfc only). \
      The file's extension names the format: .bin and .mfd are the bytes as they are, .eml is text of \
      Proxmark3 and libnfc, .json Proxmark3, .nfc Flipper Zero, .mct MIFARE Classic Tool. Version, \
      signature, counters and locks are saved where the format has a place for them; what it has no place \
      for is said in one line.

      In .bin, .mfd, .eml and .json of a MIFARE Classic the key that was used stands in place of each \
      that cannot be read; passwords and keys of an Ultralight or NTAG are zeros. What no key opens ends \
      with exit code 77 and no file, or is left out with --partial. Every image can be used as --virtual \
      FILE.

      Example:
        nfc dump tag.nfc --virtual ntag216
      """)

  @OptionGroup var dump: DumpArguments
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws { try await dump.run(options, onlyMiFare: false) }
}

/// `nfc mifare dump`.
struct MiFareDumpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Saves the memory of a MIFARE or NTAG tag in a file.",
    discussion: """
      As nfc dump does, and refuses other tags.

      Example:
        nfc mifare dump card.mfd --key A0B1C2D3E4F5 --virtual classic-1k
      """)

  @OptionGroup var dump: DumpArguments
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws { try await dump.run(options, onlyMiFare: true) }
}
