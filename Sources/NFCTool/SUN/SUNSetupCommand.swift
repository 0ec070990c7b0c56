import ArgumentParser
import NFC
import SUNMessage
import SecureTags

/// The command `nfc sun setup`.
struct SUNSetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Makes an NTAG 424 DNA or DESFire EV3 sign its link at every tap.",
    usage: "nfc sun setup <url-template> --key <number:hex> [--plan] [<options>]",
    discussion: """
      In the template, {picc} stands for UID and read counter, encrypted; {uid} and {counter} for the two \
      in plain text; {enc} for 16 encrypted bytes of --file-data, {enc:32} for 32; {mac} for the MAC. nfc \
      sun verify checks such links.

      Key 1 computes the MAC and key 2 encrypts UID and counter unless other numbers are given. Keys that \
      are not given are assumed to be zeros, as delivered. Afterwards only key 0 can write the link.

      A tag that was switched to LRP with nfc desfire lrp is recognized and gets the link in that form.

      A DESFire EV3 has the link in a file that nfc desfire create-file --dynamic has created, which --app and --file \
      name. The application has AES keys, of which the first five can be used. A phone finds the link if the \
      application has the name D2760000850101, with a capability container in file E103 and the link in file E104.

      To complete a setup that was interrupted, run the same command again. A wrong key costs one attempt, \
      which the tag counts; a lost key cannot be recovered.

      Examples:
        nfc sun setup 'https://a.example/?p={picc}&c={mac}' \\
          --key 0:00000000000000000000000000000000 --plan --virtual ntag424
        nfc sun setup 'https://a.example/?u={uid}&n={counter}&c={mac}' \\
          --key 0:00000000000000000000000000000000 \\
          --new-key 1:00112233445566778899AABBCCDDEEFF --virtual ntag424
        nfc sun setup 'https://a.example/?p={picc}&c={mac}' --app F00001 --file 2 \\
          --key 0:00000000000000000000000000000000 --plan
      """)

  @Argument(
    help: ArgumentHelp("The link with places for what the tag puts in.", valueName: "url-template"))
  var template: String

  @Option(
    name: .customLong("app"),
    help: ArgumentHelp("The application of a DESFire EV3.", valueName: "aid"),
    transform: { try DESFireText.application($0, "--app") })
  var application: DESFireApplicationIdentifier?

  @Option(
    help: ArgumentHelp("The file of a DESFire EV3.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--file", in: 0...31) })
  var file: Int?

  @OptionGroup var keys: KeyOptions<NumberedKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Option(
    help: ArgumentHelp(
      "A key that replaces the present one; may be given more than once.",
      discussion: "Key 0 is changed last.", valueName: "number:hex"),
    transform: { try GivenKey($0, "--new-key") })
  var newKey: [GivenKey<NumberedKeyPlace>] = []

  @Option(
    help: ArgumentHelp(
      "The version of the new keys, 0 to 255; 1 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--key-version", in: 0...255) })
  var keyVersion: Int?

  @Option(
    help: ArgumentHelp("The number of the key for {picc}; 2 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--picc-key", in: 0...4) })
  var piccKey: Int?

  @Option(
    help: ArgumentHelp(
      "The number of the key for {mac} and {enc}; 1 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--mac-key", in: 0...4) })
  var macKey: Int?

  @Option(
    help: ArgumentHelp(
      "What the MAC covers: none, enc, first, link or a character's number; enc where there is one, else none.",
      valueName: "start"),
    transform: { try SUNMACInput(argument: $0) })
  var macInput: SUNMACInput?

  @Option(help: ArgumentHelp("What {enc} encrypts, padded with zeros.", valueName: "text"))
  var fileData: String?

  @Option(
    help: ArgumentHelp(
      "After this many reads the tag no longer gives its link.",
      discussion: "Anyone who has key 0 can set another limit.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--counter-limit", in: 1...16_777_214) })
  var counterLimit: Int?

  @Option(
    help: ArgumentHelp(
      "The given keys, except the one for {picc}, are master keys.",
      discussion: """
        A tag's own key is derived from its UID and these bytes, which name application and system (NXP AN10922). For a tag as delivered, give only new keys.
        """, valueName: "hex"),
    transform: { try SUNKeyText.diversification($0) })
  var diversify: [UInt8]?

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @Flag(help: "Read the link afterwards, as a phone does, and check it.")
  var verify = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard !plan || !verify else {
      throw ValidationError("--plan writes nothing that --verify could read.")
    }
    guard (application == nil) == (file == nil) else {
      throw ValidationError("--app and --file require each other.")
    }
    guard keyVersion == nil || !newKey.isEmpty else {
      throw ValidationError("--key-version requires --new-key.")
    }
    let places = [
      ("--picc-key", piccKey != nil, "{picc}"), ("--file-data", fileData != nil, "{enc}"),
    ]
    for (name, isGiven, place) in places where isGiven {
      guard !template.contains(place.dropLast()) else { continue }
      throw ValidationError("\(name) is for \(place), which the template does not have.")
    }
  }

  func run() async throws {
    let setup = try setup()
    try await Session.run(options) { session in
      let tag = try await session.selectTag(
        application == nil ? "an NTAG 424 DNA" : "a DESFire EV3", polling: .miFare,
        for: plan ? .reading : .changing
      ) { tag -> DetectedTag? in
        switch tag {
        case .miFare, .iso7816: tag
        default: nil
        }
      }
      if setup.link.options.hasFileDataOutsideLinks {
        session.note(
          "the file data has characters that no link has; whoever reads the file with a key finds them as they are"
        )
      }
      let words = application.flatMap { application in
        file.map { "--app \(application) --file \($0)" }
      }
      try await tag.namingKeys(file: words) {
        let place = application.flatMap { application in file.map { (application, $0) } }
        let target = try await SigningTarget(tag.kind, place)
        let setup = try diversified(setup, uid: tag.detected.identifier)
        guard !plan else { return try PlanOutput.show(try await target.plan(setup), options) }
        let done = try await target.setUp(setup)
        if verify { try await check(target, setup, done.link) }
        try Output.done(
          options, tag.detected.identifier,
          ["link": .string(template), "steps": .integer(done.steps.count)])
        if !options.json { Output.printNotice("set up \(tag.name)") }
      }
    }
  }

  private func setup() throws -> NTAG424Setup {
    do {
      let text = ArgumentText.utf8(template) ?? ArgumentText.shown(template)
      try LinkText.checkTemplate(text)
      let form = try SUNTemplate(text)
      var choices = NTAG424Link.Options()
      choices.metaReadKey = piccKey ?? choices.metaReadKey
      choices.fileReadKey = macKey ?? choices.fileReadKey
      choices.macInput = macInput ?? choices.macInput
      choices.fileData = Array((fileData ?? "").utf8)
      choices.counterLimit = counterLimit
      let version = UInt8(keyVersion ?? 1)
      let given = try Dictionary(
        uniqueKeysWithValues: Keyring(keys, keyFiles).byPlace.map {
          ($0.number, try DESFireKey(.aes, $1))
        })
      var newKeys: [Int: DESFireKey] = [:]
      for key in newKey {
        guard newKeys[key.place.number] == nil else {
          throw Failure(.usage, "--new-key \(key.place.number) is given twice")
        }
        newKeys[key.place.number] = try DESFireKey(.aes, key.secret, version: version)
      }
      let setup = NTAG424Setup(
        link: try NTAG424Link(form, choices),
        keys: given, newKeys: newKeys)
      return setup
    } catch let error as SUNTemplateError {
      throw Failure(.usage, "\(error)", advice: "nfc sun setup --help shows templates")
    } catch let error as NFCError {
      throw Failure(error)
    }
  }

  private func diversified(_ setup: NTAG424Setup, uid: [UInt8]) throws -> NTAG424Setup {
    guard let diversify else { return setup }
    guard uid.count == SUNKeyText.uidSize else {
      throw NFCError(.unsupported, "the tag hides its UID, from which its keys are derived")
    }
    var shared: Set<Int> = []
    if case .encrypted(let number, _, _, _) = setup.link.dynamicMessaging.identity {
      shared = [number]
    }
    return try setup.diversified(by: uid + diversify, except: shared)
  }

  /// Reads the link without a key, and verifies it with the tag's current keys.
  private func check(
    _ target: SigningTarget, _ setup: NTAG424Setup, _ written: NTAG424Link
  ) async throws {
    guard let record = try await target.message()?.records.first,
      let link = try record.decoded as? URIRecord
    else { throw NFCError(.malformedContent, "the tag has no link") }
    func key(_ number: Int) -> SUNKey? {
      (setup.newKeys[number] ?? setup.keys[number] ?? .factory(.aes)).sunKey
    }
    let dynamic = written.dynamicMessaging
    var metaKey: SUNKey?
    if case .encrypted(let number, _, _, _) = dynamic.identity { metaKey = key(number) }
    guard let fileKey = dynamic.authentication.flatMap({ key($0.key) }) else { return }
    do {
      let message = try SUNMessage(url: link.uri, template: written.template)
      _ = try message.verified(
        metaReadKey: metaKey, fileReadKey: fileKey, macInput: written.options.macInput)
    } catch {
      throw NFCError(.malformedContent, "the link that the tag returns is not correct: \(error)")
    }
  }
}

extension SelectedTag {
  /// Runs `body`. The tag and, for a wrong key, the option that specifies the key are added to errors.
  ///
  /// - Parameter file: the options that name the file, if they are given.
  fileprivate func namingKeys(
    file: String?, _ body: () async throws -> Void
  ) async throws {
    do {
      try await noting(.repeatable, body)
    } catch let error as NFCError {
      var failure = Failure(error, tag: name)
      switch error.code {
      case .notAuthenticated, .authenticationFailed:
        failure.advice = "give the keys that the tag has now with --key"
      case .tagConnectionLost, .tagResponseError:
        failure.advice = "the same command completes it"
      case .wrongTag where file == nil:
        failure.advice =
          "use an NTAG 424 DNA, or name a file of a DESFire EV3 with --app and --file"
      case .wrongTag:
        failure.advice =
          "nfc desfire info shows what is there; nfc desfire create-app creates an application"
      case .unsupported where error.cause != nil && error.cause != .unsupportedByReader:
        failure.advice =
          file.map {
            "nfc desfire delete-file \($0) deletes the file; "
              + "nfc desfire create-file \($0) --size 256 --dynamic creates one for links"
          }
      default: break
      }
      throw failure
    }
  }
}
