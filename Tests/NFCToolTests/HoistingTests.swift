import Testing

@testable import SwiftNFCTool

@Suite struct HoistingTests {
  @Test(arguments: [
    ("poll", "poll"),
    ("--json poll", "poll --json"),
    (
      "--virtual ntag215 --virtual suica poll --once",
      "poll --virtual ntag215 --virtual suica --once"
    ),
    ("--reader=a:b --timeout 3 read --json", "read --reader=a:b --timeout 3 --json"),
    ("--json mifare send 30", "mifare send --json 30"),
    ("mifare --json send 30", "mifare send --json 30"),
    ("--uid 04 write --verify uri x", "write uri --uid 04 --verify x"),
    // Options that all kinds of messages have can precede the kind, and only there.
    ("write --each --count 2 text x", "write text --each --count 2 x"),
    ("--json write --lock --permanently uri x", "write uri --json --lock --permanently x"),
    ("write --from=a.csv text x", "write text --from=a.csv x"),
    ("--each write text x", "--each write text x"),
    ("encode --output m.ndef uri x", "encode uri --output m.ndef x"),
    // The password of a network or of a tag: only the kind decides which.
    ("write --password 1 wifi x", "write --password 1 wifi x"),
    // Values that look like subcommands or options remain values.
    ("--virtual poll read", "read --virtual poll"),
    ("--virtual --json read", "read --virtual --json"),
    // Words after the subcommand or after `--` are not changed.
    ("--json write text -- --json", "write text --json -- --json"),
    ("write text poll --json", "write text poll --json"),
    ("poll --json --", "poll --json --"),
    // The parser reports errors in these lines.
    ("--json", "--json"),
    ("--reader", "--reader"),
    ("--json --reader", "--json --reader"),
    ("--nonsense poll", "--nonsense poll"),
    ("--json nonsense", "nonsense"),
    ("--help", "--help"),
    ("-- poll", "-- poll"),
    ("", ""),
    ("--json mifare", "mifare --json"),
  ])
  func movesOptionsAfterTheSubcommand(_ before: String, _ after: String) {
    let arguments = before.split(separator: " ").map(String.init)
    let hoisted = GlobalOptions.movingOptionsAfterSubcommand(arguments, below: NFCTool.self)
    #expect(hoisted.joined(separator: " ") == after)
  }
}
