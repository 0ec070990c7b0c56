import SwiftNFCCore
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The driver of a reader whose calls were recorded.
final class ReplayDriver: RandomNumberDriver {
  private let reader: RecordedReader
  private var script: ReplayScript
  /// Whether there is no other reader in the recording.
  private let isOnlyReader: Bool
  private let report: (ReplayReader.Mismatch) -> Void
  private let reportProof: (ReplayReader.Mismatch) -> Void
  private let isAborted = AbortFlag()
  private var mismatch: ReplayReader.Mismatch?
  /// The time of the first call.
  private var start: ContinuousClock.Instant?
  var secrets = RecordingSecrets()
  private var limits: [[UInt8]: ReaderCapabilities] = [:]

  /// A flag that any thread can set.
  private final class AbortFlag: Sendable {
    let value = Mutex(false)
  }

  /// The time to wait for cancellation in a call that was cancelled when it was recorded.
  private static let patience = Duration.seconds(2)
  private static let pause: UInt32 = 2_000

  init(
    _ reader: RecordedReader, script: ReplayScript, isOnlyReader: Bool,
    _ report: @escaping (ReplayReader.Mismatch) -> Void,
    proof reportProof: @escaping (ReplayReader.Mismatch) -> Void
  ) {
    self.reader = reader
    self.script = script
    self.isOnlyReader = isOnlyReader
    self.report = report
    self.reportProof = reportProof
  }

  var name: String { reader.name }
  var connectionString: String { reader.connectionString }
  var firmware: String? { reader.firmware }
  var capabilities: ReaderCapabilities { reader.capabilities }
  var canReconnect: Bool { reader.canReconnect && mismatch == nil }
  func disconnect() {}

  var abort: @Sendable () -> Void {
    { [isAborted] in isAborted.value.withLock { $0 = true } }
  }

  func begin() { isAborted.value.withLock { $0 = false } }
  func end() {}
  func close() {}

  func findsOneByOne(_ technology: TagTechnology) -> Bool {
    reader.findsOneByOne.contains(technology)
  }

  func capabilities(for target: Target) -> ReaderCapabilities {
    let identifier = target.identifier
    if let found = script.capabilities(for: identifier) { limits[identifier] = found }
    return limits[identifier] ?? reader.capabilities
  }

  func broadcast(_ frame: PollingFrame) throws { _ = try answer(.broadcast(frame)) }

  func resetField() throws { _ = try answer(.resetField) }

  func list(_ technology: TagTechnology) throws -> [Target] {
    guard case .targets(let targets) = try answer(.list(technology)) else { return [] }
    secrets.turn(to: targets.last)
    return targets
  }

  func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target? {
    let request = RecordedCall.Request.find(technology, excluding: found.map(\.identifier))
    guard case .targets(let targets) = try answer(request) else { return nil }
    secrets.turn(to: targets.first)
    return targets.first
  }

  func select(_ target: Target) throws {
    secrets.turn(to: target)
    _ = try answer(.select(target.identifier))
  }

  func isPresent(_ target: Target) throws -> Bool {
    try answer(.isPresent(target.identifier)) == .isPresent(true)
  }

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    let ranges = secrets.find(inCommand: command, framing: framing)
    let masked = RecordedBytes(command, masking: ranges)
    let outcome = try answer(
      .exchange(RecordedBytes(command), framing, timeout: timeout),
      shown: .exchange(masked, framing, timeout: timeout))
    guard case .answer(let answer) = outcome else { return [] }
    if answer.hasMasked, secrets.expectsProof, !ranges.isEmpty {
      reportProof(
        ReplayReader.Mismatch(
          line: script.line,
          description:
            "line \(script.line) of the recording has the tag's proof of a key, which is masked"))
    }
    _ = secrets.find(inAnswer: answer.bytes)
    let bytes = withAcknowledge(answer)
    return framing == .bare ? Self.withCheck(bytes, of: answer) : bytes
  }

  /// Returns an answer with the PACK that the program has written before: a program that changes a
  /// password compares it.
  private func withAcknowledge(_ answer: RecordedBytes) -> [UInt8] {
    guard let acknowledge = secrets.expectedAcknowledge, answer.bytes.count >= acknowledge.count,
      !answer.isMasked.prefix(acknowledge.count).contains(false)
    else { return answer.bytes }
    return acknowledge + answer.bytes.dropFirst(acknowledge.count)
  }

  /// Returns an answer with its check bytes, which were masked together with the data that they
  /// check.
  private static func withCheck(_ bytes: [UInt8], of answer: RecordedBytes) -> [UInt8] {
    let size = 2
    guard bytes.count > size, !answer.isMasked.suffix(size).contains(false) else { return bytes }
    let body = bytes.dropLast(size)
    return body + CyclicRedundancyCheck.a(body)
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    _ = try answer(.authenticate(block: block, keyType, key: RecordedBytes(key), uid: uid))
  }

  /// The number that was drawn when it was recorded, so that a proof of a key goes as it went. It never leaves this
  /// driver, which has no tag. Of a recording without secrets it is any number.
  func random(_ count: Int) -> [UInt8] {
    script.randomNumber(count) ?? RandomNumbers.system(count)
  }

  // MARK: Answers

  /// - Parameter shown: the request without secrets; `nil` if it has none.
  func answer(
    _ request: RecordedCall.Request, shown: RecordedCall.Request? = nil
  ) throws -> RecordedCall.Outcome {
    if let mismatch { throw failure(mismatch) }
    let start = start ?? ContinuousClock.now
    self.start = start
    switch script.answer(request, shown: shown ?? request, after: ContinuousClock.now - start) {
    case .outcome(.failure(let error)): throw error
    case .outcome(.cancelled):
      // It ended because the work of another reader had ended, or because somebody interrupted the
      // program.
      try waitForAbort()
      return try fail(
        ReplayReader.Mismatch(
          line: script.line,
          description: "line \(script.line) of the recording was cancelled: it goes no further"))
    case .outcome(let outcome): return outcome
    case .mismatch(let mismatch): return try fail(mismatch)
    case .end(let mismatch):
      // In the recording, another reader's work was done before this call.
      if !isOnlyReader, request.isSearch { try waitForAbort() }
      return try fail(mismatch)
    }
  }

  /// Waits for the call to be cancelled, for a limited time.
  ///
  /// - Throws: `CancellationError` when it is cancelled.
  private func waitForAbort() throws {
    let end = ContinuousClock.now + Self.patience
    repeat {
      if isAborted.value.withLock({ $0 }) { throw CancellationError() }
      usleep(Self.pause)
    } while ContinuousClock.now < end
  }

  private func fail(_ mismatch: ReplayReader.Mismatch) throws -> RecordedCall.Outcome {
    self.mismatch = mismatch
    report(mismatch)
    throw failure(mismatch)
  }

  private func failure(_ mismatch: ReplayReader.Mismatch) -> NFCError {
    NFCError(.malformedContent, mismatch.description)
  }
}
