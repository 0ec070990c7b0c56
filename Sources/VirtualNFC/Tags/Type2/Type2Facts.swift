/// What the image that a chip was made from says about the chip, which the chip answers in place of its model: a fact that
/// the image does not have, it does not answer at all.
struct Type2Facts: Hashable, Sendable {
  /// Whether the model has the commands that ask for these facts.
  var hasCommands = true
  /// The answer to GET_VERSION.
  var version: [UInt8]?
  /// The answer to READ_SIG.
  var signature: [UInt8]?
  /// The numbers of the counters whose values are known.
  var counters: Set<Int> = []
  /// The answers to CHECK_TEARING_EVENT by the number of the counter.
  var tearing: [Int: UInt8] = [:]
  /// The number of pages at the beginning whose content is known; those after them are not read.
  var readablePageCount = Int.max
}

extension Type2Chip {
  /// Returns the answer to a command that asks for a fact of an image; `nil` for every other command.
  func report(on command: [UInt8]) -> Type2Answer? {
    guard let facts, facts.hasCommands else { return nil }
    let number = command.count > 1 ? Int(command[1]) : 0
    switch (command.first, command.count) {
    case (Type2Command.getVersion, 1):
      return facts.version.map { .data($0) } ?? .refusal(.invalidArgument)
    case (Type2Command.readSignature, 2):
      guard number == 0 else { return nil }
      return facts.signature.map { .data($0) } ?? .refusal(.invalidArgument)
    case (Type2Command.readCounter, 2):
      return facts.counters.contains(number) ? nil : .refusal(.invalidArgument)
    case (Type2Command.checkTearingEvent, 2):
      return facts.tearing[number].map { .data([$0]) } ?? .refusal(.invalidArgument)
    default: return nil
    }
  }
}
