import Foundation
import NFC

/// A MIFARE or NTAG tag that a session gives out.
final class MiFareTagObject: TypedTagObject, NFCMiFareTag, @unchecked Sendable {
  private let miFare: any MiFareTag

  init(_ tag: any MiFareTag, in core: SessionCore) {
    miFare = tag
    super.init(tag, .miFare, in: core)
  }

  required init?(coder: NSCoder) { nil }

  override var tag: NFCTag? { .miFare(self) }
}
