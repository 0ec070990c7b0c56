import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

/// Tests of the passwords of ISO 15693 tags with a real PC/SC daemon and vsmartcard's virtual reader. Each
/// command runs in its own process.
@Suite struct VicinityDaemonTests {
  /// A tag on a reader of a private daemon.
  private struct Shown {
    let chip: VirtualTag
    let field = VirtualField()
    let daemon: PrivatePCSCD
    private let client: VirtualPCSCClient

    init(_ chip: VirtualTag) throws {
      self.chip = chip
      field.place(chip)
      daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
      client = try VirtualPCSCClient(VirtualPCSCReader(field), port: daemon.port)
    }

    func close() { client.close() }

    /// Runs a command on the tag. The tag does not remember the access that the previous command had.
    func nfc(_ line: String, _ status: Int32) async throws -> Tool.Result {
      field.remove(chip)
      field.place(chip)
      let result = try await daemon.nfc(arguments: line.split(separator: " ").map(String.init))
      #expect(result.status == status, "\(line): \(result.output)\(result.errors)")
      return result
    }
  }

  struct Chip: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let password: String
    let wrong: String
    /// The first protected block.
    let from: Int
    /// The exit status for a protected block. An ICODE never indicates the reason for a refusal (error 0F).
    let refused: Int32
  }

  static let chips = [
    Chip(
      testDescription: "icode-slix2", password: "11223344", wrong: "99999999", from: 20, refused: 74
    ),
    Chip(
      testDescription: "st25dv04k", password: "1122334455667788", wrong: "9999999999999999",
      from: 32, refused: 77),
    Chip(
      testDescription: "st25tv", password: "11223344", wrong: "99999999", from: 32,
      refused: 77),
    Chip(
      testDescription: "st25tv02kc", password: "11223344", wrong: "99999999", from: 41,
      refused: 77),
    Chip(
      testDescription: "ntag5-link", password: "11223344", wrong: "99999999", from: 20, refused: 74
    ),
  ]

  /// A command whose last answer was lost is repeated as it was.
  @Test(arguments: chips) func isClosedAgainAndOpenedAgain(_ chip: Chip) async throws {
    let shown = try Shown(.named(chip.testDescription))
    defer { shown.close() }
    for _ in 0..<2 {
      _ = try await shown.nfc("protect --password \(chip.password) --from \(chip.from)", 0)
    }
    let other = try await shown.nfc("protect --password \(chip.wrong) --from \(chip.from)", 77)
    #expect(other.errors.contains("--current-password"))
    for _ in 0..<2 { _ = try await shown.nfc("unprotect --password \(chip.password)", 0) }
  }

  @Test(arguments: chips) func isClosedAndOpened(_ chip: Chip) async throws {
    let shown = try Shown(.named(chip.testDescription))
    defer { shown.close() }
    let protect = "protect --password \(chip.password) --from \(chip.from) --read"
    let plan = try await shown.nfc("\(protect) --plan", 0)
    #expect(!plan.output.isEmpty && !plan.output.contains(chip.password))
    _ = try await shown.nfc("iso15693 write \(chip.from) A1A2A3A4", 0)
    _ = try await shown.nfc(protect, 0)
    _ = try await shown.nfc("iso15693 write \(chip.from - 1) 01020304", 0)
    let closed = try await shown.nfc("iso15693 read \(chip.from)", chip.refused)
    #expect(!closed.output.contains("A1A2A3A4"))
    _ = try await shown.nfc("iso15693 write \(chip.from) 01020304", chip.refused)
    let wrong = try await shown.nfc("unprotect --password \(chip.wrong)", 77)
    #expect(wrong.errorLines.count == 1 && !wrong.errors.contains(chip.wrong))
    let info = try await shown.nfc("info --json --password \(chip.password)", 0)
    #expect(info.output.contains(#""password":true,"from":\#(chip.from),"read":true"#))
    _ = try await shown.nfc("unprotect --password \(chip.password)", 0)
    #expect(try await shown.nfc("iso15693 read \(chip.from)", 0).output.contains("A1A2A3A4"))
    #expect(shown.chip.irreversibleChanges.isEmpty)
  }

  @Test func articleSurveillance() async throws {
    let shown = try Shown(.icodeSLIX2())
    defer { shown.close() }
    _ = try await shown.nfc("iso15693 eas on", 0)
    #expect(try await shown.nfc("info --json", 0).output.contains(#""eas":true"#))
    _ = try await shown.nfc("iso15693 eas off --password 99999999", 77)
    #expect(try await shown.nfc("info --json", 0).output.contains(#""eas":true"#))
    _ = try await shown.nfc("iso15693 eas off", 0)
    #expect(try await shown.nfc("info --json", 0).output.contains(#""eas":false"#))
  }
}
