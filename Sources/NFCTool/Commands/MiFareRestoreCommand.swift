import ArgumentParser
import NFC

/// `nfc mifare restore`.
struct MiFareRestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Writes a dump back to a tag.",
    discussion: """
      Reads the tag first and writes only what differs. What can do harm is written only when asked \
      for by name with an --include option; a UID is never written. --plan says what would be written \
      and writes nothing. With --json a line a sector or page says what was done; on a \
      terminal plan and report are shown in any case.

      --key gives the keys of the tag as it is now; those in the dump of a MIFARE Classic are tried \
      too. Whatever is left out against the wish ends with exit code 77, the rest is written.

      Example:
        nfc mifare restore card.mfd --plan
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var keys: TagKeys

  @Flag(help: "Print what would be written, and write nothing.")
  var plan = false

  @Flag(
    help: ArgumentHelp(
      "Write the lock bits of an Ultralight or NTAG, and sector trailers that could never be changed again.",
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
    help: "Write block 0 of a MIFARE Classic: only cards that are not genuine take it.")
  var includesBlock0 = false

  @Argument(help: "The file.") var file: String

  func run() async throws {
    let image = try MemoryFile.read(file)
    try await Session.run(options) { session in
      let tag = try await session.selectMemoryTag()
      let restoration = try await tag.work {
        do {
          return try await prepare(image, for: tag.kind)
        } catch let error as NFCError where error.code == .malformedContent {
          throw Failure(
            .content, "\(file) is no dump of this tag: \(error)", tag: tag.name,
            advice: "nothing was written")
        }
      }
      let plan = restoration.plan
      if plan.isEmpty { Output.remark("nothing differs from \(file)") }
      guard !self.plan else { return try show(plan, isDone: false, Output.line) }
      if !options.json { try show(plan, isDone: false, Output.remark) }
      let report = try await tag.work { try await restoration.run() }
      try show(report, isDone: true, options.json ? Output.line : Output.remark)
      try finish(report, tag.name, session)
    }
  }

  private func prepare(
    _ image: [UInt8], for tag: MemoryTag
  ) async throws -> any MemoryRestoration {
    switch tag {
    case .classic(let commands):
      return try await ClassicRestoration(
        commands, image, keys: try keys.classic, locksForGood: includeLocks,
        includesBlock0: includesBlock0)
    case .ultralight(let commands, let tag):
      var extras: UltralightRestorePlan.Extras = []
      if includeLocks { extras.insert(.locks) }
      if includeCapabilityContainer { extras.insert(.oneTimePage) }
      if includeConfiguration { extras.insert(.configuration) }
      if includePassword { extras.insert(.password) }
      return try await UltralightRestoration(
        commands, image, key: try keys.ultralight(try await tag.product()), extras: extras)
    }
  }

  private func show(
    _ parts: [RestoredPart], isDone: Bool, _ print: (String) throws -> Void
  ) throws {
    for part in parts {
      let lines =
        options.json ? [part.json(isDone: isDone).text] : part.lines(isDone: isDone)
      for line in lines { try print(line) }
    }
  }

  private func finish(_ report: [RestoredPart], _ name: String, _ session: Session) throws {
    let missing = Self.grouped(report) { $0.isFailure }
    guard missing.isEmpty else {
      throw Failure(
        .notAllowed, "not all was restored: \(missing.joined(separator: "; "))", tag: name,
        advice: "another key may be needed; the rest was written")
    }
    for left in Self.grouped(report, where: { $0.isNotAskedFor }) {
      session.note("left out \(left), with an --include option")
    }
  }

  /// What was left out, those with the same reason together.
  private static func grouped(
    _ report: [RestoredPart], where isMeant: (RestoredPart.Omission) -> Bool
  ) -> [String] {
    var groups: [(kind: String, text: String, numbers: [Int])] = []
    for part in report {
      for omission in part.omissions where isMeant(omission) {
        if let index = groups.firstIndex(where: { $0.text == omission.text }) {
          groups[index].numbers.append(part.number)
        } else {
          groups.append((part.kind, omission.text, [part.number]))
        }
      }
    }
    return groups.map { group in
      let plural = group.numbers.count > 1 ? "s" : ""
      return "\(group.kind)\(plural) \(NumberList.text(group.numbers)): \(group.text)"
    }
  }
}
