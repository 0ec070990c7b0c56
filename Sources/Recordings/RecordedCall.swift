import SwiftNFCCore

/// One call of a reader's driver and its outcome: one line of a recording.
public struct RecordedCall: Hashable, Sendable {
  /// What the driver was asked to do.
  @nonexhaustive
  public enum Request: Hashable, Sendable {
    /// Switch the carrier off and on.
    case resetField
    /// Look for tags of a technology.
    case list(TagTechnology)
    /// Look for one more tag of a technology, excluding those with these identifiers.
    case find(TagTechnology, excluding: [[UInt8]])
    /// Send a frame that makes phones answer.
    case broadcast(PollingFrame)
    /// Wake the tag with this identifier.
    case select([UInt8])
    /// Check whether the tag with this identifier is still there.
    case isPresent([UInt8])
    /// Report what the reader can do with the tag with this identifier.
    case capabilities([UInt8])
    /// Send a command to the selected tag.
    case exchange(RecordedBytes, Framing, timeout: Duration)
    /// Authenticate to a MIFARE Classic; `uid` is the input of the cipher.
    case authenticate(block: UInt8, MiFareClassicKeyType, key: RecordedBytes, uid: [UInt8])
    /// Random bytes, this many, for the program's side of a proof: only in recordings with secrets, because whoever
    /// has them and a key has the session.
    case randomNumber(count: Int)
    /// Act as a card with this UID and these historical bytes until a reader activates it.
    case waitForActivation(uid: [UInt8], historicalBytes: [UInt8])
    /// Receive a command as a card.
    case receiveCommand
    /// Answer the command that was received as a card.
    case answerCommand(RecordedBytes)
    /// Stop acting as a card.
    case endEmulation
  }

  /// The outcome of a call.
  @nonexhaustive
  public enum Outcome: Hashable, Sendable {
    /// The call succeeded and returned nothing.
    case done
    /// The tags that were found.
    case targets([Target])
    /// Whether the tag is still there.
    case isPresent(Bool)
    /// What the reader can do with the tag.
    case capabilities(ReaderCapabilities)
    /// The reader was activated as a card.
    case activated
    /// The command that it has received as a card.
    case command(RecordedBytes)
    /// The other side has ended the session.
    case released(EmulationRelease)
    /// The tag's answer, or the random number.
    case answer(RecordedBytes)
    /// The error that the driver threw.
    case failure(NFCError)
    /// The task was cancelled during the call.
    case cancelled
  }

  /// The number of the reader, counted from 0 in the order in which readers were opened.
  public var reader: Int
  /// The start of the call, since the start of the recording.
  public var time: Duration
  /// The duration of the call.
  public var duration: Duration
  /// What the driver was asked to do.
  public var request: Request
  /// The outcome of the call.
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
  /// Whether the call is one that is repeated while there is no tag.
  var isSearch: Bool {
    switch self {
    case .resetField, .list, .find, .broadcast: true
    default: false
    }
  }

  /// Whether the call succeeds without tags.
  var findsNothing: Bool {
    switch self {
    case .resetField, .broadcast: true
    default: false
    }
  }

  /// Whether the call is not one to the reader, so that it can be made at any time.
  var isIncidental: Bool {
    switch self {
    case .capabilities, .randomNumber: true
    default: false
    }
  }

  /// Returns whether a request can be answered with the outcome of this one. Masked bytes match any
  /// byte; time limits are not compared.
  func matches(_ other: RecordedCall.Request) -> Bool {
    switch (self, other) {
    case (.exchange(let recorded, let framing, _), .exchange(let command, let otherFraming, _)):
      framing == otherFraming && recorded.matches(command.bytes)
    case (
      .authenticate(let block, let type, let key, let uid),
      .authenticate(let otherBlock, let otherType, let otherKey, let otherUID)
    ):
      block == otherBlock && type == otherType && uid == otherUID && key.matches(otherKey.bytes)
    // A card may have another UID each time.
    case (.waitForActivation, .waitForActivation): true
    case (.answerCommand(let recorded), .answerCommand(let answer)): recorded.matches(answer.bytes)
    default: self == other
    }
  }
}

extension RecordedCall.Request: CustomStringConvertible {
  /// A text for people. Secrets are visible unless they are masked.
  public var description: String {
    switch self {
    case .resetField: "a new round of searching"
    case .list(let technology): "a search for \(technology.rawValue)"
    case .find(let technology, []): "a search for \(technology.rawValue)"
    case .find(let technology, let found):
      "a search for \(technology.rawValue) in addition to \(found.map(\.hexadecimal).joined(separator: ", "))"
    case .broadcast(let frame): "the polling frame \(frame)"
    case .select(let identifier): "waking the tag \(identifier.hexadecimal)"
    case .isPresent(let identifier): "checking for the tag \(identifier.hexadecimal)"
    case .capabilities(let identifier): "the limits of the tag \(identifier.hexadecimal)"
    case .exchange(let command, _, _): "the command \(command.text)"
    case .authenticate(let block, let type, _, _):
      "authenticating with key \(type == .a ? "A" : "B") for block \(block)"
    case .randomNumber(let count): "a random number of \(count) bytes"
    case .waitForActivation(let uid, _): "acting as the card \(uid.hexadecimal)"
    case .receiveCommand: "receiving a command as a card"
    case .answerCommand(let answer): "the answer \(answer.text) as a card"
    case .endEmulation: "the end of acting as a card"
    }
  }
}

extension RecordedCall.Request {
  /// The ``description`` without the bytes of commands, which may be secret.
  var kind: String {
    switch self {
    case .exchange: "another command"
    case .answerCommand: "another answer"
    default: description
    }
  }
}

extension RecordedCall {
  /// Whether the call is a search that found nothing.
  var isIdle: Bool {
    guard request.isSearch else { return false }
    switch outcome {
    case .done, .targets([]): return true
    default: return false
    }
  }
}
