/// What is known of one signature of a message.
public struct SignatureVerdict: Hashable, Sendable {
  /// What the signature says about the records that it covers.
  @nonexhaustive
  public enum Content: String, Hashable, Sendable {
    /// The records are those that were signed.
    case unchanged
    /// A record was changed, added, removed or moved after signing, or the signature is not by the key of the
    /// certificate.
    case changed
    /// The signature could not be verified: see ``SignatureVerdict/remark``.
    case notChecked
  }

  /// What is known of the certificate of the signer.
  @nonexhaustive
  public enum Issuer: String, Hashable, Sendable {
    /// It is one of those that are trusted, or was issued by one of them.
    case trusted
    /// No certificate that is trusted is at the end of its chain.
    case unknown
    /// It, or one that issued it, has expired or is not valid yet.
    case notValidNow
    /// The chain is wrong: see ``SignatureVerdict/remark``.
    case invalid
    /// Nothing is known of it, because no certificate is trusted, or there is none.
    case notChecked
  }

  /// The position of the signature's record in the message.
  public let record: Int
  /// The positions of the records that it covers.
  public let coveredRecords: Range<Int>
  public internal(set) var content = Content.notChecked
  public internal(set) var issuer = Issuer.notChecked
  /// The certificate of the signer in DER; `nil` if there is none.
  public internal(set) var certificate: [UInt8]?
  /// Why something was not checked or is invalid, for people.
  public internal(set) var remark: String?

  init(record: Int, coveredRecords: Range<Int>) {
    self.record = record
    self.coveredRecords = coveredRecords
  }

  /// Whether the records are unchanged since somebody who is trusted has signed them.
  public var isTrusted: Bool { content == .unchanged && issuer == .trusted }
}
