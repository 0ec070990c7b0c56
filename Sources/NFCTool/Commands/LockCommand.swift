import SwiftNFCJSONText
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

  @OptionGroup var keys: TagKeys
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
      let steps = try await tag.changingNDEF(.lock) {
        try await tag.detected.open(with: secrets)
        return try await changingLocks(of: tag) {
          guard plan else {
            try await tag.kind.makeReadOnly()
            return [LockStep]()
          }
          return try await tag.kind.readOnlyPlan()
        }
      }
      guard !plan else { return try show(steps) }
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

  private func show(_ steps: [LockStep]) throws {
    for step in steps {
      let remark = ", which most tags of this kind refuse; nothing is changed then"
      try PlannedChange.show(
        step.text + (step.mayBeRefused ? remark : ""), step.members, options)
    }
    if steps.isEmpty, !options.json { try Output.line("nothing to be written") }
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

extension LockStep {
  /// The text in the form in which `restore --plan` shows changes.
  fileprivate var text: String {
    switch change {
    case .bytes(let before, let after):
      "\(place): \(before.hexadecimal) → \(after.hexadecimal)"
    case .accessRights(let before, let after):
      "\(place): access rights \(before.hexadecimal) → \(after.hexadecimal)"
    case .lock: "\(place): lock"
    }
  }

  /// The members for `--json`.
  fileprivate var members: KeyValuePairs<String, JSONValue?> {
    switch change {
    case .bytes(let before, let after):
      [
        placeName: placeValue, "before": .bytes(before), "after": .bytes(after),
        "mayBeRefused": mayBeRefused ? .bool(true) : nil,
      ]
    case .accessRights(let before, let after):
      [
        placeName: placeValue, "accessRights": .bool(true), "before": .bytes(before),
        "after": .bytes(after),
      ]
    case .lock: [placeName: placeValue, "locked": .bool(true)]
    }
  }

  private var placeName: String {
    switch place {
    case .page: "page"
    case .block: "block"
    case .sector: "sector"
    case .file: "file"
    case .offset: "offset"
    }
  }

  private var placeValue: JSONValue {
    switch place {
    case .page(let number), .block(let number), .sector(let number), .offset(let number):
      .integer(number)
    case .file(let identifier): .string(identifier.bigEndianBytes.hexadecimal)
    }
  }
}
