import Foundation
import NFC
import Testing
import VirtualNFC

/// The same driver through a real PC/SC daemon with vsmartcard's virtual reader.
@Suite(.serialized)
struct PCSCDaemonTests {
  private func lines(_ output: String) -> [Substring] { output.split(separator: "\n") }

  @Test func readsWhatAnotherProgramReads() throws {
    let chip = VirtualTag.icodeSLIX2()
    let field = VirtualField()
    field.place(chip)
    let daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
    let client = try VirtualPCSCClient(VirtualPCSCReader(field), port: daemon.port)
    defer { client.close() }

    let written = try daemon.nfc("iso15693", "write", "4", "11223344")
    #expect(written.status == 0, "\(written.errors)")
    #expect(Array(chip.memory[16..<20]) == [0x11, 0x22, 0x33, 0x44])

    let read = try daemon.nfc("iso15693", "read", "0-7", "--json")
    #expect(read.status == 0, "\(read.errors)")
    let blocks = (0..<8).map { Array(chip.memory[($0 * 4)..<($0 * 4 + 4)]).hexadecimal }
    #expect(
      lines(read.output)
        == blocks.enumerated().map {
          "{\"block\":\($0.offset),\"data\":\"\($0.element)\"}"
        })

    let other = try daemon.scriptor((0..<8).map { "FF B0 00 0\($0) 04" })
    for block in blocks {
      let spaced = stride(from: 0, to: 8, by: 2).map { offset in
        let start = block.index(block.startIndex, offsetBy: offset)
        return String(block[start..<block.index(start, offsetBy: 2)])
      }
      #expect(other.contains(spaced.joined(separator: " ") + " 90 00"), "\(other)")
    }

    field.remove(chip)
    usleep(1_000_000)
    let gone = try daemon.nfc("iso15693", "read", "0", "--timeout", "0.3")
    #expect(gone.status == 66, "\(gone.errors)")
    field.place(chip)
    let back = try daemon.nfc("iso15693", "read", "0")
    #expect(back.status == 0, "\(back.errors)")
  }

  @Test func saysWhatIsNotThere() throws {
    let daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
    let none = try daemon.nfc("poll", "--once", "--timeout", "0.3")
    #expect(none.status == 66, "\(none.errors)")
    daemon.stop()
    let gone = try daemon.nfc("poll", "--once", "--timeout", "0.3")
    #expect(gone.status == 69, "\(gone.errors)")
    #expect(gone.errors.contains("pcscd"))
  }
}

/// `nfc virtual --pcsc`: the reader of one process is the PC/SC reader of others.
@Suite(.serialized)
struct VirtualPCSCCommandTests {
  @Test func otherProgramsSeeTheTag() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    try await TemporaryDirectory.with { directory async throws in
      let trace = directory.appending(path: "trace")
      let virtual = try RunningTool(
        ["virtual", "icode-slix2", "--pcsc", "--port", "\(daemon.port)", "--trace", trace.path],
        environment: daemon.environment)
      let line = try #require(try await virtual.waitForLines(1).first)
      #expect(line == "pcsc:Virtual PCD 00 00")

      // The name is what other programs want; the line is what --reader takes.
      let other = try daemon.scriptor(["FF CA 00 00 00", "FF B0 00 00 04"])
      #expect(other.contains("83 8E D2 2A 08 01 04 E0 90 00"))
      #expect(other.contains("E1 40 27 01 90 00"))

      let read = try await Tool.run(
        ["iso15693", "read", "0", "--reader", line], environment: daemon.environment)
      #expect(read.output == "0  E1402701\n")
      let written = try await Tool.run(
        ["iso15693", "write", "4", "A1A2A3A4", "--reader", line], environment: daemon.environment)
      #expect(written.status == 0, "\(written.errors)")
      #expect(try daemon.scriptor(["FF B0 00 04 04"]).contains("A1 A2 A3 A4 90 00"))

      // Found without being named, too.
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

  /// A dialect that the reader's name tells, and the least that any reader has.
  @Test(arguments: [
    ("Virtual SpringCard H512", "springcard"), ("Virtual uTrust 3720", "identiv"),
    ("Virtual ACR1552", "acs"), ("Virtual PCD", "storage-card"),
  ])
  func hasTheDialectOf(_ name: String, _ dialect: String) async throws {
    let daemon = try PrivatePCSCD(name: name)
    let virtual = try RunningTool(
      ["virtual", "icode-slix2", "--pcsc", "--port", "\(daemon.port)", "--dialect", dialect],
      environment: daemon.environment)
    let line = try #require(try await virtual.waitForLines(1).first)
    let read = try await Tool.run(
      ["iso15693", "read", "0-1", "--reader", line], environment: daemon.environment)
    #expect(read.lines == ["0  E1402701", "1  0300FE00"])
    let lock = try await Tool.run(
      ["iso15693", "lock", "5", "--permanently", "--reader", line],
      environment: daemon.environment)
    #expect(lock.status == (dialect == "storage-card" ? 69 : 0), "\(lock.errors)")
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
    (["virtual", "ntag215", "--pcsc", "--port", "PORT"], "ntag215"),
    (["virtual", "icode-slix2"], "--pcsc"),
  ])
  func saysWhyThereIsNoReader(_ arguments: [String], _ text: String) async throws {
    let port = "\(PrivatePCSCD.freePort())"
    let result = try await Tool.run(arguments.map { $0 == "PORT" ? port : $0 })
    #expect(result.status == 69)
    #expect(result.output == "")
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains(text))
  }
}
