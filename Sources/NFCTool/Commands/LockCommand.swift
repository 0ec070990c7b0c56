import ArgumentParser
import NFC

/// The command `nfc lock`.
struct LockCommand: PermanentChange {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Makes a tag permanently read-only.",
    usage: "nfc lock --permanently [<options>]\nnfc lock --plan [<options>]",
    discussion: """
      This cannot be undone, and is refused without --permanently. --plan shows every change, before and after, and \
      writes nothing.

      Examples:
        nfc lock --plan --virtual ntag213
        nfc lock --permanently --virtual ntag213
      """)

  static let refusalUnlessConfirmed =
    "A locked tag can never be written again. To lock it, add --permanently; --plan shows the changes."

  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: TagPassword

  @Flag(help: "Confirm that the tag can never be written again.")
  var permanently = false

  @Flag(help: "Print every change that would be made, before and after, and write nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let secrets = try TagSecrets(keys, password)
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag(for: plan ? .reading : .changing)
      let shown = try await tag.changingNDEF(.lock) {
        try await tag.detected.open(with: secrets)
        return try await changingLocks(of: tag) { () -> ChangePlan? in
          guard plan else {
            try await tag.kind.makeReadOnly()
            return nil
          }
          return try await tag.kind.readOnlyPlan()
        }
      }
      if let shown { return try PlanOutput.show(shown, options) }
      try Output.done(options, tag.detected.identifier, ["locked": .bool(true)])
      if !options.json { Output.printNotice("locked \(tag.name)") }
    }
  }

  /// Runs `body`. An NDEF tag that cannot be locked is not an unsuitable tag.
  private func changingLocks<Result: Sendable>(
    of tag: SelectedTag<any NDEFTag>, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as NFCError
      where error.code == .unsupported && error.cause != .unsupportedByReader
    {
      throw Failure(notLockable: error, tag: tag.name)
    }
  }
}

extension Failure {
  /// Creates the failure of a tag whose locks are not known. An error that names a place has found out that the lock
  /// bits that were tried do nothing there, and says itself whether they could be put back.
  init(notLockable error: NFCError, tag: String) {
    self.init(
      .notAllowed, error.description, tag: tag,
      advice: error.place == nil ? "the tag was left as it was" : "use another tag")
  }
}
