/// The keys that may have signed a chip's UID.
package struct SignatureKeys: Hashable, Sendable {
  package let keys: [SignatureKey]
  /// Whether the maker signs with other keys, too: a signature that none of ``keys`` verifies proves nothing then.
  package let mayBeOthers: Bool

  package init(_ keys: [SignatureKey], mayBeOthers: Bool = false) {
    self.keys = keys
    self.mayBeOthers = mayBeOthers
  }

  /// No key is known.
  package static let none = SignatureKeys([])
}
