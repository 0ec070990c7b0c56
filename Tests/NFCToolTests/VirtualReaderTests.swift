import Foundation
import Testing

@Suite struct VirtualReaderTests {
  @Test func anotherProcessPollsIt() async throws {
    let virtual = try RunningTool(["virtual", "ntag215"])
    let reader = try #require(try await virtual.waitForLines(1).first)
    #expect(reader.contains(/^pn532_uart:\/dev\/pts\/\d+$/))
    let result = try await Tool.run("--reader", reader, "poll", "--once")
    #expect(result.output.contains("NTAG215"))
    #expect(result.status == 0)
    let named = try await Tool.run(["readers"], environment: ["NFC_READER": reader])
    #expect(named.lines.contains { $0.hasPrefix("\(reader)  PN532  ") })
    virtual.interrupt()
    let end = try await virtual.end()
    #expect(end.output == reader + "\n")
    #expect(end.errors == "")
    #expect(end.status == 0)
  }

  @Test func anInterruptSwitchesTheCarrierOff() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let trace = directory.appending(path: "trace")
      let virtual = try RunningTool(["virtual", "ntag215", "--trace", trace.path])
      let reader = try #require(try await virtual.waitForLines(1).first)
      let result = try await Tool.run(["poll", "--reader", reader], interruptedAfter: 1)
      #expect(result.status == 130)
      #expect(result.errors == "")
      virtual.interrupt(SIGTERM)
      #expect(try await virtual.end().status == 0)
      let lines = try String(contentsOf: trace, encoding: .utf8).split(separator: "\n")
      #expect(lines.contains("radio > 60D32D") || lines.contains { $0.hasPrefix("radio > 60") })
      #expect(lines.last { $0.contains("carrier") } == "radio   carrier off")
    }
  }

  /// Nobody reads the file any more, or its disk is full. The reader is still there for the programs that use it.
  @Test(arguments: ["--trace", "--pcap"])
  func aFileThatEndsEarlyIsReportedOnce(_ option: String) async throws {
    try await TemporaryDirectory.with { folder in
      let pipe = folder.appending(path: "pipe").path
      try #require(mkfifo(pipe, 0o600) == 0)
      // It can be opened, and is not read later.
      let descriptor = open(pipe, O_RDWR)
      let virtual = try RunningTool(["virtual", "ntag215", option, pipe])
      let reader = try #require(try await virtual.waitForLines(1).first)
      close(descriptor)
      for _ in 1...2 {
        let result = try await Tool.run("poll", "--once", "--reader", reader)
        #expect(result.status == 0, "\(result.errors)")
      }
      virtual.interrupt()
      let end = try await virtual.end()
      #expect(end.status == 0)
      #expect(end.errorLines.count == 1, "\(end.errors)")
      #expect(end.errors.contains("cannot write \(pipe)"))
      #expect(end.errors.contains("the reader continues without it"))
    }
  }

  @Test func aTraceMasksKeys() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let trace = directory.appending(path: "trace")
      let virtual = try RunningTool(["virtual", "blank-classic-1k", "--trace", trace.path])
      let reader = try #require(try await virtual.waitForLines(1).first)
      let result = try await Tool.run("mifare", "send", "6004FFFFFFFFFFFF", "--reader", reader)
      #expect(result.output == "0A\n")
      virtual.interrupt()
      _ = try await virtual.end()
      let text = try String(contentsOf: trace, encoding: .utf8)
      #expect(text.contains("6004************"))
      #expect(!text.contains("6004FFFFFFFFFFFF"))
    }
  }

  @Test func aDumpIsATag() async throws {
    // The dump contains pages 0 to 2 of an Ultralight, 04 A1 B2 C3 D4 E5 F6. BCC0 is 88 ^ 04 ^ A1 ^ B2 = 9F,
    // and BCC1 is C3 ^ D4 ^ E5 ^ F6 = 04.
    let dump = "04A1B29FC3D4E5F604480000" + String(repeating: "00", count: 52)
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.eml")
      try Data(dump.utf8).write(to: file)
      let result = try await Tool.run("poll", "--once", "--virtual", file.path)
      #expect(result.output.contains("04A1B2C3D4E5F6"))
      #expect(result.output.contains("MIFARE Ultralight"))
    }
  }

  @Test func aLostReaderIsReported() async throws {
    let virtual = try RunningTool(["virtual", "ntag215"])
    let reader = try #require(try await virtual.waitForLines(1).first)
    let poll = try RunningTool(["poll", "--reader", reader])
    _ = try await poll.waitForLines(1)
    virtual.interrupt()
    _ = try await virtual.end()
    // The tag is reported as left, and polling waits for the reader.
    #expect(try await poll.waitForLines(2).last?.contains("left") == true)
    #expect(try await poll.waitForErrors(reader))
    poll.interrupt()
    let result = try await poll.end()
    #expect(result.status == 130)
    #expect(result.errors.hasPrefix("nfc: "))
  }
}
