import Foundation
import TestSupport
import Testing
import VirtualNFC

/// What `nfc emulate` makes of the sessions of a tap, and of programs that hang.
@Suite(.serialized) struct EmulateTapTests {
  /// Deselected and back twenty times: every read is complete, and one tap is reported.
  @Test(arguments: [false, true])
  func twentyTimesInOneTap(_ isJSON: Bool) async throws {
    let run = try EmulateRun(["text", "hello"] + (isJSON ? ["--json"] : []))
    defer { run.close() }
    try await run.ready()
    try await run.phone { phone in
      for _ in 0..<20 {
        try phone.tap()
        #expect(try phone.readNDEF().count == 12)
        try phone.deselect()
      }
      phone.fieldOff()
    }
    if isJSON {
      _ = try await run.program.waitForOutput {
        $0.output.split(separator: "\n").count { $0.contains(#""event":"released""#) } == 20
      }
    }
    run.program.signal(SIGINT)
    let end = await run.program.end()
    #expect(end.status == 130, "\(end.text)")
    let lines = end.output.split(separator: "\n")
    if isJSON {
      for event in ["activated", "read", "released"] {
        #expect(lines.count { $0.contains(#""event":"\#(event)""#) } == 20)
      }
    } else {
      #expect(lines.count == 2)
      #expect(lines.last?.hasSuffix("read 12 bytes") == true)
    }
  }

  /// The card's program hangs, and the phone waits for it.
  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalWhileAProgramThinks(_ signal: Int32) async throws {
    let run = try EmulateRun([
      "--exec", "while read line; do sleep 60; done", "--exec-timeout", "30",
    ])
    defer { run.close() }
    try await run.ready()
    async let failure: Void = run.phone { phone in
      try phone.tap()
      phone.patience = .seconds(10)
      // The card says at the end that there will be no answer, or nothing.
      let answer = try? phone.send([0x00, 0xA4, 0x04, 0x00])
      #expect(answer == nil || answer == [0x6F, 0x00])
      phone.fieldOff()
    }
    try await Task.sleep(for: .milliseconds(500))
    let start = ContinuousClock.now
    run.program.signal(signal)
    let end = await run.program.end()
    #expect(end.status == 128 + signal, "\(end.text)")
    // Half a second, and what a busy machine adds; the program would take a minute.
    #expect(ContinuousClock.now - start < .seconds(5))
    try await failure
  }

  /// The time is over while a phone is there that has read: that is no failure.
  @Test func theTimeIsOver() async throws {
    let run = try EmulateRun(["text", "hello", "--timeout", "5"])
    defer { run.close() }
    try await run.ready()
    try await run.phone { phone in
      try phone.tap()
      #expect(try phone.readNDEF().count == 12)
    }
    let end = await run.program.end()
    #expect(end.status == 0, "\(end.text)")
    #expect(end.output.hasSuffix("read 12 bytes\n"), "\(end.output)")
  }

  /// The reader can be used at once by the next program, also after a signal: a tag has its ATS.
  @Test func theReaderReadsAfterwards() async throws {
    let run = try EmulateRun(["text", "hello"])
    defer { run.close() }
    try await run.ready()
    try await run.phone { phone in
      try phone.tap()
      #expect(try phone.readNDEF().count == 12)
    }
    run.program.signal(SIGTERM)
    #expect(await run.program.end().status == 128 + SIGTERM)
    run.virtual.field.place(try VirtualTag.named("type4"))
    let info = await
      (try RunningProgram(
        try FinishedProgram.command(), ["info", "--reader", run.virtual.connectionString])).end()
    #expect(info.status == 0, "\(info.text)")
    #expect(info.output.contains("ATS"))
  }

  /// A second program that wants the reader is refused, and the first goes on.
  @Test func aSecondProgram() async throws {
    let run = try EmulateRun(["text", "hello"])
    defer { run.close() }
    try await run.ready()
    for words in [["emulate", "text", "other"], ["read"]] {
      let second = await
        (try RunningProgram(
          try FinishedProgram.command(), words + ["--reader", run.virtual.connectionString])).end()
      #expect(second.status == 69, "\(second.text)")
      #expect(second.errors.split(separator: "\n").count == 1)
    }
    try await run.phone { phone in
      try phone.tap()
      #expect(try phone.readNDEF().count == 12)
      phone.fieldOff()
    }
    run.program.signal(SIGINT)
    #expect(await run.program.end().status == 130)
  }

  /// The doctor says which readers can act as a tag: a PN532, and no reader without such a chip.
  @Test func theDoctorSaysWhatCanBeEmulated() async throws {
    let nfc = try FinishedProgram.command()
    let virtual = try VirtualReader(VirtualField())
    defer { virtual.close() }
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    let environment = ProcessInfo.processInfo.environment.merging(daemon.environment) { $1 }
    for (options, text, json) in [
      (["--reader", virtual.connectionString], "acts as a tag   yes", #""emulates":["type4"]"#),
      (["--virtual", "ntag213"], "acts as a tag   yes", #""emulates":["type4"]"#),
      (["--reader", "pcsc:Virtual PCD 00 00"], "acts as a tag   no", #""emulates":[]"#),
    ] {
      let said = await (try RunningProgram(nfc, ["doctor"] + options, environment: environment))
        .end()
      #expect(said.status == 0, "\(said.text)")
      #expect(said.output.contains(text), "\(said.output)")
      let lines = await
        (try RunningProgram(
          nfc, ["doctor", "--json"] + options, environment: environment)).end()
      #expect(lines.output.contains(json), "\(lines.output)")
    }
  }

  /// A line that is slower than the chip can be: the note says how to name the reader, and that works.
  @Test func theDoctorNotesASlowLine() async throws {
    let nfc = try FinishedProgram.command()
    var chip = VirtualPN532()
    chip.baudRate = 9600
    let field = VirtualField()
    field.place(try VirtualTag.named("ntag213"))
    let virtual = try VirtualReader(field, chip: chip)
    defer { virtual.close() }
    let name = virtual.connectionString
    let said = await (try RunningProgram(nfc, ["doctor", "--reader", name])).end()
    #expect(said.status == 0, "\(said.text)")
    let advised = "pn532_uart:" + virtual.path
    #expect(said.output.contains("name it \(advised), without the rate"), "\(said.output)")
    let info = await (try RunningProgram(nfc, ["info", "--reader", advised])).end()
    #expect(info.status == 0, "\(info.text)")
    let again = await (try RunningProgram(nfc, ["doctor", "--reader", advised])).end()
    #expect(!again.output.contains("baud"), "\(again.output)")
  }
}
