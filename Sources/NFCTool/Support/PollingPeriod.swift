import ArgumentParser
import NFC

/// The option `--period` of the commands that poll.
struct PollingPeriod: ParsableArguments {
  @Option(
    name: .customLong("period"),
    help: ArgumentHelp(
      "Look into the field once in this many seconds, with the carrier off in between (0.1 to 60).",
      discussion: """
        For batteries and less radio noise; a look takes about 0.08 seconds. A tag is reported half a period \
        later on average, rare protocols are looked for once in six periods, a tag that stays loses what is \
        unlocked in it, and above 0.25 seconds phones with a payment card may not answer. Without this \
        option, the carrier stays on.
        """, valueName: "seconds"),
    transform: Self.seconds)
  var duration: Duration?

  private static let range = 0.1...60

  private static func seconds(_ text: String) throws -> Duration {
    guard let seconds = NumberArgument.decimal(text), range.contains(seconds) else {
      throw ValidationError(
        "--period is a number of seconds from 0.1 to 60, not \"\(ArgumentText.shown(text))\".")
    }
    return .milliseconds(Int64((seconds * 1000).rounded()))
  }
}
