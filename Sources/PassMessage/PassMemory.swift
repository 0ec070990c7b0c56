/// What a reader has to remember of passes that it has accepted, so that a recorded answer of a phone opens nothing.
///
/// A value without a clock: the caller says what time it is.
public struct PassMemory: Sendable {
  /// The reason why a pass is not accepted.
  @nonexhaustive
  public enum Refusal: Hashable, Sendable {
    /// The pass is older than is accepted; its age in seconds.
    case tooOld(age: Double)
    /// The phone's time is later than that of this machine; by how many seconds.
    case fromTheFuture(by: Double)
    /// The same answer was there before.
    case repeated
  }

  /// The maximum age in seconds.
  public let maximumAge: Double
  /// By phones' keys, with the time until which they could be accepted again.
  private var seen: [[UInt8]: Double] = [:]

  /// - Parameter maximumAge: in seconds, and how far a phone's clock may be ahead. Zebra's reader SDK names 10 seconds
  ///   as Apple's requirement.
  public init(maximumAge: Double = 10) { self.maximumAge = max(0, maximumAge) }

  /// Returns why a message is not accepted, or remembers it.
  ///
  /// - Parameter now: the time of this machine in seconds since 1970-01-01, 00:00 UTC.
  public mutating func refusal(of message: VASMessage, now: Double) -> Refusal? {
    seen = seen.filter { $0.value >= now }
    let age = now - Double(message.secondsSince1970)
    // The phone's time has no fractions of a second.
    if age > maximumAge + 1 { return .tooOld(age: age) }
    if age < -maximumAge { return .fromTheFuture(by: -age) }
    if seen[message.phoneKey] != nil { return .repeated }
    seen[message.phoneKey] = now + 2 * maximumAge + 1
    return nil
  }
}
