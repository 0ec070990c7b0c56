import NFC
import SecureTags

/// The protection of a tag with a password or a key, whichever the tag has.
///
/// ```swift
/// let protection = TagProtection(password: password, protectsReading: true)
/// print(try await tag.protectionPlan(protection))
/// try await tag.protect(protection, accepting: [.forgetsPassword])
/// ```
///
/// A part that the tag does not have is an error and not left out: ``TagProtectionError``.
public struct TagProtection: Sendable {
  /// The new password or key: 4 bytes for an NTAG, Ultralight EV1, ICODE or NTAG 5, 8 for an ST25DV or ST25TV, 16 for an
  /// ST25TA, and for the key of an Ultralight C or AES.
  public var password: SecretKey
  /// What an NTAG or Ultralight EV1 answers to the right password, 2 bytes; `nil` for zeros, as on delivery.
  public var acknowledge: [UInt8]?
  /// The first page or block that is protected; `nil` for the first of the user memory. An ST25TA protects its NDEF file
  /// as a whole.
  public var first: Int?
  /// Whether reading requires the password, too.
  public var protectsReading: Bool
  /// The number of wrong passwords in a row that an NTAG, Ultralight EV1 or Ultralight AES accepts; `nil` for any number.
  /// One more permanently closes the tag, which has to be accepted as `IrreversibleEffect.mayClosePermanently`.
  public var attemptLimit: Int?

  /// Creates a protection of the whole user memory, unless a first page or block is given. Reading stays open unless
  /// `protectsReading` is `true`.
  public init(
    password: SecretKey, acknowledge: [UInt8]? = nil, first: Int? = nil,
    protectsReading: Bool = false, attemptLimit: Int? = nil
  ) {
    self.password = password
    self.acknowledge = acknowledge
    self.first = first
    self.protectsReading = protectsReading
    self.attemptLimit = attemptLimit
  }

  /// The first page of the user memory of an Ultralight or NTAG.
  static let firstUserPage = 4
}

/// A protection that the tag cannot have, or that is not changed for another reason. Nothing was written.
///
/// More cases may be added: a `switch` needs an `@unknown default`.
@nonexhaustive
public enum TagProtectionError: Error, Sendable {
  /// A part of a ``TagProtection``. More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum Part: Hashable, Sendable {
    /// ``TagProtection/acknowledge``.
    case acknowledge
    /// ``TagProtection/attemptLimit``.
    case attemptLimit
    /// ``TagProtection/first``.
    case first
  }

  /// The tag has nothing for this part.
  case unsupported(Part)
  /// The tag accepts at most this number of wrong passwords as its limit.
  case attemptLimit(maximum: Int)
  /// The tag has no password or key with which memory is protected.
  case noPassword
  /// The tag requires a password that was not given, and limits wrong ones: the new one, which an interrupted change may
  /// have set already, was not tried. The error is the answer of the tag.
  case newPasswordNotTried(NFCError)
}

extension TagProtectionError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unsupported(.acknowledge): "this tag has nothing for a password acknowledge"
    case .unsupported(.attemptLimit): "this tag has nothing for a limit of wrong passwords"
    case .unsupported(.first): "this tag has nothing for a first page or block"
    case .attemptLimit(let maximum): "this tag accepts a limit of 1 to \(maximum)"
    case .noPassword: "this tag has no password"
    case .newPasswordNotTried(let error): error.reason
    }
  }
}
