import Foundation
import NFC
import Synchronization
import TagImages
import Testing
import VirtualNFC

extension Interop {
  /// What the same work takes with libfreefare and with this package, on the same virtual reader: exchanges and bytes
  /// on the air.
  enum LibfreefareCount {
    /// The frames that went to a tag, and when, by the clock that Python reads too.
    final class AirLog: Sendable {
      private struct Entry {
        let time: UInt64
        let bytes: Int
        let isSent: Bool
      }
      private let entries = Mutex<[Entry]>([])

      static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
      }

      @Sendable func note(_ event: TraceEvent) {
        let (bytes, isSent): (Int, Bool)
        switch event {
        case .sent(let frame): (bytes, isSent) = (frame.bytes.count, true)
        case .received(let frame): (bytes, isSent) = (frame?.bytes.count ?? 0, false)
        default: return
        }
        let now = Self.now
        entries.withLock { $0.append(Entry(time: now, bytes: bytes, isSent: isSent)) }
      }

      func cost(_ interval: ClosedRange<UInt64>) -> Cost {
        entries.withLock { entries in
          let own = entries.filter { interval.contains($0.time) }
          return Cost(
            exchanges: own.count(where: \.isSent), bytes: own.reduce(0) { $0 + $1.bytes })
        }
      }
    }

    struct Cost: Hashable, CustomStringConvertible {
      let exchanges: Int
      let bytes: Int
      var description: String { "\(exchanges) exchanges, \(bytes) bytes" }
    }

    /// Notes what each step of ours takes.
    final class Meter: Sendable {
      private let log: AirLog
      private let state = Mutex<[(String, Cost)]>([])

      init(_ log: AirLog) { self.log = log }

      var steps: [(String, Cost)] { state.withLock { $0 } }

      @discardableResult func step<Result>(
        _ name: String, _ body: () async throws -> Result
      ) async throws -> Result {
        let start = AirLog.now
        let result = try await body()
        let cost = log.cost(start...AirLog.now)
        state.withLock { $0.append((name, cost)) }
        return result
      }
    }

    /// A step of a script: its output is recognized by name.
    private static let steps = """
      import time
      def step(name, body):
          start = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
          body()
          print('STEP', name.replace(' ', '_'), start, time.clock_gettime_ns(time.CLOCK_MONOTONIC))

      """

    static func theirs(
      _ family: String, _ tag: VirtualTag, _ script: String
    ) async throws -> (steps: [String: Cost], tag: VirtualTag) {
      let log = AirLog()
      let bench = try InteropBench(tag, trace: log.note)
      let result = try await bench.run(
        "python3",
        [
          "-c", LibfreefareScript.connecting(family) + steps + script,
          bench.reader.connectionString,
        ])
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      var pairs: [(String, Cost)] = []
      for line in result.output.split(whereSeparator: \.isNewline) {
        let words = line.split(separator: " " as Character).map { String($0) }
        guard words.count == 4, words[0] == "STEP", let start = UInt64(words[2]),
          let end = UInt64(words[3])
        else { continue }
        let name = words[1].split(separator: "_" as Character).joined(separator: " ")
        pairs.append((name, log.cost(start...end)))
      }
      return (Dictionary(pairs) { first, _ in first }, tag)
    }

    static func ours(
      _ tag: VirtualTag, _ body: (any MiFareTag, Meter) async throws -> Void
    ) async throws -> (steps: [(String, Cost)], tag: VirtualTag) {
      let log = AirLog()
      let bench = try InteropBench(tag, trace: log.note)
      let reader = try await Reader.open(bench.reader.connectionString)
      let found = try #require(try await reader.tagsInField().first)
      try await found.connect()
      guard case .miFare(let card) = found else { throw NFCError(.wrongTag, "no MIFARE") }
      let meter = Meter(log)
      try await body(card, meter)
      await reader.close()
      return (meter.steps, tag)
    }

    /// Compares two runs of the same steps, each on a tag of its own. Each step of ours is one of theirs, talks to
    /// the tag, and takes no more of anything; the tags have the same content afterwards.
    static func compare(
      _ ours: (steps: [(String, Cost)], tag: VirtualTag),
      _ theirs: (steps: [String: Cost], tag: VirtualTag),
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(Set(ours.steps.map(\.0)) == Set(theirs.steps.keys), sourceLocation: sourceLocation)
      for (name, cost) in ours.steps {
        guard let other = theirs.steps[name] else { continue }
        #expect(
          cost.exchanges > 0 && cost.exchanges <= other.exchanges && cost.bytes <= other.bytes,
          "\(name): \(cost); libfreefare \(other)", sourceLocation: sourceLocation)
      }
      #expect(ours.tag.memory == theirs.tag.memory, sourceLocation: sourceLocation)
      #expect(ours.tag.image == theirs.tag.image, sourceLocation: sourceLocation)
    }
  }
}
