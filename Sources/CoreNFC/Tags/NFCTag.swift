/// A tag that ``NFCTagReaderSession`` has found, by its kind.
public enum NFCTag {
  /// A FeliCa card.
  case feliCa(any NFCFeliCaTag)
  /// A smart card with the commands of ISO/IEC 7816-4.
  case iso7816(any NFCISO7816Tag)
  /// A vicinity tag of ISO/IEC 15693.
  case iso15693(any NFCISO15693Tag)
  /// A MIFARE or NTAG tag, or another one of type A without ISO/IEC 7816-4.
  case miFare(any NFCMiFareTag)

  /// Whether the session is connected to the tag and the tag is in the field.
  ///
  /// Asks the tag, with one to three exchanges, unless it has answered within the last quarter of a
  /// second; this takes at most half a second. A MIFARE Classic has to be authenticated again
  /// afterwards.
  public var isAvailable: Bool {
    switch self {
    case .feliCa(let tag): tag.isAvailable
    case .iso7816(let tag): tag.isAvailable
    case .iso15693(let tag): tag.isAvailable
    case .miFare(let tag): tag.isAvailable
    }
  }
}
