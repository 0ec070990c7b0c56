import Foundation
import Testing

/// Tests of the operations of `nfc doctor` on readers.
@Suite struct ReportTests {
  private func report(_ arguments: [String]) async throws -> String {
    try await TemporaryDirectory.with { directory in
      let file = directory.appending(path: "report.md")
      let result = try await Tool.run(["doctor", "--report", file.path] + arguments)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output == "")
      return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
  }

  @Test func hasWhatAReportNeedsAndNoUID() async throws {
    let text = try await report(["--virtual", "ntag216"])
    for part in [
      "# Reader report", "- System: Linux", "- Driver: libnfc 1.", "- polls: iso14443a",
      "- opened in: ", "- one round of all technologies: ", "- tag: iso14443a", "- read in: ",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    #expect(!text.contains("04A78B62C21B90"))
  }

  @Test func hasUIDsWhereTheyAreRequested() async throws {
    #expect(try await report(["--virtual", "ntag216", "--with-uids"]).contains("04A78B62C21B90"))
  }

  @Test func isWrittenWithoutAnyTag() async throws {
    let text = try await report(["--virtual", "ntag216", "--virtual", "icode-slix2"])
    #expect(text.contains("- tag: iso15693"))
    let named = try await Tool.run(
      "doctor", "--report", "/dev/null", "--reader", "pn532_uart:/dev/does-not-exist")
    #expect(named.status == 69)
    #expect(named.errors.contains("no reader could be opened"))
  }

  @Test(
    arguments: [
      (["--reset", "--reader", "pn532_uart:/dev/ttyUSB0"], 69),
      (["--reset", "--reader", "usb:9-9"], 69), (["--reset", "--reader", "nonsense"], 69),
      (["--reset"], 69), (["--reset", "--virtual", "ntag216"], 64), (["--with-uids"], 64),
    ] as [([String], Int32)])
  func whatCannotBeDoneIsReported(_ arguments: [String], _ status: Int32) async throws {
    let result = try await Tool.run(
      ["doctor"] + arguments, environment: ["LIBNFC_AUTO_SCAN": "false"])
    #expect(result.status == status)
    #expect(result.output == "")
    #expect(!result.errors.isEmpty)
  }
}
