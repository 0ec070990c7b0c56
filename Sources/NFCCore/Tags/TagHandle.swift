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
  /// What an Ultralight or NTAG tag has answered about its chip; `nil` if it has not been asked.
  var identification: UltralightIdentification?
  /// The complete answer to GET_VERSION or GetVersion, with which the chip was identified; `.some(nil)` if it has been
  /// asked and does not have the command.
  var version: [UInt8]??
  /// The program's authentication with an Ultralight or NTAG tag, which is repeated when the tag
  /// was woken.
  var authentication: UltralightAuthentication?
  /// Whether the program may have selected another sector of an NTAG I²C than 0.
  var isSectorUnknown = false
  /// The way in which a vicinity tag accepts its commands.
  var vicinity: ISO15693Knowledge?
  /// The way in which the tag holds NDEF, and its known content.
  var mapping: (any NDEFMapping)?
  /// The number of times that the program has requested to forget the content: a call that was
  /// running meanwhile keeps none.
  var invalidationCount = 0
  /// The number of bytes that the card returns for one READ BINARY, if it has refused more.
  var readBinaryLimit: Int?
  /// The passwords of the program for the NDEF file of a type 4 tag.
  var filePasswords: Type4Passwords?
  /// The keys of the program for the message of a MIFARE Classic.
  var classicKeys = ClassicNDEFKeys()
  /// The number of blocks that a FeliCa card accepts in one command, as far as is known.
  var feliCaLimits: FeliCaBlockLimits?
}
