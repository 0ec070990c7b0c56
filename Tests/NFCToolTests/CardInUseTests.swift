import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

/// Tests with a card that another program uses, or that a program has left in the middle of a command. pcscd
/// gives such a card to no other program until the card answers or is removed.
@Suite struct CardInUseTests {
  private struct Bench {
    let daemon: PrivatePCSCD
    let field = VirtualField()
    let tag = VirtualTag.icodeSLIX2()
    let client: VirtualPCSCClient

    /// Creates a reader whose tag does not answer a program that has ended since. pcscd does not know that
    /// the program has ended.
    init() async throws {
      daemon = try PrivatePCSCD(name: "Virtual PCD")
      field.place(tag)
      let virtual = VirtualPCSCReader(field)
      client = try VirtualPCSCClient(virtual, port: daemon.port)
      #expect(try await run(["poll", "--once", "--timeout", "10"]).status == 0)
      virtual.setFaults([.init(.readerWaits, at: 0)])
      let waiting = try RunningTool(arguments(["iso15693", "read", "0"]), environment: environment)
      while virtual.statistics.exchanges == 0 { try await Task.sleep(for: .milliseconds(10)) }
      waiting.interrupt()
      #expect(try await waiting.end().status == 130)
    }

    var environment: [String: String] { daemon.environment }
    func arguments(_ arguments: [String]) -> [String] { arguments + ["--reader", "pcsc:"] }

    func run(_ line: [String]) async throws -> Tool.Result {
      try await Tool.run(arguments(line), environment: environment)
    }
  }

  @Test func isWaitedFor() async throws {
    let bench = try await Bench()
    defer { bench.client.close() }
    for command in [["poll", "--once"], ["info"], ["iso15693", "read", "0"]] {
      let result = try await bench.run(command + ["--timeout", "0.8"])
      #expect(result.status == 66, "\(command)")
      #expect(result.output == "")
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains("in use"), "\(command): \(result.errors)")
      #expect(result.errors.contains("take the card away"))
    }
    // If another reader finds no tag, the card that is in use may be the right one.
    let unnamed = try await Tool.run(
      ["iso15693", "read", "0", "--timeout", "0.8"],
      environment: bench.environment.merging(["LIBNFC_AUTO_SCAN": "false"]) { $1 })
    #expect(unnamed.status == 66)
    #expect(unnamed.errors.contains("in use"), "\(unnamed.errors)")
    let poll = try RunningTool(
      bench.arguments(["poll", "--once", "--timeout", "15"]), environment: bench.environment)
    try await Task.sleep(for: .milliseconds(800))
    bench.field.removeAll()
    try await Task.sleep(for: .milliseconds(900))
    bench.field.place(bench.tag)
    let result = try await poll.end()
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("ICODE SLIX2"))
    #expect(result.errors == "")
  }

  /// Programs that look at every card that comes use it for a moment. That does not end a batch.
  @Test func isWaitedForInABatch() async throws {
    let bench = try await Bench()
    defer { bench.client.close() }
    let each = ["write", "text", "{n}", "--each", "--count", "1", "--timeout"]
    let late = try await bench.run(each + ["0.8"])
    #expect(late.status == 66)
    #expect(late.output == "0 tags written, 0 failed\n")
    #expect(late.errorLines.count == 1)
    #expect(late.errors.contains("in use"), "\(late.errors)")
    #expect(late.errors.contains("take the card away"))
    let batch = try RunningTool(bench.arguments(each + ["20"]), environment: bench.environment)
    try await Task.sleep(for: .milliseconds(800))
    bench.field.removeAll()
    try await Task.sleep(for: .milliseconds(900))
    bench.field.place(bench.tag)
    let result = try await batch.end()
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.last == "1 tag written, 0 failed")
  }

  /// A batch whose reader goes says how many tags have been written, and how to continue.
  @Test func aBatchSaysWhereItsReaderWasLost() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    let field = VirtualField()
    field.place(.icodeSLIX2())
    let client = try VirtualPCSCClient(VirtualPCSCReader(field), port: daemon.port)
    defer { client.close() }
    for options in [[], ["--json"]] {
      let batch = try RunningTool(
        ["write", "text", "{n}", "--each", "--first", "5", "--reader", "pcsc:"] + options,
        environment: daemon.environment)
      #expect(try await batch.waitForLines(1).count == 1)
      daemon.stop()
      let result = try await batch.end()
      #expect(result.status == 74)
      #expect(result.errorLines.count == 1)
      #expect(result.errors.hasSuffix("; the same command continues with --first 6\n"))
      #expect(
        result.lines.last
          == (options.isEmpty
            ? "1 tag written, 0 failed" : #"{"written":1,"failed":0,"first":6}"#))
      try daemon.start()
    }
  }
}
