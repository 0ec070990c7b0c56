/// The content of a pass that a phone has sent.
public struct Pass: Hashable, Sendable {
  /// The wallet of a phone.
  @nonexhaustive
  public enum Wallet: String, Hashable, Sendable {
    case apple
    case google
  }

  /// The wallet of the phone.
  public let wallet: Wallet
  /// The message of the pass; personal data.
  public let message: [UInt8]
  /// Apple: the pass type identifier that was asked for.
  public var passType: String?
  /// Apple: the time of the phone in seconds since 1970-01-01, 00:00 UTC.
  public var secondsSince1970: Int?
  /// Apple: the age of the message in seconds when it was read; negative if the phone's clock is ahead.
  public var age: Double?
  /// Apple: the identifier of the key, four bytes.
  public var keyIdentifier: [UInt8]?
  /// Apple: the mobile token, which may be empty; personal data.
  public var token: [UInt8] = []
  /// Google: the kind of the pass: `ly` (loyalty), `of`, `gc`, `et`, `fl`, `tr`, `gr`.
  public var kind: String?
  /// Google: the identifier of the object in Google's console; personal data.
  public var objectIdentifier: [UInt8] = []

  /// The message as text; `nil` if it is not UTF-8.
  public var text: String? { String(validating: message, as: UTF8.self) }
}

extension Pass: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The message is personal data, so that it is not part of the description.
  public var description: String { "Pass(\(wallet.rawValue), \(message.count) bytes, hidden)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
