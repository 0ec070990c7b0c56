import NFC

/// A key or password that a program has given, and that the tag cannot have. Nothing was sent with it.
///
/// The description shows no secret.
public struct TagSecretError: Error, Hashable, Sendable {
  /// What is wrong. More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum Problem: Hashable, Sendable {
    /// The tag has no keys, or none that this call uses.
    case noKeys
    /// The tag has no password.
    case noPassword
    /// A key, or the password that is given as one, has this size in bytes.
    case keySize(Int)
    /// The password has one of these sizes in bytes.
    case passwordSize([Int])
    /// The tag has one key, and several were given: a wrong one may close the tag.
    case severalKeys
  }

  /// What is wrong, for programs.
  public let problem: Problem
  /// What is wrong, as one clause for people.
  public let reason: String
  /// The tag's identifier, if the error is about its password.
  public let identifier: [UInt8]?

  init(_ problem: Problem, _ reason: String, identifier: [UInt8]? = nil) {
    self.problem = problem
    self.reason = reason
    self.identifier = identifier
  }
}

extension TagSecretError: CustomStringConvertible {
  public var description: String { reason }
}
