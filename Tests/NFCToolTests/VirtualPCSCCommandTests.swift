import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

/// Tests of `nfc virtual --pcsc`, which provides a PC/SC reader to other processes.
@Suite struct VirtualPCSCCommandTests {
  @Test func otherProgramsSeeTheTag() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    try await TemporaryDirectory.with { directory async throws in
      let trace = directory.appending(path: "trace")
      let virtual = try RunningTool(
        ["virtual", "icode-slix2", "--pcsc", "--port", "\(daemon.port)", "--trace", trace.path],
        environment: daemon.environment)
      let line = try #require(try await virtual.waitForLines(1).first)
      #expect(line == "pcsc:Virtual PCD 00 00")

      // Other programs use the name, and `--reader` accepts the complete line.
      let other = try await daemon.scriptor(["FF CA 00 00 00", "FF B0 00 00 04"])
      #expect(other.contains("83 8E D2 2A 08 01 04 E0 90 00"))
      #expect(other.contains("E1 40 27 01 90 00"))

      let read = try await Tool.run(
        ["iso15693", "read", "0", "--reader", line], environment: daemon.environment)
      #expect(read.output == "0  E1402701\n")
      let written = try await Tool.run(
        ["iso15693", "write", "4", "A1A2A3A4", "--reader", line], environment: daemon.environment)
      #expect(written.status == 0, "\(written.errors)")
      #expect(try await daemon.scriptor(["FF B0 00 04 04"]).contains("A1 A2 A3 A4 90 00"))

      // The reader is also found if it is not named.
      let polled = try await Tool.run(
        ["poll", "--once", "--json"],
        environment: daemon.environment.merging(["LIBNFC_AUTO_SCAN": "false"]) { $1 })
      #expect(polled.output.contains(#""uid":"E00401082AD28E83","product":"ICODE SLIX2""#))

      virtual.interrupt()
      let end = try await virtual.end()
      #expect(end.status == 0)
      #expect(end.output == line + "\n")
      #expect(end.errors == "")
      let lines = try String(contentsOf: trace, encoding: .utf8).split(separator: "\n")
      #expect(lines.contains("host  > FFB0000004"))
      #expect(lines.contains("host  < E14027019000"))
      #expect(lines.last == "radio   carrier off")
    }
  }

  /// The card is as it was put there: a program may begin with a native command.
  @Test func aDESFireTakesNativeCommands() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    let virtual = try RunningTool(
      ["virtual", "blank-desfire", "--pcsc", "--port", "\(daemon.port)"],
      environment: daemon.environment)
    _ = try await virtual.waitForLines(1)
    let answer = try await daemon.scriptor(["60"])
    #expect(answer.contains("AF 04 01 01"), "\(answer)")
    virtual.interrupt()
    #expect(try await virtual.end().status == 0)
  }

  /// Without a name, all readers are used: a PN532 that is configured for libnfc, and the PC/SC readers.
  @Test func tagsOfAllReadersAreFound() async throws {
    try await TemporaryDirectory.with { directory async throws in
      try await Self.findsTagsOfAllReaders(directory.appending(path: "reader"))
    }
  }

  /// - Parameter link: where the PN532's terminal is linked to. The terminal's own name may soon be that of another
  ///   test's reader.
  private static func findsTagsOfAllReaders(_ link: URL) async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    let virtual = try RunningTool(["virtual", "ntag215"])
    let shown = try RunningTool(
      ["virtual", "icode-slix2", "--pcsc", "--port", "\(daemon.port)"],
      environment: daemon.environment)
    let terminal = try #require(try await virtual.waitForLines(1).first)
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: String(terminal.trimmingPrefix("pn532_uart:")))
    let readers = [
      "pn532_uart:\(link.path)", try #require(try await shown.waitForLines(1).first),
    ]
    let environment = daemon.environment.merging(
      ["LIBNFC_DEVICE": readers[0], "LIBNFC_AUTO_SCAN": "false"]
    ) { $1 }
    func run(_ line: String) async throws -> Tool.Result {
      try await Tool.run(
        line.split(separator: " ").map(String.init), environment: environment)
    }
    let list = try await run("readers")
    #expect(list.lines.first?.hasPrefix(readers[0]) == true)
    #expect(list.lines.contains { $0.hasPrefix(readers[1]) })
    let both = try await run("poll --count 2")
    #expect(both.lines.contains { $0.contains("NTAG215") })
    #expect(both.lines.contains { $0.contains("ICODE SLIX2") })
    let vicinity = try await run("poll --once --protocols iso15693")
    #expect(vicinity.output.contains("ICODE SLIX2"))
    #expect(try await run("iso15693 read 0").output == "0  E1402701\n")
    #expect(try await run("mifare send 60").output == "0004040201001103\n")
    // If one reader is lost, the other continues. If all are lost, polling waits for them.
    let poll = try RunningTool(["poll", "--count", "3"], environment: environment)
    _ = try await poll.waitForLines(2)
    virtual.interrupt()
    _ = try await virtual.end()
    try await Task.sleep(for: .milliseconds(300))
    shown.interrupt()
    _ = try await shown.end()
    let lines = try await poll.waitForLines(4)
    #expect(lines.contains { $0.contains("left     E00401082AD28E83") })
    daemon.stop()
    poll.interrupt()
    #expect(try await poll.end().status == 130)
    try FileManager.default.removeItem(at: link)
    let none = try await run("poll --once")
    #expect(none.status == 69)
    #expect(none.errorLines.count == 1)
  }

  @Test func eachSlotHasItsName() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    var readers: [RunningTool] = []
    for (slot, tag) in ["st25dv", "mb89r118"].enumerated() {
      let virtual = try RunningTool(
        ["virtual", tag, "--pcsc", "--port", "\(daemon.port + UInt16(slot))"],
        environment: daemon.environment)
      readers.append(virtual)
      let line = try #require(try await virtual.waitForLines(1).first)
      #expect(line == "pcsc:Virtual PCD 00 0\(slot)")
      let found = try await Tool.run(
        ["info", "--json", "--reader", line], environment: daemon.environment)
      #expect(found.output.contains(["ST25DV64K", "MB89R118"][slot]))
    }
    // A slot has room for one card.
    let third = try await Tool.run(
      ["virtual", "tag-it", "--pcsc", "--port", "\(daemon.port)"], environment: daemon.environment)
    #expect(third.status == 69)
    #expect(third.output == "")
    #expect(third.errorLines.count == 1)
    #expect(third.errors.contains("--port"))
    for reader in readers {
      reader.interrupt(SIGTERM)
      #expect(try await reader.end().status == 0)
    }
  }

  /// The reader also finds other kinds of tags.
  @Test(arguments: [
    ("ntag215", "Virtual PCD", "transparent", "NTAG215"),
    ("ntag215", "Virtual ACR122", "acr122", "NTAG215"),
    ("desfire", "Virtual PCD", "transparent", "MIFARE DESFire EV1"),
  ])
  func showsOtherTags(
    _ tag: String, _ reader: String, _ dialect: String, _ product: String
  ) async throws {
    let daemon = try PrivatePCSCD(name: reader)
    let virtual = try RunningTool(
      ["virtual", tag, "--pcsc", "--port", "\(daemon.port)", "--dialect", dialect],
      environment: daemon.environment)
    let line = try #require(try await virtual.waitForLines(1).first)
    #expect(line == "pcsc:\(reader) 00 00")
    let poll = try await Tool.run(
      ["poll", "--once", "--timeout", "5", "--reader", line], environment: daemon.environment)
    #expect(poll.output.contains(product), "\(poll.errors)")
    virtual.interrupt()
    #expect(try await virtual.end().status == 0)
  }

  /// The dialects that the reader's name indicates, and the minimum that every reader supports.
  @Test(arguments: [
    ("Virtual SpringCard H512", "springcard"), ("Virtual SpringCard H512", "springcard-rfid"),
    ("Virtual uTrust 3720", "identiv"), ("Virtual ACR1552", "acs"),
    ("Virtual OMNIKEY 5427", "omnikey"), ("Virtual ubisys 7047", "ubisys"),
    ("Virtual PCD", "storage-card"), ("Virtual PCD", "storage-card-p1"),
    ("Virtual PCD", "storage-card-p2"),
  ])
  func hasTheDialectOf(_ name: String, _ dialect: String) async throws {
    let hasBlocksAlone = dialect.hasPrefix("storage-card") || dialect == "ubisys"
    let daemon = try PrivatePCSCD(name: name)
    let virtual = try RunningTool(
      ["virtual", "icode-slix2", "--pcsc", "--port", "\(daemon.port)", "--dialect", dialect],
      environment: daemon.environment)
    let line = try #require(try await virtual.waitForLines(1).first)
    func run(_ arguments: String...) async throws -> Tool.Result {
      try await Tool.run(
        ["iso15693"] + arguments + ["--reader", line], environment: daemon.environment)
    }
    #expect(try await run("write", "5", "A1A2A3A4").status == 0)
    let read = try await run("read", "0-1,5")
    #expect(read.lines == ["0  E1402701", "1  0300FE00", "5  A1A2A3A4"])
    let lock = try await run("lock", "5", "--permanently")
    #expect(lock.status == (hasBlocksAlone ? 69 : 0), "\(lock.errors)")
    let locked = try await run("write", "5", "B1B2B3B4")
    #expect(locked.status == (hasBlocksAlone ? 0 : 77), "\(locked.errors)")
    let sent = try await run("send", "022B")
    #expect(sent.status == (hasBlocksAlone ? 69 : 0), "\(sent.errors)")
    #expect(sent.output == (hasBlocksAlone ? "" : "000F838ED22A080104E000004F0301\n"))
    virtual.interrupt()
    #expect(try await virtual.end().status == 0)
  }

  /// If the reader lacks a feature, it is the wrong reader. The tag is not at fault.
  @Test func saysThatTheReaderIsTheWrongOne() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual uTrust 3720")
    let virtual = try RunningTool(
      ["virtual", "tag-it", "--pcsc", "--port", "\(daemon.port)", "--dialect", "identiv"],
      environment: daemon.environment)
    let line = try #require(try await virtual.waitForLines(1).first)
    for command in [["write", "text", "hello"], ["iso15693", "write", "4", "11223344"]] {
      let result = try await Tool.run(
        command + ["--reader", line], environment: daemon.environment)
      #expect(result.status == 69)
      #expect(result.output == "")
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains("option flag"), "\(result.errors)")
      #expect(result.errors.contains("use another reader"), "\(result.errors)")
    }
    virtual.interrupt()
    #expect(try await virtual.end().status == 0)
  }

  @Test func theDemoHasOnlyWhatTheReaderSees() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    let virtual = try RunningTool(
      ["virtual", "demo", "--pcsc", "--port", "\(daemon.port)"], environment: daemon.environment)
    let line = try #require(try await virtual.waitForLines(1).first)
    let poll = try await Tool.run(
      ["poll", "--reader", line, "--json"], environment: daemon.environment, interruptedAfter: 3)
    let events = poll.lines.prefix(3).map { $0.contains(#""event":"arrived""#) }
    #expect(events == [true, false, true])
    virtual.interrupt()
    #expect(try await virtual.end().status == 0)
  }

  @Test(arguments: [
    (["virtual", "icode-slix2", "--pcsc", "--port", "PORT"], "vsmartcard-vpcd"),
    (["virtual", "icode-slix2", "--pcsc", "--host", "no.such.host.invalid"], "no.such.host"),
    (["virtual", "topaz96", "--pcsc", "--port", "PORT"], "topaz96"),
    (["virtual", "icode-slix2", "--pcsc", "--port", "PORT", "--dialect", "acr122"], "icode-slix2"),
    (["virtual", "icode-slix2"], "--pcsc"),
  ])
  func saysWhyThereIsNoReader(_ arguments: [String], _ text: String) async throws {
    let ports = PortPair()
    let result = try await Tool.run(arguments.map { $0 == "PORT" ? "\(ports.first)" : $0 })
    #expect(result.status == 69)
    #expect(result.output == "")
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains(text))
  }
}
