import NFC

/// The families of MIFARE.
public enum NFCMiFareFamily: UInt, Sendable {
  /// Any other tag of type A, MIFARE Classic among them.
  case unknown = 1
  /// Ultralight, NTAG and other type 2 tags.
  case ultralight = 2
  case plus = 3
  case desfire = 4

  init(_ family: MiFareFamily) {
    switch family {
    case .ultralight: self = .ultralight
    case .plus: self = .plus
    case .desfire: self = .desfire
    case .classic, .unknown: self = .unknown
    }
  }
}
