import ArgumentParser
import NFC
import TagImages
import TagTools

/// The options that `nfc dump` and `nfc mifare dump` share.
struct DumpArguments: ParsableArguments {
  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: TagPassword

  @Flag(
    help:
      "Save what can be read; the rest is unknown, or zeros where the format has no mark for that.")
  var partial = false

  @Argument(
    help: ArgumentHelp("The file, whose extension names the format; - for standard output."),
    completion: .file())
  var file: String

  func run(_ options: GlobalOptions, onlyMiFare: Bool) async throws {
    let format = try ImageFile.requiredFormat(of: file)
    try File.checkNew(file, isForced: options.force)
    let isPlain = onlyMiFare && (format == .binary || format == .emulator)
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectMemoryTag(for: .reading, onlyMiFare: onlyMiFare)
      let content = try await tag.addingTagName {
        try await Progress.during("Reading \(tag.name)") {
          // Only the raw bytes are required.
          try await tag.kind.readImage(keys, password: password, isPlain ? .memory : .everything)
        }
      }
      if let missing = content.missing {
        guard partial else {
          throw Failure(
            .notAllowed, "not all of the tag was read: \(missing)", tag: tag.name,
            advice:
              "nothing was saved; give its key with --key or its password with --tag-password, "
              + "or save the rest with --partial")
        }
        session.note("what was not read was left out: \(missing)")
      }
      if let remark = content.remark { session.note(remark) }
      let unsaved = try await tag.addingTagName { try await tag.kind.applicationsWithoutImage() }
      var image = content.image
      if ImageFile.marksUnknownKeys(file),
        ImagedTags.haveZerosForUnknownKeys(tag.detected.identifier)
      {
        image.forgetUnreadKeys()
      }
      let loss = try ImageFile.write(
        image, to: file, lost: unsaved, isPublic: password == nil && !keys.areGiven)
      if let loss, !isPlain { session.note(loss) }
      let size = try ImageFile.size(of: content.image, in: file)
      guard file != File.standard else { return }
      try Output.done(
        options, tag.detected.identifier,
        ["saved": .integer(size), "file": .string(File.name(file))])
      if !options.json { Output.printNotice("saved \(size) bytes of \(tag.name)") }
    }
  }
}

/// The command `nfc dump`.
struct DumpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Saves a tag's memory in a file.",
    usage: "nfc dump <file> [--key <hex>] [--keys <file>] [--partial] [<options>]",
    discussion: """
      Works with every tag that has a memory: MIFARE Classic, Ultralight and NTAG, ISO 15693, FeliCa, \
      Topaz, ST SRx, ASK CTx, NFC Barcode and iCLASS. Of a DESFire card, a Type 4 tag or another smart \
      card it saves the files that can be read without a key; if there are none, the identity, in .nfc \
      only. The file's extension names the format: .bin and .mfd are the bytes as they are, .eml is text of Proxmark3 and \
      libnfc, .json Proxmark3, .nfc Flipper Zero, .mct MIFARE Classic Tool, .picopass Flipper Zero's \
      iCLASS cards. For CTx, barcodes and B' cards .nfc is this program's own form. Version, signature, \
      counters and locks are saved where the format has a place for them; whatever it cannot hold is listed \
      in one line. A file that is there already is not overwritten without --force.

      In .bin, .mfd, .eml and .json files of a MIFARE Classic, the key that was used stands in for each \
      key that cannot be read; passwords and keys of an Ultralight or NTAG are zeros. If a part of the \
      memory cannot be read, the command ends with exit code 77 and writes no file, unless --partial \
      leaves that part out. Every image can be used with --virtual FILE.

      Example:
        nfc dump tag.nfc --virtual ntag216
      """)

  @OptionGroup var dump: DumpArguments
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws { try await dump.run(options, onlyMiFare: false) }
}

/// The command `nfc mifare dump`.
struct MiFareDumpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Saves the memory of a MIFARE or NTAG tag in a file.",
    usage: "nfc mifare dump <file> [--key <hex>] [--keys <file>] [<options>]",
    discussion: """
      Like nfc dump, but refuses other tags.

      Example:
        nfc mifare dump card.mfd --key A0B1C2D3E4F5 --virtual classic-1k
      """)

  @OptionGroup var dump: DumpArguments
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws { try await dump.run(options, onlyMiFare: true) }
}
