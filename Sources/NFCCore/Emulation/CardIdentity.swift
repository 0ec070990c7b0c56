/// What a reader that acts as a card shows before the first command.
///
/// The rest is the chip's: a UID of four bytes whose first is 08, which marks a number that is not unique (ISO/IEC
/// 14443-3, 6.5.4), and an ATS with its own values. A copy of another card is not possible.
public struct CardIdentity: Hashable, Sendable {
  /// The UID, four bytes, most significant first.
  public let uid: [UInt8]
  /// The historical bytes of the ATS, up to 48.
  public let historicalBytes: [UInt8]

  /// The first byte of the UID: a random number (ISO/IEC 14443-3, table 8).
  public static let firstByteOfUID: UInt8 = 0x08
  /// The maximum number of historical bytes (TgInitAsTarget, UM0701-02, p. 151).
  public static let maximumHistoricalBytes = 48
  /// A card without further information: category indicator 80, for which Android looks.
  public static let defaultHistoricalBytes: [UInt8] = [0x80]

  /// - Parameters:
  ///   - number: the three bytes after 08; random if `nil`.
  ///   - historicalBytes: for the ATS.
  /// - Throws: ``NFCError/Code/invalidParameter``.
  public init(
    number: [UInt8]? = nil, historicalBytes: [UInt8] = CardIdentity.defaultHistoricalBytes
  ) throws(NFCError) {
    let number = number ?? Self.randomNumber
    guard number.count == 3 else {
      throw NFCError(
        .invalidParameter,
        "a card that a reader acts as has a UID of 08 and three more bytes, not \(number.count)")
    }
    guard historicalBytes.count <= Self.maximumHistoricalBytes else {
      throw NFCError(
        .invalidParameter,
        "an ATS holds up to \(Self.maximumHistoricalBytes) historical bytes, not "
          + "\(historicalBytes.count)")
    }
    uid = [Self.firstByteOfUID] + number
    self.historicalBytes = historicalBytes
  }

  private static var randomNumber: [UInt8] { (0..<3).map { _ in UInt8.random(in: 0...255) } }

  private init(random number: [UInt8]) {
    uid = [Self.firstByteOfUID] + number
    historicalBytes = Self.defaultHistoricalBytes
  }

  /// An identity with a random number, which is another one each time.
  public static var random: CardIdentity { CardIdentity(random: randomNumber) }
}

/// The limits of a reader that can act as a card of ISO/IEC 14443-4 type A.
public struct EmulationCapabilities: Hashable, Sendable {
  /// The maximum length of a command in bytes that arrives whole. A longer one is answered 6700, and the session
  /// continues.
  public var maximumCommandLength: Int
  /// The maximum length of an answer in bytes, with its status word.
  public var maximumAnswerLength: Int
  /// Whether it is not known to work with such readers.
  public var isExperimental: Bool

  /// Creates the limits.
  public init(maximumCommandLength: Int, maximumAnswerLength: Int, isExperimental: Bool = false) {
    self.maximumCommandLength = maximumCommandLength
    self.maximumAnswerLength = maximumAnswerLength
    self.isExperimental = isExperimental
  }
}

/// How a session with another reader has ended.
@nonexhaustive
public enum EmulationRelease: String, Hashable, Sendable, CaseIterable {
  /// The other side has deselected the card, and may return at any moment.
  case deselected
  /// The field has gone.
  case field
  /// This reader has ended it: it failed, or a limit was reached.
  case reader
}

/// What a reader that acts as a card has received.
@nonexhaustive
public enum EmulationReception: Hashable, Sendable {
  /// A command.
  case command([UInt8])
  /// Nothing within the time limit; the session continues.
  case nothing
  /// The session has ended.
  case released(EmulationRelease)
}
