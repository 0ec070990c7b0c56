import Dispatch
import Glibc
import Synchronization

/// Writes one line to standard error for each event, if it is a terminal.
///
/// A stopped terminal (Ctrl-S) does not delay a session: its lines appear when it continues.
public struct NFCTerminalPresenter: NFCPresenter {
  private let descriptor: Int32

  /// - Parameter descriptor: the file descriptor; standard error by default.
  public init(descriptor: Int32 = STDERR_FILENO) {
    self.descriptor = descriptor
  }

  public func present(_ moment: NFCPresentation) {
    guard let line = moment.line, isatty(descriptor) != 0 else { return }
    TerminalWriter.shared.write(Array("\(line)\n".utf8), to: descriptor)
  }
}

/// Writes to terminals on its own thread.
private final class TerminalWriter: Sendable {
  static let shared = TerminalWriter()

  /// A line is on a terminal in far less. Within this time it is there when the caller continues,
  /// and a program that ends then has shown all.
  private static let patience = DispatchTimeInterval.milliseconds(100)
  /// More lines than a person reads; later ones are dropped while a terminal is stopped.
  private static let longestBacklog = 100

  private let queue = DispatchQueue(label: "CoreNFC.TerminalWriter")
  private let backlog = Mutex(0)

  func write(_ bytes: [UInt8], to descriptor: Int32) {
    let waiting = backlog.withLock { backlog in
      guard backlog < Self.longestBacklog else { return backlog }
      backlog += 1
      return backlog - 1
    }
    guard waiting < Self.longestBacklog else { return }
    let end = DispatchSemaphore(value: 0)
    queue.async { [self] in
      Self.write(bytes, to: descriptor)
      backlog.withLock { $0 -= 1 }
      end.signal()
    }
    // A line after a delayed one is delayed too.
    if waiting == 0 { _ = end.wait(timeout: .now() + Self.patience) }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var start = 0
    while start < bytes.count {
      let written = bytes[start...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return }
      start += written
    }
  }
}

extension NFCPresenter where Self == NFCTerminalPresenter {
  /// One line per event on standard error, if it is a terminal.
  public static var terminal: NFCTerminalPresenter { NFCTerminalPresenter() }
}

extension NFCPresentation {
  /// The line for the event; `nil` for none.
  var line: String? {
    switch self {
    case .began(let message, _): message.isEmpty ? "NFC: ready to scan" : "NFC: \(message)"
    case .message(let message): message.isEmpty ? nil : "NFC: \(message)"
    case .notice(let notice): "NFC: \(notice)"
    case .ended(_, let failure?): "NFC: failed: \(failure)"
    case .ended(let message, nil): message.isEmpty ? "NFC: done" : "NFC: done: \(message)"
    }
  }
}
