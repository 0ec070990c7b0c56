import Foundation
import NFC
import Synchronization
import Testing
import VirtualNFC

/// Tests of the tag that a command selects, and of the technologies that it polls for.
@Suite struct SelectionTests {
  /// A reader with tags in its field, which records the frames to the tags.
  private struct Bench {
    let field = VirtualField()
    let virtual: VirtualReader
    private let commands = Commands()

    private final class Commands: Sendable {
      let all = Mutex<[[UInt8]]>([])
    }

    init(_ tags: VirtualTag...) throws {
      let commands = commands
      virtual = try VirtualReader(field) { event in
        if case .command(let bytes) = event { commands.all.withLock { $0.append(bytes) } }
      }
      for tag in tags { field.place(tag) }
    }

    func run(_ line: String) async throws -> Tool.Result {
      try await Tool.run(
        line.split(separator: " ").map(String.init) + ["--reader", virtual.connectionString])
    }

    /// The modulations of all InListPassiveTarget commands (UM0701-02, 7.3.5), in their order.
    var searches: [UInt8] {
      let inListPassiveTarget: UInt8 = 0x4A
      return commands.all.withLock { $0 }.compactMap { command in
        command.first == inListPassiveTarget && command.count > 2 ? command[2] : nil
      }
    }
  }

  /// The first suitable tag is used, and nothing else is polled for.
  @Test(
    arguments: [
      ("read", VirtualTag.ntag216(), [0]), ("info", .ntag216(), [0]),
      ("mifare send 3004", .ntag216(), [0]), ("felica info", .suica(), [1]),
    ] as [(String, VirtualTag, [UInt8])])
  func readingLooksNoFurther(_ line: String, _ tag: VirtualTag, _ searches: [UInt8]) async throws {
    let bench = try Bench(tag)
    let result = try await bench.run(line)
    #expect(result.status == 0, "\(result.errors)")
    // The command also wakes a tag again, with the same modulation. Another modulation is another search.
    #expect(Set(bench.searches) == Set(searches), "\(bench.searches)")
    bench.virtual.close()
  }

  @Test func theFirstOfTwoIsTakenForReading() async throws {
    let bench = try Bench(.ntag215(), .ntag216())
    let result = try await bench.run("read")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors == "")
    bench.virtual.close()
  }

  private static let changes = [
    "write text hello", "erase", "format", "lock --permanently", "mifare restore FILE",
  ]

  /// A command that changes a tag is refused before the first change. The error names both tags.
  @Test(arguments: changes)
  func twoTagsAreRefused(_ line: String) async throws {
    let (one, other) = (VirtualTag.ntag215(), VirtualTag.ntag216())
    try await TemporaryDirectory.with { directory in
      let file = directory.appending(path: "dump.bin")
      try Data([UInt8](repeating: 0, count: 540)).write(to: file)
      let bench = try Bench(one, other)
      let result = try await bench.run(line.replacing("FILE", with: file.path))
      #expect(result.status == 66, "\(result.errors)")
      #expect(result.errorLines.count == 1)
      for tag in [one, other] { #expect(result.errors.contains(tag.identifier.hexadecimal)) }
      #expect(result.errors.contains("--uid"))
      for tag in [one, other] {
        let read = try await bench.run("read --json --uid \(tag.identifier.hexadecimal)")
        #expect(read.output.contains(#""status":"readWrite""#), "\(read.output)")
        #expect(read.output.contains(#""length":0"#))
      }
      bench.virtual.close()
    }
  }

  @Test func aUIDPicksOneOfTwo() async throws {
    let (one, other) = (VirtualTag.ntag215(), VirtualTag.ntag216())
    let bench = try Bench(one, other)
    for tag in [other, one] {
      let result = try await bench.run("write text hello --uid \(tag.identifier.hexadecimal)")
      #expect(result.status == 0, "\(result.errors)")
      let read = try await bench.run("read --uid \(tag.identifier.hexadecimal)")
      #expect(read.output.contains("hello"))
    }
    bench.virtual.close()
  }

  /// A tag of another technology is not a second tag.
  @Test func anotherTechnologyIsNotInTheWay() async throws {
    let bench = try Bench(.ntag215(), .suica())
    let result = try await bench.run("write text hello --verify")
    #expect(result.status == 0, "\(result.errors)")
    bench.virtual.close()
  }

  @Test func twoReadersWithATagEachAreRefusedToo() async throws {
    let (one, other) = (try Bench(.ntag215()), try Bench(.ntag216()))
    let readers = [
      "--reader", one.virtual.connectionString, "--reader", other.virtual.connectionString,
    ]
    let result = try await Tool.run(["erase"] + readers)
    #expect(result.status == 66, "\(result.errors)")
    let read = try await Tool.run(["read"] + readers)
    #expect(read.status == 0, "\(read.errors)")
    one.virtual.close()
    other.virtual.close()
  }

  /// Two type A cards with ISO/IEC 14443-4 lose their state when they are put to sleep.
  @Test func twoSmartCardsAreRefused() async throws {
    let bench = try Bench(.type4(), .desfire())
    #expect(try await bench.run("erase").status == 66)
    bench.virtual.close()
    let single = try Bench(.type4())
    let result = try await single.run("write text hello --verify")
    #expect(result.status == 0, "\(result.errors)")
    single.virtual.close()
  }

  /// The tag that is present instead is reported at once, although only one technology is polled for first.
  @Test(arguments: [
    ("mifare send 3004", "suica", "a FeliCa card"), ("felica info", "ntag216", "NTAG"),
    ("mifare send 3004", "topaz96", "Topaz"), ("apdu 00A40400", "suica", "a FeliCa card"),
  ])
  func anotherKindOfTagIsNamed(_ line: String, _ tag: String, _ kind: String) async throws {
    let start = ContinuousClock.now
    let result = try await Tool.run(
      line.split(separator: " ").map(String.init) + ["--virtual", tag])
    #expect(result.status == 66)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("the tag is not"))
    #expect(ContinuousClock.now - start < .seconds(8))
  }

  /// A tag without NDEF is reported when it is found, in the output format of `read`.
  @Test func aTagWithoutNDEFIsReported() async throws {
    let result = try await Tool.run("read", "--json", "--virtual", "srix4k")
    #expect(result.status == 66)
    #expect(result.output.contains(#""status":"notSupported""#))
  }

  /// A reader that is unplugged and plugged in again is reported once. Its tags leave, and polling continues.
  @Test func pollContinuesWhenAReaderComesBack() async throws {
    try await TemporaryDirectory.with { directory in
      let port = directory.appending(path: "ttyUSB0")
      func plugIn(_ tag: VirtualTag) throws -> Bench {
        let bench = try Bench(tag)
        try? FileManager.default.removeItem(at: port)
        try FileManager.default.createSymbolicLink(
          atPath: port.path, withDestinationPath: bench.virtual.path)
        return bench
      }
      let first = try plugIn(.ntag216())
      let poll = try RunningTool(["poll", "--reader", "pn532_uart:\(port.path)"])
      _ = try await poll.waitForLines(1)
      first.virtual.close()
      _ = try await poll.waitForLines(2)
      let second = try plugIn(.ntag215())
      let lines = try await poll.waitForLines(3)
      poll.interrupt()
      let result = try await poll.end()
      #expect(result.status == 130)
      #expect(lines.map { $0.contains("arrived") } == [true, false, true])
      #expect(lines.dropFirst().first?.contains("left     04A78B62C21B90") == true)
      #expect(lines.last?.contains("NTAG215") == true)
      #expect(result.errorLines.count == 1, "\(result.errors)")
      #expect(result.errors.contains("pn532_uart:\(port.path)"))
      second.virtual.close()
    }
  }
}
