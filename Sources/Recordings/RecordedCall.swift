import NFCCore

/// One call of a reader's driver, and what has come of it: a line of a recording.
public struct RecordedCall: Hashable, Sendable {
  /// What the driver was asked for.
  public enum Request: Hashable, Sendable {
    /// Switch the carrier off and on.
    case resetField
    /// Look for tags of a technology.
    case list(TagTechnology)
    /// Look for one more tag of a technology, except those with these identifiers.
    case find(TagTechnology, excluding: [[UInt8]])
    /// Wake the tag with this identifier.
    case select([UInt8])
    /// Ask whether the tag with this identifier is still there.
    case isPresent([UInt8])
    /// What the reader can do with the tag with this identifier.
    case capabilities([UInt8])
    /// Send a command to the selected tag.
    case exchange(RecordedBytes, Framing, timeout: Duration)
    /// MIFARE Classic's authentication; `uid` is what goes into the cipher.
    case authenticate(block: UInt8, MiFareClassicKeyType, key: RecordedBytes, uid: [UInt8])
  }

  /// What has come of it.
  public enum Outcome: Hashable, Sendable {
    /// It has succeeded and returned nothing.
    case done
    /// The tags that were found.
    case targets([Target])
    /// Whether the tag is still there.
    case isPresent(Bool)
    /// What the reader can do with the tag.
    case capabilities(ReaderCapabilities)
    /// The tag's answer.
    case answer(RecordedBytes)
    /// The error that the driver has thrown.
    case failure(NFCError)
    /// The task was cancelled meanwhile.
    case cancelled
  }

  /// The number of the reader, from 0 in the order in which readers were opened.
  public var reader: Int
  /// When the call began, since the recording began.
  public var time: Duration
  /// How long it took.
  public var duration: Duration
  /// What the driver was asked for.
  public var request: Request
  /// What has come of it.
  public var outcome: Outcome

  package init(
    reader: Int, time: Duration, duration: Duration, request: Request, outcome: Outcome
  ) {
    self.reader = reader
    self.time = time
    self.duration = duration
    self.request = request
    self.outcome = outcome
  }
}

extension RecordedCall.Request {
  /// Whether it is one of those that are repeated while there is no tag.
  var isSearch: Bool {
    switch self {
    case .resetField, .list, .find: true
    default: false
    }
  }

  /// Whether a request can be answered by what was recorded for this one. Masked bytes can be any; how long a
  /// tag may take makes no difference.
  func matches(_ other: RecordedCall.Request) -> Bool {
    switch (self, other) {
    case (.exchange(let recorded, let framing, _), .exchange(let command, let otherFraming, _)):
      framing == otherFraming && recorded.matches(command.bytes)
    case (
      .authenticate(let block, let type, let key, let uid),
      .authenticate(let otherBlock, let otherType, let otherKey, let otherUID)
    ):
      block == otherBlock && type == otherType && uid == otherUID && key.matches(otherKey.bytes)
    default: self == other
    }
  }
}

extension RecordedCall.Request: CustomStringConvertible {
  /// For people; secrets show unless they are masked.
  public var description: String {
    switch self {
    case .resetField: "a new round of searching"
    case .list(let technology): "a search for \(technology.rawValue)"
    case .find(let technology, []): "a search for \(technology.rawValue)"
    case .find(let technology, let found):
      "a search for \(technology.rawValue) in addition to \(found.map(\.hexadecimal).joined(separator: ", "))"
    case .select(let identifier): "waking the tag \(identifier.hexadecimal)"
    case .isPresent(let identifier): "asking for the tag \(identifier.hexadecimal)"
    case .capabilities(let identifier): "the limits of the tag \(identifier.hexadecimal)"
    case .exchange(let command, _, _): "the command \(command.text)"
    case .authenticate(let block, let type, _, _):
      "authenticating with key \(type == .a ? "A" : "B") for block \(block)"
    }
  }
}

extension RecordedCall.Request {
  /// As ``description``, without the bytes of commands, which may be secret.
  var kind: String {
    switch self {
    case .exchange: "another command"
    default: description
    }
  }
}

extension RecordedCall {
  /// Whether it is a search that has found nothing.
  var isIdle: Bool {
    guard request.isSearch else { return false }
    switch outcome {
    case .done, .targets([]): return true
    default: return false
    }
  }
}
