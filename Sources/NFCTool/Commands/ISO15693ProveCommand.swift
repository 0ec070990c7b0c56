import ArgumentParser
import SwiftNFCJSONText
import NFC
import SecureTags

/// The command `nfc iso15693 prove`.
struct ISO15693ProveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prove", abstract: "Has an ICODE DNA or NTAG 5 prove that it has an AES key.",
    usage: "nfc iso15693 prove --key <number:hex> [<options>]",
    discussion: """
      The tag encrypts a random challenge, which shows that it is not a copy. The key is not sent, and \
      nothing on the tag changes. Each given key is tested. The exit code is 77 if the tag does not prove one of \
      them.

      The keys must have been written and activated; this command does not do that. The reader must be one of \
      PC/SC that sends the tag's commands unchanged.

      Example:
        nfc iso15693 prove --key 0:00000000000000000000000000000000 --virtual icode-dna
      """)

  @OptionGroup var keys: KeyOptions<ICODEKeyPlace>
  @OptionGroup var keyFiles: KeyFiles
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles).byPlace.sorted { $0.key.number < $1.key.number }
    guard !keyring.isEmpty else {
      throw Failure(
        .usage, "no key is given to prove", advice: "give it with --key 0:HEX, --keys or NFC_KEYS")
    }
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: .reading)
      try await tag.provingKeys {
        let chip = try await ICODETag(tag.kind)
        for (place, key) in keyring { try await chip.proveKey(place.number, key) }
      }
      try Output.done(
        options, tag.detected.identifier,
        ["keys": .array(keyring.map { .integer($0.key.number) }), "proved": .bool(true)])
      if !options.json { Output.printNotice("\(tag.name) has the key") }
    }
  }
}

extension SelectedTag where Kind == any ISO15693Tag {
  /// Runs `body`. A refused proof has the same status as a wrong one: the tag does not say more.
  fileprivate func provingKeys(_ body: () async throws -> Void) async throws {
    do {
      try await showingProgress(body)
    } catch let error as NFCError {
      var failure = Failure(error, tag: name)
      switch error.code {
      case .authenticationFailed: failure.advice = "check the key, or do not trust the tag"
      case .tagRefused:
        failure.status = .notAllowed
        failure.advice = "a key must be active before the tag proves it; check its number"
      default: break
      }
      throw failure
    }
  }
}
