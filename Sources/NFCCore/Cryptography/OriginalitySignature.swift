/// The signature over its UID that a chip has from the factory, and the keys that verify it.
///
/// A copy of both UID and signature passes the check: it proves where the pair comes from, not that
/// it was made for this chip.
///
/// Sources: NXP AN11341, AN11350, AN12196, AN12343, AN12998, AN13452; ST AN5101, AN5580, AN5660.
public enum OriginalitySignature {
  /// The result of verifying a signature.
  @nonexhaustive
  public enum Verdict: String, Hashable, Sendable {
    /// The signature is the maker's, and belongs to this UID.
    case genuine
    /// The signature is not the maker's, or belongs to another UID.
    case notGenuine
    /// No key is known for the product.
    case unknown
  }

  /// Verifies a signature with a key.
  ///
  /// - Parameters:
  ///   - uid: in the order in which it is signed: the printed order, but for NXP's ISO/IEC 15693
  ///     chips least significant byte first.
  ///   - signature: r and s, in the chip's form.
  package static func verify(
    uid: [UInt8], signature: [UInt8], key: SignatureKey
  ) -> Verdict {
    guard let point = [UInt8](hexadecimal: key.point) else { return .unknown }
    let message = key.isHashed ? EllipticCurve.sha256(uid) : uid
    return key.curve.verify(message, signature: signature, publicKey: point)
      ? .genuine : .notGenuine
  }

  /// Verifies a signature with the keys of a product; `unknown` if there are none, or the UID is not known.
  ///
  /// A random UID (ISO/IEC 14443-3, 6.5.4) is not the one that was signed.
  public static func verify(
    uid: [UInt8], signature: [UInt8], product: TagProduct
  ) -> Verdict {
    guard !uid.isEmpty, !ISO14443ATarget.isRandom(uid: uid) else { return .unknown }
    let signatureKeys = product.signatureKeys
    let isGenuine = signatureKeys.keys.contains {
      verify(uid: uid, signature: signature, key: $0) == .genuine
    }
    guard !isGenuine else { return .genuine }
    return signatureKeys.keys.isEmpty || signatureKeys.mayBeOthers ? .unknown : .notGenuine
  }

  /// Returns whether a key is known that signs these products.
  package static func isKnown(for product: TagProduct) -> Bool {
    !product.signatureKeys.keys.isEmpty
  }
}
