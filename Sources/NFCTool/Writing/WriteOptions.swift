import ArgumentParser
import NFC

/// The options for writing that all kinds of messages share.
struct WriteOptions: ParsableArguments {
  @Flag(help: "Read everything back and compare.")
  var verify = false

  @Flag(help: "Add to the message on the tag instead of replacing it.")
  var append = false

  @Flag(help: "Write a link or type even if most programs cannot use it.")
  var asIs = false

  @Flag(help: "Write tag after tag, each UID once; --timeout limits the wait for each.")
  var each = false

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
      "With --each: a CSV file whose first row names the columns.", valueName: "file"),
    completion: .file())
  var from: String?

  @Option(
    help: ArgumentHelp(
      "With --from: begin with this row of the table; 1 unless given. {n} counts the rows before it.",
      valueName: "number"),
    transform: { try NumberArgument.integer($0, "--row", in: 1...Int.max / 2) })
  var row: Int?

  @Flag(
    help: "Make each tag permanently read-only after it is verified; requires --permanently.")
  var lock = false

  @Flag(help: "With --lock: confirm that the tag can never be written again.")
  var permanently = false

  func check(_ options: GlobalOptions) throws {
    if !each {
      let alone = [
        ("--count", count != nil), ("--first", first != nil), ("--from", from != nil),
      ].first(where: \.1)
      if let alone { throw ValidationError("\(alone.0) requires --each.") }
    }
    guard row == nil || from != nil else { throw ValidationError("--row requires --from.") }
    guard lock == permanently else {
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
    let writing = MessageWriting(
      verify: verify || lock, append: append, lock: lock, secrets: secrets)
    guard !each else {
      let batch = try BatchWriting(kind, self, writing)
      return try await Session.run(options) { session in
        try await Output.whileRead { try await batch.run(session) }
      }
    }
    let message = try kind.message(.none, isForced: asIs)
    try MessageCheck.check(message, of: type(of: kind), isForced: asIs)
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag(for: .changing)
      let written = try await tag.changingNDEF {
        try await writing.write(message, to: tag.detected, tag.kind)
      }
      try Output.done(options, tag.detected.identifier, written.members)
      if !options.json { Output.printNotice("wrote \(written.length) bytes to \(tag.name)") }
    }
  }
}
