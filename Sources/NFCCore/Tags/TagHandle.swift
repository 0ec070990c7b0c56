import Synchronization

/// What all tags over one connection share: the reader, the target, and whether it is connected.
final class TagHandle: Sendable {
  enum State: Sendable {
    case found
    case connected
    case lost
  }

  let reader: Reader
  let target: Target
  /// The interruption of the carrier since which the tag is valid.
  let epoch: Int
  let state = Mutex(State.found)
  /// What has been learned about the tag; it stays true while it is connected.
  let knowledge = Mutex(TagKnowledge())

  init(reader: Reader, target: Target, epoch: Int) {
    self.reader = reader
    self.target = target
    self.epoch = epoch
  }

  var isAvailable: Bool {
    get async {
      if case .lost = state.withLock({ $0 }) { return false }
      return await reader.isAvailable(self)
    }
  }

  func connect() async throws {
    try await reader.perform { reader, work in try reader.connect(self, work) }
  }

  func isPresent() async throws -> Bool {
    try await reader.perform { reader, _ in try reader.isPresent(self) }
  }

  /// Runs a procedure on the reader's thread.
  func perform<Result: Sendable>(
    _ body: @Sendable (TagLink) throws -> Result
  ) async throws -> Result {
    try await reader.perform { reader, work in try reader.command(self, work, body) }
  }

  /// Runs a command of the program's own: what is believed of the tag's content and of what is
  /// selected on it may no longer be so.
  func performCommand<Result: Sendable>(
    _ body: @Sendable (TagLink) throws -> Result
  ) async throws -> Result {
    try await perform { link in
      self.knowledge.withLock { $0.mapping = nil }
      return try body(link)
    }
  }
}

/// What has been learned about a tag.
struct TagKnowledge: Sendable {
  /// The product, `.some(nil)` if it was asked for and is not known.
  var product: TagProduct??
  /// The chip of an Ultralight or NTAG tag, `.some(nil)` if it was asked for and is not known.
  var chip: Type2Chip??
  /// What the program has proved to an Ultralight or NTAG tag, and is proved again when the tag was woken.
  var authentication: UltralightAuthentication?
  /// Whether the program may have selected another sector of an NTAG I²C than 0.
  var isSectorUnknown = false
  /// How a vicinity tag takes its commands.
  var vicinity: ISO15693Knowledge?
  /// How the tag holds NDEF, and what is known of it.
  var mapping: (any NDEFMapping)?
  /// How often the program has had the content forgotten: a call that was running meanwhile keeps none.
  var timesForgotten = 0
  /// How many bytes the card gives to one READ BINARY, where it has refused more.
  var readBinaryLimit: Int?
  /// What the program has given for the NDEF file of a type 4 tag.
  var filePasswords: Type4Passwords?
  /// How many blocks a FeliCa card takes in one command, as far as it has shown.
  var feliCaLimits: FeliCaBlockLimits?
}
