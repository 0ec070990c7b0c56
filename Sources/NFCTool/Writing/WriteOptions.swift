import ArgumentParser
import NFC
import TagTools

/// The options for writing that all kinds of messages share.
struct WriteOptions: ParsableArguments {
  @Flag(help: "Read everything back and compare.")
  var verify = false

  @Flag(help: "Add to the message on the tag instead of replacing it.")
  var append = false

  @Flag(help: "Write a link or type even if most programs cannot use it.")
  var asIs = false

  @Flag(help: "Format a blank tag first. On some tags formatting cannot be undone.")
  var format = false

  @Flag(help: "Print what would be written, and write nothing.")
  var plan = false

  @Option(
    help: ArgumentHelp(
      "Save the message that is on the tag in this file, before it is replaced; nfc write raw writes it back.",
      valueName: "file"), completion: .file())
  var backup: String?

  @Flag(
    name: .customLong("each"),
    help: "Write tag after tag, each UID once; --timeout limits the wait for each.")
  private var isEach = false

  @Option(
    help: ArgumentHelp("With --each: stop after this many tags.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--count", in: 1...Int.max) })
  var count: Int?

  @Option(
    help: ArgumentHelp(
      "With --each: the number {n} of the first tag; 1 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--first", in: 0...Int.max / 2) })
  var first: Int?

  @Option(
    help: ArgumentHelp(
      "Write tag after tag, as --each does, with the rows of this CSV file, whose first row names the columns.",
      discussion: "Between the values are commas, semicolons or tabs.", valueName: "file"),
    completion: .file())
  var from: String?

  @Option(
    help: ArgumentHelp(
      "With --from: begin with this row of the table; 1 unless given. {n} counts the rows before it.",
      valueName: "number"),
    transform: { try NumberArgument.integer($0, "--row", in: 1...Int.max / 2) })
  var row: Int?

  @Option(
    help: ArgumentHelp(
      "With --from: keep the table with the uid and state of each row in this file.",
      discussion:
        "A batch that continues with --row goes on with the file. A failed row has the state failed until it is written.",
      valueName: "file"),
    completion: .file())
  var results: String?

  @Flag(
    help: "Make each tag permanently read-only after it is verified; requires --permanently.")
  var lock = false

  @Flag(help: "With --lock: confirm that the tag can never be written again.")
  var permanently = false

  /// Whether tag after tag is written.
  var each: Bool { isEach || from != nil }

  func check(_ options: GlobalOptions) throws {
    if !each {
      let alone = [("--count", count != nil), ("--first", first != nil)].first(where: \.1)
      if let alone { throw ValidationError("\(alone.0) requires --each.") }
    }
    guard row == nil || from != nil else { throw ValidationError("--row requires --from.") }
    guard results == nil || from != nil else { throw ValidationError("--results requires --from.") }
    guard !plan || !each else {
      throw ValidationError("--plan is of one tag, and --each writes every tag.")
    }
    guard backup == nil || !each else {
      throw ValidationError("--backup keeps the message of one tag, and --each writes every tag.")
    }
    guard backup == nil || backup != File.standard || !options.json else {
      throw ValidationError("--backup - and --json cannot both be given.")
    }
    guard plan ? lock || !permanently : lock == permanently else {
      throw ValidationError(
        lock
          ? "A locked tag can never be written again. To lock it, add --permanently."
          : "--permanently requires --lock.")
    }
    if each, options.uid != nil {
      throw ValidationError("--uid selects one tag, and --each writes every tag.")
    }
  }

  /// Writes the message that the options describe to one tag or to several.
  func run(
    _ kind: some RecordKind, _ secrets: TagSecrets, _ options: GlobalOptions
  ) async throws {
    if !plan { try File.checkNew(backup, isForced: options.force) }
    let writing = MessageCommand(
      writing: MessageWriting(
        appends: append, formats: format, verifies: verify || lock, locks: lock),
      backup: backup, secrets: secrets)
    guard !each else {
      let batch = try BatchWriting(kind, self, writing, isForced: options.force)
      return try await Session.run(options) { session in
        try await Output.whileRead { try await batch.run(session) }
      }
    }
    let message = try kind.message(.none, isForced: asIs)
    try MessageCheck.check(message, of: type(of: kind), isForced: asIs)
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag(for: plan ? .reading : .changing)
      guard !plan else {
        let plan = try await tag.changingNDEF {
          try await writing.plan(message, for: tag.detected)
        }
        return try PlanOutput.show(plan, options)
      }
      let written = try await tag.changingNDEF {
        try await writing.write(message, to: tag.detected)
      }
      try Output.done(options, tag.detected.identifier, written.members)
      if !options.json { Output.printNotice("\(written.text) to \(tag.name)\(written.remarks)") }
    }
  }
}
