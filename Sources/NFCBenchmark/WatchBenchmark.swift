import Foundation
import NFC
import SwiftNFCCore
import Synchronization
import VirtualNFC

/// Measures the capacity of `nfc watch`: many watchers with several readers each and one broker,
/// and many taps in one process. Readers are virtual; the broker is Mosquitto on the loopback
/// interface.
enum WatchBenchmark {
  private static let readersPerWatcher = 4
  private static let tapsPerReader = 5

  /// - Parameters:
  ///   - tool: the path of nfc. nfc-mqtt has to be in the same directory.
  ///   - watchers: the number of watchers that use one broker.
  ///   - taps: the number of taps in one process, at least 10.
  static func run(tool: String, watchers: Int = 50, taps: Int = 10_000) async throws {
    try await promptness(tool)
    try await fleet(tool, watchers)
    try await longRun(tool, max(10, taps))
  }

  // MARK: One tap

  private static let promptTaps = 100

  /// Measures the time from the tag's first answer to the report of the tap, when line and air take
  /// no time.
  private static func promptness(_ tool: String) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let answer = FirstAnswer()
    let station = try Station(0) { answer.note($0) }
    defer { station.reader.close() }
    let watch = try Child(
      tool, ["watch", "--json", "--debounce", "0", "--reader", station.reader.connectionString],
      environment: ["XDG_RUNTIME_DIR": folder.path])
    defer { watch.end() }
    var delays: [Duration] = []
    for number in 0..<promptTaps {
      let (tag, link) = try station.tag(number)
      let known = watch.lineCount
      answer.forget()
      station.field.place(tag)
      let reported = try await watch.firstLine(containing: link, after: known)
      guard let answered = answer.moment else { throw BenchmarkFailure("no answer") }
      delays.append(reported - answered)
      station.field.remove(tag)
      try await watch.waitForDeparture(of: tag, after: known)
    }
    delays.sort()
    print("\n| one watcher, one reader, line and air that take no time | |")
    print("| --- | --- |")
    print(
      "| the tag's first answer to report, median | \(milliseconds(delays[promptTaps / 2])) ms |")
    print(
      "| the tag's first answer to report, 95 of 100 | \(milliseconds(delays[promptTaps * 95 / 100])) ms |"
    )
  }

  /// The time of a tag's first answer.
  private final class FirstAnswer: Sendable {
    private let state = Mutex<ContinuousClock.Instant?>(nil)

    var moment: ContinuousClock.Instant? { state.withLock { $0 } }

    func note(_ event: TraceEvent) {
      guard case .received(_?) = event else { return }
      state.withLock { $0 = $0 ?? .now }
    }

    func forget() { state.withLock { $0 = nil } }
  }

  // MARK: Many watchers

  private static func fleet(_ tool: String, _ watchers: Int) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let port = 20_000 + Int(getpid()) % 20_000
    let settings = folder.appending(path: "mosquitto.conf")
    try Data("listener \(port) 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n".utf8)
      .write(to: settings)
    let broker = try Child("/usr/sbin/mosquitto", ["-c", settings.path])
    defer { broker.end() }
    let stations = try (0..<watchers * readersPerWatcher).map { try Station($0) }
    defer { for station in stations { station.reader.close() } }
    let programs = try (0..<watchers).map { number in
      let own = stations[(number * readersPerWatcher)...].prefix(readersPerWatcher)
      return try Child(
        tool,
        [
          "watch", "--mqtt", "mqtt://127.0.0.1:\(port)", "--name", "w\(number)", "--debounce",
          "0.1",
        ]
          + ["--spool", folder.path + "/spool\(number)"]
          + own.flatMap { ["--reader", $0.reader.connectionString] },
        environment: ["XDG_RUNTIME_DIR": folder.path])
    }
    defer { for program in programs { program.end() } }
    let subscriber = try Child(
      "/usr/bin/mosquitto_sub",
      ["-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", "nfc/+/+/tap", "-t", "nfc/+/+/present"])
    defer { subscriber.end() }
    // Every reader publishes that no tag is present.
    try await subscriber.wait(seconds: 60) { $0.count { $0 == "[]" } >= stations.count }

    let clock = ContinuousClock()
    let start = clock.now
    let delays = try await withThrowingTaskGroup(of: [Duration].self) { group in
      for station in stations {
        group.addTask { try await taps(on: station, to: subscriber) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let elapsed = (clock.now - start) / .seconds(1)
    let sorted = delays.sorted()
    let memory = programs.compactMap { $0.residentMemory }.sorted()
    print("\n| \(watchers) watchers, \(readersPerWatcher) readers each, one broker | |")
    print("| --- | --- |")
    print("| taps, none lost | \(sorted.count) |")
    print("| taps per second | \(NFCBenchmark.decimal(Double(sorted.count) / elapsed, 0)) |")
    print("| touch to subscriber, median | \(milliseconds(sorted[sorted.count / 2])) ms |")
    print(
      "| touch to subscriber, 95 of 100 | \(milliseconds(sorted[sorted.count * 95 / 100])) ms |")
    print("| memory of a watcher, median | \(memory[memory.count / 2] / 1024) MB |")
  }

  /// Taps one tag repeatedly.
  ///
  /// - Returns: the time of each tap, from the touch to the subscriber.
  private static func taps(on station: Station, to subscriber: Child) async throws -> [Duration] {
    var delays: [Duration] = []
    // Taps must not all begin at the same moment.
    try await Task.sleep(for: .milliseconds(7 * station.number % 500))
    for number in 0..<tapsPerReader {
      let (tag, link) = try station.tag(number)
      let known = subscriber.lineCount
      let touched = ContinuousClock.now
      station.field.place(tag)
      delays.append(try await subscriber.firstLine(containing: link, after: known) - touched)
      station.field.remove(tag)
      try await Task.sleep(for: .milliseconds(400))
    }
    return delays
  }

  /// A reader and the tags that are tapped on it.
  private struct Station: Sendable {
    let number: Int
    let field = VirtualField()
    let reader: VirtualReader

    /// Creates a reader with the speed of a real one.
    init(_ number: Int) throws {
      let pace = Pace()
      try self.init(number) { pace.wait(for: $0) }
    }

    init(_ number: Int, trace: @escaping @Sendable (TraceEvent) -> Void) throws {
      self.number = number
      reader = try VirtualReader(field, trace: trace)
    }

    func tag(_ tap: Int) throws -> (VirtualTag, link: String) {
      let link = "https://swift.org/\(number)-\(tap)-"
      let uid: [UInt8] = [
        0x04, 0x51, 0x2C, UInt8(truncatingIfNeeded: number >> 8),
        UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: tap >> 8),
        UInt8(truncatingIfNeeded: tap),
      ]
      return (try .ntag215(uid: uid, ndef: NDEFMessage(.uri(link))), link)
    }
  }

  // MARK: Many taps

  private static let readersOfLongRun = 20

  private static func longRun(_ tool: String, _ endurance: Int) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let stations = try (0..<readersOfLongRun).map { try Station($0) }
    defer { for station in stations { station.reader.close() } }
    let watch = try Child(
      tool,
      ["watch", "--json", "--debounce", "0"]
        + stations.flatMap { ["--reader", $0.reader.connectionString] },
      environment: ["XDG_RUNTIME_DIR": folder.path])
    defer { watch.end() }
    let tenth = max(1, endurance / 10 / stations.count)
    var figures: [(delay: Duration, memory: Int, files: Int)] = []
    for part in 0..<10 {
      let delays = try await withThrowingTaskGroup(of: [Duration].self) { group in
        for station in stations {
          group.addTask { try await taps(part * tenth..<(part + 1) * tenth, on: station, watch) }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      figures.append(
        (delays.sorted()[delays.count / 2], watch.residentMemory ?? 0, watch.openFiles))
    }
    guard let first = figures.first, let last = figures.last else { return }
    let count = tenth * stations.count
    print(
      "\n| one watcher, \(stations.count) readers | first \(count) taps | last of \(count * 10) |")
    print("| --- | --- | --- |")
    print("| resident memory, MB | \(first.memory / 1024) | \(last.memory / 1024) |")
    print("| open files | \(first.files) | \(last.files) |")
    print(
      "| touch to report, median, ms | \(milliseconds(first.delay)) | \(milliseconds(last.delay)) |"
    )
  }

  /// Taps tags. Each one stays until its departure is reported.
  private static func taps(
    _ numbers: Range<Int>, on station: Station, _ watch: Child
  ) async throws -> [Duration] {
    var delays: [Duration] = []
    for number in numbers {
      let (tag, link) = try station.tag(number)
      let known = watch.lineCount
      let touched = ContinuousClock.now
      station.field.place(tag)
      delays.append(try await watch.firstLine(containing: link, after: known) - touched)
      station.field.remove(tag)
      try await watch.waitForDeparture(of: tag, after: known)
    }
    return delays
  }

  private static func milliseconds(_ duration: Duration) -> String {
    NFCBenchmark.decimal(duration / .milliseconds(1), 1)
  }

  private static func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "nfc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
