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
  /// How a vicinity tag takes its commands.
  var vicinity: ISO15693Knowledge?
  /// How the tag holds NDEF, and what is known of it.
  var mapping: (any NDEFMapping)?
  /// How many bytes the card gives to one READ BINARY, where it has refused more.
  var readBinaryLimit: Int?
  /// How many blocks the card takes in one command, where it has refused more.
  var blocksPerRead: Int?
  var blocksPerWrite: Int?
}
