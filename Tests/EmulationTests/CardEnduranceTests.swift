import Foundation
import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

/// What a card costs: the commands between two sessions, and what a day of taps leaves behind.
@Suite(.serialized) struct CardEnduranceTests {
  /// Bytes on the line for a command and for its answer, without ACK (UM0701-02, 6.2.1.1).
  private static func frame(_ content: [UInt8]) -> Int { content.count + 1 + 7 }
  private static let acknowledge = 6
  /// Start bit, eight bits, stop bit at 115 200 baud.
  private static let microsecondsPerByte = 10.0 * 1_000_000 / 115_200
  /// The wake-up before a command that libnfc sends to a sleeping chip.
  private static let wakeUp = 16

  /// One host command arms the chip again, in less than 15 ms of a line of 115 200 baud.
  @Test(arguments: [true, false])
  func isArmedAgain(_ isDeselected: Bool) async throws {
    let events = Mutex<[TraceEvent]>([])
    let bench = try await CardBench { _ in
    } trace: { event in
      events.withLock { $0.append(event) }
    }
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: .message(33))) {
      try await withPhone {
        let phone = ScriptedPhone(antenna)
        for _ in 0..<5 {
          try phone.tap()
          #expect(try phone.readNDEF() == .message(33))
          if isDeselected { try phone.deselect() } else { phone.fieldOff() }
        }
        try phone.tap()
        phone.fieldOff()
      }
      try await bench.waitForReleases(6)
    }
    let status: UInt8 = isDeselected ? 0x29 : 0x2B
    let all = events.withLock { $0 }
    let ends = all.indices.filter { all[$0] == .reply([0x87, status]) }.prefix(5)
    #expect(ends.count == 5)
    for end in ends {
      var bytes = Self.frame([0x87, status])
      var commands: [[UInt8]] = []
      for event in all[(end + 1)...] {
        guard case .command(let command) = event else {
          if case .reply(let reply) = event { bytes += Self.frame(reply) }
          continue
        }
        commands.append(command)
        bytes += Self.frame(command) + Self.acknowledge + Self.wakeUp
        if command.first == 0x8C { break }
      }
      #expect(commands.count == 1)
      #expect(commands.last?.first == 0x8C)
      #expect(Double(bytes) * Self.microsecondsPerByte < 15_000)
    }
    await bench.close()
  }

  /// The host's commands of one read: two for each APDU, one to arm, one that waits for the end.
  @Test(arguments: [(0, 5), (33, 6), (137, 6), (868, 9), (2000, 13)])
  func commandsOfARead(_ count: Int, _ apdus: Int) async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: .message(count))) { [virtual = bench.virtual] in
      let message = try await withPhone {
        let phone = ScriptedPhone(antenna)
        try phone.tap()
        virtual.setFaults([])
        let message = try phone.readNDEF()
        phone.fieldOff()
        return message
      }
      #expect(message == .message(count))
      try await bench.waitForReleases(1)
    }
    // The first TgGetData may have been sent before the count began.
    #expect((2 * apdus...2 * apdus + 4).contains(bench.virtual.statistics.commands))
    await bench.close()
  }

  /// What a process holds.
  private struct Usage {
    var threads = 0
    var descriptors = 0
    var kilobytes = 0

    /// Of the command and of the processes that it has started.
    init(_ program: RunningProgram) throws {
      for process in try Self.descendants(of: program.processIdentifier) {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        threads += Self.number("Threads:", status)
        kilobytes += Self.number("VmRSS:", status)
        descriptors += try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
          .count
      }
    }

    private static func number(_ name: String, _ text: String) -> Int {
      text.split(separator: "\n").first { $0.hasPrefix(name) }
        .flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) } ?? 0
    }

    private static func descendants(of process: Int32) throws -> [Int32] {
      let children =
        (try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8))
        ?? ""
      let threads =
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
      let all =
        threads.compactMap {
          try? String(contentsOfFile: "/proc/\(process)/task/\($0)/children", encoding: .utf8)
        } + (threads.isEmpty ? [children] : [])
      let own = Set(all.flatMap { $0.split(separator: " ").compactMap { Int32($0) } })
      return try [process] + own.sorted().flatMap(descendants)
    }
  }

  /// 2 000 taps, every twentieth of which reads and one of which is torn: memory, threads and descriptors are those
  /// after the first.
  @Test func twoThousandTaps() async throws {
    let virtual = try VirtualReader(VirtualField())
    defer { virtual.close() }
    let program = try RunningProgram(
      try FinishedProgram.command(),
      ["emulate", "text", "hello", "--reader", virtual.connectionString])
    let isReady = try await program.waitForOutput { $0.output.contains("ready") }
    try #require(isReady, "\(program.output)\(program.errors)")
    let antenna = virtual.antenna
    @Sendable func taps(_ count: Int) throws {
      for number in 0..<count {
        let phone = ScriptedPhone(antenna)
        try phone.tap()
        switch number % 20 {
        case 0:
          #expect(try phone.readNDEF().count == 12)
          try phone.deselect()
        case 10:
          phone.leaves = { $0 == 2 }
          _ = try? phone.readNDEF()
        default:
          _ = try phone.send([0x00, 0xA4, 0x04, 0x00])
          number.isMultiple(of: 2) ? phone.fieldOff() : try phone.deselect()
        }
      }
    }
    try await withPhone { try taps(200) }
    let before = try Usage(program)
    try await withPhone { try taps(1800) }
    // What the last tap has begun may take a moment to end.
    try await Task.sleep(for: .milliseconds(200))
    let after = try Usage(program)
    #expect(before.threads > 0 && before.descriptors > 0 && before.kilobytes > 0)
    #expect(after.threads <= before.threads + 1)
    #expect(after.descriptors <= before.descriptors)
    // Less than 600 bytes per tap, which pages of the allocator are not.
    #expect(after.kilobytes < before.kilobytes + 1024)
    program.signal(SIGINT)
    #expect(await program.end().status == 130)
  }
}
