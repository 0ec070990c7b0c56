import ArgumentParser
import NFC
import SwiftNFCBackground

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The command `nfc watch`.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Runs an action for every tag that is tapped.",
    usage: "nfc watch [--exec <command>] [--open] [--rules <file>] [<options>]",
    discussion: """
      Prints one line per tap, until interrupted. Readers may come and go, and the command waits for a \
      reader that is named. Nothing from a tag is ever part of a command line, and only links with one of \
      the --schemes are opened.

      The command of --exec gets NFC_UID, NFC_TYPE, NFC_PRODUCT, NFC_READER, NFC_EVENT (tap or left) and \
      NFC_DATE (of the touch, in UTC) in its environment, NFC_INITIAL for a tag that lay on the reader at the \
      start, and NFC_URI, NFC_TEXT and NFC_MIME_TYPE where the message has them; it gets the whole tap as \
      JSON on its standard input. Commands for one reader run one after the other: a tap waits until the \
      command of the one before has ended. A command that fails is reported.

      With --mqtt, taps are kept in the spool until the broker has them. One that the broker never accepts, \
      such as one that is too long, is moved to a file with the suffix .refused. Topics begin with \
      PREFIX/NAME; the password comes from NFC_MQTT_PASSWORD. With --exec, --open, --notify or --rules, \
      neither a full disk nor a broker that refuses ends the command: taps are then kept in memory.

      --rules names a YAML file with a list of rules, of which the first one that matches is used; --verbose \
      says which. Changes to the file take effect while the command runs.

      - match: {uid-file: badges.txt, initial: false}
        do: {exec: ./open-door, signal: success}
      - match: {uid: [04A1B2C3D4E5F6, 04:E1:0C:DA:99:3C:80], text: "room *"}
        do: {exec: ./light, publish: home/light}
      - match: {uri: ["https://example.com/", "tel:*"]}
        do: {open: true}
      - match: {mime: text/vcard, type: miFare, product: NTAG215}
        do: {notify: A business card, app: org.gnome.Contacts}
      - on: left
        match: {external: example.com:lamp}
        do: {exec: ./dark}
      - match: {uidKind: random}
        do: {notify: false}

      Conditions of one rule all have to hold; a list is any of its values. uid ignores case and colons; \
      uid-file has one UID per line, then a blank and anything, and is read again when it changes. text and \
      mime are compared whole, uri and external by their beginning, unless they have * (any characters) or ? \
      (one character); mime and external ignore case, product also blanks. type: miFare, iso7816, iso15693, \
      feliCa or other. uidKind: random for a UID that is another one each time, or fixed. initial: whether \
      the tag lay on the reader at the start. on: tap, unless given, or left. do: takes exec, open (true or a \
      link), notify (true or a text), publish (a topic), signal (success or failure, with the reader's light and buzzer) \
      and app (a desktop file's name).

      Examples:
        nfc watch --exec 'echo "$NFC_UID $NFC_URI" >> taps.txt'
        nfc watch --open --notify
        nfc watch --mqtt mqtts://door@broker.example --name entrance --home-assistant
        nfc watch --rules door.yaml --install --system
      """)

  @OptionGroup var reader: ReaderOptions
  @OptionGroup(title: "Actions") var actions: WatchActionOptions
  @OptionGroup(title: "MQTT") var mqtt: WatchMQTTOptions

  @Option(
    help: ArgumentHelp(
      "Count the same tag within this time as one tap; 2 unless given.", valueName: "seconds"),
    transform: { try WatchActionOptions.seconds($0, "--debounce") })
  var debounce: Duration = .seconds(2)

  @OptionGroup var period: PollingPeriod
  @OptionGroup var frames: PollingFrameOption

  @Option(
    help: ArgumentHelp("Report only the tag with this UID.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "--uid") })
  var uid: [UInt8]?

  /// Accepted and ignored, so that the same options can precede any subcommand: this one runs until interrupted.
  @Option(help: .hidden) private var timeout: String?

  @Flag(
    help: ArgumentHelp(
      "Print a systemd user unit that runs this command line.",
      discussion: "It reads NFC_MQTT_PASSWORD and other variables from ~/.config/nfc/watch.env."))
  var install = false

  @Flag(
    help: ArgumentHelp(
      "With --install: a unit of the system, which needs no login.",
      discussion: "It reads its variables from /etc/nfc/watch.env."))
  var system = false

  @Flag(help: "With --install: write the unit to your systemd folder, or the system's.")
  var write = false

  mutating func validate() throws {
    guard install || !write else { throw ValidationError("--write requires --install.") }
    guard install || !system else { throw ValidationError("--system requires --install.") }
    guard !system || !(actions.open || actions.notify) else {
      throw ValidationError("--system is for doors: --open and --notify need a desktop.")
    }
  }

  func run() async throws {
    guard !install else { return try printUnit() }
    var rules: RulesFile?
    if let path = actions.rules {
      rules = try await RulesFile(path: path, permitsPublishing: mqtt.broker != nil)
    }
    let publisher = try mqtt.publisher(isPersistent: actions.areGiven)
    let notifier = TapNotifier()
    let watcher = Watcher(
      Watcher.Options(
        debounce: debounce, isJSON: reader.json, uid: uid, actions: actions.actions,
        isVerbose: reader.verbose, beeps: actions.beep),
      rules: rules,
      actions: TapActions(links: actions.links, timeout: actions.timeout, notifier: notifier),
      publisher: publisher)
    defer { withExtendedLifetime(rules) {} }
    do {
      // Nobody would know of a tap that arrives after the program that reads the reports has ended.
      try await Output.whileRead { [rules] in try await watch(watcher, rules, publisher) }
    } catch {
      await watcher.stop()
      await publisher?.stop()
      await notifier.stop()
      throw error
    }
  }

  private func watch(
    _ watcher: Watcher, _ rules: RulesFile?, _ publisher: MQTTPublisher?
  ) async throws {
    var options = try GlobalOptions(reader)
    // Which rule is used would be lost in thousands of lines of libnfc's log, which LIBNFC_LOG_LEVEL shows.
    if rules != nil { options.verbose = false }
    let readers = WatchedReaders(
      options, period: period.duration, frames: frames.frames, watcher: watcher)
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await readers.run() }
      group.addTask { for await failure in watcher.failures { throw failure } }
      if let rules { group.addTask { try await rules.follow() } }
      if let publisher {
        group.addTask { try await publisher.run() }
        group.addTask {
          for await message in publisher.commands {
            readers.execute(message, publisher: publisher)
          }
        }
      }
      // Each of these tasks only ends with an error: a tap that cannot be reported, a broker that refuses, or
      // an interruption.
      while try await group.next() != nil {}
    }
  }

  private func printUnit() throws {
    var unit = SystemdUnit(
      line: Array(CommandLine.arguments.dropFirst()),
      folder: FileManager.default.currentDirectoryPath)
    if system {
      unit.isOfSystem = true
      let environment = ProcessInfo.processInfo.environment
      unit.user = ["SUDO_USER", "USER", "LOGNAME"].lazy.compactMap { environment[$0] }
        .first { SystemdUnit.isUser($0) && $0 != "root" }
    }
    try unit.check()
    guard write else { return try Output.line(unit.text) }
    try unit.install()
    guard !system else {
      return Output.printNotice(
        "nfc: wrote \(unit.path); start it: sudo systemctl enable --now nfc-watch")
    }
    Output.printNotice(
      "nfc: wrote \(unit.path); start it: systemctl --user enable --now nfc-watch"
        + (unit.needsDesktop ? "" : "; loginctl enable-linger lets it run without a login"))
  }
}

/// The options for actions on taps.
struct WatchActionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Run this command with sh -c for each tap.", valueName: "command"))
  var exec: String?

  @Option(
    help: ArgumentHelp(
      "End a command that takes longer; 60 unless given.", valueName: "seconds"),
    transform: { try seconds($0, "--exec-timeout") })
  var execTimeout: Duration?

  @Flag(help: "Open the first link of the message with the desktop's handler.")
  var open = false

  @Option(
    help: ArgumentHelp(
      "The schemes of links that are opened, separated by commas.",
      discussion: "\(LinkPolicy.standard.schemes.sorted().joined(separator: ",")) unless given.",
      valueName: "list"),
    transform: schemes)
  var schemes: [String]?

  @Flag(help: "Show a notification; a click on it opens the link.")
  var notify = false

  @Flag(
    help: ArgumentHelp(
      "Show each tap with the reader's light and buzzer, if it has them: success, or failure for a tag that no rule matches."
    ))
  var beep = false

  @Option(
    help: ArgumentHelp("A YAML file that says what to do for which tag.", valueName: "file"),
    completion: .file())
  var rules: String?

  private static let standardTimeout = Duration.seconds(60)

  /// The time limit for a command.
  var timeout: Duration { execTimeout ?? Self.standardTimeout }

  var links: LinkPolicy { schemes.map { LinkPolicy(schemes: Set($0)) } ?? .standard }

  mutating func validate() throws {
    if let exec, exec.allSatisfy(\.isWhitespace) {
      throw ValidationError("--exec takes a command, and this one is empty.")
    }
    if execTimeout != nil, exec == nil, rules == nil {
      throw ValidationError("--exec-timeout requires --exec or --rules.")
    }
    if schemes != nil, !open, !notify, rules == nil {
      throw ValidationError("--schemes requires --open, --notify or --rules.")
    }
  }

  /// Whether something is done for taps besides reporting them.
  var areGiven: Bool { exec != nil || open || notify || rules != nil }

  /// The actions for taps that no rule matches.
  var actions: [TapAction] {
    var actions: [TapAction] = []
    if let exec { actions.append(.execute(exec)) }
    if open { actions.append(.open(nil)) }
    if notify { actions.append(.notify(nil)) }
    return actions
  }

  private static func schemes(_ text: String) throws -> [String] {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for name in names where LinkPolicy.scheme(of: name + ":") == nil {
      throw ValidationError("--schemes takes schemes such as https, not \"\(name)\".")
    }
    return names.map { $0.lowercased() }
  }

  private static let longest = 1_000_000.0

  static func seconds(_ text: String, _ option: String) throws -> Duration {
    guard let value = Double(text), value >= 0, value <= longest else {
      throw ValidationError("\(option) takes a number of seconds, not \"\(text)\".")
    }
    return .milliseconds(Int64((value * 1000).rounded()))
  }
}

/// The options for publishing taps.
struct WatchMQTTOptions: ParsableArguments {
  @Option(
    name: .customLong("mqtt"),
    help: ArgumentHelp(
      "Publish taps: mqtt:// or mqtts://, [user@]host[:port].", valueName: "url"),
    transform: broker)
  var broker: MQTTOptions?

  @Option(
    name: .customLong("mqtt-ca"),
    help: ArgumentHelp(
      "Certificate authorities for mqtts://; SSL_CERT_FILE does the same.", valueName: "file"),
    completion: .file())
  var authorities: String?

  @Option(
    help: ArgumentHelp("The beginning of all topics; nfc unless given.", valueName: "prefix"))
  var topic: String?

  @Option(
    help: ArgumentHelp("This machine's level in the topics; its host name if not given."))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "Where taps are kept until they are published; ~/.local/state/nfc/watch.spool unless given.",
      valueName: "file"),
    completion: .file())
  var spool: String?

  @Flag(help: "Make the readers known to Home Assistant as tag scanners.")
  var homeAssistant = false

  mutating func validate() throws {
    if broker == nil, let option = firstOption {
      throw ValidationError("\(option) requires --mqtt.")
    }
    guard authorities == nil || broker?.isSecure == true else {
      throw ValidationError("--mqtt-ca requires an address that begins with mqtts://.")
    }
    if let topic, !Self.isPrefix(topic) {
      throw ValidationError(
        "--topic takes a topic without +, # and control characters that neither begins with $ nor begins or "
          + "ends with /, not \"\(topic.onOneLine)\".")
    }
    if let name, !MQTTTopic.isLevel(name) {
      throw ValidationError(
        "--name takes a name without /, +, # and control characters, not \"\(name.onOneLine)\".")
    }
  }

  /// The first option that has no effect without a broker.
  private var firstOption: String? {
    let options = [
      ("--mqtt-ca", authorities != nil), ("--topic", topic != nil), ("--name", name != nil),
      ("--spool", spool != nil), ("--home-assistant", homeAssistant),
    ]
    return options.first(where: \.1)?.0
  }

  private static func isPrefix(_ topic: String) -> Bool {
    MQTTTopic.isValidForPublishing(topic) && !topic.hasSuffix("/") && !topic.hasPrefix("/")
  }

  private static func broker(_ text: String) throws -> MQTTOptions {
    guard let options = MQTTOptions(text) else {
      // The password is not repeated, because error messages are kept in journals.
      if MQTTOptions.hasPassword(text) {
        throw ValidationError(
          "--mqtt takes no password, which other users could read; set NFC_MQTT_PASSWORD instead.")
      }
      throw ValidationError(
        "--mqtt takes mqtt:// or mqtts:// and [user@]host[:port], not \"\(text)\".")
    }
    return options
  }

  /// Returns the publisher, or `nil` if no broker was specified.
  ///
  /// - Parameter isPersistent: whether neither a disk that takes no taps nor a broker that refuses ends the command.
  func publisher(isPersistent: Bool) throws -> MQTTPublisher? {
    guard var broker else { return nil }
    let environment = ProcessInfo.processInfo.environment
    broker.password = environment["NFC_MQTT_PASSWORD"]
    broker.authorities = authorities ?? environment["SSL_CERT_FILE"]
    if broker.isSecure, let file = broker.authorities { try Self.checkCertificates(in: file) }
    let name = name ?? ProcessInfo.processInfo.hostName
    let level = MQTTTopic.isLevel(name) ? name : MQTTTopic.level(of: name)
    let spool: TapSpool
    do {
      spool = try Self.spool(
        self.spool ?? Self.standardSpool, makesFolder: self.spool == nil, isPersistent)
    } catch {
      throw Failure(spool: error)
    }
    return try MQTTPublisher(
      broker, topics: MQTTTopic(prefix: topic ?? "nfc", name: level), spool: spool,
      homeAssistant: homeAssistant ? HomeAssistantDiscovery(name: level) : nil,
      isPersistent: isPersistent)
  }

  private static func spool(
    _ path: String, makesFolder: Bool, _ isPersistent: Bool
  ) throws(TapSpool.Problem) -> TapSpool {
    guard isPersistent else { return try TapSpool(path: path, makesFolder: makesFolder) }
    return try TapSpool(path: path, makesFolder: makesFolder) { problem in
      Output.printError(
        problem.map {
          "nfc: \(Failure(spool: $0).reason); they are kept in memory until the broker has them"
        } ?? "nfc: taps are kept in \(ArgumentText.shown(path)) again")
    }
  }

  /// The lines that a certificate can begin with (openssl-format-options(1); RFC 7468, section 5.1).
  private static let beginnings = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
    .map { "-----BEGIN \($0)-----" }

  /// libmosquitto reports a missing file like a connection that failed, which is tried again.
  private static func checkCertificates(in file: String) throws {
    let text = String(decoding: try File.read(file), as: UTF8.self)
    guard beginnings.contains(where: text.contains) else {
      throw Failure(
        .content, "\(File.name(file)) contains no certificate",
        advice: "name a file of certificate authorities in PEM format")
    }
  }

  /// The standard path of the spool, in the state directory (XDG Base Directory Specification).
  private static var standardSpool: String { "\(UserFolder.state())/nfc/watch.spool" }
}
