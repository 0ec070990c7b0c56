import ArgumentParser
import NFC
import SecureTags

/// The command `nfc iso15693 hide-passwords`.
struct ISO15693HidePasswordsCommand: PermanentChange {
  static let configuration = CommandConfiguration(
    commandName: "hide-passwords", abstract: "Hides the passwords of an NTAG 5 from everyone.",
    usage: "nfc iso15693 hide-passwords --permanently [--plan] [<options>]",
    discussion: """
      For NTAG 5 link and boost, whose passwords anyone can read until they are hidden. The password is the one for \
      reading and writing that nfc protect sets, zeros unless given. Afterwards the tag can never use AES keys. This \
      cannot be undone, and is refused without --permanently.

      Example:
        nfc iso15693 hide-passwords --permanently --virtual ntag5-link
      """)

  static let refusalUnlessConfirmed =
    "Hiding cannot be undone. To hide the passwords, add --permanently."

  @OptionGroup var password: TagPassword

  @Flag(help: "Confirm that the passwords can never be read again, and no keys be used.")
  var permanently = false

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      let secret = try ICODETag.secret(password, .write, tag)
      try await tag.namingPassword {
        let chip = try await ICODETag(tag.kind)
        guard !plan else {
          return try PlanOutput.show(
            try await chip.hidingPlan(current: ICODEPasswords(secret)), options)
        }
        try await chip.hidePasswordsPermanently(current: ICODEPasswords(secret))
        try Output.done(options, tag.detected.identifier, ["passwordsHidden": .bool(true)])
      }
    }
  }
}
