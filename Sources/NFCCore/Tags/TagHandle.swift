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
  /// The period of the carrier in which the tag is valid.
  let epoch: Int
  let state = Mutex(State.found)
  /// The facts that were learned about the tag; they are valid while it is connected.
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
    try await reader.perform { reader, operation in try reader.connect(self, operation) }
  }

  func isPresent() async throws -> Bool {
    try await reader.perform { reader, _ in try reader.isPresent(self) }
  }

  /// Runs a procedure on the reader's thread.
  func perform<Result: Sendable>(
    _ body: @Sendable (TagLink) throws -> Result
  ) async throws -> Result {
    try await reader.perform { reader, operation in try reader.command(self, operation, body) }
  }

  /// Runs a command of the program: the known content of the tag, and what is selected on it, may
  /// no longer be valid.
  func performCommand<Result: Sendable>(
    _ body: @Sendable (TagLink) throws -> Result
  ) async throws -> Result {
    try await perform { link in
      self.knowledge.withLock { $0.mapping = nil }
      return try body(link)
    }
  }
}

/// The facts that were learned about a tag.
struct TagKnowledge: Sendable {
  /// The product; `.some(nil)` if it was asked for and is not known.
  var product: TagProduct??
  /// The complete answer to GET_VERSION or GetVersion, with which the chip was identified; `.some(nil)` if it has been
  /// asked and does not have the command.
  var version: [UInt8]??
  /// The way in which the tag holds NDEF, and its known content.
  var mapping: (any NDEFMapping)?
  /// The number of times that the program has requested to forget the content: a call that was
  /// running meanwhile keeps none.
  var invalidationCount = 0

  private var memories: [ObjectIdentifier: any FamilyMemory] = [:]

  /// What a family knows of the tag. Each family declares the type, and properties for what is in it, beside its commands.
  subscript<Memory: FamilyMemory>(_ type: Memory.Type) -> Memory {
    get { memories[ObjectIdentifier(type)] as? Memory ?? Memory() }
    set { memories[ObjectIdentifier(type)] = newValue }
  }
}

/// What a family of tags keeps about one of them, beside what every family has.
protocol FamilyMemory: Sendable {
  /// Creates the memory of a tag that nothing is known of.
  init()
}
