import Foundation
import TestSupport
import Testing

@testable import VirtualNFC

/// Tests of `nfc doctor`, on a machine that has only the readers that the tests create.
@Suite struct DoctorCommandTests {
  /// The environment that hides the machine's own service and settings.
  private static let nothing = [
    "PCSCLITE_CSOCK_NAME": "/nowhere/pcscd.comm", "LIBNFC_AUTO_SCAN": "true",
  ]

  private func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test func withoutAReader() async throws {
    let result = try await Tool.run(["doctor"], environment: Self.nothing)
    #expect(result.status == 69)
    #expect(result.output.contains("/nowhere/pcscd.comm is not there"))
    #expect(result.errorLines.count == 1)
    #expect(result.errors.hasPrefix("nfc: no reader found; "))
    #expect(result.errors.contains("--virtual demo"))

    let json = try await Tool.run(["--json", "doctor"], environment: Self.nothing)
    #expect(json.status == 69)
    let findings = try json.lines.map(object)
    #expect(findings.contains { $0["problem"] as? String == "noService" })
    #expect(
      findings.allSatisfy { $0["obstacle"] as? Bool == false && $0["advice"] is String })
  }

  @Test(arguments: [
    ("pn532_uart:/dev/nowhere", "notThere", "/dev/nowhere is not there; check the name"),
    ("pn532_uart:/dev/pts/9999", "notThere", "/dev/pts/9999 is not there; start the program"),
    ("pn532_uart:/etc/hostname", "notThisReader", "not a serial port"),
    ("acr122_usb:250:250", "notThere", "no USB device has the address 250:250"),
    ("acr122_usb:001", "connectionString", "acr122_usb:BUS:DEVICE"),
    ("acr122s:/dev/ttyUSB0", "connectionString", "write --reader ACR122S:/dev/ttyUSB0"),
    ("pcsc:ACR1552", "noService", "/nowhere/pcscd.comm is not there"),
  ])
  func aNamedReader(_ name: String, _ problem: String, _ part: String) async throws {
    let arguments = ["doctor", "--reader", name]
    let result = try await Tool.run(arguments, environment: Self.nothing)
    #expect(result.status == 69)
    #expect(result.output.contains("problem"))
    // The only line on standard error says the same.
    #expect(result.errorLines.count == 1)
    #expect(result.errors.hasPrefix("nfc: \(name) cannot be opened: "))
    #expect(result.errors.contains(part), "\(result.errors)")

    let json = try await Tool.run(arguments + ["--json"], environment: Self.nothing)
    let finding = try object(try #require(json.lines.first))
    #expect(finding["problem"] as? String == problem)
    #expect(finding["obstacle"] as? Bool == true)
    #expect(finding["canBeOpened"] as? Bool == false)
    // The environment names a reader in the same way as the option.
    let named = try await Tool.run(
      ["doctor"], environment: Self.nothing.merging(["NFC_READER": name]) { $1 })
    let errors = named.errors.replacing(" (from NFC_READER)", with: "")
    #expect(errors.replacing("set NFC_READER=", with: "write --reader ") == result.errors)
    #expect(named.errors != result.errors)
  }

  @Test func aReaderThatAnswersIsOpened() async throws {
    try await Tool.with("ntag215") { nfc in
      let result = try await nfc(["doctor"])
      #expect(result.status == 0)
      #expect(result.errors == "")
      #expect(
        result.output.contains(
          /can be opened   yes \(it was opened\) by pn532_uart:\/dev\/pts\/\d+/))
      #expect(result.lines.last == "1 of 1 readers can be opened")
      let json = try await nfc(["doctor", "--json"])
      #expect(json.status == 0)
      #expect(json.lines.count == 1)
      #expect(try object(json.output)["canBeOpened"] as? Bool == true)
    }
  }

  @Test func aVirtualReaderIsOne() async throws {
    let result = try await Tool.run("--virtual", "icode-slix2", "doctor")
    #expect(result.status == 0)
    #expect(result.lines.last == "1 of 1 readers can be opened")
  }

  /// The program that uses the port belongs to this user, so the output names it.
  @Test func aReaderThatIsInUse() async throws {
    let virtual = try RunningTool(["virtual", "ntag215"])
    let reader = try #require(try await virtual.waitForLines(1).first)
    let poll = try RunningTool(["poll", "--reader", reader])
    _ = try await poll.waitForLines(1)
    let result = try await Tool.run("doctor", "--reader", reader)
    #expect(result.status == 69)
    #expect(result.errors.contains(/cannot be opened: nfc \(process \d+\) has/))
    // The error of another command mentions this command.
    let read = try await Tool.run("read", "--reader", reader)
    #expect(read.status == 69)
    #expect(read.errors.contains("nfc doctor --reader \(reader) says more"))
    for tool in [poll, virtual] {
      tool.interrupt()
      _ = try await tool.end()
    }
  }

  @Test func nobodyAnswersAtAPort() async throws {
    let terminal = try PseudoTerminal()
    let result = try await Tool.run("doctor", "--reader", "pn532_uart:\(terminal.path)")
    #expect(result.status == 69)
    #expect(result.errors.contains("no reader answers"))
    #expect(result.errors.contains("HSU"))
  }

  @Test func aReaderOfTheService() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    let environment = daemon.environment.merging(["LIBNFC_AUTO_SCAN": "true"]) { $1 }
    let result = try await Tool.run(["doctor"], environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("can be opened   by pcsc:Virtual PCD 00 00"))
    let named = try await Tool.run(
      ["doctor", "--reader", "pcsc:virtual pcd"], environment: environment)
    #expect(named.status == 0)
    #expect(named.output.contains("yes (it was opened) by pcsc:Virtual PCD 00 00"))
    let other = try await Tool.run(["doctor", "--reader", "pcsc:other"], environment: environment)
    #expect(other.status == 69)
    #expect(other.errors.contains("name one of pcsc:Virtual PCD 00 00"))
    daemon.stop()
    let stopped = try await Tool.run(
      ["doctor", "--reader", "pcsc:virtual"], environment: environment)
    #expect(stopped.status == 69)
    #expect(stopped.errors.contains("the PC/SC service is not running"), "\(stopped.errors)")
  }

  /// Readers that are defined in libnfc's configuration are checked without opening them.
  @Test func aReaderOfLibnfcsConfiguration() async throws {
    let environment = Self.nothing.merging(["LIBNFC_DEVICE": "pn532_uart:/dev/nowhere"]) { $1 }
    let result = try await Tool.run(["doctor"], environment: environment)
    #expect(result.status == 69)
    #expect(result.output.contains("the variable LIBNFC_DEVICE"))
    #expect(result.errors.contains("the reader cannot be opened"))
  }
}
