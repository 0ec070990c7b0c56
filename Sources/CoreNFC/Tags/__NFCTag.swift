import Foundation

/// What all tags except those of an NDEF session have in common. Apple hides this protocol, but
/// programs use it.
public protocol __NFCTag: NSObjectProtocol, NSSecureCoding, NSCopying {
  var type: __NFCTagType { get }
  /// The session that found the tag; `nil` once that is released.
  var session: (any NFCReaderSessionProtocol)? { get }
  /// Whether the tag can still be reached, as far as is known without asking it.
  var isAvailable: Bool { get }

  /// Returns the tag as an ``NFCISO15693Tag``; `nil` for a tag of another kind.
  func asNFCISO15693Tag() -> (any NFCISO15693Tag)?
  /// Returns the tag as an ``NFCISO7816Tag``; `nil` for a tag of another kind.
  func asNFCISO7816Tag() -> (any NFCISO7816Tag)?
  /// Returns the tag as an ``NFCFeliCaTag``; `nil` for a tag of another kind.
  func asNFCFeliCaTag() -> (any NFCFeliCaTag)?
  /// Returns the tag as an ``NFCMiFareTag``; `nil` for a tag of another kind.
  func asNFCMiFareTag() -> (any NFCMiFareTag)?
}

/// The kinds of tags.
public enum __NFCTagType: UInt, Sendable {
  /// A vicinity tag of ISO/IEC 15693.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case ISO15693 = 1
  /// A FeliCa card.
  case feliCa = 2
  /// A smart card with the commands of ISO/IEC 7816-4.
  case iso7816Compatible = 3
  /// A MIFARE tag.
  case miFare = 4
}
