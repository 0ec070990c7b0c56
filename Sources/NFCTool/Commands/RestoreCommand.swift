import ArgumentParser
import NFC
import TagImages
import TagTools

/// The options that `nfc restore` and `nfc mifare restore` share.
struct RestoreArguments: ParsableArguments {
  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: TagPassword

  @Flag(help: "Print every change that would be made, before and after, and write nothing.")
  var plan = false

  @Flag(
    help: ArgumentHelp(
      "Write the lock bits of an Ultralight, NTAG, SRx or ST25TB, and sector trailers that could never be changed again.",
      discussion: "Cannot be undone."))
  var includeLocks = false

  @Flag(
    help: ArgumentHelp(
      "Write page 3 of an Ultralight or NTAG.",
      discussion: "Cannot be undone: its bits can only be set."))
  var includeCapabilityContainer = false

  @Flag(help: "Write the configuration pages of an Ultralight or NTAG.")
  var includeConfiguration = false

  @Flag(help: "Write password and acknowledge of an Ultralight or NTAG, if the file has them.")
  var includePassword = false

  @Flag(
    name: .customLong("include-block-0"),
    help: "Write block 0 of a MIFARE Classic: only cards that are not genuine accept it.")
  var includesBlock0 = false

  @Flag(
    help: ArgumentHelp(
      "Write keys of zeros to a MIFARE Classic.",
      discussion:
        "In plain files they stand for keys that were not read; the card's stay unless this is given."
    ))
  var includeZeroKeys = false

  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String

  func run(_ options: GlobalOptions, onlyMiFare: Bool) async throws {
    let decoding = try ImageFile.read(file)
    for note in decoding.remarks { Output.printError("nfc: \(File.name(file)): \(note)") }
    let image = decoding.image
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectMemoryTag(
        for: plan ? .reading : .changing, onlyMiFare: onlyMiFare)
      let restoration = try await tag.addingTagName {
        do {
          return try await prepare(image, for: tag.kind, password)
        } catch let error as NFCError where error.code == .malformedContent {
          throw Failure(
            .content, "\(File.name(file)) is not an image of this tag: \(error)", tag: tag.name,
            advice: "nothing was written")
        }
      }
      let parts = restoration.parts
      if parts.isEmpty { Output.printNotice("nothing differs from \(File.name(file))") }
      guard !plan else {
        let now =
          if let present = restoration.present { present } else {
            try await tag.addingTagName {
              try await tag.kind.readImage(keys, password: password).image
            }
          }
        try Self.show(
          restoration.parts(comparedWith: now), isDone: false, options, Output.line)
        return try PlanOutput.showEffects(restoration.plan.effects, options)
      }
      if !options.json { try Self.show(parts, isDone: false, options, Output.printNotice) }
      let report = try await tag.addingTagName {
        try await Progress.during("Writing \(tag.name)") {
          // What cannot be undone is in the plan only if an option named it.
          let plan = restoration.plan
          return restoration.parts(
            of: try await tag.detected.perform(plan, accepting: Set(plan.effects)))
        }
      }
      try Self.show(report, isDone: true, options, options.json ? Output.line : Output.printNotice)
      try Self.finish(report, tag.name, session)
    }
  }

  /// Plans the restoration of the image, and writes nothing.
  private func prepare(
    _ image: TagImage, for tag: DetectedTag, _ password: [UInt8]?
  ) async throws -> TagRestoration {
    try await tag.restoration(
      of: image, keys: try keys.found.keys(for: tag), passwordBytes: password, including: extras)
  }

  /// What is written only on request. Raw bytes do not always indicate their kind, so for them only the size decides.
  private var extras: RestorationExtras {
    var extras: RestorationExtras = []
    if includeLocks { extras.insert(.locks) }
    if includeCapabilityContainer { extras.insert(.capabilityContainer) }
    if includeConfiguration { extras.insert(.configuration) }
    if includePassword { extras.insert(.password) }
    if includesBlock0 { extras.insert(.manufacturerBlock) }
    if includeZeroKeys || ImageFile.marksUnknownKeys(file) { extras.insert(.zeroKeys) }
    switch ImageFile.format(of: file) {
    case nil, .binary, .emulator: extras.insert(.uncertainKind)
    default: break
    }
    return extras
  }

  static func show(
    _ parts: [RestoredPart], isDone: Bool, _ options: GlobalOptions,
    _ print: (String) throws -> Void
  ) throws {
    for part in parts {
      let lines = options.json ? [part.json(isDone: isDone).text] : part.lines(isDone: isDone)
      for line in lines { try print(line) }
    }
  }

  static func finish(_ report: [RestoredPart], _ name: String, _ session: Session) throws {
    let missing = grouped(report) { $0.isFailure }
    guard missing.isEmpty else {
      throw Failure(
        .notAllowed, "not all was restored: \(missing.joined(separator: "; "))", tag: name,
        advice: advice(report))
    }
    for left in grouped(report, where: { $0.isNotRequested }) { session.note("left out \(left)") }
  }

  /// Returns what would have the missing parts written.
  private static func advice(_ report: [RestoredPart]) -> String {
    let remedies = report.flatMap(\.omissions).filter(\.isFailure).compactMap(\.remedy)
    var sentences: [String] = remedies.contains(.key) ? ["another key may be needed"] : []
    for case .option(let name) in remedies {
      let sentence = "\(name) writes it all the same"
      if !sentences.contains(sentence) { sentences.append(sentence) }
    }
    let rest = report.allSatisfy(\.written.isEmpty) ? "nothing" : "the rest"
    return (sentences + ["\(rest) was written"]).joined(separator: "; ")
  }

  /// Returns a description of the parts that a plan omits.
  static func omissions(_ plan: [RestoredPart]) -> String {
    grouped(plan) { _ in true }.joined(separator: "; ")
  }

  /// Returns the omitted parts, grouped by their reason.
  private static func grouped(
    _ report: [RestoredPart], where isMeant: (RestoredPart.Omission) -> Bool
  ) -> [String] {
    var groups: [(text: String, parts: [RestoredPart])] = []
    for part in report {
      for omission in part.omissions where isMeant(omission) {
        if let index = groups.firstIndex(where: {
          $0.text == part.text(of: omission) && $0.parts[0].kindName == part.kindName
        }) {
          groups[index].parts.append(part)
        } else {
          groups.append((part.text(of: omission), [part]))
        }
      }
    }
    return groups.map { group in
      let plural = group.parts.count > 1 ? "s" : ""
      let hasLabels = group.parts.contains { $0.label != nil }
      let numbers =
        hasLabels
        ? group.parts.map(\.numberName).joined(separator: ", ")
        : NumberList.text(group.parts.map(\.number))
      return "\(group.parts[0].kindName)\(plural) \(numbers): \(group.text)"
    }
  }
}

/// The command `nfc restore`.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Writes an image back to a tag.",
    usage: "nfc restore <file> [--plan] [--key <hex>] [--keys <file>] [<options>]",
    discussion: """
      Reads the tag first and writes only what differs. On a DESFire card, a FeliCa card or a Type 4 \
      tag it writes the existing files and services that everybody can write, and creates no applications \
      or files. Records that the image does not have are deleted. On an SRx or ST25TB it writes the blocks \
      from 7 on; counters and one-time bits stay. Anything that can do harm is written only \
      when an --include option names it; a UID is never written. --plan shows every change and writes nothing. With --json, one line per sector, page \
      or block reports what was done; on a terminal, plan and report are always shown.

      --key gives the tag's current keys; those in the image of a MIFARE Classic are tried, too. If \
      something cannot be written, the rest is written and the exit code is 77.

      Example:
        nfc restore tag.bin --plan --virtual ntag216
      """)

  @OptionGroup var restore: RestoreArguments
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws { try await restore.run(options, onlyMiFare: false) }
}

/// The command `nfc mifare restore`.
struct MiFareRestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Writes an image back to a MIFARE or NTAG tag.",
    usage: "nfc mifare restore <file> [--plan] [--key <hex>] [<options>]",
    discussion: """
      Like nfc restore, but refuses other tags.

      Example:
        nfc mifare restore card.mfd --plan --virtual classic-1k
      """)

  @OptionGroup var restore: RestoreArguments
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws { try await restore.run(options, onlyMiFare: true) }
}
