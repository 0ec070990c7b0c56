import Foundation
import NFC
import Testing
import VirtualNFC

@Suite(.serialized) struct WatchCommandTests {
  private static func tag(_ uri: String, _ number: UInt8 = 0) throws -> VirtualTag {
    try .ntag215(
      uid: [0x04, 0x51, 0x2C, 0x8A, 0x3D, 0x61, number], ndef: NDEFMessage(.uri(uri)))
  }

  @Test func aTapIsReportedOnceWithItsMessage() async throws {
    let tag = try Self.tag("https://swift.org")
    try await WatchBench.with(["--debounce", "0.5"], tags: [tag]) { bench in
      let first = try #require(try await bench.events(1).first)
      #expect(first.event == "tap")
      #expect(first.reader == bench.reader.connectionString)
      #expect(first.tag.uid == tag.identifier.hexadecimal)
      #expect(first.tag.type == "miFare")
      #expect(first.tag.product == "NTAG215")
      #expect(first.ndef?.records?.first?.uri == "https://swift.org")
      // The tag bounces, and then leaves.
      bench.field.remove(tag)
      try await Task.sleep(for: .milliseconds(150))
      bench.field.place(tag)
      try await Task.sleep(for: .milliseconds(900))
      bench.field.remove(tag)
      let left = try #require(try await bench.events(2).last)
      #expect(left.event == "left")
      #expect(left.id == first.id)
      #expect(left.time >= first.time + 0.5)
      bench.field.place(tag)
      let events = try await bench.events(3)
      #expect(events.map(\.event) == ["tap", "left", "tap"])
      #expect(events[2].id != first.id)
      #expect(events.map(\.time) == events.map(\.time).sorted())
    }
  }

  @Test func tagsWithoutAMessageAndWithoutNDEF() async throws {
    try await WatchBench.with(tags: [.ntag216(), .suica()]) { bench in
      let events = try await bench.events(2)
      let ntag = try #require(events.first { $0.tag.type == "miFare" })
      #expect(ntag.ndef?.length == 0)
      #expect(ntag.ndef?.records?.isEmpty == true)
      let suica = try #require(events.first { $0.tag.type == "feliCa" })
      #expect(suica.ndef == nil)
    }
  }

  @Test func aCommandGetsTheTapAndNoShellSeesIt() async throws {
    let text = "$(touch \"$FOLDER/hacked\"); `id`\nsecond\u{0}line"
    let tag = try VirtualTag.ntag216(ndef: NDEFMessage(records: [.text(text, language: "en")]))
    let script = """
      printf '%s|%s|%s|%s\\n' "$NFC_UID" "$NFC_TYPE" "$NFC_PRODUCT" "${NFC_URI-none}" >> "$FOLDER/out"
      printf '%s' "$NFC_TEXT" > "$FOLDER/text"; cat > "$FOLDER/json"; echo done >> "$FOLDER/end"
      """
    try await WatchBench.with(["--exec", script], tags: [tag]) { bench in
      #expect(try await bench.lines(of: "end", 1) == ["done"])
      let out = try await bench.lines(of: "out", 1)
      #expect(out == ["\(tag.identifier.hexadecimal)|miFare|NTAG216|none"])
      let seen = try String(contentsOf: bench.folder.appending(path: "text"), encoding: .utf8)
      #expect(seen == text.replacing("\u{0}", with: "\u{FFFD}"))
      let json = try String(contentsOf: bench.folder.appending(path: "json"), encoding: .utf8)
      #expect(try WatchEvent(json).tag.uid == tag.identifier.hexadecimal)
      #expect(!FileManager.default.fileExists(atPath: bench.folder.appending(path: "hacked").path))
    }
  }

  @Test func aCommandThatHangsIsEnded() async throws {
    let tag = try Self.tag("https://swift.org")
    let script = "echo start >> \"$FOLDER/out\"; sleep 60"
    try await WatchBench.with(
      ["--exec", script, "--exec-timeout", "0.3", "--debounce", "0.1"], tags: [tag]
    ) { bench in
      _ = try await bench.lines(of: "out", 1)
      bench.field.remove(tag)
      _ = try await bench.events(2)
      bench.field.place(tag)
      #expect(try await bench.lines(of: "out", 2).count == 2)
      #expect(try await bench.watch.waitForErrors("took longer than 0.300 s"))
    }
  }

  @Test func onlyPermittedLinksAreOpened() async throws {
    let opener = "printf '%s\\n' \"$#:$1\" >> \"$FOLDER/opened\""
    let tags = [
      try Self.tag("javascript:alert(1)", 1), try Self.tag("file:///etc/passwd", 2),
      try Self.tag("https://swift.org/?a=1&b='2'", 3),
    ]
    try await WatchBench.with(
      ["--open", "--debounce", "0.1"], programs: ["xdg-open": opener]
    ) { bench in
      for (index, tag) in tags.enumerated() {
        bench.field.place(tag)
        _ = try await bench.events(2 * index + 1)
        bench.field.remove(tag)
        _ = try await bench.events(2 * index + 2)
      }
      #expect(try await bench.lines(of: "opened", 1) == ["1:https://swift.org/?a=1&b='2'"])
      #expect(try await bench.watch.waitForErrors("javascript is not permitted"))
    }
  }

  /// Without a desktop that has its own opener, xdg-open stays until the browser is closed (xdg-open 1.1.3,
  /// `open_generic`). Neither the next tap nor the end of the watcher affects the browser.
  @Test func aBrowserThatStaysIsLeftAlone() async throws {
    let opener = "echo $$ >> \"$FOLDER/browsers\"; exec sleep 60"
    var browsers: [pid_t] = []
    defer { for browser in browsers { kill(browser, SIGKILL) } }
    let tags = [try Self.tag("https://swift.org/1", 1), try Self.tag("https://swift.org/2", 2)]
    try await WatchBench.with(
      ["--open", "--debounce", "0.1"], programs: ["xdg-open": opener]
    ) { bench in
      for (index, tag) in tags.enumerated() {
        bench.field.place(tag)
        _ = try await bench.events(2 * index + 1)
        bench.field.remove(tag)
        _ = try await bench.events(2 * index + 2)
      }
      browsers = try await bench.lines(of: "browsers", 2).compactMap { pid_t($0) }
      #expect(browsers.count == 2)
    }
    for browser in browsers { #expect(kill(browser, 0) == 0, "it is still running") }
  }

  /// A full disk is noticed at any line, also at one about a tag that has left. The file has room for the tap.
  @Test func aDepartureThatCannotBeReportedEndsIt() async throws {
    let tag = try Self.tag("https://swift.org", 1)
    let field = VirtualField()
    let reader = try VirtualReader(field)
    defer { reader.close() }
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "taps")
      try Data(repeating: 0x0A, count: 432).write(to: file)
      // Without the signal, the limit is an error of write(2), like that of a full disk.
      let shell = try RunningTool(
        [
          "-c",
          "trap '' XFSZ; ulimit -f 1; exec \"$0\" watch --reader \"$1\" --debounce 0.1 >> \"$2\"",
          try RunningTool.executable().path, reader.connectionString, file.path,
        ], environment: ["XDG_RUNTIME_DIR": folder.path], program: "/bin/sh")
      field.place(tag)
      let deadline = ContinuousClock.now + .seconds(20)
      while try Data(contentsOf: file).count == 432, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(20))
      }
      field.remove(tag)
      let isNoticed = try await shell.waitForErrors("cannot write to standard output")
      if !isNoticed { shell.interrupt(SIGKILL) }
      #expect(try await shell.end().status == 74)
    }
  }

  /// Waiting does not help with an address that no reader can have.
  @Test func anAddressWithoutASchemeIsRefused() async throws {
    let result = try await Tool.run(["watch", "--reader", "ttyUSB0"])
    #expect(result.status == 69)
    #expect(result.errors.contains("is not a reader's connection string"))
    #expect(result.errorLines.count == 1)
  }

  /// The demo shows one tag after the other.
  @Test func theDemoGoesOn() async throws {
    let watch = try RunningTool(["watch", "--json", "--virtual", "demo"])
    let taps = try await watch.lines(containing: #""event":"tap""#, 2)
    #expect(Set(taps).count >= 2)
    watch.interrupt(SIGINT)
    _ = try await watch.end()
  }

  @Test(arguments: ["", "unix:path=/nonexistent/bus,guid=0123;unix:path=/nonexistent/two%2dbus"])
  func withoutABusNotifySendShowsNotifications(_ bus: String) async throws {
    let program = "for a in \"$@\"; do printf '%s\\n' \"$a\" >> \"$FOLDER/shown\"; done"
    let tag = try VirtualTag.ntag216(
      ndef: NDEFMessage(records: [.text("--urgency=critical", language: "en")]))
    try await WatchBench.with(
      ["--notify"], environment: ["DBUS_SESSION_BUS_ADDRESS": bus],
      programs: ["notify-send": program], tags: [tag]
    ) { bench in
      let shown = try await bench.lines(of: "shown", 4)
      #expect(shown == ["--app-name=nfc", "--", "NFC tag", "--urgency=critical"])
    }
  }

  /// Whoever holds a tag to the reader chooses what a click on the notification opens. The text may name another link.
  @Test func aNotificationSaysWhatAClickOpens() async throws {
    let records: [NDEFRecord] = [
      .text("Open https://bank.example", language: "en"), .uri("https://evil.example"),
    ]
    let tag = try VirtualTag.ntag216(ndef: NDEFMessage(records: records))
    let program = "printf '%s\\n' \"$4\" >> \"$FOLDER/shown\""
    try await WatchBench.with(["--notify"], programs: ["notify-send": program], tags: [tag]) {
      bench async throws in
      #expect(
        try await bench.lines(of: "shown", 2)
          == ["https://evil.example", "Open https://bank.example"])
    }
  }

  /// The password of the broker and the keys are for this program, and for commands of the user. A browser and the
  /// programs that it starts do not need them.
  @Test func onlyTheUsersCommandsGetSecrets() async throws {
    let secrets = ["NFC_PASSWORD": "1", "NFC_KEYS": "0:2", "NFC_MQTT_PASSWORD": "3"]
    let names = secrets.keys.sorted().joined(separator: " ")
    let report = "printenv \(names) >> \"$FOLDER/NAME\"; echo done >> \"$FOLDER/NAME\""
    func script(_ name: String) -> String { report.replacing("NAME", with: name) }
    try await WatchBench.with(
      ["--exec", script("exec"), "--open", "--notify"], environment: secrets,
      programs: ["xdg-open": script("open"), "notify-send": script("notify")],
      tags: [try Self.tag("https://swift.org")]
    ) { bench async throws in
      #expect(try await bench.lines(of: "exec", 4) == ["0:2", "3", "1", "done"])
      #expect(try await bench.lines(of: "open", 1) == ["done"])
      #expect(try await bench.lines(of: "notify", 1) == ["done"])
    }
  }

  /// A phone can imitate a tag with any amount of memory. The tap is reported without a message that no subscriber
  /// expects.
  @Test func aVeryLongMessageIsAnError() async throws {
    var configuration = Type4Application.Configuration()
    configuration.mapping = .version3
    configuration.fileSize = 80_000
    let text = String(repeating: "\u{1}", count: 70_000)
    let tag = try VirtualTag.type4(
      ndef: NDEFMessage(records: [.text(text, language: "en")]), configuration: configuration)
    try await WatchBench.with(tags: [tag]) { bench in
      let line = try #require(try await bench.watch.waitForLines(1).first)
      #expect(line.contains(#""ndefError":{"code":65,"message":"the NDEF message has 70"#))
      #expect(line.utf8.count < 1000)
    }
  }

  @Test func rulesComeFirstAndAreTakenUpWhenTheyChange() async throws {
    let tag = try Self.tag("https://door.example/7")
    func rules(_ word: String) -> Data {
      Data(
        "- match: {uri: https://door.example/}\n  do: {exec: 'echo \(word) >> $FOLDER/out'}\n".utf8)
    }
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "rules.yaml")
      try rules("one").write(to: file)
      try await WatchBench.with(
        ["--rules", file.path, "--exec", "echo other >> $FOLDER/out", "--debounce", "0.1"]
      ) { bench in
        func tap(_ number: Int) async throws -> String? {
          bench.field.place(tag)
          let last = try await bench.lines(of: "out", number).last
          bench.field.remove(tag)
          _ = try await bench.events(2 * number)
          return last
        }
        #expect(try await tap(1) == "one")
        try Data("- match: {uri: x}\n  do: {run: y}\n".utf8).write(to: file)
        #expect(try await bench.watch.waitForErrors("line 2"))
        #expect(try await tap(2) == "one", "the old rules stay in force")
        try rules("two").write(to: file)
        try await Task.sleep(for: .seconds(1))
        #expect(try await tap(3) == "two")
        try Data("- match: {uri: x}\n  do: {exec: y}\n".utf8).write(to: file)
        try await Task.sleep(for: .seconds(1))
        #expect(try await tap(4) == "other")
      }
    }
  }

  /// The options of all commands may precede one that they do not concern.
  @Test func anyCommandAcceptsTheOptionsOfAll() async throws {
    let readers = try await Tool.run(
      "--timeout", "1", "readers", "--uid", "04", "--virtual", "ntag213")
    #expect(readers.status == 0, "\(readers.errors)")
    let watch = try await Tool.run("--timeout", "1", "watch", "--install")
    #expect(watch.status == 0, "\(watch.errors)")
  }

  /// Another option without an effect is refused: whoever gives it expects one.
  @Test(arguments: [
    (["watch", "--name", "door"], "--name requires --mqtt"),
    (["watch", "--topic", "nfc"], "--topic requires --mqtt"),
    (["watch", "--spool", "s"], "--spool requires --mqtt"),
    (["watch", "--mqtt-ca", "ca.pem"], "--mqtt-ca requires --mqtt"),
    (["watch", "--home-assistant"], "--home-assistant requires --mqtt"),
    (["watch", "--exec", ""], "--exec takes a command"),
    (["watch", "--exec", " \n"], "--exec takes a command"),
    (["watch", "--exec-timeout", "5"], "--exec-timeout requires --exec or --rules"),
    (["watch", "--exec-timeout", "5", "--open"], "--exec-timeout requires --exec or --rules"),
    (["watch", "--schemes", "http"], "--schemes requires --open, --notify or --rules"),
    (["watch", "--write"], "--write requires --install"),
    (["diff", "a.bin", "b.bin", "--virtual", "ntag213"], "--virtual is for the tag"),
    (["diff", "a.bin", "b.bin", "--key", "FFFFFFFFFFFF"], "--key or --keys is for the tag"),
    (["virtual", "--list", "ntag213"], "--list"), (["virtual", "--list", "--pcsc"], "--list"),
  ])
  func optionsWithoutAnEffectAreRefused(arguments: [String], reason: String) async throws {
    let result = try await Tool.run(arguments)
    #expect(result.status == 64)
    #expect(result.errors.contains(reason), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test func wrongRulesAreRefusedWithTheirLine() async throws {
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "rules.yaml")
      try Data("- match: {uid: 04}\n  do: {run: x}\n".utf8).write(to: file)
      let result = try await Tool.run("watch", "--rules", file.path)
      #expect(result.status == 65)
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains("line 2"))
      let missing = try await Tool.run("watch", "--rules", folder.path + "/none")
      #expect(missing.status == 66)
      try Data(repeating: 0x23, count: (1 << 20) + 1).write(to: file)
      let long = try await Tool.run("watch", "--rules", file.path)
      #expect(long.status == 65)
      #expect(long.errors.contains("rules.yaml is longer than 1048576 bytes"), "\(long.errors)")
    }
  }

  /// The program that reads YAML is missing, fails, writes something else, or never ends.
  @Test(
    arguments: [
      (nil, 69, "is not installed beside it"), ("exit 3", 74, "does not answer"),
      ("echo nonsense", 74, "does not answer"), ("kill -9 $$", 74, "does not answer"),
      ("exec sleep 100", 74, "does not answer"),
    ] as [(String?, Int32, String)])
  func rulesThatNobodyReads(_ program: String?, _ status: Int32, _ reason: String) async throws {
    try await TemporaryDirectory.with { folder in
      try Data("- do: {exec: a}\n".utf8).write(to: folder.appending(path: "rules.yaml"))
      if let program {
        let path = folder.appending(path: "nfc-rules").path
        try Data("#!/bin/sh\n\(program)\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
      }
      let result = try await Tool.shell(
        #"cp "$NFC" "$D/nfc" && exec "$D/nfc" watch --rules "$D/rules.yaml""#,
        environment: ["D": folder.path], within: .seconds(60))
      #expect(result.status == status, "\(result.errors)")
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains(reason))
    }
  }

  @Test func aReaderThatIsNotThereIsWaitedFor() async throws {
    try await TemporaryDirectory.with { folder in
      // The name of the port. It does not lead to a reader at first, and to another reader each time.
      let port = folder.appending(path: "ttyNFC").path
      let watch = try RunningTool(
        ["watch", "--json", "--reader", "pn532_uart:\(port)", "--debounce", "0.1"],
        environment: ["XDG_RUNTIME_DIR": folder.path])
      #expect(try await watch.waitForErrors("is away"))
      for number in 1...2 {
        let field = VirtualField()
        let reader = try VirtualReader(field)
        field.place(try Self.tag("https://swift.org/\(number)"))
        let path = try #require(reader.connectionString.split(separator: ":").last)
        try? FileManager.default.removeItem(atPath: port)
        try FileManager.default.createSymbolicLink(
          atPath: port, withDestinationPath: String(path))
        let lines = try await watch.waitForLines(2 * number - 1)
        let arrival = try WatchEvent(try #require(lines.last))
        #expect(arrival.event == "tap")
        reader.close()
        // The reader was unplugged, so its tag is reported as left.
        let after = try await watch.waitForLines(2 * number)
        let departure = try WatchEvent(try #require(after.last))
        #expect(departure.event == "left")
      }
      watch.interrupt()
      #expect(try await watch.end().status == 130)
    }
  }

  @Test func aSecondWatcherOfAReaderIsRefused() async throws {
    try await WatchBench.with { bench in
      bench.field.place(.ntag215())
      _ = try await bench.events(1)
      let second = try RunningTool(
        ["watch", "--reader", bench.reader.connectionString],
        environment: ["XDG_RUNTIME_DIR": bench.folder.path])
      let result = try await second.end()
      #expect(result.status == 69)
      #expect(result.errors.contains("another nfc watch has the reader"))
    }
  }

  @Test func aUnitForSystemd() async throws {
    let result = try await Tool.run(
      "watch", "--install", "--open", "--exec", "echo 100% \"$NFC_UID\"")
    #expect(result.status == 0)
    let command = try #require(result.lines.first { $0.hasPrefix("ExecStart=") })
    #expect(command.hasSuffix(#"nfc watch --open --exec "echo 100%% \"$$NFC_UID\"""#))
    try await TemporaryDirectory.with { folder in
      let written = try await Tool.run(
        ["watch", "--install", "--write"], environment: ["XDG_CONFIG_HOME": folder.path])
      #expect(written.status == 0)
      let unit = folder.appending(path: "systemd/user/nfc-watch.service")
      #expect(try String(contentsOf: unit, encoding: .utf8).contains("[Service]"))
    }
  }
}
