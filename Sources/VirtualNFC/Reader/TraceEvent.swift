import NFCCore

/// One thing that has happened at a virtual reader, with every byte of it; ``TraceLog`` makes text of it
/// that shows no keys.
public enum TraceEvent: Hashable, Sendable {
  /// A command from the host: its code and parameters.
  case command([UInt8])
  /// The chip's answer: the response code and data; empty for the syntax error frame.
  case reply([UInt8])
  /// A frame over the air, from the reader.
  case sent(RadioFrame)
  /// What came back; `nil` for silence.
  case received(RadioFrame?)
  /// Several tags have answered with different bits, the first of them at this position.
  case collided(bit: Int)
  /// The carrier was switched on or off.
  case carrier(Bool)
}
