import Foundation
import NFC
import Testing
import VirtualNFC

@Suite(.serialized) struct WatchMQTTTests {
  private static func withBroker(
    settings: [String] = ["allow_anonymous true"], _ body: (MQTTBroker) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.with { folder in
      let broker = try MQTTBroker(folder, settings: settings)
      try await broker.start()
      do {
        try await body(broker)
      } catch {
        try await broker.kill()
        throw error
      }
      try await broker.kill()
    }
  }

  /// Returns a tag with its own UID and link for each number.
  private static func tag(_ number: UInt8) throws -> VirtualTag {
    try .ntag215(
      uid: [0x04, 0x51, 0x2C, 0x8A, 0x3D, 0x61, number],
      ndef: NDEFMessage(.uri("https://swift.org/\(number)")))
  }

  /// Returns the level of a virtual reader in the topics.
  private static func level(_ bench: WatchBench) -> String {
    String(bench.reader.connectionString.map { $0.isLetter || $0.isNumber ? $0 : "-" })
  }

  private static func end(_ watchers: RunningTool...) async throws {
    for watcher in watchers {
      watcher.interrupt()
      _ = try await watcher.end()
    }
  }

  /// Ends a mosquitto_sub. If it was only asked to end, it would wait for its broker.
  private static func kill(_ subscriber: RunningTool) async throws {
    subscriber.interrupt(SIGKILL)
    _ = try await subscriber.end()
  }

  @Test func tapsPresenceStatusAndDiscovery() async throws {
    try await Self.withBroker { broker in
      let subscriber = try await broker.subscribe(["nfc/#", "homeassistant/#"])
      let tag = try Self.tag(1)
      try await WatchBench.with(
        ["--mqtt", broker.url, "--name", "door", "--home-assistant", "--debounce", "0.2"]
      ) { bench in
        let root = "nfc/door/\(Self.level(bench))"
        #expect(try await subscriber.lines(containing: "nfc/door/status online").count == 1)
        #expect(try await subscriber.lines(containing: "\(root)/present []").count == 1)
        let discovery = try #require(
          try await subscriber.lines(containing: "homeassistant/tag/").first)
        #expect(discovery.contains("/config "))
        #expect(discovery.contains("\"topic\":\"\(root)/tap\""))
        bench.field.place(tag)
        let tap = try #require(try await subscriber.lines(containing: "\(root)/tap ").first)
        let payload = String(tap.dropFirst("\(root)/tap ".count))
        #expect(try await bench.watch.waitForLines(1) == [payload], "the tap's own JSON")
        let present = try await subscriber.lines(containing: "\(root)/present [{")
        #expect(present.first?.contains(tag.identifier.hexadecimal) == true)
        bench.field.remove(tag)
        #expect(try await subscriber.lines(containing: "\(root)/present []", 2).count == 2)
      }
      #expect(try await subscriber.lines(containing: "nfc/door/status offline").count == 1)
      try await Self.kill(subscriber)
    }
  }

  @Test func theLastWillSaysThatAWatcherIsGone() async throws {
    try await Self.withBroker { broker in
      let subscriber = try await broker.subscribe(["nfc/#"])
      let watch = try RunningTool(
        [
          "watch", "--reader", "pn532_uart:\(broker.folder.path)/none", "--mqtt", broker.url,
          "--name", "gone", "--spool", broker.folder.path + "/spool",
        ], environment: ["XDG_RUNTIME_DIR": broker.folder.path])
      #expect(try await subscriber.lines(containing: "nfc/gone/status online").count == 1)
      watch.interrupt(SIGKILL)
      _ = try await watch.end()
      #expect(try await subscriber.lines(containing: "nfc/gone/status offline").count == 1)
      try await Self.kill(subscriber)
    }
  }

  /// Taps while the broker is absent and while a watcher is killed are all published, in their order.
  @Test func noTapIsLost() async throws {
    try await Self.withBroker { broker in
      let field = VirtualField()
      let reader = try VirtualReader(field)
      defer { reader.close() }
      func watch() throws -> RunningTool {
        try RunningTool(
          [
            "watch", "--json", "--reader", reader.connectionString, "--mqtt", broker.url,
            "--name", "hall", "--spool", broker.folder.path + "/spool", "--debounce", "0.05",
          ], environment: ["XDG_RUNTIME_DIR": broker.folder.path])
      }
      func tap(_ number: UInt8, _ watch: RunningTool) async throws {
        let tag = try Self.tag(number)
        field.place(tag)
        #expect(try await watch.lines(containing: "swift.org/\(number)\"").count == 1)
        field.remove(tag)
        let left = try await watch.lines(containing: "\(tag.identifier.hexadecimal)\"}}", 1)
        #expect(left.count == 1)
      }
      var subscriber = try await broker.subscribe(["nfc/hall/+/tap"])
      var watcher = try watch()
      for number: UInt8 in 1...2 { try await tap(number, watcher) }
      #expect(try await subscriber.lines(containing: "/tap ", 2).count == 2)
      try await broker.kill()
      #expect(try await watcher.waitForErrors("is away"))
      for number: UInt8 in 3...4 { try await tap(number, watcher) }
      watcher.interrupt(SIGKILL)
      _ = try await watcher.end()
      watcher = try watch()
      for number: UInt8 in 5...6 { try await tap(number, watcher) }
      try await Self.kill(subscriber)
      try await broker.start()
      subscriber = try await broker.subscribe(["nfc/hall/+/tap"])
      for number: UInt8 in 7...8 { try await tap(number, watcher) }
      // Messages that were published before the subscription do not reach the subscriber. The order of the
      // spool is visible in those that do.
      let last = try await subscriber.lines(containing: "swift.org/8\"")
      #expect(last.count == 1)
      try await Self.kill(subscriber)
      // The broker has received all messages. The watcher learns this after the subscriber.
      func sent() throws -> String {
        try String(contentsOfFile: broker.folder.path + "/spool.sent", encoding: .utf8)
      }
      let deadline = ContinuousClock.now + .seconds(10)
      while try sent() != "8\n", ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try sent() == "8\n")
      try await Self.end(watcher)
    }
  }

  /// A watcher is killed at moments around each tap. Every tap that was reported reaches the subscriber, in
  /// the order of the reports.
  @Test func aWatcherThatIsKilledLosesNothing() async throws {
    try await Self.withBroker { broker in
      let field = VirtualField()
      let reader = try VirtualReader(field)
      defer { reader.close() }
      let subscriber = try await broker.subscribe(["nfc/yard/+/tap"])
      var reported: [String] = []
      for number: UInt8 in 1...16 {
        let watch = try RunningTool(
          [
            "watch", "--json", "--reader", reader.connectionString, "--mqtt", broker.url,
            "--name", "yard", "--spool", broker.folder.path + "/spool", "--debounce", "0",
          ], environment: ["XDG_RUNTIME_DIR": broker.folder.path])
        let tag = try Self.tag(number)
        field.place(tag)
        let tap = try await watch.lines(containing: "swift.org/\(number)\"")
        #expect(tap.count == 1)
        reported += tap
        // The delay is between zero and a few exchanges with the broker, when the next tag may be in the
        // spool.
        field.remove(tag)
        field.place(try Self.tag(100 + number))
        try await Task.sleep(for: .milliseconds(Int(number) * 7 % 60))
        watch.interrupt(SIGKILL)
        let result = try await watch.end()
        field.removeAll()
        reported += result.lines.filter {
          $0.hasSuffix("}") && $0.contains("swift.org/\(100 + number)\"")
        }
      }
      // A watcher that is not killed publishes the remaining messages.
      let watch = try RunningTool(
        [
          "watch", "--json", "--reader", reader.connectionString, "--mqtt", broker.url,
          "--name", "yard", "--spool", broker.folder.path + "/spool",
        ], environment: ["XDG_RUNTIME_DIR": broker.folder.path])
      field.place(try Self.tag(99))
      #expect(try await subscriber.lines(containing: "swift.org/99\"").count == 1)
      try await Self.end(watch)
      let received = subscriber.output().split(separator: "\n").compactMap { line in
        line.firstIndex(of: "{").map { String(line[$0...]) }
      }
      let firsts = received.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      let known = Set(reported)
      #expect(firsts.filter(known.contains) == reported)
      try await Self.kill(subscriber)
    }
  }

  @Test func commandsFromSubscribers() async throws {
    try await Self.withBroker { broker in
      let subscriber = try await broker.subscribe(["nfc/desk/+/answer"])
      let tag = try Self.tag(1)
      try await WatchBench.with(
        ["--mqtt", broker.url, "--name", "desk"], tags: [tag]
      ) { bench in
        _ = try await bench.events(1)
        let topic = "nfc/desk/\(Self.level(bench))/command"
        func ask(_ payload: String, _ number: Int) async throws -> String {
          try await broker.publish(payload, on: topic)
          return try await subscriber.lines(containing: "/answer ", number).last ?? ""
        }
        let uid = tag.identifier.hexadecimal
        let read = try await ask(#"{"id":"7","do":"read"}"#, 1)
        #expect(read.contains(#""id":"7","uid":"\#(uid)","result":{"#))
        #expect(read.contains("https://swift.org/1"))
        let write = try await ask(#"{"id":"8","do":"write","records":[{"uri":"https://a.b"}]}"#, 2)
        #expect(write.contains(#""id":"8""#) && write.contains(#""result""#), "\(write)")
        let send = try await ask(#"{"id":"9","do":"send","commands":["3004"]}"#, 3)
        #expect(send.contains(#""answers":["#), "\(send)")
        for (index, wrong) in ["{", #"{"id":"x"}"#, #"{"id":"x","do":"send"}"#].enumerated() {
          let answer = try await ask(wrong, 4 + index)
          #expect(answer.contains(#""error":{"code":64,"#), "\(answer)")
        }
        let records = #""records":[{"uri":"https://c.d"}]"#
        let nameless = try await ask(#"{"do":"write",\#(records)}"#, 7)
        #expect(nameless.contains(#"{"error":{"code":64,"#), "\(nameless)")
        let number = try await ask(#"{"id":7,"do":"read"}"#, 8)
        #expect(number.contains(#""id":7,"#) && !number.contains("c.d"), "\(number)")
        bench.field.remove(tag)
        let none = try await ask(#"{"id":"10","do":"read","timeout":0.3}"#, 9)
        #expect(none.contains(#""error":{"code":66,"#), "\(none)")
        bench.field.place(tag)
        #expect(try await bench.watch.lines(containing: "\"tap\"").count >= 1)
      }
      try await Self.kill(subscriber)
    }
  }

  /// What a command does with a tag that stays is not another tap, even if nothing is combined.
  @Test(arguments: ["ntag215", "type4", "classic-1k", "type3", "topaz512"])
  func aTagThatStaysIsOneTapThroughCommands(_ name: String) async throws {
    try await Self.withBroker { broker in
      let subscriber = try await broker.subscribe(["nfc/stay/+/answer"])
      let tag = try VirtualTag.named(name)
      try await WatchBench.with(
        ["--mqtt", broker.url, "--name", "stay", "--debounce", "0"]
      ) { bench in
        let topic = "nfc/stay/\(Self.level(bench))/command"
        bench.field.place(tag)
        #expect(try await bench.events(1).map(\.event) == ["tap"])
        for number in 1...6 {
          let what =
            number.isMultiple(of: 2)
            ? #""do":"write","records":[{"uri":"https://a.b/\#(number)"}]"# : #""do":"read""#
          try await broker.publish(#"{"id":"\#(number)",\#(what)}"#, on: topic)
          let answer = try await subscriber.lines(containing: "/answer ", number).last ?? ""
          #expect(answer.contains(#""result""#), "\(name) \(number): \(answer)")
          // Some rounds of polling.
          try await Task.sleep(for: .milliseconds(400))
        }
        #expect(try await bench.events(1).count == 1, "\(bench.watch.output())")
        bench.field.remove(tag)
        #expect(try await bench.events(2).map(\.event) == ["tap", "left"])
      }
      try await Self.kill(subscriber)
    }
  }

  /// A command that changes a tag needs to know which one, as on the command line.
  @Test func withTwoTagsAWriteNeedsAUID() async throws {
    try await Self.withBroker { broker in
      let subscriber = try await broker.subscribe(["nfc/pair/+/answer"])
      let tags = [try Self.tag(1), try Self.tag(2)]
      try await WatchBench.with(["--mqtt", broker.url, "--name", "pair"], tags: tags) { bench in
        _ = try await bench.events(2)
        let topic = "nfc/pair/\(Self.level(bench))/command"
        func ask(_ payload: String, _ number: Int) async throws -> String {
          try await broker.publish(payload, on: topic)
          return try await subscriber.lines(containing: "/answer ", number).last ?? ""
        }
        let records = #""records":[{"uri":"https://a.b"}]"#
        let both = try await ask(#"{"id":"1","do":"write",\#(records)}"#, 1)
        #expect(both.contains(#""error":{"code":66,"#), "\(both)")
        let uid = tags[1].identifier.hexadecimal
        let one = try await ask(#"{"id":"2","do":"write","uid":"\#(uid)",\#(records)}"#, 2)
        #expect(one.contains(#""uid":"\#(uid)","result":{"written":1}"#), "\(one)")
        let other = try await ask(#"{"id":"3","do":"read","uid":"04","timeout":0.3}"#, 3)
        #expect(other.contains(#""error":{"code":66,"#), "\(other)")
        let wrong = try await ask(#"{"id":"4","do":"read","uid":"x"}"#, 4)
        #expect(wrong.contains(#""error":{"code":64,"#), "\(wrong)")
      }
      try await Self.kill(subscriber)
    }
  }

  @Test func aWrongPasswordIsOneLine() async throws {
    try await TemporaryDirectory.with { folder in
      let passwords = folder.appending(path: "passwords")
      let maker = try RunningTool(
        ["-c", "-b", passwords.path, "me", "right"], program: "/usr/bin/mosquitto_passwd")
      _ = try await maker.end()
      let broker = try MQTTBroker(
        folder, settings: ["allow_anonymous false", "password_file \(passwords.path)"])
      try await broker.start()
      let arguments = [
        "watch", "--reader", "pn532_uart:\(folder.path)/none", "--mqtt",
        "mqtt://me@127.0.0.1:\(broker.port)", "--spool", folder.path + "/spool",
      ]
      let result = try await RunningTool(
        arguments,
        environment: ["NFC_MQTT_PASSWORD": "wrong", "XDG_RUNTIME_DIR": folder.path]
      ).end()
      #expect(result.status == 77)
      #expect(result.errorLines.filter { $0.contains("MQTT") }.count == 1, "\(result.errors)")
      #expect(!result.errors.contains("wrong"))
      let right = try RunningTool(
        arguments + ["--name", "door"],
        environment: ["NFC_MQTT_PASSWORD": "right", "XDG_RUNTIME_DIR": folder.path])
      let subscriber = try await broker.subscribe(
        ["nfc/door/status"], options: ["-u", "me", "-P", "right"])
      #expect(try await subscriber.lines(containing: "online").count == 1)
      try await Self.kill(subscriber)
      try await Self.end(right)
      try await broker.kill()
    }
  }

  @Test func anUntrustedCertificateIsOneLine() async throws {
    try await TemporaryDirectory.with { folder in
      let maker = try RunningTool(
        [
          "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
          "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder.path + "/key.pem", "-out",
          folder.path + "/certificate.pem",
        ], program: "/usr/bin/openssl")
      #expect(try await maker.end().status == 0)
      let broker = try MQTTBroker(
        folder,
        settings: [
          "allow_anonymous true", "certfile FOLDER/certificate.pem", "keyfile FOLDER/key.pem",
        ])
      try await broker.start()
      let arguments = [
        "watch", "--reader", "pn532_uart:\(folder.path)/none", "--name", "tls", "--mqtt",
        "mqtts://127.0.0.1:\(broker.port)", "--spool", folder.path + "/spool",
      ]
      let environment = ["XDG_RUNTIME_DIR": folder.path]
      let result = try await RunningTool(arguments, environment: environment).end()
      #expect(result.status == 77, "\(result.errors)")
      let trusting = try RunningTool(
        arguments + ["--mqtt-ca", folder.path + "/certificate.pem"], environment: environment)
      let subscriber = try await broker.subscribe(
        ["nfc/tls/status"], options: ["--cafile", folder.path + "/certificate.pem"])
      #expect(try await subscriber.lines(containing: "online").count == 1)
      try await Self.kill(subscriber)
      try await Self.end(trusting)
      try await broker.kill()
    }
  }

  @Test(arguments: [
    (["--spool", "/dev/null/spool"], Int32(74), "/dev/null/spool"),
    (["--name", "a/b"], 64, "--name"), (["--topic", "a/#"], 64, "--topic"),
    (["--topic", "$SYS/a"], 64, "begins with $"),
    (["--mqtt-ca", "/etc/passwd"], 64, "mqtts://"),
    (["--mqtt", "mqtts://127.0.0.1:1", "--mqtt-ca", "/nonexistent.pem"], 66, "/nonexistent.pem"),
    (["--mqtt", "mqtts://127.0.0.1:1", "--mqtt-ca", "/etc/passwd"], 65, "/etc/passwd"),
  ])
  func wrongOptionsAreRefused(options: [String], status: Int32, word: String) async throws {
    let result = try await Tool.run(["watch", "--mqtt", "mqtt://127.0.0.1:1"] + options)
    #expect(result.status == status)
    #expect(result.errors.contains(word))
  }

  /// Other users can read a command line, and a journal keeps error messages.
  @Test func aPasswordInTheAddressIsNotRepeated() async throws {
    let result = try await Tool.run(["watch", "--mqtt", "mqtt://me:secret@broker.example"])
    #expect(result.status == 64)
    #expect(result.errors.contains("NFC_MQTT_PASSWORD"))
    #expect(!result.errors.contains("secret"))
  }

  @Test func twoWatchersCannotShareASpool() async throws {
    try await Self.withBroker { broker in
      func start(_ number: Int) throws -> RunningTool {
        try RunningTool(
          [
            "watch", "--reader", "pn532_uart:\(broker.folder.path)/none\(number)", "--mqtt",
            broker.url, "--spool", broker.folder.path + "/spool", "--name", "n",
          ], environment: ["XDG_RUNTIME_DIR": broker.folder.path])
      }
      let first = try start(1)
      #expect(try await first.waitForErrors("is away"))
      let second = try await start(2).end()
      #expect(second.status == 69)
      #expect(second.errors.contains("spool"))
      try await Self.end(first)
    }
  }
}
