import ArgumentParser
import NFC
import SecureTags

/// The command `nfc iso15693 eas`.
struct ISO15693EASCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "eas", abstract: "Turns a label's article surveillance on or off.",
    usage: "nfc iso15693 eas on|off [--tag-password <password>] [--plan] [<options>]",
    discussion: """
      For NXP's ICODE labels, which set off the alarm at the gates of a shop. nfc info shows whether it is \
      on. --lock makes the setting permanent, which cannot be undone and is refused without --permanently.

      Examples:
        nfc iso15693 eas off --virtual icode-slix2
        nfc iso15693 eas on --password 00000000 --virtual icode-slix
      """)

  enum State: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
  }

  @Argument(help: "on or off.")
  var state: State

  @OptionGroup var password: TagPassword

  @Flag(help: "Make the setting permanent.")
  var lock = false

  @Flag(help: "With --lock: confirm that the setting can never be changed again.")
  var permanently = false

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard !lock || permanently || plan else {
      throw ValidationError("Locking cannot be undone. To lock the setting, add --permanently.")
    }
    guard lock || !permanently else { throw ValidationError("--permanently requires --lock.") }
  }

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      if let password, password.count != ICODETag.passwordSize {
        throw Failure(
          .usage,
          "the password has \(password.count) bytes, and that of article surveillance has "
            + "\(ICODETag.passwordSize)",
          tag: tag.name, advice: "give \(2 * ICODETag.passwordSize) hexadecimal digits")
      }
      let secret = password.map { SecretKey($0) }
      try await tag.namingPassword {
        let change = try await ICODETag(tag.kind).surveillancePlan(
          state == .on, locksSetting: lock, password: secret)
        guard !plan else { return try PlanOutput.show(change, options) }
        try await tag.detected.perform(change, accepting: lock ? [.locksSurveillance] : [])
        try Output.done(
          options, tag.detected.identifier,
          ["eas": .bool(state == .on), "easLocked": lock ? .bool(true) : nil])
      }
    }
  }
}
