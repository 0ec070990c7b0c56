/// The antenna of a chip that may act as a card, as the reader that faces it sees it.
///
/// ``VirtualReader/antenna`` is that of a virtual reader. Whoever has it plays the reader: a second virtual reader, which
/// may be in another process, or a test that sends a phone's frames.
public protocol FacingAntenna: Sendable {
  /// Switches the field of the reader that faces this antenna on or off.
  func setField(_ isOn: Bool)

  /// Sends a frame to the antenna and waits for the answer in real time, because the chip may wait for its host.
  ///
  /// - Parameters:
  ///   - limit: how long the reader waits.
  ///   - isInterrupted: called now and then; `true` ends the wait.
  /// - Returns: `nil` for silence.
  func exchange(
    _ frame: RadioFrame, limit: Duration, isInterrupted: @Sendable () -> Bool
  ) -> RadioFrame?
}

/// The place for the antenna in front of a virtual reader.
final class FacingPlace: Sendable {
  private let antenna = Waitable<(any FacingAntenna)?>(nil)

  var current: (any FacingAntenna)? {
    get { antenna.withLock { $0 } }
    set { antenna.withLock { $0 = newValue } }
  }
}
