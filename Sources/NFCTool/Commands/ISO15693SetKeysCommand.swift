import ArgumentParser
import NFC
import SecureTags

/// The command `nfc iso15693 set-keys`.
struct ISO15693SetKeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-keys", abstract: "Gives an NTAG 5 its AES keys.",
    usage: "nfc iso15693 set-keys --new-key <number:hex> [<options>]",
    discussion: """
      For NTAG 5 link and boost, which nfc iso15693 secrets keys has set to use keys. Each key is written and read \
      back while it is inactive; once all of them are right, they are activated. An active key and its privileges can \
      never be read or changed, which is refused without --permanently. Keys that are not needed should be disabled.

      The tag uses the keys once it has been removed and presented again. If the command is interrupted, run it again: \
      a key that is active already has to prove itself then. This was not tried on hardware, and an inactive key \
      cannot be tried: begin with a single tag.

      Example:
        nfc iso15693 set-keys --new-key 0:00112233445566778899AABBCCDDEEFF \\
          --privileges 0:all --disable-others --plan
      """)

  @Option(
    help: ArgumentHelp(
      "A key of 16 bytes, by its number from 0 to 3; may be given more than once.",
      valueName: "number:hex"),
    transform: { try GivenKey($0, "--new-key") })
  var newKey: [GivenKey<ICODEKeyPlace>] = []

  @Option(
    name: .customLong("new-keys"),
    help: ArgumentHelp(
      "A file of such keys, one per line; # begins a comment.", valueName: "file"),
    completion: .file())
  var newKeyFiles: [String] = []

  @Option(
    help: ArgumentHelp(
      "What a reader that proves the key may do, one or more words with commas between them.",
      discussion: "\(GivenPrivileges.list).", valueName: "number:list"),
    transform: { try GivenPrivileges($0) })
  var privileges: [GivenPrivileges] = []

  @Flag(help: "Permanently disable the keys that are not given.")
  var disableOthers = false

  @Flag(help: "Confirm that the keys can never be read or changed.")
  var permanently = false

  @Flag(help: "Print what would be written, and write nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard !newKey.isEmpty || !newKeyFiles.isEmpty || disableOthers else {
      throw ValidationError("Give a key with --new-key 0:HEX or --new-keys.")
    }
    guard permanently || plan else {
      throw ValidationError(
        "Keys that are activated can never be changed. To set them, add --permanently.")
    }
  }

  func run() async throws {
    let setup = try setup()
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      try await tag.namingKeys {
        let change = try await ICODETag(tag.kind).keyPlan(setup)
        guard !plan else { return try PlanOutput.show(change, options) }
        let done = try await tag.detected.perform(change, accepting: [.locksKeys, .disablesKeys])
        try Output.done(
          options, tag.detected.identifier,
          [
            "keys": .array(setup.keys.keys.sorted().map { .integer($0) }),
            "steps": .integer(done.steps.count),
          ])
        if !options.json {
          Output.printNotice("set the keys of \(tag.name); it uses them once it has been removed")
        }
      }
    }
  }

  private func setup() throws -> NTAG5KeySetup {
    var rights: [Int: NTAG5Privileges] = [:]
    for given in privileges {
      guard rights.updateValue(given.privileges, forKey: given.number) == nil else {
        throw Failure(.usage, "--privileges \(given.number) is given twice")
      }
    }
    var keys: [Int: NTAG5KeySetup.Key] = [:]
    for given in try newKey + Keyring<ICODEKeyPlace>.keys(in: newKeyFiles) {
      let number = given.place.number
      guard keys[number] == nil else { throw Failure(.usage, "--new-key \(number) is given twice") }
      guard let privileges = rights.removeValue(forKey: number) else {
        throw Failure(
          .usage, "key \(number) has no privileges, which can never be changed",
          advice: "give them with --privileges \(number):LIST, or \(number):none")
      }
      keys[number] = NTAG5KeySetup.Key(given.secret, privileges: privileges)
    }
    if let number = rights.keys.min() {
      throw Failure(.usage, "--privileges is given for key \(number), and --new-key is not")
    }
    return NTAG5KeySetup(keys: keys, disablesOtherKeys: disableOthers)
  }
}
