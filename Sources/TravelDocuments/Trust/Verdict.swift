/// What is known of a document: four separate statements, each never more than was proved.
public struct Verdict: Hashable, Sendable {
  /// Whether the data groups are those that the issuer has signed.
  public enum Data: String, Hashable, Sendable {
    /// They are those that the issuer has signed.
    case unchanged
    /// At least one differs from what was signed.
    case changed
    /// Nobody who is trusted has signed them, or they cannot be compared.
    case notChecked
  }

  /// Who has signed.
  public enum Issuer: String, Hashable, Sendable {
    /// A country's authority that is trusted has issued the signer's certificate, which was valid when it signed.
    case trusted
    /// The authority is not among the trusted ones. This says nothing against the document.
    case unknown
    /// The signature is wrong, or the signer must not sign documents, or its certificate was revoked.
    case invalid
    /// The signer's certificate was not valid when it signed.
    case notValidThen
    /// The countries of document, signer and authority differ, or the kind of document.
    case contradicting
    /// No authority is trusted, or there is nothing that could be verified.
    case notChecked
  }

  /// Whether the chip is the one that the issuer has made, and not a copy.
  public enum Chip: String, Hashable, Sendable {
    /// It has the key that the issuer has signed.
    case genuine
    /// It does not have the key that its files promise.
    case clone
    /// The document has no means to prove its chip.
    case noProof
    /// It was not asked, it did not answer, or its key is not signed by a trusted issuer.
    case notChecked
  }

  /// Who has signed, for people.
  public struct Signer: Hashable, Sendable {
    /// Two letters; `nil` if the certificate names none.
    public let country: String?
    /// The name of the signer.
    public let subject: String
    /// The name of its authority.
    public let issuer: String
    /// The serial number in hexadecimal.
    public let serialNumber: String
    /// The beginning of the certificate's validity.
    public let notBefore: DocumentTime
    /// The end of the validity.
    public let notAfter: DocumentTime
    /// The source of the authority's certificate; `nil` unless the authority is trusted.
    public internal(set) var authoritySource: String?
  }

  /// Whether the data groups are those that were signed.
  public internal(set) var data = Data.notChecked
  /// Who has signed them.
  public internal(set) var issuer = Issuer.notChecked
  /// Whether the chip is a copy.
  public internal(set) var chip = Chip.notChecked
  /// The data groups that are not those in EF.SOD, whoever has signed it.
  public internal(set) var changedGroups: [Int] = []
  /// The signer whose signature fits; `nil` if there is none.
  public internal(set) var signer: Signer?
  /// How the document contradicts itself, as clauses. Such a document is not intact, whoever is trusted.
  public internal(set) var contradictions: [String] = []
  /// Why a statement is as it is, as clauses.
  public internal(set) var remarks: [String] = []

  /// Whether everything was proved that the document allows: its data and its issuer are genuine, and so is its chip, or
  /// it has no means to prove that.
  public var isTrusted: Bool {
    data == .unchanged && issuer == .trusted && (chip == .genuine || chip == .noProof)
      && contradictions.isEmpty
  }

  /// One line for people, which follows from the statements.
  public var summary: String {
    if data == .changed { return "the data was changed" }
    if issuer == .invalid { return "the signature is not valid" }
    if issuer == .contradicting { return "the document and its signer contradict each other" }
    if !contradictions.isEmpty { return "the document contradicts itself" }
    if chip == .clone { return "the chip is a copy" }
    guard issuer == .trusted, data == .unchanged else {
      switch issuer {
      case .unknown: return "the issuing authority is not among the trusted ones"
      case .notValidThen: return "the signer's certificate was not valid at signing"
      default: return "nothing was proved"
      }
    }
    return switch chip {
    case .genuine: "the document is genuine"
    case .noProof: "authentic data; the chip has no means to prove itself"
    default: "authentic data; the chip is not proven"
    }
  }
}
