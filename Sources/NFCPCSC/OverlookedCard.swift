import SwiftNFCCore

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

  /// What to do with the status that the service shows.
  enum Decision: Hashable, Sendable {
    case accept
    /// The service is to be made to look.
    case look
    /// The card is not to be used yet: the service may still count it, and switch it on again.
    case hide
  }

  /// The event since which the service shows no card.
  private var event: Int?
  /// When it was first seen to show none, or last made to look.
  private var since = Duration.zero
  /// Whether the service was made to look before this program had seen a card.
  private var hasLooked = false
  /// The event at which a card was last present.
  private var presence: Int?

  /// Takes note of what the service shows.
  ///
  /// If a card was there at the same event, the service looks until it shows the card or counts that it has left. If
  /// this program has seen none, another program may have had one, and one look is sufficient. After an absence that
  /// the service has counted, it notices the next card itself.
  mutating func decide(_ status: SmartCardStatus, isInUse: Bool, at time: Duration) -> Decision {
    let isNew = event != status.eventCount
    let isSettled = time - since >= Self.interval
    guard !status.isCardPresent else {
      if presence == nil, hasLooked, !isNew, !isSettled { return .hide }
      (event, presence) = (nil, status.eventCount)
      return .accept
    }
    guard !isNew else {
      (event, since) = (status.eventCount, time)
      return .accept
    }
    guard !isInUse, isSettled, isSure || presence == nil && !hasLooked else { return .accept }
    (since, hasLooked) = (time, true)
    return .look
  }

  /// Whether a card was there at the event since which the service shows none.
  var isSure: Bool { event != nil && presence == event }
}
