/// Why a SUN message is not verified.
public enum SUNError: Error, Hashable, Sendable {
  /// The parts of a link that the chip fills in.
  public enum Part: Hashable, Sendable {
    /// The enciphered UID and counter (PICCENCData).
    case piccData
    /// The readable UID, 7 bytes.
    case uid
    /// The readable read counter, 3 bytes.
    case counter
    /// The enciphered part of the file (SDMENCFileData).
    case fileData
    /// SDMMAC.
    case mac
  }

  /// The link has no such part.
  case missing(Part)
  /// The part is there, and is not so many hexadecimal digits as it has to be; the text says what it has to be.
  case malformed(Part, String)
  /// The link has another form than the template; the byte at which they part.
  case differsFromTemplate(offset: Int)
  /// A key is needed to decipher or check the part, and none is given.
  case noKey(Part)
  /// The part deciphers to nothing that a chip writes: the key is another.
  case wrongKey(Part)
  /// The MAC is not the one of this content under this key: the link was changed, made up, or is of another key.
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
    case .wrongKey(let part): "the key does not decipher the link's \(part)"
    case .wrongMAC: "the link's MAC is wrong"
    }
  }
}
