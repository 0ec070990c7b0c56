import Foundation
import NFC

/// A smart card that a session gives out.
final class ISO7816TagObject: TypedTagObject, NFCISO7816Tag, @unchecked Sendable {
  private let card: any ISO7816Tag
  /// The application that was selected when the card was found.
  private let selected: ApplicationIdentifier?
  /// What may be selected; `nil` for anything.
  private let request: SessionRequest?

  init(
    _ card: any ISO7816Tag, selected: ApplicationIdentifier? = nil, _ request: SessionRequest? = nil,
    in core: SessionCore
  ) {
    self.card = card
    self.selected = selected
    self.request = request
    super.init(card, .iso7816Compatible, in: core)
  }

  required init?(coder: NSCoder) { nil }

  override var tag: NFCTag? { .iso7816(self) }

  /// Another tag may have been activated since the card was found: what was selected no longer is.
  override func prepare() async throws {
    if let selected { _ = try await card.selectApplication(of: [selected]) }
  }
}
