import Foundation
import NFC
import Testing
import VirtualNFC

/// Tests of `nfc watch --mqtt` with brokers, hosts, clocks and subscribers that cause trouble.
@Suite(.serialized) struct WatchMQTTTroubleTests {
  private static func tag(_ number: UInt8, _ text: String) throws -> VirtualTag {
    var configuration = Type4Application.Configuration()
    configuration.fileSize = 4096
    return try .type4(
      uid: [0x04, 0x51, 0x2C, 0x8A, 0x3D, 0x61, number],
      ndef: NDEFMessage(records: [.text(text, language: "en")]), configuration: configuration)
  }

  private static func withBroker(
    settings: [String] = [], _ body: (MQTTBroker) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.with { folder in
      let broker = try MQTTBroker(folder, settings: ["allow_anonymous true"] + settings)
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

  private static func kill(_ subscriber: RunningTool) async throws {
    subscriber.interrupt(SIGKILL)
    _ = try await subscriber.end()
  }

  private static func level(_ reader: String) -> String {
    String(reader.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
  }

  /// A broker sends a retained message after each connection (MQTT 3.1.1, 3.3.1.3). The command would change the tag
  /// that is on the reader then.
  @Test func aRetainedCommandIsNotPerformed() async throws {
    try await Self.withBroker { broker in
      let tag = try Self.tag(1, "mine")
      let field = VirtualField()
      let reader = try VirtualReader(field)
      defer { reader.close() }
      field.place(tag)
      let root = "nfc/shop/\(Self.level(reader.connectionString))"
      let subscriber = try await broker.subscribe(["\(root)/answer"])
      try await broker.publish(
        #"{"id":"7","do":"write","records":[{"text":"theirs"}]}"#, on: "\(root)/command",
        options: ["-r"])
      for number in 1...2 {
        let watch = try RunningTool(
          [
            "watch", "--json", "--reader", reader.connectionString, "--mqtt", broker.url,
            "--name", "shop", "--spool", broker.folder.path + "/spool",
          ], environment: ["XDG_RUNTIME_DIR": broker.folder.path])
        let answer = try await subscriber.lines(containing: "/answer ", number).last
        #expect(answer?.contains(#""id":"7","error":{"code":64,"#) == true, "\(answer ?? "")")
        let tap = try await watch.lines(containing: "\"tap\"")
        #expect(tap.first?.contains(#""text":"mine""#) == true)
        watch.interrupt()
        _ = try await watch.end()
      }
      try await Self.kill(subscriber)
    }
  }

  /// Many long messages wait for the broker, or one that is longer than those of today's tags. Their program reads them
  /// as the broker takes them.
  @Test(arguments: [(40, 600_000), (1, 5_000_000)])
  func manyLongMessagesWaited(count: Int, length: Int) async throws {
    try await Self.withBroker { broker in
      let path = broker.folder.path + "/spool"
      let payload = String(repeating: "x", count: length)
      let lines = (1...count).map { number in
        #"{"number":\#(number),"topic":"t","payload":"\#(payload)"}"# + "\n"
      }
      try Data(lines.joined().utf8).write(to: URL(filePath: path))
      let watch = try RunningTool(
        [
          "watch", "--reader", "pn532_uart:\(broker.folder.path)/none", "--mqtt", broker.url,
          "--name", "shop", "--spool", path,
        ], environment: ["XDG_RUNTIME_DIR": broker.folder.path])
      let deadline = ContinuousClock.now + .seconds(60)
      func size() throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      }
      while try size() > 0, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(try size() == 0, "the broker has all of them")
      watch.interrupt()
      #expect(try await watch.end().status == 130)
    }
  }

  /// A command for an absent reader is answered in its time, and not performed later.
  @Test func aCommandForAnAbsentReaderIsAnswered() async throws {
    try await Self.withBroker { broker in
      let port = "\(broker.folder.path)/ttyNFC"
      let root = "nfc/shop/\(Self.level("pn532_uart:\(port)"))"
      let subscriber = try await broker.subscribe(["\(root)/+"])
      let watch = try RunningTool(
        [
          "watch", "--json", "--reader", "pn532_uart:\(port)", "--mqtt", broker.url,
          "--name", "shop", "--spool", broker.folder.path + "/spool",
        ], environment: ["XDG_RUNTIME_DIR": broker.folder.path])
      #expect(try await subscriber.lines(containing: "/present []").count == 1)
      let start = ContinuousClock.now
      let records = #""records":[{"text":"late"}]"#
      try await broker.publish(
        #"{"id":"8","do":"write","timeout":1,\#(records)}"#, on: "\(root)/command")
      let answer = try await subscriber.lines(containing: "/answer ").first
      #expect(answer?.contains(#""id":"8","error":{"code":69,"#) == true, "\(answer ?? "")")
      #expect(ContinuousClock.now - start >= .seconds(1))
      // One whose time is not over is performed by the reader that arrives.
      try await broker.publish(#"{"id":"9","do":"read","timeout":30}"#, on: "\(root)/command")
      let field = VirtualField()
      let reader = try VirtualReader(field)
      defer { reader.close() }
      field.place(try Self.tag(1, "mine"))
      let path = try #require(reader.connectionString.split(separator: ":").last)
      try FileManager.default.createSymbolicLink(
        atPath: port, withDestinationPath: String(path))
      let read = try await subscriber.lines(containing: #"/answer {"id":"9""#).first
      #expect(read?.contains(#""text":"mine""#) == true, "\(read ?? "")")
      #expect(subscriber.output().ranges(of: "/answer ").count == 2)
      watch.interrupt()
      _ = try await watch.end()
      try await Self.kill(subscriber)
    }
  }

  /// A broker disconnects a client that sends a message that is too long (mosquitto.conf(5), "max_packet_size"). It
  /// would do so again after each connection, and no other tap would be published.
  @Test func aMessageThatTheBrokerNeverAcceptsDelaysNoOther() async throws {
    try await Self.withBroker(settings: ["max_packet_size 3000"]) { broker in
      let subscriber = try await broker.subscribe(["nfc/gate/+/tap"])
      let spool = broker.folder.path + "/spool"
      try await WatchBench.with(
        ["--mqtt", broker.url, "--name", "gate", "--spool", spool, "--debounce", "0"]
      ) { bench in
        let tags = [
          try Self.tag(1, "short 1"),
          try Self.tag(2, "long " + String(repeating: "x", count: 1500)),
          try Self.tag(3, "short 3"),
        ]
        for tag in tags {
          bench.field.place(tag)
          let uid = "\"uid\":\"\(tag.identifier.hexadecimal)\""
          #expect(try await bench.watch.lines(containing: uid).count >= 1)
          bench.field.remove(tag)
        }
        #expect(try await subscriber.lines(containing: "short 1").count >= 1)
        #expect(try await bench.watch.waitForErrors("does not accept a message"))
        #expect(try await subscriber.lines(containing: "short 3").count >= 1)
        let kept = try String(contentsOfFile: spool + ".refused", encoding: .utf8)
        #expect(kept.split(separator: "\n").count == 1)
        #expect(kept.contains("long xxx"))
        #expect(try await bench.watch.waitForErrors("is back"))
        let errors = bench.watch.errors().split(separator: "\n")
        #expect(errors.count == 3, "away, refused, back: \(errors)")
      }
      try await Self.kill(subscriber)
    }
  }

  /// A machine without a battery for its clock starts in 1970, when no certificate is valid yet.
  @Test func aCertificateIsNotRefusedBeforeTheClockIsSet() async throws {
    try await TemporaryDirectory.with { folder in
      let made = try await Tool.shell(
        """
        cd "$FOLDER" && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
          -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem 2>&1 &&
        printf '#include <time.h>\\ntime_t time(time_t *t) { if (t) *t = 1000; return 1000; }\\n' > time.c &&
        clang -shared -fPIC -o time.so time.c
        """, environment: ["FOLDER": folder.path])
      try #require(made.status == 0, "\(made.output)\(made.errors)")
      let broker = try MQTTBroker(
        folder,
        settings: [
          "allow_anonymous true", "certfile FOLDER/certificate.pem", "keyfile FOLDER/key.pem",
        ])
      try await broker.start()
      let watch = try RunningTool(
        [
          "watch", "--reader", "pn532_uart:\(folder.path)/none", "--name", "tls", "--mqtt",
          "mqtts://127.0.0.1:\(broker.port)", "--spool", folder.path + "/spool", "--mqtt-ca",
          folder.path + "/certificate.pem",
        ],
        environment: [
          "XDG_RUNTIME_DIR": folder.path, "LD_PRELOAD": folder.path + "/time.so",
        ])
      #expect(try await watch.waitForErrors("nfc: the MQTT broker at 127.0.0.1 is away"))
      #expect(watch.errors().contains("certificate verify failed"))
      watch.interrupt()
      #expect(try await watch.end().status == 130)
      try await broker.kill()
    }
  }

  /// The names of files are used byte for byte, also while the command runs.
  @Test func namesThatAreNotUTF8AreKept() async throws {
    let field = VirtualField()
    let reader = try VirtualReader(field)
    defer { reader.close() }
    field.place(try Self.tag(1, "mine"))
    try await TemporaryDirectory.with { folder in
      let result = try await Tool.shell(
        #"""
        cd "$FOLDER"; byte=$(printf '\377'); rules=rules$byte.yaml spool=spool$byte
        echo '- do: {exec: "echo one >> out"}' > $rules
        "$NFC" watch --reader "$READER" --rules $rules --name n --spool $spool \
          --mqtt mqtt://127.0.0.1:1 & watch=$!
        for i in $(seq 100); do [ -e out ] && break; sleep 0.1; done
        echo '- wrong' > $rules; sleep 1.5; kill $watch; wait $watch
        cat out; wc -l < $spool; ls | grep -c spool
        """#, environment: ["FOLDER": folder.path, "READER": reader.connectionString])
      #expect(result.lines.suffix(3) == ["one", "1", "1"], "\(result.output)\(result.errors)")
      #expect(result.errors.contains(#"taps are kept in spool\xFF"#), "\(result.errors)")
      #expect(result.errors.contains("the old rules stay in force"), "\(result.errors)")
    }
  }

  /// The system gives up a host that does not answer only after minutes. Ending the watcher does not wait for that,
  /// and the program that waits ends, too.
  @Test func aHostThatDoesNotAnswerKeepsNothingRunning() async throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    let port = try Self.listenWithoutRoom(descriptor)
    var callers: [Int32] = []
    defer { for caller in callers { close(caller) } }
    // The queue of connections that nobody accepts is full after a few; requests for more are not answered.
    for _ in 0..<4 { callers.append(Self.call(port)) }
    try await TemporaryDirectory.with { folder in
      let result = try await Tool.shell(
        """
        "$NFC" watch --reader pn532_uart:/nonexistent --name n --spool "$FOLDER/spool" \
          --mqtt mqtt://127.0.0.1:$PORT & watch=$!
        helpers() { cat /proc/$watch/task/*/children; }
        for i in $(seq 100); do [ -n "$(helpers)" ] && break; sleep 0.1; done
        # One that has ended may stay in the list.
        sleep 1; for helper in $(helpers); do :; done; cat "/proc/$helper/comm"
        kill $watch; wait $watch; echo "status $?"
        for i in $(seq 10); do
          # A process that has ended may stay in the list.
          case "$(cut -d ')' -f 2 /proc/$helper/stat 2> /dev/null)" in
            '' | ' Z'*) echo gone; exit ;;
          esac
          sleep 0.05
        done
        echo "still there"; kill -9 $helper
        """,
        environment: [
          "FOLDER": folder.path, "PORT": "\(port)", "XDG_RUNTIME_DIR": folder.path,
        ])
      #expect(result.lines == ["nfc-mqtt", "status 143", "gone"], "\(result.errors)")
    }
  }

  /// Lets a socket listen with room for one connection, and returns its port.
  private static func listenWithoutRoom(_ descriptor: Int32) throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && listen(descriptor, 0) == 0
          ? getsockname(descriptor, pointer, &length) : -1
      }
    }
    try #require(code == 0)
    return UInt16(bigEndian: address.sin_port)
  }

  /// Begins a connection without waiting for it.
  private static func call(_ port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return descriptor
  }
}
