import Synchronization

@testable import VirtualNFC

/// The frames over the air, in hexadecimal.
final class AirLog: Sendable {
  private let frames = Mutex<[String]>([])

  func see(_ event: TraceEvent) {
    switch event {
    case .sent(let frame): frames.withLock { $0.append("> \(frame.bytes.hexadecimal)") }
    case .received(let frame):
      frames.withLock { $0.append("< \(frame?.bytes.hexadecimal ?? "silence")") }
    default: break
    }
  }

  func clear() { frames.withLock { $0 = [] } }

  /// The frames that the reader has sent.
  var sent: [String] {
    frames.withLock { $0.filter { $0.hasPrefix(">") }.map { String($0.dropFirst(2)) } }
  }
}
