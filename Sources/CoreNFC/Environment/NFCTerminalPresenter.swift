#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
import Synchronization

/// Writes a line on standard error for each moment, if that is a terminal.
public struct NFCTerminalPresenter: NFCPresenter {
  private let descriptor: Int32

  /// - Parameter descriptor: where to write; standard error unless told.
  public init(descriptor: Int32 = STDERR_FILENO) {
    self.descriptor = descriptor
  }

  public func present(_ moment: NFCPresentation) {
    guard let line = moment.line, isatty(descriptor) != 0 else { return }
    let bytes = Array("\(line)\n".utf8)
    var start = 0
    while start < bytes.count {
      let written = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return }
      start += written
    }
  }
}

extension NFCPresenter where Self == NFCTerminalPresenter {
  /// A line on standard error, if that is a terminal.
  public static var terminal: NFCTerminalPresenter { NFCTerminalPresenter() }
}

extension NFCPresentation {
  /// The moment in a line; `nil` if there is nothing to say.
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
