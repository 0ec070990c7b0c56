/// What is done of itself so that a command gets through and its answer comes whole.
public struct APDUOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A command that is longer than the reader carries goes in parts: command chaining, ISO/IEC 7816-4,
  /// 5.3.3. Only commands of an interindustry class; the card must know it.
  public static let commandChaining = APDUOptions(rawValue: 1)
  /// 61xx is followed by GET RESPONSE until the answer is whole (ISO/IEC 7816-4, 5.3.4), and an answer that
  /// is longer than the reader carries is asked for in parts.
  public static let getResponse = APDUOptions(rawValue: 2)
  /// 6Cxx is followed once by the same command with that expected length (ISO/IEC 7816-4, 5.6).
  public static let expectedLengthCorrection = APDUOptions(rawValue: 4)

  /// All of these.
  public static let automatic: APDUOptions = [
    .commandChaining, .getResponse, .expectedLengthCorrection,
  ]
  /// One exchange, and the status word as the card sends it.
  public static let raw: APDUOptions = []
}
