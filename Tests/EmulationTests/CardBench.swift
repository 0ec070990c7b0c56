import NFC
import Synchronization
import TestSupport
import VirtualNFC

/// A virtual reader that acts as a card, with a record of what has happened.
final class CardBench: Sendable {
  let virtual: VirtualReader
  let reader: Reader
  private let log = Mutex<[EmulatedCard.Event]>([])

  init(
    _ readings: (inout VirtualPN532.TargetReadings) -> Void = { _ in },
    pace: VirtualReader.Pace = [],
    trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) async throws {
    var chip = VirtualPN532()
    readings(&chip.target)
    virtual = try VirtualReader(VirtualField(), chip: chip, pace: pace, trace: trace)
    reader = try await Reader.open(virtual.connectionString)
  }

  var events: [EmulatedCard.Event] { log.withLock { $0 } }

  func count(_ isWanted: (EmulatedCard.Event) -> Bool) -> Int { events.count { isWanted($0) } }

  /// The events in words, without times.
  var words: [String] {
    events.map { event in
      switch event {
      case .ready: "ready"
      case .activated: "activated"
      case .command(let command, let answer): "\(command.hexadecimal) \(answer.hexadecimal)"
      case .read(let count): "read \(count)"
      case .written(let bytes): "written \(bytes.count)"
      case .released(let release, _): "released \(release.rawValue)"
      @unknown default: "?"
      }
    }
  }

  func forget() { log.withLock { $0 = [] } }

  /// Acts as the card while `body` runs.
  func acting(
    as content: EmulatedCard.Content, reportingCommands: Bool = false,
    _ body: @Sendable @escaping () async throws -> Void
  ) async throws {
    var card = EmulatedCard(content, on: reader)
    card.reportsCommands = reportingCommands
    let (ready, isReady) = AsyncStream<Void>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { [card] group in
      group.addTask {
        defer { isReady.finish() }
        for try await event in card.events {
          self.log.withLock { $0.append(event) }
          if case .ready = event { isReady.finish() }
        }
      }
      for await _ in ready {}
      group.addTask { try await body() }
      // The card ends with the body, or the body with the card if that has failed.
      defer { group.cancelAll() }
      _ = try await group.next()
      group.cancelAll()
      do {
        try await group.waitForAll()
      } catch is CancellationError {}
    }
  }

  /// Waits until this number of events have come.
  func waitForReleases(_ count: Int) async throws {
    for _ in 0..<1000 {
      if self.count({ if case .released = $0 { true } else { false } }) >= count { return }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  func close() async {
    await reader.close()
    virtual.close()
  }
}

extension Array<UInt8> {
  /// A message of this size: one text record, or nothing.
  static func message(_ count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    // Header, type length, payload length in four bytes, type, status and language.
    let text = [UInt8](repeating: 0x61, count: count - 7 - 3)
    let payload = [0x02, 0x65, 0x6E] + text
    let length = (0..<4).map { UInt8(truncatingIfNeeded: payload.count >> (24 - 8 * $0)) }
    return [0xC1, 0x01] + length + [0x54] + payload
  }
}
