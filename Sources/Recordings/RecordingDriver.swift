import SwiftNFCCore

/// A driver that forwards all calls to another driver and records them.
final class RecordingDriver: RandomNumberDriver {
  let driver: any ReaderDriver
  private let number: Int
  let recorder: Recorder
  var secrets = RecordingSecrets()
  /// The recorded capabilities of the reader for a tag, if they differ from its general ones, by the
  /// identifier that the recording has. A card that changes its kind keeps it.
  private var limits: [[UInt8]: ReaderCapabilities] = [:]

  let name: String
  let connectionString: String
  let capabilities: ReaderCapabilities
  let abort: @Sendable () -> Void
  let announceClose: @Sendable () -> Void

  init(_ driver: any ReaderDriver, number: Int, recorder: Recorder) {
    self.driver = driver
    self.number = number
    self.recorder = recorder
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
  func close() { driver.close() }
  // Nothing that a tag answers: it is not part of the recording.
  func switchFieldOff() throws { try driver.switchFieldOff() }
  func signal(_ signal: ReaderSignal) throws { try driver.signal(signal) }
  func setBroadcasting(_ isOn: Bool) { driver.setBroadcasting(isOn) }
  func findsOneByOne(_ technology: TagTechnology) -> Bool { driver.findsOneByOne(technology) }

  func capabilities(for target: Target) -> ReaderCapabilities {
    let found = driver.capabilities(for: target)
    guard limits[target.identifier] ?? capabilities != found else { return found }
    limits[target.identifier] = found
    write(.capabilities(target.identifier), .capabilities(found), from: recorder.time)
    return found
  }

  func resetField() throws {
    try record(.resetField) { try driver.resetField() }
  }

  func broadcast(_ frame: PollingFrame) throws {
    try record(.broadcast(frame)) { try driver.broadcast(frame) }
  }

  func list(_ technology: TagTechnology) throws -> [Target] {
    try record(.list(technology), { .targets($0) }) {
      let targets = try driver.list(technology)
      secrets.turn(to: targets.last)
      return targets
    }
  }

  func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target? {
    try record(
      .find(technology, excluding: found.map(\.identifier)), { .targets($0.map { [$0] } ?? []) }
    ) {
      let target = try driver.find(technology, excluding: found)
      secrets.turn(to: target)
      return target
    }
  }

  func select(_ target: Target) throws {
    secrets.turn(to: target)
    try record(.select(target.identifier)) { try driver.select(target) }
  }

  func isPresent(_ target: Target) throws -> Bool {
    try record(.isPresent(target.identifier), { .isPresent($0) }) { try driver.isPresent(target) }
  }

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    let request = RecordedCall.Request.exchange(
      RecordedBytes(command), framing, timeout: timeout)
    return try record(request, { .answer(RecordedBytes($0)) }) {
      try driver.exchange(command, framing: framing, timeout: timeout)
    }
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    try record(.authenticate(block: block, keyType, key: RecordedBytes(key), uid: uid)) {
      try driver.authenticate(block: block, keyType: keyType, key: key, uid: uid)
    }
  }

  func random(_ count: Int) -> [UInt8] {
    let time = recorder.time
    let number =
      (driver as? any RandomNumberDriver)?.random(count) ?? RandomNumbers.system(count)
    write(.randomNumber(count: count), .answer(RecordedBytes(number)), from: time)
    return number
  }

  // MARK: Recording

  func record(_ request: RecordedCall.Request, _ body: () throws -> Void) throws {
    try record(request, { _ in .done }, body)
  }

  private func record<Result>(
    _ request: RecordedCall.Request, _ outcome: (Result) -> RecordedCall.Outcome,
    _ body: () throws -> Result
  ) throws -> Result {
    let time = recorder.time
    do {
      let result = try body()
      write(request, outcome(result), from: time)
      return result
    } catch let error as NFCError {
      write(request, .failure(error), from: time)
      throw error
    } catch {
      write(request, .cancelled, from: time)
      throw error
    }
  }

  func write(
    _ request: RecordedCall.Request, _ outcome: RecordedCall.Outcome, from time: Duration
  ) {
    recorder.take(
      RecordedCall(
        reader: number, time: time, duration: recorder.time - time, request: request,
        outcome: outcome),
      secrets: &secrets)
  }
}
