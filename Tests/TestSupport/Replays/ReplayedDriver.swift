import NFC
import SwiftNFCCore
import Recordings
import Synchronization
import Testing

/// A driver that forwards all calls to another driver, records them, and replays the recording when it is closed.
final class ReplayedDriver: RandomNumberDriver {
  /// The calls that are replayed, from the first one on: what follows in a long test are the same ones again.
  private static let mostCalls = 48

  /// The recorder in front of the reader's driver; the driver alone once enough has been recorded.
  private var inner: any ReaderDriver
  private let driver: any ReaderDriver
  private let lines = RecordedLines()
  private let recorder: Recorder
  private let test: Test?
  private var isRecording = true
  private var calls: [(call: DriverCall, outcome: DriverCall.Outcome)] = []

  let name: String
  let connectionString: String
  let capabilities: ReaderCapabilities
  let abort: @Sendable () -> Void
  let announceClose: @Sendable () -> Void

  init(_ driver: any ReaderDriver, of test: Test?) {
    self.driver = driver
    self.test = test
    recorder = Recorder(revealingSecrets: true) { [lines] in lines.add($0) }
    inner = recorder.recording(driver)
    name = driver.name
    connectionString = driver.connectionString
    capabilities = driver.capabilities
    abort = driver.abort
    announceClose = driver.announceClose
  }

  var firmware: String? { driver.firmware }
  var canReconnect: Bool { driver.canReconnect }
  func disconnect() { driver.disconnect() }
  func tagHoldsState(_ holdsState: Bool) { driver.tagHoldsState(holdsState) }
  func commandWasInterrupted() { driver.commandWasInterrupted() }
  func begin() { driver.begin() }
  func end() { driver.end() }
  func switchFieldOff() throws { try driver.switchFieldOff() }
  func signal(_ signal: ReaderSignal) throws { try driver.signal(signal) }
  func setBroadcasting(_ isOn: Bool) { driver.setBroadcasting(isOn) }
  func findsOneByOne(_ technology: TagTechnology) -> Bool { driver.findsOneByOne(technology) }

  func close() {
    driver.close()
    if let problem = problem() {
      Issue.record(
        "the recording of a reader in \(test?.name ?? "a test"): \(problem)",
        sourceLocation: test?.sourceLocation ?? #_sourceLocation)
    }
  }

  func capabilities(for target: Target) -> ReaderCapabilities {
    let result = inner.capabilities(for: target)
    keep(.capabilities(target), .capabilities(result))
    return result
  }

  func resetField() throws {
    try call(.resetField, { _ in .done }) { try inner.resetField() }
  }

  func broadcast(_ frame: PollingFrame) throws {
    try call(.broadcast(frame), { _ in .done }) { try inner.broadcast(frame) }
  }

  func list(_ technology: TagTechnology) throws -> [Target] {
    try call(.list(technology), { .targets($0) }) { try inner.list(technology) }
  }

  func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target? {
    try call(.find(technology, excluding: found), { .targets($0.map { [$0] } ?? []) }) {
      try inner.find(technology, excluding: found)
    }
  }

  func select(_ target: Target) throws {
    try call(.select(target), { _ in .done }) { try inner.select(target) }
  }

  func isPresent(_ target: Target) throws -> Bool {
    try call(.isPresent(target), { .isPresent($0) }) { try inner.isPresent(target) }
  }

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    try call(.exchange(command, framing, timeout: timeout), { .answer($0) }) {
      try inner.exchange(command, framing: framing, timeout: timeout)
    }
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    try call(.authenticate(block: block, keyType, key: key, uid: uid), { _ in .done }) {
      try inner.authenticate(block: block, keyType: keyType, key: key, uid: uid)
    }
  }

  func random(_ count: Int) -> [UInt8] {
    let number =
      (inner as? any RandomNumberDriver)?.random(count) ?? RandomNumbers.system(count)
    keep(.random(count), .answer(number))
    return number
  }

  // MARK: Acting as a card

  // These calls are neither recorded nor replayed: when the other reader comes is its own affair.

  func waitForActivation(as identity: CardIdentity, timeout: Duration) throws -> Bool {
    try driver.waitForActivation(as: identity, timeout: timeout)
  }

  func receiveCommand(timeout: Duration) throws -> EmulationReception {
    try driver.receiveCommand(timeout: timeout)
  }

  func answerCommand(_ answer: [UInt8]) throws -> EmulationRelease? {
    try driver.answerCommand(answer)
  }

  func endEmulation() throws { try driver.endEmulation() }

  // MARK: Recording

  private func call<Result>(
    _ call: DriverCall, _ outcome: (Result) -> DriverCall.Outcome, _ body: () throws -> Result
  ) throws -> Result {
    do {
      let result = try body()
      keep(call, outcome(result))
      return result
    } catch {
      keep(call, (error as? NFCError).map { .failure($0) } ?? .cancelled)
      throw error
    }
  }

  private func keep(_ call: DriverCall, _ outcome: DriverCall.Outcome) {
    guard isRecording else { return }
    calls.append((call, outcome))
    guard calls.count < Self.mostCalls, ReplayedReaders.takesCall(of: test) else {
      (isRecording, inner) = (false, driver)
      return
    }
  }

  // MARK: Replay

  /// What differs when everything is done again with the recording; `nil` if nothing does.
  private func problem() -> String? {
    guard !calls.isEmpty else { return nil }
    if let failure = recorder.failure { return "\(failure)" }
    do {
      let recording = try Recording(lines.text.utf8)
      return try unlike(recording) ?? falselyTaken(recording)
    } catch {
      return "\(error)"
    }
  }

  /// Makes all calls again.
  private func unlike(_ recording: Recording) throws -> String? {
    let replay = ReplayReader(recording)
    let driver = try replay.driver()
    for (index, (call, outcome)) in calls.enumerated() {
      let found = again(call, outcome, driver)
      guard found == outcome else {
        return "call \(index), \(call), gives \(found), not \(outcome)"
      }
    }
    if let mismatch = replay.mismatch { return "\(mismatch)" }
    // Nothing is left: one call more is refused.
    _ = DriverCall.select(.iClass(serialNumber: [])).outcome(on: driver)
    guard let end = replay.mismatch else { return "one call too many is answered" }
    return end.description.hasPrefix("the recording ends") ? nil : "\(end), which is left over"
  }

  /// Makes all calls again while the recording has another command in the last line that has one.
  private func falselyTaken(_ recording: Recording) throws -> String? {
    var other = recording
    guard let place = other.entries.lastIndex(where: { $0.line.isCommand }) else { return nil }
    other.entries[place].line.changeCommand()
    let replay = ReplayReader(other)
    let driver = try replay.driver()
    for (call, outcome) in calls {
      _ = again(call, outcome, driver)
      if replay.mismatch != nil { break }
    }
    let line = other.entries[place].number
    guard let mismatch = replay.mismatch else { return "another command in line \(line) is taken" }
    guard mismatch.line == line, mismatch.description.contains("line \(line)") else {
      return "the command in line \(line) is another, but it fails with \(mismatch)"
    }
    return nil
  }

  private func again(
    _ call: DriverCall, _ outcome: DriverCall.Outcome, _ driver: any ReaderDriver
  ) -> DriverCall.Outcome {
    // What was cancelled waits to be cancelled again.
    driver.begin()
    if outcome == .cancelled { driver.abort() }
    return call.outcome(on: driver)
  }
}

extension Recording.Line {
  fileprivate var isCommand: Bool {
    guard case .call(let call) = self else { return false }
    switch call.request {
    case .exchange, .authenticate: return true
    default: return false
    }
  }

  /// Changes a bit of the command, or the block of an authentication.
  fileprivate mutating func changeCommand() {
    guard case .call(var call) = self else { return }
    switch call.request {
    case .exchange(let command, let framing, let timeout):
      let changed = command.bytes.dropLast() + [(command.bytes.last ?? 0) ^ 1]
      call.request = .exchange(RecordedBytes(Array(changed)), framing, timeout: timeout)
    case .authenticate(let block, let type, let key, let uid):
      call.request = .authenticate(block: block ^ 1, type, key: key, uid: uid)
    default: break
    }
    self = .call(call)
  }
}

/// The lines of a recording, as they come.
public final class RecordedLines: Sendable {
  private let lines = Mutex("")

  public init() {}

  public var text: String { lines.withLock { $0 } }

  public func add(_ line: String) { lines.withLock { $0 += line } }
}
