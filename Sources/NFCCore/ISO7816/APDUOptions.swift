/// The automatic steps that send a long command and fetch a complete answer.
public struct APDUOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Sends a command in parts if the reader cannot send it as a whole: command chaining, ISO/IEC
  /// 7816-4, 5.3.3. Only for commands of an interindustry class; the card must support it.
  public static let commandChaining = APDUOptions(rawValue: 1)
  /// Answers 61xx with GET RESPONSE until the answer is complete (ISO/IEC 7816-4, 5.3.4), and
  /// requests an answer in parts if it is too long for the reader.
  public static let getResponse = APDUOptions(rawValue: 2)
  /// Repeats a command once with the expected length that 6Cxx reports (ISO/IEC 7816-4, 5.6).
  public static let expectedLengthCorrection = APDUOptions(rawValue: 4)

  /// All of these.
  public static let automatic: APDUOptions = [
    .commandChaining, .getResponse, .expectedLengthCorrection,
  ]
  /// One exchange, with the status word as the card sends it.
  public static let raw: APDUOptions = []
}
