import Foundation
import SwiftNFCJSONText
import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// What a door depends on.
@Suite(.serialized) struct WatchDoorTests {
  private static func tag(_ number: UInt8) throws -> VirtualTag {
    try .ntag215(
      uid: [0x04, 0x51, 0x2C, 0x8A, 0x3D, 0x61, number],
      ndef: NDEFMessage(.text("open sesame", language: "en")))
  }

  // MARK: Dates

  @Test func datesAreThoseOfUTC() {
    #expect(EventDate(milliseconds: 0).utc == "1970-01-01T00:00:00.000Z")
    #expect(EventDate(milliseconds: 1_795_878_243_120).utc == "2026-11-28T15:04:03.120Z")
    #expect(EventDate(milliseconds: -1).utc == "1969-12-31T23:59:59.999Z")
  }

  @Test func everyEventHasADate() async throws {
    let before = EventDate.now.utc
    let poll = try await Tool.run("poll", "--once", "--json", "--virtual", "ntag213")
    let date = try #require(try JSONNode(parsing: poll.output.utf8).value["date"]?.string)
    #expect(before < date && date <= EventDate.now.utc)
    let tag = try Self.tag(1)
    let script = #"echo "$NFC_EVENT $NFC_DATE ${NFC_INITIAL-no}" >> "$FOLDER/out""#
    try await WatchBench.with(["--exec", script, "--debounce", "0.2"]) { bench async throws in
      try await bench.waitForLeases(1)
      try await Task.sleep(for: .seconds(1))
      bench.field.place(tag)
      _ = try await bench.watch.waitForLines(1)
      bench.field.remove(tag)
      let lines = try await bench.watch.waitForLines(2)
      let dates = try lines.map { try JSONNode(parsing: $0.utf8).value["date"]?.string ?? "" }
      #expect(dates.allSatisfy { $0.count == "2026-11-28T15:04:03.120Z".count })
      #expect(before < dates[0] && dates[0] < dates[1])
      #expect(try await bench.lines(of: "out", 1) == ["tap \(dates[0]) no"])
    }
  }

  /// Lines that go to a file or a journal begin with the local date.
  @Test func linesBeginWithTheDate() async throws {
    let watch = try RunningTool(["watch", "--virtual", "ntag213"])
    let line = try #require(try await watch.waitForLines(1).first)
    watch.interrupt()
    _ = try await watch.end()
    #expect(line.wholeMatch(of: #/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  \d+\.\d{3}  tap .*/#) != nil)
  }

  // MARK: What lies there at the start

  @Test func aTagThatLiesThereAtTheStartIsNoTouch() async throws {
    let (first, second) = (try Self.tag(1), try Self.tag(2))
    let script = #"echo "$NFC_UID ${NFC_INITIAL-no}" >> "$FOLDER/out""#
    try await WatchBench.with(
      ["--exec", script, "--debounce", "0.2"], tags: [first]
    ) { bench async throws in
      let tap = try #require(try await bench.watch.waitForLines(1).first)
      #expect(tap.contains(#""initial":true"#))
      bench.field.remove(first)
      _ = try await bench.watch.waitForLines(2)
      bench.field.place(first)
      let again = try await bench.watch.waitForLines(3)
      #expect(!again[2].contains("initial"))
      bench.field.place(second)
      let other = try await bench.watch.waitForLines(4)
      #expect(!other[3].contains("initial"))
      let lines = try await bench.lines(of: "out", 3)
      let uid = first.identifier.hexadecimal
      #expect(lines == ["\(uid) 1", "\(uid) no", "\(second.identifier.hexadecimal) no"])
    }
  }

  // MARK: Commands and rules

  @Test func aCommandThatFailsIsReported() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let rules = folder.appending(path: "r.yaml")
      try Data(
        """
        - match: {text: "close*"}
          do: {exec: exit 4}
        - match: {text: "open*"}
          do: {exec: exit 3}
        - on: left
          do: {exec: 'echo "$NFC_EVENT"; cat; exit 5'}
        """.utf8
      ).write(to: rules)
      let tag = try Self.tag(1)
      try await WatchBench.with(
        ["--rules", rules.path, "--verbose", "--debounce", "0.2"], tags: [tag]
      ) { bench async throws in
        let uid = tag.identifier.hexadecimal
        #expect(
          try await bench.watch.waitForErrors("r.yaml, line 3: the command for \(uid) ended with 3")
        )
        #expect(try await bench.watch.waitForErrors("\(uid): the rule of"))
        bench.field.remove(tag)
        #expect(
          try await bench.watch.waitForErrors("r.yaml, line 5: the command for \(uid) ended with 5")
        )
        #expect(bench.watch.errors().contains("left\n{\"event\":\"left\""))
      }
      let plain = try RunningTool(["watch", "--exec", "exit 3", "--virtual", "ntag213"])
      #expect(try await plain.waitForErrors("nfc: the command for 04E10CDA993C80 ended with 3"))
      plain.interrupt()
      _ = try await plain.end()
    }
  }

  private static func tap(
    _ uid: String, _ records: [NDEFRecord] = [], kind: String? = nil, isInitial: Bool = false
  ) -> Tap {
    Tap(
      time: .zero, isInitial: isInitial, reader: "r",
      tag: [JSONValue.Member(key: "uid", value: .string(uid))]
        + (kind.map { [JSONValue.Member(key: "uidKind", value: .string($0))] } ?? []),
      message: NDEFMessage(records: records))
  }

  @Test(arguments: [
    ("uid: [01, '02:03']", "01", true), ("uid: [01, '02:03']", "0203", true),
    ("uid: [01, '02:03']", "03", false), ("uid-file: badges.txt", "0A0B", true),
    ("uid-file: badges.txt", "0C", false), ("text: 'open*'", "01", true),
    ("text: open", "01", false), ("text: ['x', 'open ses?me']", "01", true),
    ("uidKind: fixed", "01", true), ("uidKind: random", "01", false),
    ("initial: false", "01", true),
    ("initial: true", "01", false), ("mime: 'image/*'", "01", true), ("mime: image", "01", false),
  ])
  func conditions(condition: String, uid: String, expected: Bool) async throws {
    let rules = try await TapRules(
      yaml: "- match: {\(condition)}\n  do: {open: true}", permitsPublishing: false
    ) { file in file == "badges.txt" ? ["0A0B"] : [] }
    let image = NDEFRecord(typeNameFormat: .media, type: "image/png", payload: [1])
    let tap = Self.tap(uid, [.text("open sesame", language: "en"), image])
    #expect((rules.actions(for: tap) != nil) == expected)
    #expect(rules.actions(for: tap, .left) == nil, "a rule is for taps unless it says so")
  }

  @Test(arguments: [
    ("- match: {uid: []}\n  do: {open: true}", 1), ("- on: gone\n  do: {open: true}", 1),
    ("- match:\n    uid-file: none.txt\n  do: {open: true}", 2),
    ("- match:\n    uid: [01,\n      zz]\n  do: {open: true}", 3),
    ("- match: {initial: maybe}\n  do: {open: true}", 1),
  ])
  func mistakes(yaml: String, line: Int) async {
    await #expect {
      _ = try await TapRules(yaml: yaml, permitsPublishing: false) { file in
        throw Failure(.notThere, "there is no \(file)")
      }
    } throws: {
      ($0 as? TapRulesError)?.line == line
    }
  }

  /// The example of the help is a complete file.
  @Test func theExampleOfTheHelpIsRight() async throws {
    let help = try await Tool.run(["watch", "--help"], environment: ["COLUMNS": "200"]).output
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    let first = try #require(lines.firstIndex { $0.contains("- match: {uid-file: badges.txt") })
    let yaml = lines[first...].prefix { !$0.isEmpty }.joined(separator: "\n")
    let rules = try await TapRules(yaml: yaml, permitsPublishing: true) { _ in [] }
    #expect(rules.rules.count == 6)
  }

  @Test func badgesAreReadAgainWhenTheyChange() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let (rules, badges) = (folder.appending(path: "r.yaml"), folder.appending(path: "badges.txt"))
      try Data("- match: {uid-file: badges.txt}\n  do: {exec: 'echo yes'}\n".utf8).write(to: rules)
      try Data("# none\n\n01\tAda\n02 # Grace\r\n".utf8).write(to: badges)
      let file = try await RulesFile(path: rules.path, permitsPublishing: false)
      #expect(file.current.actions(for: Self.tap("01")) != nil)
      #expect(file.current.actions(for: Self.tap("02")) != nil)
      #expect(file.current.actions(for: Self.tap("03")) == nil)
      let following = Task { try await file.follow() }
      try Data("03 Alan\n".utf8).write(to: badges)
      let deadline = ContinuousClock.now + .seconds(20)
      while file.current.actions(for: Self.tap("03")) == nil, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(file.current.actions(for: Self.tap("03")) != nil)
      #expect(file.current.actions(for: Self.tap("01")) == nil)
      following.cancel()
      try Data("03 Alan\nAda 01\n".utf8).write(to: badges)
      let failure = await #expect(throws: Failure.self) {
        _ = try await RulesFile(path: rules.path, permitsPublishing: false)
      }
      #expect(failure?.reason.contains("badges.txt, line 2") == true)
    }
  }

  // MARK: Neither disk nor broker

  /// A disk that takes nothing, and then something again.
  @Test func tapsAreKeptInMemory() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let path = folder.appending(path: "spool").path
      let faults = Mutex<[TapSpool.Problem?]>([])
      let spool = try TapSpool(path: path, makesFolder: false, capacity: 200) { problem in
        faults.withLock { $0.append(problem) }
      }
      let numbers = try (1...2000).map { try spool.append(topic: "t", payload: "\($0)").number }
      #expect(spool.count == 2000)
      #expect(spool.entries(upTo: .max).map(\.payload) == (1...2000).map(String.init))
      #expect(faults.withLock { $0 } == [.system(path: path, errno: ENOSPC)], "it is said once")
      #expect(!spool.isFull, "nothing waits")
      for number in numbers.dropLast() { _ = try spool.acknowledge(number) }
      #expect(spool.entries(upTo: .max).map(\.payload) == ["2000"])
      _ = try spool.acknowledge(numbers[1999])
      try spool.append(topic: "t", payload: "on disk")
      #expect(faults.withLock { $0.count } == 2 && faults.withLock { $0.last } == .some(nil))
      #expect(try String(contentsOfFile: path, encoding: .utf8).contains("on disk"))
    }
  }

  @Test func aSpoolThatCannotBeMadeIsInMemory() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let path = folder.appending(path: "none/spool").path
      let faults = Mutex<[TapSpool.Problem?]>([])
      let spool = try TapSpool(path: path, makesFolder: false) { problem in
        faults.withLock { $0.append(problem) }
      }
      let entry = try spool.append(topic: "t", payload: "1")
      #expect(spool.entries(upTo: 9) == [entry])
      #expect(try spool.acknowledge(entry.number) == 1)
      #expect(faults.withLock { $0 } == [.system(path: path, errno: ENOENT)])
    }
  }

  @Test(arguments: [true, false])
  func aBrokerThatRefusesStopsNoDoor(hasAction: Bool) async throws {
    try await TemporaryDirectory.with { folder async throws in
      let broker = try MQTTBroker(folder, settings: ["allow_anonymous false"])
      try await broker.start()
      let options = [
        "watch", "--mqtt", broker.url, "--name", "door", "--virtual", "ntag213", "--spool",
        folder.path + (hasAction ? "/none/spool" : "/spool"),
      ]
      let watch = try RunningTool(
        options + (hasAction ? ["--exec", "echo OPEN"] : []),
        environment: ["XDG_RUNTIME_DIR": folder.path])
      if hasAction {
        #expect(try await watch.waitForErrors("OPEN"))
        #expect(try await watch.waitForErrors("cannot be used"))
        #expect(try await watch.waitForErrors("kept in memory"))
        watch.interrupt()
        #expect(try await watch.end().status == 130)
      } else {
        #expect(try await watch.end().status == 77)
      }
      try await broker.kill()
    }
  }

  /// Retained, a badge would lie there for ever if the reader does not return.
  @Test func nobodyStaysPresent() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let broker = try MQTTBroker(folder)
      try await broker.start()
      let options = [
        "watch", "--mqtt", broker.url, "--name", "door", "--spool", folder.path + "/spool",
      ]
      let environment = ["XDG_RUNTIME_DIR": folder.path]
      let subscriber = try await broker.subscribe(["nfc/#"])
      let killed = try RunningTool(options + ["--virtual", "ntag213"], environment: environment)
      let line = try #require(
        try await subscriber.lines(containing: #"/present [{"#).first)
      let topic = String(line.prefix { $0 != " " })
      killed.interrupt(SIGKILL)
      _ = try await killed.end()
      let next = try RunningTool(
        options + ["--reader", "pn532_uart:\(folder.path)/none"], environment: environment)
      #expect(try await subscriber.lines(containing: "\(topic) []", 2).count >= 2)
      next.interrupt()
      _ = try await next.end()
      subscriber.interrupt(SIGKILL)
      _ = try await subscriber.end()
      try await broker.kill()
    }
  }

  // MARK: Units and waiting

  @Test func aUnitOfTheSystemNeedsNoLogin() async throws {
    let unit = try await Tool.run(
      ["watch", "--rules", "door.yaml", "--install", "--system"],
      environment: ["USER": "door", "SUDO_USER": ""])
    #expect(unit.status == 0)
    for line in [
      "User=door", "SupplementaryGroups=dialout plugdev", "StateDirectory=nfc",
      "WantedBy=multi-user.target", "NoNewPrivileges=yes",
    ] { #expect(unit.lines.contains(line), "\(line)") }
    #expect(!unit.output.contains("graphical"))
    #expect(unit.output.contains("watch --rules door.yaml\n"))
    #expect(try await Tool.run("watch", "--system").status == 64)
    #expect(try await Tool.run("watch", "--open", "--install", "--system").status == 64)
  }
}
