import NFC

/// The native tags behind those of Core NFC, with all that Core NFC leaves out. Ours, not Apple's; `nil` for
/// a tag that no session has given out.
///
/// The session must be connected to the tag. `import NFC` names the types.
///
/// ```swift
/// try await tag.native?.classic?.authenticate(…)
/// ```
extension NFCMiFareTag {
  /// For MIFARE Classic too, which Apple withholds: `native?.classic`.
  public var native: (any MiFareTag)? { (self as? MiFareTagObject)?.miFare }
}

extension NFCISO7816Tag {
  public var native: (any ISO7816Tag)? { (self as? ISO7816TagObject)?.card }
}

extension NFCISO15693Tag {
  public var native: (any ISO15693Tag)? { (self as? ISO15693TagObject)?.vicinity }
}
