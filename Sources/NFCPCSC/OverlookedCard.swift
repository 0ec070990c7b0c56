import NFCCore

/// Decides when a service that shows no card is made to look again.
///
/// pcsc-lite looks at a reader at intervals, or when the reader reports a change. If a program switches off or resets
/// a card that has left since the last look, the service records that there is no card, but counts no event
/// (`SCardDisconnect` and `SCardReconnect`, `SCARD_W_REMOVED_CARD`). If the same card or another is there at the next
/// look, that is no change either (`EHStatusHandlerThread`), and nobody sees the card until it has been lifted.
///
/// This value has no clock. Times are passed in.
struct OverlookedCard: Sendable {
  /// The time after which the service has looked again: it does so every 0.4 s (`PCSCLITE_STATUS_POLL_RATE`).
  static let interval = Duration.milliseconds(500)

  /// The event since which the service shows no card.
  private var event: Int?
  /// When it was first seen to show none, or last made to look.
  private var since = Duration.zero
  /// Whether the service was made to look since that event.
  private var hasLooked = false
  /// The event at which a card was last present.
  private var presence: Int?

  /// Takes note of what the service shows.
  ///
  /// - Returns: whether the service is to be made to look. A card that was there at the same event is either
  ///   overlooked or will be missed at the next look, so the service looks until one or the other. If this program has
  ///   seen none, another program may have had one, and one look is sufficient.
  mutating func shouldLook(_ status: SmartCardStatus, isInUse: Bool, at time: Duration) -> Bool {
    guard !status.isCardPresent else {
      (event, presence) = (nil, status.eventCount)
      return false
    }
    guard event == status.eventCount else {
      (event, since, hasLooked) = (status.eventCount, time, false)
      return false
    }
    guard !isInUse, time - since >= Self.interval, !hasLooked || presence == event else {
      return false
    }
    (since, hasLooked) = (time, true)
    return true
  }
}
