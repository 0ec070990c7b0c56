import Foundation
import NFC

/// A vicinity tag that a session gives out.
final class ISO15693TagObject: TypedTagObject, NFCISO15693Tag, @unchecked Sendable {
  let vicinity: any ISO15693Tag

  init(_ tag: any ISO15693Tag, in core: SessionCore) {
    vicinity = tag
    super.init(tag, .ISO15693, in: core)
  }

  required init?(coder: NSCoder) { nil }

  override var tag: NFCTag? { .iso15693(self) }
}
