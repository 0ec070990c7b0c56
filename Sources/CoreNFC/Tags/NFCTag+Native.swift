import NFC

// The native tag behind a tag of Core NFC. This is an addition to Apple's interface: the module
// `NFC` has commands that an iPhone does not have, including those of MIFARE Classic. They reach
// the tag while the session is connected to it; errors are `NFCError`. `nil` for a tag that no
// session has reported, such as a mock in a program's tests.

extension NFCMiFareTag {
  /// The native tag, with the commands of MIFARE Classic and of Ultralight.
  ///
  /// ```swift
  /// try await session.connect(to: .miFare(tag))
  /// try await tag.native?.classic?.authenticate(block: 4, with: key, as: .a)
  /// let block = try await tag.native?.classic?.readBlock(4)
  /// ```
  public var native: (any MiFareTag)? { (self as? MiFareTagObject)?.miFare }
}

extension NFCISO7816Tag {
  /// The native card.
  public var native: (any ISO7816Tag)? { (self as? ISO7816TagObject)?.card }
}

extension NFCFeliCaTag {
  /// The native card by the system that was selected last.
  public var native: (any FeliCaTag)? { (self as? FeliCaTagObject)?.card }
}

extension NFCISO15693Tag {
  /// The native tag.
  public var native: (any ISO15693Tag)? { (self as? ISO15693TagObject)?.vicinity }
}
