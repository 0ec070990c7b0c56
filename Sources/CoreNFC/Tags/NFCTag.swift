/// A tag that ``NFCTagReaderSession`` has found, by its kind.
public enum NFCTag {
  case feliCa(any NFCFeliCaTag)
  case iso7816(any NFCISO7816Tag)
  case iso15693(any NFCISO15693Tag)
  case miFare(any NFCMiFareTag)

  /// Whether the tag can still be reached, as far as is known without asking it.
  public var isAvailable: Bool {
    switch self {
    case .feliCa(let tag): tag.isAvailable
    case .iso7816(let tag): tag.isAvailable
    case .iso15693(let tag): tag.isAvailable
    case .miFare(let tag): tag.isAvailable
    }
  }
}
