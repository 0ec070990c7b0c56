import NFC
import SecureTags
import SwiftNFCJSONText

/// Everything that a tag says about itself: its chip, its message, its protection and content.
///
/// ```swift
/// for fact in try await tag.report().facts { print("\(fact.name): \(fact.value)") }
/// ```
public struct TagReport: Sendable {
  /// One line of the report.
  public struct Fact: Hashable, Sendable {
    /// The name, for people: `originality`, `locked pages`. Facts that follow each other may have the same name.
    public let name: String
    /// The value, in words, without control characters. It may be text that somebody has written to the tag.
    public let value: String
    /// Whether the fact is a good or a bad sign; `nil` for most.
    public let judgment: Judgment?
  }

  /// What a fact says about whether the tag can be trusted.
  public enum Judgment: Hashable, Sendable {
    /// The maker's signature is right.
    case good
    /// It is wrong.
    case bad
  }

  /// The reason why there is no message.
  ///
  /// More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum MessageProblem: Hashable, Sendable {
    /// Its bytes are not an NDEF message.
    case broken(NDEFError)
    /// The tag or the reader does not let it be read.
    case notReadable(NFCError)
  }

  /// What a report has only on request.
  public struct Extras: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The memory, as far as the keys open it.
    public static let memory = Extras(rawValue: 1 << 0)
    /// Balance and journeys of a Japanese transit card or a T-money card.
    public static let personal = Extras(rawValue: 1 << 1)
  }

  /// The chip; `nil` if it is not known.
  public let product: TagProduct?
  /// The maker of the chip; `nil` if it is not known.
  public let maker: String?
  /// Whether the maker's signature shows that the chip is genuine.
  public let originality: OriginalitySignature.Verdict
  /// The message; `nil` for a tag without NDEF, and for ``messageProblem``.
  public let message: NDEFMessage?
  /// The reason why the message cannot be read; `nil` if it was read, or the tag is without NDEF.
  public let messageProblem: MessageProblem?
  /// The memory in hexadecimal and as text, one line for each page or block, with `*` where it is locked; empty unless
  /// ``Extras/memory`` requests it.
  public let memory: [String]

  package var table: FactTable
  /// What programs read before the reason why there is no message, and after it.
  let members: [JSONValue.Member]
  var details: [JSONValue.Member]

  init(
    product: TagProduct?, maker: String?, originality: OriginalitySignature.Verdict,
    messageProblem: MessageProblem?, message: NDEFMessage?, table: FactTable, memory: [String],
    members: [JSONValue.Member], details: [JSONValue.Member]
  ) {
    self.product = product
    self.maker = maker
    self.originality = originality
    self.messageProblem = messageProblem
    self.message = message
    self.table = table
    self.memory = memory
    self.members = members
    self.details = details
  }

  /// The facts, for people, in the order in which `nfc info` prints them.
  public var facts: [Fact] { table.rows }

  /// The report for programs, as a JSON object on one line: that of `nfc info --json`, except that `ndefError` has only
  /// the reason.
  public var json: String {
    json { .members(["message": .string($0.description)]) }.text
  }
}

extension TagReport.MessageProblem: CustomStringConvertible {
  /// The reason, as one clause.
  public var description: String {
    switch self {
    case .broken(let error): "the NDEF message is broken: \(error)"
    case .notReadable(let error): error.description
    }
  }
}

extension DetectedTag {
  /// Asks the tag for everything that it says about itself. Nothing is written, and nothing personal is read unless
  /// `extras` request it.
  ///
  /// The number of exchanges depends on the chip: one for each sector, application, file or service of a card, for
  /// instance. A chip is asked only for what it may have.
  ///
  /// - Parameters:
  ///   - keys: the tag's keys.
  ///   - password: the tag's password.
  ///   - extras: what is reported only on request.
  /// - Throws: ``TagSecretError`` for a key or password that the tag cannot have; `NFCError` `authenticationFailed` for a
  ///   wrong password, `tagConnectionLost`. What a tag refuses is missing in the report.
  public func report(
    keys: TagKeys = TagKeys(), password: SecretKey? = nil, including extras: TagReport.Extras = []
  ) async throws -> TagReport {
    try await TagReport(
      self, keys, forMessage: keys,
      passwordBytes: password.map { $0.withUnsafeBytes { Array($0) } }, including: extras)
  }
}
