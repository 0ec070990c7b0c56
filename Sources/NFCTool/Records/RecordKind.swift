import ArgumentParser
import NFC

/// A kind of message that can be described on the command line. `nfc write KIND` writes the message, and `nfc
/// encode KIND` saves it.
protocol RecordKind: ParsableArguments, Sendable {
  /// The options for the tag's password.
  associatedtype Password: TagPasswordOptions = TagPassword

  /// The word on the command line.
  static var name: String { get }
  static var abstract: String { get }
  /// The arguments and the most important options.
  static var usage: String { get }
  /// The command lines of `nfc write` that are shown as examples, without the heading `Examples`.
  static var examples: [String] { get }
  /// Further help, or an empty string.
  static var details: String { get }
  /// What phones do with such a tag, or an empty string; see ``PhoneReactions``.
  static var phones: String { get }

  /// Returns the message, with the placeholders in its texts replaced.
  ///
  /// - Parameter isForced: whether to accept content that most programs cannot use.
  /// - Throws: ``Failure``: `usage` for invalid values, `content` for an invalid file.
  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage

  /// The texts that may contain placeholders.
  var templates: [String] { get }
  /// Whether the records are those of a file.
  static var isFromFile: Bool { get }
}

extension RecordKind {
  static var details: String { "" }
  static var phones: String { "" }
  static var isFromFile: Bool { false }
  var templates: [String] { [] }

  static func configuration(of command: String) -> CommandConfiguration {
    let examples = examples.map { "  nfc \(command) \($0)" }.joined(separator: "\n")
    let heading = Self.examples.count == 1 ? "Example:" : "Examples:"
    return CommandConfiguration(
      commandName: name, abstract: abstract,
      usage: "nfc \(command) \(name) \(usage) [<options>]",
      discussion: ([details, phones].filter { !$0.isEmpty } + [heading + "\n" + examples])
        .joined(separator: "\n\n"))
  }
}

/// The command `nfc write KIND`.
struct WriteKindCommand<Kind: RecordKind>: AsyncParsableCommand {
  static var configuration: CommandConfiguration { Kind.configuration(of: "write") }

  @OptionGroup var kind: Kind
  @OptionGroup var writing: WriteOptions
  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: Kind.Password
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws { try writing.check(options) }

  func run() async throws {
    try await writing.run(kind, try TagSecrets(keys, password), options)
  }
}

/// The command `nfc encode KIND`.
struct EncodeKindCommand<Kind: RecordKind>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let write = Kind.configuration(of: "encode")
    return CommandConfiguration(
      commandName: write.commandName,
      abstract: "Encodes" + write.abstract.dropFirst("Writes".count),
      usage: "nfc encode \(Kind.name) \(Kind.usage) --output <file> [--as-is]",
      discussion: withoutReaders(write.discussion, of: "encode", adding: " --output message.ndef"))
  }

  /// Returns a discussion whose examples of a command name no virtual tags.
  static func withoutReaders(
    _ discussion: String, of command: String, adding end: String = ""
  ) -> String {
    discussion.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in
        line.hasPrefix("  nfc \(command)") ? withoutReader(line) + end : String(line)
      }
      .joined(separator: "\n")
  }

  /// Returns an example without its virtual tag, because the command does not use a reader.
  ///
  /// Every start of `nfc` asks for every configuration; a regular expression would take longer than all the rest.
  private static func withoutReader(_ example: Substring) -> String {
    var words = example.split(separator: " ", omittingEmptySubsequences: false)
    if let option = words.firstIndex(of: "--virtual") { words.removeSubrange(option...option + 1) }
    return words.joined(separator: " ")
  }

  @OptionGroup var kind: Kind

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file for the message; - for standard output.", valueName: "file"),
    completion: .file())
  var output: String

  @Flag(help: "Accept a link or type even if most programs cannot use it.")
  var asIs = false

  @Flag(help: "Overwrite a file that is there already.")
  var force = false

  @OptionGroup private var ignored: IgnoredReaderOptions
  @OptionGroup private var ignoredJSON: IgnoredJSONOption

  func run() async throws {
    try File.checkNew(output, isForced: force)
    let message = try kind.message(.none, isForced: asIs)
    try MessageCheck.check(message, of: Kind.self, isForced: asIs)
    let bytes = message.encoded()
    try File.write(bytes, to: output, isPublic: !Credentials.mayBe(in: bytes))
  }
}

/// Checks whether programs will read a message as intended.
enum MessageCheck {
  /// - Parameter isForced: accepts records whose payload is not of their type.
  static func check(
    _ message: NDEFMessage, of kind: (some RecordKind).Type, isForced: Bool
  ) throws {
    let status: ExitStatus = kind.isFromFile ? .content : .usage
    let nothingWasWritten = "nothing was written"
    do {
      try message.validate()
      // What cannot be read again because of its size is not written either.
      _ = try NDEFMessage(decoding: message.encoded())
    } catch {
      throw Failure(
        status, "this is not an NDEF message: \(error)", advice: nothingWasWritten)
    }
    guard !isForced else { return }
    do {
      _ = try message.records.map { try $0.decoded }
    } catch {
      throw Failure(
        status, "a record is broken: \(error)",
        advice: kind.isFromFile ? "\(nothingWasWritten); insist with --as-is" : nothingWasWritten)
    }
  }
}

extension NDEFSyntaxError {
  /// The advice for a text that was refused: its corrected form, or else what such a text is like.
  func advice(otherwise example: String) -> String {
    suggestion.map { "write \($0.shellWord), or insist with --as-is" }
      ?? "\(example); insist with --as-is"
  }
}

/// Checks texts of the command line.
enum TextArgument {
  /// - Throws: `usage` for text that is not UTF-8.
  static func checked(_ text: String, _ name: String) throws -> String {
    guard let whole = ArgumentText.utf8(text) else {
      throw Failure(
        .usage, "\(name) \"\(ArgumentText.shown(text))\" is not UTF-8",
        advice: "give it in UTF-8, or a file with nfc write mime")
    }
    return whole
  }
}
