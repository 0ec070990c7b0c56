import NFC
import Synchronization
import VirtualNFC

/// One tag of each protocol, shown to a reader one after the other.
///
/// The polling command reports which tags have arrived and left.
final class Demo: Sendable {
  private struct State: Sendable {
    var coming: [VirtualTag]
    var shown: VirtualTag?
  }

  /// All tags, in the order in which they are shown.
  let tags: [VirtualTag]
  private let fields: VirtualFields
  private let state: Mutex<State>

  /// The time for which a tag stays on the reader after it was found.
  static let stay = Duration.milliseconds(100)
  /// The time for which each tag is in the field if nobody reports that it was found, and the time for which the field
  /// is empty after it.
  private static let longStay = Duration.seconds(2)
  private static let absence = Duration.milliseconds(500)

  /// Returns the tags, each with the technology by which a reader finds it.
  private static func all() -> [(TagTechnology, VirtualTag)] {
    [
      (.iso14443a, .ntag216()),
      (.iso14443a, .classic1K()),
      (.iso14443a, .desfire()),
      (.iso14443a, .tMoney()),
      (.iso14443b, .type4B()),
      (.feliCa, .suica()),
      (.iso15693, .icodeSLIX2()),
      (.jewel, .topaz512()),
      (.iso14443bPrime, .calypsoBPrime()),
      (.iso14443b2sr, .srix4k()),
      (.iso14443b2ct, .askCTx()),
      (.barcode, .nfcBarcode()),
      (.iClass, .iClass()),
    ]
  }

  /// Shows the first tag.
  ///
  /// - Parameters:
  ///   - technologies: the technologies that are polled for. A tag of another technology would never be
  ///     found, so it is not shown.
  ///   - isSeen: returns whether the reader can see a tag.
  init(
    in fields: VirtualFields, technologies: [TagTechnology],
    where isSeen: (VirtualTag) -> Bool = { _ in true }
  ) throws {
    self.fields = fields
    tags = Self.all().filter { technologies.contains($0.0) && isSeen($0.1) }.map(\.1)
    state = Mutex(State(coming: tags))
    showNext()
  }

  /// Shows the first tag. Does nothing while tags are still being shown.
  func begin() {
    guard isOver else { return }
    state.withLock { $0.coming = tags }
    showNext()
  }

  /// Whether all tags have been shown.
  var isOver: Bool { state.withLock { $0.shown == nil && $0.coming.isEmpty } }

  /// Removes the tag from the field.
  func takeAway() {
    state.withLock { state in
      if let shown = state.shown { fields.remove(shown) }
    }
  }

  /// Puts the next tag into the field, replacing the current one.
  func showNext() {
    state.withLock { state in
      if let shown = state.shown { fields.remove(shown) }
      state.shown = state.coming.isEmpty ? nil : state.coming.removeFirst()
      if let next = state.shown { fields.place(next) }
    }
  }

  /// Shows the next tag if the current one is among those that a reader has found, or if no reader looks for it. Of two
  /// readers, each reports what it has found.
  ///
  /// - Parameter technologies: those that are polled. Only the PC/SC reader has ISO 15693, and it has nothing else.
  func passOver(_ found: [DetectedTag], polling technologies: [TagTechnology]) {
    guard let shown = state.withLock({ $0.shown }) else { return }
    let isVicinity = fields.needsPCSC(shown)
    let isLookedFor = technologies.contains { ($0 == .iso15693) == isVicinity }
    guard !isLookedFor || found.contains(where: { isSame(shown, $0.identifier) }) else { return }
    showNext()
  }

  /// Shows all tags, each for a while.
  func showAll() async throws {
    begin()
    while !isOver {
      try await Task.sleep(for: Self.longStay)
      takeAway()
      try await Task.sleep(for: Self.absence)
      showNext()
    }
  }

  /// Handles a tag that was found: removes it after a moment if it is the tag that is shown.
  func arrived(_ tag: any Tag) async throws {
    guard let shown = state.withLock({ $0.shown }), isSame(shown, tag.identifier) else { return }
    try await Task.sleep(for: Self.stay)
    fields.remove(shown)
  }

  /// Handles a tag that has left: shows the next one if it was the tag that was shown.
  func left(_ tag: DetectedTag) {
    guard let shown = state.withLock({ $0.shown }), isSame(shown, tag.identifier) else { return }
    showNext()
  }

  /// Returns whether an identifier belongs to a tag. A reader sees only the first four bytes of a Jewel tag's
  /// UID.
  private func isSame(_ shown: VirtualTag, _ identifier: [UInt8]) -> Bool {
    shown.identifier.starts(with: identifier)
  }
}
