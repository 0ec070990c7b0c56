import Synchronization
import VirtualNFC

/// What went over the air.
final class Trace: Sendable {
  private let frames = Mutex<[[UInt8]]>([])

  func append(_ event: TraceEvent) {
    guard case .sent(let frame) = event else { return }
    frames.withLock { $0.append(frame.bytes) }
  }

  func clear() { frames.withLock { $0 = [] } }

  var sent: [[UInt8]] { frames.withLock { $0 } }

  /// How many WRITEs (A2).
  var writes: Int { sent.count { $0.first == 0xA2 } }
}
