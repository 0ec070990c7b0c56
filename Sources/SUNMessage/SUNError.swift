/// The reason why a SUN message cannot be verified.
@nonexhaustive
public enum SUNError: Error, Hashable, Sendable {
  /// The parts of a link that the chip fills in.
  @nonexhaustive
  public enum Part: Hashable, Sendable {
    /// The encrypted UID and counter (PICCENCData).
    case piccData
    /// The readable UID, 7 bytes.
    case uid
    /// The readable read counter, 3 bytes.
    case counter
    /// The encrypted part of the file (SDMENCFileData).
    case fileData
    /// SDMMAC, or SUNCMAC.
    case mac
    /// The status of the wire of a StatusDetect chip, 5 bytes (NTAG 223 DNA and NTAG 224 DNA).
    case tamperStatus
  }

  /// The link does not have this part.
  case missing(Part)
  /// The link has this part, but not with the required number of hexadecimal digits; the text says
  /// what is required.
  case malformed(Part, String)
  /// The link does not match the template; the offset of the first byte that differs.
  case differsFromTemplate(offset: Int)
  /// Decrypting or checking the part requires a key, and none is given.
  case noKey(Part)
  /// The part decrypts to something that no chip writes: the key is wrong.
  case wrongKey(Part)
  /// The MAC does not belong to this content and key: the link was changed or forged, or belongs to
  /// another key.
  case wrongMAC
}

extension SUNError.Part: CustomStringConvertible {
  public var description: String {
    switch self {
    case .piccData: "encrypted PICC data"
    case .uid: "UID"
    case .counter: "read counter"
    case .fileData: "encrypted file data"
    case .mac: "MAC"
    case .tamperStatus: "tamper status"
    }
  }
}

extension SUNError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let part): "the link has no \(part)"
    case .malformed(let part, let form): "the link's \(part) is broken: it is \(form)"
    case .differsFromTemplate(let offset): "the link differs from the template at byte \(offset)"
    case .noKey(let part): "the link's \(part) needs a key"
    case .wrongKey(let part): "the key does not decrypt the link's \(part)"
    case .wrongMAC: "the link's MAC is wrong"
    }
  }
}
