import ArgumentParser
import NFC
import TagTools

/// The command `nfc iso15693`.
struct ISO15693Subcommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "iso15693", abstract: "Works with ISO 15693 tags.",
    discussion: "Example:\n  nfc iso15693 read 0-7 --virtual icode-slix2",
    subcommands: [
      ISO15693InfoCommand.self, ISO15693ReadCommand.self, ISO15693WriteCommand.self,
      ISO15693LockCommand.self, ISO15693EASCommand.self, ISO15693PrivacyCommand.self,
      ISO15693SetPasswordCommand.self, ISO15693DestroyCommand.self, ISO15693ProveCommand.self,
      ISO15693SecretsCommand.self, ISO15693SetKeysCommand.self, ISO15693EnforceCommand.self,
      ISO15693HidePasswordsCommand.self, ISO15693SendCommand.self,
    ])
}

extension Session {
  /// Waits for a vicinity tag. Throws an error at once if no reader can find one.
  func selectVicinityTag(for use: TagUse) async throws -> SelectedTag<any ISO15693Tag> {
    try checkVicinity()
    return try await selectTag("an ISO 15693 tag", polling: .vicinity, for: use) { tag in
      if case .iso15693(let tag) = tag { tag } else { nil }
    }
  }
}

extension Session {
  private func checkVicinity() throws {
    guard readers.contains(where: \.hasVicinity) else {
      throw Failure(
        .noReader,
        "\(reader.name) has no ISO 15693: the PN53x chips cannot do it",
        advice: "use a PC/SC reader that has it, with --reader pcsc:NAME")
    }
  }

  private static let uidSize = 8
  private static let pauseBetweenAttempts = Duration.milliseconds(100)

  /// Waits for the vicinity tag of `--uid`, which answers commands that are addressed to it and may answer no
  /// search.
  func selectHiddenVicinityTag(
    for use: TagUse
  ) async throws -> SelectedTag<any ISO15693Tag> {
    try checkVicinity()
    guard let uid = options.uid, uid.count == Self.uidSize else {
      throw Failure(
        .usage, "--uid has \(options.uid?.count ?? 0) bytes, and a UID has \(Self.uidSize)")
    }
    let clock = ContinuousClock()
    let deadline = clock.now + timeout
    let found = try await Progress.asking(for: "the tag \(uid.hexadecimal)", within: timeout) {
      while true {
        for reader in readers where reader.hasVicinity {
          if let tag = try await reader.vicinityTag(uid: uid) { return tag as (any ISO15693Tag)? }
        }
        guard clock.now < deadline else { return nil }
        try await Task.sleep(for: Self.pauseBetweenAttempts)
      }
    }
    guard let found else {
      throw Failure(
        .notThere, "no tag with the UID \(uid.hexadecimal) answers",
        advice: "a reader that sees no tag sends nothing: hold another ISO 15693 tag to it, too")
    }
    return SelectedTag(detected: .iso15693(found), kind: found, use: use)
  }
}

extension SelectedTag where Kind == any ISO15693Tag {
  /// Runs `body`. The tag is added to errors.
  func namingBlocks<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await showingProgress(body)
    } catch let error as NFCError where error.code == .unsupported {
      // The reader does not support the command. The error is not about the tag.
      throw Failure(error)
    } catch let error as NFCError {
      var failure = Failure(error, tag: name)
      if error.vicinityRefusal == .blockNotAvailable {
        failure.status = .content
        failure.advice = "nfc iso15693 info shows how many blocks the tag has"
      }
      throw failure
    }
  }
}

extension SelectedTag where Kind == any ISO15693Tag {
  /// Throws an error for blocks that the tag does not have, before the first of several ranges is read.
  func checkExistence(of blocks: [Range<Int>]) async throws {
    guard let count = try await detected.vicinityInformation()?.blockCount,
      let range = blocks.first(where: { $0.upperBound > count })
    else { return }
    throw NFCError(
      .invalidParameter, "the tag has blocks 0 to \(count - 1)",
      place: .block(max(range.lowerBound, count)))
  }
}

/// Parses block numbers on the command line.
enum BlockNumbers {
  /// The highest block number, which has 16 bits.
  static let largest = 0xFFFF

  static func argument(_ text: String) throws -> [Range<Int>] {
    try NumberList.ranges(text, "The blocks", upTo: largest).map { Range($0) }
  }

  static func single(_ text: String) throws -> Int {
    try NumberArgument.integer(text, "The block", in: 0...largest)
  }
}
