import Foundation

/// What all tags except those of an NDEF session have in common. Apple hides this protocol, but
/// programs use it.
public protocol __NFCTag: NSObjectProtocol, NSSecureCoding, NSCopying {
  var type: __NFCTagType { get }
  /// The session that found the tag; `nil` once that is released.
  var session: (any NFCReaderSessionProtocol)? { get }
  /// Whether the tag can still be reached, as far as is known without asking it.
  var isAvailable: Bool { get }

  func asNFCISO15693Tag() -> (any NFCISO15693Tag)?
  func asNFCISO7816Tag() -> (any NFCISO7816Tag)?
  func asNFCFeliCaTag() -> (any NFCFeliCaTag)?
  func asNFCMiFareTag() -> (any NFCMiFareTag)?
}

/// The kinds of tags.
public enum __NFCTagType: UInt, Sendable {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case ISO15693 = 1
  case feliCa = 2
  case iso7816Compatible = 3
  case miFare = 4
}
