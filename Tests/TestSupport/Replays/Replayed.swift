import SwiftNFCCore
import Recordings
import Synchronization
import Testing

/// Runs a test twice: first on its readers, which are recorded, and then on the recording. Both have to pass.
///
/// In the second run, whatever the program sends is answered by the recording alone, which has to have it, up to its
/// end. The virtual tags get the same commands, so that what a test reads from their memory is there; what they answer
/// goes nowhere.
///
/// Not for tests in which the calls are not the same in every run: see ``NotReplayed``.
public struct Replayed: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    ReplayedReaders.begin()
    guard !test.traits.contains(where: { $0 is NotReplayed }) else {
      return try await function()
    }
    let first = ReplayScope(replaying: nil)
    try await ReplayScope.$current.withValue(first) { try await function() }
    guard let recording = try first.recording() else { return }
    let replay = ReplayReader(recording)
    let second = ReplayScope(replaying: replay)
    try await ReplayScope.$current.withValue(second) { try await function() }
    if let mismatch = replay.mismatch {
      Issue.record("\(mismatch)", sourceLocation: test.sourceLocation)
    }
    guard let again = try second.recording() else { return }
    let (expected, found) = (recording.substance, again.substance)
    #expect(
      expected.count == found.count, "everything in the recording was used",
      sourceLocation: test.sourceLocation)
    let difference = zip(expected, found).first { $0 != $1 }
    #expect(difference == nil, sourceLocation: test.sourceLocation)
  }
}

extension Trait where Self == Replayed {
  /// Records the readers of a test and runs it again on the recording.
  public static var replayed: Replayed { Replayed() }
}

/// Marks a test of a replayed suite that does something else in every run: a task is cancelled or a tag leaves at a
/// moment that nobody can repeat, or several readers are opened in no order. What passed through its readers' doors is
/// still replayed; see ``ReplayedReaders``.
public struct NotReplayed: TestTrait {
  /// Why it cannot be replayed.
  let reason: Comment

  public var comments: [Comment] { [reason] }
}

extension Trait where Self == NotReplayed {
  /// Runs a test of a replayed suite only once.
  public static func notReplayed(_ reason: Comment) -> NotReplayed { NotReplayed(reason: reason) }
}

extension Recording {
  /// A call of which only the number may differ: a round of a search that finds nothing.
  fileprivate struct Call: Hashable {
    let reader: Int
    let request: RecordedCall.Request
    let outcome: RecordedCall.Outcome
  }

  /// What happened, without the time that it took, and without rounds that found nothing.
  fileprivate var substance: [Call] {
    let calls = calls.filter { call in
      switch call.request {
      case .resetField, .broadcast: false
      case .find, .list: call.outcome != .targets([])
      default: true
      }
    }.map { Call(reader: $0.reader, request: $0.request, outcome: $0.outcome) }
    return readers.indices.flatMap { number in calls.filter { $0.reader == number } }
  }
}

/// The readers of one run of a test.
public final class ReplayScope: Sendable {
  /// For programs that open readers outside the task of a test, which hand it on.
  @TaskLocal public static var current: ReplayScope?

  private let lines: RecordedLines
  private let recorder: Recorder
  private let replay: ReplayReader?
  private let readerCount = Mutex(0)

  init(replaying replay: ReplayReader?) {
    let lines = RecordedLines()
    self.lines = lines
    self.replay = replay
    recorder = Recorder(revealingSecrets: true) { lines.add($0) }
  }

  /// The recording; `nil` if no reader was opened.
  func recording() throws -> Recording? {
    if let failure = recorder.failure { throw failure }
    let text = lines.text
    return text.isEmpty ? nil : try Recording(text.utf8)
  }

  func wrapped(_ driver: any ReaderDriver) -> any ReaderDriver {
    guard let replay else { return recorder.recording(driver) }
    let number = readerCount.withLock { count in
      defer { count += 1 }
      return count
    }
    do {
      return recorder.recording(MirroredDriver(try replay.driver(at: number), driver))
    } catch {
      Issue.record(error)
      return driver
    }
  }
}

/// A driver that replays a recording, and makes the same calls with a reader whose answers it ignores.
private final class MirroredDriver: RandomNumberDriver {
  private let replay: any ReaderDriver
  private let reader: any ReaderDriver

  init(_ replay: any ReaderDriver, _ reader: any ReaderDriver) {
    self.replay = replay
    self.reader = reader
  }

  var name: String { replay.name }
  var connectionString: String { replay.connectionString }
  var firmware: String? { replay.firmware }
  var capabilities: ReaderCapabilities { replay.capabilities }
  var canReconnect: Bool { replay.canReconnect }
  var announceClose: @Sendable () -> Void { reader.announceClose }

  var abort: @Sendable () -> Void {
    { [one = reader.abort, other = replay.abort] in
      one()
      other()
    }
  }

  func begin() {
    reader.begin()
    replay.begin()
  }

  func end() {
    reader.end()
    replay.end()
  }

  func disconnect() {
    reader.disconnect()
    replay.disconnect()
  }

  func close() {
    reader.close()
    replay.close()
  }

  func findsOneByOne(_ technology: TagTechnology) -> Bool { replay.findsOneByOne(technology) }

  func capabilities(for target: Target) -> ReaderCapabilities {
    _ = reader.capabilities(for: target)
    return replay.capabilities(for: target)
  }

  /// The recording has numbers of the program's, of which the reader knows nothing.
  func random(_ count: Int) -> [UInt8] {
    (replay as? any RandomNumberDriver)?.random(count) ?? []
  }

  func setBroadcasting(_ isOn: Bool) {
    reader.setBroadcasting(isOn)
    replay.setBroadcasting(isOn)
  }

  func broadcast(_ frame: PollingFrame) throws {
    _ = DriverCall.broadcast(frame).outcome(on: reader)
    try replay.broadcast(frame)
  }

  func resetField() throws {
    _ = DriverCall.resetField.outcome(on: reader)
    try replay.resetField()
  }

  func list(_ technology: TagTechnology) throws -> [Target] {
    _ = DriverCall.list(technology).outcome(on: reader)
    return try replay.list(technology)
  }

  func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target? {
    _ = DriverCall.find(technology, excluding: found).outcome(on: reader)
    return try replay.find(technology, excluding: found)
  }

  func select(_ target: Target) throws {
    _ = DriverCall.select(target).outcome(on: reader)
    try replay.select(target)
  }

  func isPresent(_ target: Target) throws -> Bool {
    _ = DriverCall.isPresent(target).outcome(on: reader)
    return try replay.isPresent(target)
  }

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    _ = DriverCall.exchange(command, framing, timeout: timeout).outcome(on: reader)
    return try replay.exchange(command, framing: framing, timeout: timeout)
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    _ = DriverCall.authenticate(block: block, keyType, key: key, uid: uid).outcome(on: reader)
    try replay.authenticate(block: block, keyType: keyType, key: key, uid: uid)
  }
}
