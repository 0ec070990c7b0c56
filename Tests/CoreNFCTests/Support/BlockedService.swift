import Dispatch
import NFC
import Synchronization

/// Holds whoever passes it, as a daemon or a reader does that does not answer.
final class Gate: Sendable {
  private let isHolding = Mutex(false)
  private let end = DispatchSemaphore(value: 0)

  func hold() { isHolding.withLock { $0 = true } }

  func pass() {
    guard isHolding.withLock({ $0 }) else { return }
    end.wait()
    end.signal()
  }

  func release() {
    isHolding.withLock { $0 = false }
    end.signal()
  }
}

/// A PC/SC service whose card calls a gate can hold, without a limit and whatever is cancelled.
final class BlockedService: SmartCardService {
  private let base: any SmartCardService
  private let gate: Gate

  init(_ base: any SmartCardService, _ gate: Gate) {
    self.base = base
    self.gate = gate
  }

  func readers() throws(SmartCardFailure) -> [String] { try base.readers() }
  func status(of reader: String) throws(SmartCardFailure) -> SmartCardStatus {
    gate.pass()
    return try base.status(of: reader)
  }
  func waitForReaders(atMost timeout: Duration) throws(SmartCardFailure) {
    try base.waitForReaders(atMost: timeout)
  }
  func wait(
    forChangeOf reader: String, from status: SmartCardStatus, atMost timeout: Duration
  ) throws(SmartCardFailure) {
    try base.wait(forChangeOf: reader, from: status, atMost: timeout)
  }
  var cancel: @Sendable () -> Void { base.cancel }
  func connect(to reader: String) throws(SmartCardFailure) { try base.connect(to: reader) }
  func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    gate.pass()
    return try base.transmit(command, atMost: timeout)
  }
  func reset() throws(SmartCardFailure) { try base.reset() }
  func disconnect() { base.disconnect() }
  func close() { base.close() }
}
