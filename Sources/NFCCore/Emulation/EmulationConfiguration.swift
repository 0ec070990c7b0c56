/// How a reader acts as a card; see ``Reader/emulate(_:)``.
public struct EmulationConfiguration: Sendable {
  /// What the other side sees before its first command.
  public var identity: CardIdentity
  /// The applications whose commands are delivered; empty for all commands. Others are answered 6A82: from the SELECT
  /// of one of these on, everything is delivered, until another application is selected.
  public var applications: ApplicationFilter
  /// How long a command may remain unanswered. After that it is answered 6F00, because a phone gives up a card that is
  /// silent for longer than 0.6 to 1 s.
  public var answerLimit = Duration.milliseconds(500)
  /// The maximum number of commands in one session, so that a reader without an end gets none of the program's time
  /// for ever. After that the session is ended.
  public var maximumCommands = 10_000
  /// Called once, on any thread, when the card can be activated for the first time.
  public var onReady: (@Sendable () -> Void)?

  /// Creates a configuration for a card with this identity.
  public init(
    identity: CardIdentity, applications: ApplicationFilter = ApplicationFilter([]),
    onReady: (@Sendable () -> Void)? = nil
  ) {
    self.identity = identity
    self.applications = applications
    self.onReady = onReady
  }

  /// Creates a configuration for a card with a random UID that receives the commands of these applications.
  ///
  /// - Parameter aids: application identifiers in hexadecimal; empty for all commands.
  /// - Throws: ``NFCError/Code/invalidParameter`` for what is not an identifier of 5 to 16 bytes.
  public init(aids: [String] = []) throws(NFCError) {
    var identifiers: [[UInt8]] = []
    for text in aids {
      guard let bytes = [UInt8](hexadecimal: text), ApplicationFilter.lengths.contains(bytes.count)
      else {
        throw NFCError(
          .invalidParameter, "an application identifier has 5 to 16 bytes in hexadecimal")
      }
      identifiers.append(bytes)
    }
    self.init(identity: .random, applications: ApplicationFilter(identifiers))
  }

  static let noAnswer = StatusWord.noPreciseDiagnosis.rawValue.bigEndianBytes
}

/// Decides which commands of another reader are for this program, by the application that the reader has selected.
public struct ApplicationFilter: Hashable, Sendable {
  /// The identifiers of the applications; empty for all commands.
  public let identifiers: [[UInt8]]
  /// Whether an identifier also stands for the longer ones that begin with it.
  public let matchesPrefixes: Bool
  /// Whether the last SELECT was of one of them.
  public private(set) var isSelected = false

  /// The lengths of an application identifier (ISO/IEC 7816-4, 8.2.1.2): a registered one has at least five bytes.
  public static let lengths = 5...16

  /// What becomes of a command.
  package enum Decision: Hashable, Sendable {
    case deliver
    /// It is answered here. `leaves` if it has selected something else after one of the applications.
    case answer([UInt8], leaves: Bool)
  }

  /// Creates a filter.
  public init(_ identifiers: [[UInt8]], matchesPrefixes: Bool = false) {
    self.identifiers = identifiers
    self.matchesPrefixes = matchesPrefixes
  }

  /// A session begins: nothing is selected.
  mutating func activate() { isSelected = false }

  private static let selectByName: UInt8 = 0x04

  package mutating func decide(_ command: [UInt8]) -> Decision {
    guard !identifiers.isEmpty else { return .deliver }
    guard let name = Self.selectedName(command) else {
      return isSelected ? .deliver : refusal(leaves: false)
    }
    let wasSelected = isSelected
    isSelected = identifiers.contains { matchesPrefixes ? name.starts(with: $0) : name == $0 }
    return isSelected ? .deliver : refusal(leaves: wasSelected)
  }

  private func refusal(leaves: Bool) -> Decision {
    .answer(StatusWord.fileNotFound.rawValue.bigEndianBytes, leaves: leaves)
  }

  /// Returns the name in a SELECT of an application, `nil` for every other command (ISO/IEC 7816-4, 7.1.1).
  private static func selectedName(_ command: [UInt8]) -> [UInt8]? {
    guard let command = APDU(command), command.instructionClass & 0xFC == 0,
      command.instructionCode == Type4Command.Instruction.select, command.p1 == selectByName
    else { return nil }
    return command.data
  }
}
