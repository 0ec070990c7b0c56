import Foundation
import NFC

import TestSupport
import Testing
import VirtualNFC

/// The command `nfc emulate`, with scripted phones in front of its reader.
@Suite(.serialized) struct EmulateToolTests {
  private typealias Run = EmulateRun

  private static func members(_ line: Substring) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test func onceReportsEveryEvent() async throws {
    let run = try Run([
      "uri", "https://swift.org", "--once", "--json", "--commands", "--uid", "A1B2C3",
    ])
    defer { run.close() }
    try await run.ready()
    let message = try await run.phone { phone in
      try phone.tap()
      #expect(phone.uid == [0x08, 0xA1, 0xB2, 0xC3])
      let message = try phone.readNDEF()
      try phone.deselect()
      return message
    }
    #expect(message == [0xD1, 0x01, 0x0A, 0x55, 0x04] + Array("swift.org".utf8))
    let end = await run.program.end()
    #expect(end.status == 0, "\(end.text)")
    #expect(end.errors == "")
    let events = try end.output.split(separator: "\n").map(Self.members)
    #expect(events.first?["uid"] as? String == "08A1B2C3")
    #expect(events.first?["reader"] as? String == run.virtual.connectionString)
    let names = events.compactMap { $0["event"] as? String }
    #expect(names.prefix(2) == ["ready", "activated"])
    #expect(names.count(where: { $0 == "command" }) == 6)
    #expect(names.suffix(2) == ["read", "released"])
    let read = try #require(events.first(where: { $0["event"] as? String == "read" }))
    #expect(read["bytes"] as? Int == 14)
    #expect(events.last?["reason"] as? String == "deselected")
    #expect(events.last?["milliseconds"] as? Int != nil)
  }

  @Test func textHasOneLineForATap() async throws {
    let run = try Run(["text", "hello", "--once"])
    defer { run.close() }
    try await run.ready()
    try await run.phone { phone in
      // It leaves without having read, and comes back.
      try phone.tap()
      try phone.deselect()
      try phone.tap()
      _ = try phone.readNDEF()
      phone.fieldOff()
    }
    let end = await run.program.end()
    #expect(end.status == 0, "\(end.text)")
    let lines = end.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("ready 08") == true)
    #expect(lines.last?.hasSuffix("read 12 bytes") == true)
  }

  @Test func whatIsWrittenIsSaved() async throws {
    let run = try Run(
      ["raw", "message.ndef", "--writable", "--save", "message.ndef", "--json", "--count", "1"],
      files: ["message.ndef": [0xD1, 0x01, 0x04, 0x54, 0x02, 0x65, 0x6E, 0x42]])
    defer { run.close() }
    try await run.ready()
    let written: [UInt8] = [0xD1, 0x01, 0x04, 0x54, 0x02, 0x65, 0x6E, 0x41]
    try await run.phone { phone in
      try phone.tap()
      // It is torn first.
      phone.leaves = { $0 == 5 }
      #expect(throws: ScriptedPhone.Failure.self) { try phone.writeNDEF(written) }
      phone.leaves = { _ in false }
      try phone.tap()
      #expect(try phone.readNDEF() == [0xD1, 0x01, 0x04, 0x54, 0x02, 0x65, 0x6E, 0x42])
      try phone.writeNDEF(written)
      try phone.deselect()
    }
    let end = await run.program.end()
    #expect(end.status == 0, "\(end.text)")
    #expect([UInt8](try Data(contentsOf: run.folder.appending(path: "message.ndef"))) == written)
    let events = try end.output.split(separator: "\n").map(Self.members)
    let written1 = try #require(events.last(where: { $0["event"] as? String == "written" }))
    let ndef = try #require(written1["ndef"] as? [String: Any])
    #expect(ndef["length"] as? Int == 8)
    #expect((ndef["records"] as? [[String: Any]])?.first?["text"] as? String == "A")
  }

  @Test func aProgramAnswers() async throws {
    let script = """
      while read line; do case "$line" in \
      00A40400*) echo 9000;; 80CA*) echo 01029000;; 80CB*) sleep 1; echo 03039000;; \
      80CC*) echo nonsense;; +*|-*) echo "$line" >> log;; *) echo 6D00;; esac; done
      """
    let run = try Run([
      "--exec", script, "--aid", "F001020304", "--count", "1", "--json", "--exec-timeout", "0.3",
    ])
    defer { run.close() }
    try await run.ready()
    try await run.phone { phone in
      try phone.tap()
      #expect(try phone.send([0x80, 0xCA, 0, 0, 0]) == [0x6A, 0x82])
      #expect(try phone.send([0x00, 0xA4, 0x04, 0x00, 0x05, 0xF0, 1, 2, 3, 4]) == [0x90, 0x00])
      #expect(try phone.send([0x80, 0xCA, 0, 0, 0]) == [0x01, 0x02, 0x90, 0x00])
      // Too late, and the late answer is not taken for the next one's.
      #expect(try phone.send([0x80, 0xCB, 0, 0, 0]) == [0x6F, 0x00])
      #expect(phone.extensions > 0)
      Thread.sleep(forTimeInterval: 1)
      #expect(try phone.send([0x80, 0xCA, 0, 0, 0]) == [0x01, 0x02, 0x90, 0x00])
      #expect(try phone.send([0x80, 0xCC, 0, 0, 0]) == [0x6F, 0x00])
      #expect(try phone.send([0x00, 0xA4, 0x04, 0x00, 0x05, 0xF0, 1, 2, 3, 5]) == [0x6A, 0x82])
      try phone.deselect()
    }
    let end = await run.program.end()
    #expect(end.status == 0, "\(end.text)")
    let log = try String(contentsOf: run.folder.appending(path: "log"), encoding: .utf8)
    let lines = log.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("+ 08") == true)
    #expect(lines.last == "- deselected")
  }

  @Test func aProgramThatEndsAgainAndAgain() async throws {
    let run = try Run(["--exec", "exit 3", "--json"])
    defer { run.close() }
    try await run.ready()
    try? await run.phone { phone in
      for _ in 0..<6 {
        try phone.tap(within: .seconds(2))
        _ = try? phone.send([0x00, 0xA4, 0x04, 0x00])
        try? phone.deselect()
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
    let end = await run.program.end()
    #expect(end.status == 70, "\(end.text)")
    #expect(end.errors.split(separator: "\n").count == 1)
  }

  @Test func aSocketAnswers() async throws {
    let run = try Run(["--socket", "card.sock", "--once", "--json"])
    defer { run.close() }
    try await run.ready()
    let path = run.folder.appending(path: "card.sock").path
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let client = try RunningProgram(
      "/usr/bin/env",
      [
        "python3", "-c",
        """
        import socket, sys
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); f = s.makefile('rw')
        print('connected', flush=True)
        for line in f:
            print(line.strip(), flush=True)
            if line[0] not in '+-': f.write('4142 9000\\n'); f.flush()
        """, path,
      ])
    _ = try await client.waitForOutput { $0.output.contains("connected") }
    try await run.phone { phone in
      try phone.tap()
      #expect(try phone.send([0x00, 0x01, 0x02, 0x03]) == [0x41, 0x42, 0x90, 0x00])
      try phone.deselect()
    }
    let end = await run.program.end()
    #expect(end.status == 0, "\(end.text)")
    _ = await client.end()
    #expect(client.output.contains("00010203\n- deselected"))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func recordedAndReplayed() async throws {
    let run = try Run([
      "uri", "https://swift.org", "--once", "--json", "--record", "r.jsonl", "--pcap", "r.pcapng",
    ])
    defer { run.close() }
    try await run.ready()
    try await run.phone { phone in
      try phone.tap()
      _ = try phone.readNDEF()
      try phone.deselect()
    }
    let end = await run.program.end()
    #expect(end.status == 0, "\(end.text)")
    #expect(try Data(contentsOf: run.folder.appending(path: "r.pcapng")).count > 500)
    let again = await
      (try RunningProgram(
        try FinishedProgram.command(),
        ["emulate", "uri", "https://swift.org", "--once", "--json", "--replay", "r.jsonl"],
        directory: run.folder
      )).end()
    #expect(again.status == 0, "\(again.text)")
    #expect(again.output.contains(#""event":"read""#))
    // Another message is not what was recorded.
    let other = await
      (try RunningProgram(
        try FinishedProgram.command(),
        ["emulate", "uri", "https://swift.com", "--once", "--replay", "r.jsonl"],
        directory: run.folder
      )).end()
    #expect(other.status == 65, "\(other.text)")
  }

  /// A reader that uses node addresses ends the process that has libnfc, and only that.
  @Test func aNodeAddressEndsNothing() async throws {
    var readings = VirtualPN532.TargetReadings()
    readings.nodeAddress = .statusBit
    let run = try Run(["text", "hello", "--json", "--count", "2"], readings: readings)
    defer { run.close() }
    try await run.ready()
    try await run.phone { phone in
      try phone.tap()
      phone.nodeAddress = 1
      phone.patience = .milliseconds(300)
      _ = try? phone.send([0x00, 0xA4, 0x04, 0x00])
      phone.fieldOff()
      phone.nodeAddress = nil
      phone.patience = .seconds(5)
      Thread.sleep(forTimeInterval: 0.5)
      try phone.tap()
      #expect(try phone.readNDEF().count == 12)
      phone.fieldOff()
    }
    #expect(run.program.isRunning)
    run.program.signal(SIGINT)
    let end = await run.program.end()
    #expect(end.status == 130, "\(end.text)")
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalEndsItAtOnce(_ signal: Int32) async throws {
    for isActive in [false, true] {
      let run = try Run(["text", "hello"])
      defer { run.close() }
      try await run.ready()
      if isActive { try await run.phone { try $0.tap() } }
      let start = ContinuousClock.now
      run.program.signal(signal)
      let end = await run.program.end()
      #expect(end.status == 128 + signal, "\(end.text)")
      // Half a second, and what a busy machine adds.
      #expect(ContinuousClock.now - start < .seconds(2))
    }
  }

  @Test func aReaderThatIsUnplugged() async throws {
    let run = try Run(["text", "hello"])
    try await run.ready()
    run.close()
    let end = await run.program.end()
    #expect(end.status == 74, "\(end.text)")
    #expect(end.errors.split(separator: "\n").count == 1)
  }

  static let refused: [([String], Int32)] = [
    (["text", "x", "--uid", "04A1B2C3D4E5F6"], 64), (["text", "x", "--uid", "A1"], 64),
    (["text", "x", "--size", "4"], 64), (["text", "x", "--mle", "14"], 64),
    (["text", "x", "--save", "f"], 64),
    (["text", "x", "--historical", String(repeating: "00", count: 49)], 64),
    (["text", String(repeating: "x", count: 3000)], 65), (["raw", "missing.ndef"], 66),
    (["text", "x", "--timeout", "0.5"], 66), ([], 64), (["--exec", "a", "--socket", "b"], 64),
    (["ntag213"], 64), (["classic-1k"], 64), (["--exec", "cat", "--aid", "00"], 64),
    (["text", "x", "--once", "--count", "2"], 64), (["text", "x", "--commands"], 64),
  ]

  @Test(arguments: refused)
  func exitCodes(_ arguments: [String], _ status: Int32) async throws {
    let run = try Run(arguments)
    defer { run.close() }
    let end = await run.program.end()
    #expect(end.status == status, "\(arguments): \(end.text)")
    #expect(end.errors.hasPrefix("nfc: "))
  }

  /// Where the word program is left out, its options are known all the same.
  @Test(arguments: [
    (["--exec", "cat", "--commands"], "--commands requires --json"),
    (["--exec", "a", "--socket", "b"], "Give either --exec or --socket"),
    (["--exce", "cat"], "did you mean --exec?"), (["--uri", "x"], "did you mean nfc emulate uri?"),
  ])
  func refusalsOfAProgram(_ arguments: [String], _ reason: String) async throws {
    let run = try Run(arguments)
    defer { run.close() }
    let end = await run.program.end()
    #expect(end.status == 64, "\(end.text)")
    #expect(end.errors.contains(reason), "\(end.errors)")
  }

  @Test func anEmptyMessage() async throws {
    let run = try Run(["json", "-", "--once", "--json"], input: #"{"records":[]}"#)
    defer { run.close() }
    try await run.ready()
    try await run.phone { phone in
      try phone.tap()
      #expect(try phone.readNDEF().isEmpty)
      try phone.deselect()
    }
    let end = await run.program.end()
    #expect(end.status == 0, "\(end.text)")
    #expect(end.output.contains(#""event":"read""#))
    #expect(end.output.contains(#""bytes":0"#))
  }

  /// Two virtual readers of two processes: one acts as a card, and the other reads it.
  @Test func oneReaderReadsTheOther() async throws {
    let nfc = try FinishedProgram.command()
    func start(_ arguments: [String]) async throws -> (RunningProgram, String) {
      let program = try RunningProgram(nfc, ["virtual"] + arguments)
      _ = try await program.waitForOutput { $0.output.contains("\n") }
      return (program, String(program.output.prefix { $0 != "\n" }))
    }
    let (first, card) = try await start(["ntag213"])
    let (second, reader) = try await start(["--facing", card])
    let emulation = try RunningProgram(
      nfc, ["emulate", "uri", "https://swift.org", "--reader", card, "--json", "--uid", "010203"])
    let isReady = try await emulation.waitForOutput { $0.output.contains("ready") }
    try #require(isReady, "\(emulation.output)\(emulation.errors)")
    for _ in 0..<2 {
      let read = await (try RunningProgram(nfc, ["read", "--reader", reader, "--json"])).end()
      #expect(read.status == 0, "\(read.text)")
      #expect(read.output.contains(#""uri":"https://swift.org""#))
      #expect(read.output.contains(#""uid":"08010203""#))
    }
    let info = await (try RunningProgram(nfc, ["info", "--reader", reader])).end()
    #expect(info.status == 0, "\(info.text)")
    #expect(info.output.contains("emulated by a PN532"))
    emulation.signal(SIGINT)
    _ = await emulation.end()
    #expect(emulation.output.contains(#""event":"read""#))
    for program in [second, first] {
      program.signal(SIGINT)
      #expect(await program.end().status == 0)
    }
    let missing = await
      (try RunningProgram(nfc, ["virtual", "--facing", "pn532_uart:/dev/pts/99999"])).end()
    #expect(missing.status == 69)
  }
}
