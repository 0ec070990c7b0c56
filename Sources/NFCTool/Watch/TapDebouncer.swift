/// Combines the taps of a tag that a reader loses and finds again while the tag is put down.
///
/// This value has no clock. Times are passed in, so that a test does not need a clock either.
struct TapDebouncer: Sendable {
  /// The data that identifies a tag.
  struct Key: Hashable, Sendable {
    let reader: String
    let technology: String
    let identifier: [UInt8]
  }

  private struct Stay {
    var tap: Tap
    /// The time at which the tag was last seen, or `nil` while it is present.
    var lastSeen: Duration?
    /// Whether the tap has been reported. If the message of a tap could not be read, the tap is reported when
    /// the tag returns.
    var isReported: Bool
  }

  /// The time for which a tag must be absent before it can be tapped again.
  let period: Duration
  private var stays: [Key: Stay] = [:]

  init(period: Duration) {
    self.period = period
  }

  /// Returns whether a tag that has arrived is to be read and reported. Returns `false` for a tag that was
  /// present a moment ago.
  mutating func arrives(_ key: Key) -> Bool {
    guard var stay = stays[key] else { return true }
    stay.lastSeen = nil
    stays[key] = stay
    return !stay.isReported
  }

  /// Handles a tag that has been read.
  ///
  /// - Parameter isComplete: whether the message was read before the tag left. If not, the tap is reported
  ///   when the tag has returned and been read, or when it has been absent for ``period``.
  /// - Returns: whether the tap is to be reported now.
  mutating func wasRead(_ key: Key, _ tap: Tap, isComplete: Bool, at time: Duration) -> Bool {
    let isReported = stays[key]?.isReported ?? false
    stays[key] = Stay(
      tap: tap, lastSeen: isComplete ? nil : time, isReported: isReported || isComplete)
    return isComplete && !isReported
  }

  /// Handles a tag that is no longer found.
  mutating func leaves(_ key: Key, at time: Duration) {
    guard stays[key] != nil else { return }
    stays[key]?.lastSeen = time
  }

  /// Handles a reader that has been removed, together with its tags.
  mutating func loses(_ reader: String, at time: Duration) {
    for key in stays.keys where key.reader == reader && stays[key]?.lastSeen == nil {
      stays[key]?.lastSeen = time
    }
  }

  /// The result for a tag that has been absent for ``period``.
  struct Departure: Sendable {
    let key: Key
    let tap: Tap
    /// Whether the tag was never completely read, and still has to be reported.
    let isUnreported: Bool
  }

  /// Returns the tags that have been absent for ``period``, in the order in which they left.
  mutating func departures(at time: Duration) -> [Departure] {
    let gone = stays.filter { stay in stay.value.lastSeen.map { time - $0 >= period } ?? false }
      .sorted { ($0.value.lastSeen ?? .zero) < ($1.value.lastSeen ?? .zero) }
    for (key, _) in gone { stays[key] = nil }
    return gone.map { key, stay in
      Departure(key: key, tap: stay.tap, isUnreported: !stay.isReported)
    }
  }

  /// The time at which the next tag will have been absent for ``period``, or `nil` if none has left.
  var nextDeparture: Duration? { stays.values.compactMap(\.lastSeen).min().map { $0 + period } }

  /// Returns the tags that are on a reader, or that were on it a moment ago.
  func present(on reader: String) -> [Tap] {
    stays.filter { $0.key.reader == reader && $0.value.isReported }.values.map(\.tap)
      .sorted { $0.time < $1.time }
  }

  /// The number of tags that are remembered.
  var count: Int { stays.count }
}
