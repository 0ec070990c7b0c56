import Dispatch
import NFC
import Synchronization
import TestSupport

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
final class BlockedService: ForwardingService {
  private let gate: Gate

  init(_ base: any SmartCardService, _ gate: Gate) {
    self.gate = gate
    super.init(base)
  }

  override func status(of reader: String) throws(SmartCardFailure) -> SmartCardStatus {
    gate.pass()
    return try super.status(of: reader)
  }

  override func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    gate.pass()
    return try super.transmit(command, atMost: timeout)
  }
}
