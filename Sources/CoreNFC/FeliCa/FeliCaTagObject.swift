import Foundation
import NFC

/// A FeliCa card that a session gives out.
final class FeliCaTagObject: TypedTagObject, NFCFeliCaTag, @unchecked Sendable {
  private let request: SessionRequest?

  init(_ tag: any FeliCaTag, _ request: SessionRequest? = nil, in core: SessionCore) {
    self.request = request
    super.init(tag, .feliCa, in: core)
  }

  required init?(coder: NSCoder) { nil }

  override var tag: NFCTag? { .feliCa(self) }
}
