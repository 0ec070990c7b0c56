import SwiftNFCCore

/// An event at a virtual reader, with all its bytes; ``TraceLog`` converts it to text without keys.
@nonexhaustive
public enum TraceEvent: Hashable, Sendable {
  /// A command from the host: its code and parameters.
  case command([UInt8])
  /// The chip's answer: the response code and data; empty for the syntax error frame.
  case reply([UInt8])
  /// A frame over the air, from the reader.
  case sent(RadioFrame)
  /// The answer over the air; `nil` for silence.
  case received(RadioFrame?)
  /// Several tags answered with different bits; the position of the first difference.
  case collided(bit: Int)
  /// The carrier was switched on or off.
  case carrier(Bool)
}
