#if canImport(Glibc)
import Synchronization

/// A PN532 board on a serial line that any program can open: the real libnfc by
/// ``connectionString``, nfcpy by ``path``.
///
/// ```
///   libnfc, nfcpy, …                                   VirtualField
///   (any process)     pseudo-terminal     PN532 chip     ┌────────┐
///        │  bytes  ─────────────────────▶  commands ───▶ │ NTAG215│
///        │         ◀─────────────────────  answers  ◀─── │ Suica  │
///                                          frames        └────────┘
/// ```
///
/// The chip lives on a thread of its own from ``init(_:trace:)`` until ``close()`` or until the last
/// reference to the reader goes. One program at a time can use it, as with a real port.
public final class VirtualReader: Sendable {
  /// How much a reader has been used.
  public struct Statistics: Hashable, Sendable {
    /// Commands from the host.
    public var commands = 0
    /// Frames sent over the air.
    public var exchanges = 0
  }

  /// The system did not give a pseudo-terminal or a thread.
  public struct Unavailable: Error, CustomStringConvertible {
    public let description: String
  }

  /// The field that the reader's antenna makes.
  public let field: VirtualField
  /// The serial port's name, for instance `/dev/pts/5`.
  public let path: String
  private let shared: VirtualReaderLoop.Shared
  private let thread: VirtualReaderThread

  /// What libnfc opens it by, for instance `pn532_uart:/dev/pts/5`.
  public var connectionString: String { "pn532_uart:\(path)" }

  /// Starts a reader on a pseudo-terminal.
  ///
  /// - Parameters:
  ///   - field: the field of its antenna. Two readers must not share one.
  ///   - trace: is called on the reader's thread for everything that happens.
  /// - Throws: ``Unavailable``.
  public init(
    _ field: VirtualField, trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) throws {
    self.field = field
    do {
      let terminal = try PseudoTerminal()
      path = terminal.path
      shared = VirtualReaderLoop.Shared(terminal)
    } catch {
      throw Unavailable(description: "no pseudo-terminal: \(error)")
    }
    let shared = shared
    let field = field
    thread = try VirtualReaderThread {
      var loop = VirtualReaderLoop(shared: shared, field: field, trace: trace)
      loop.run()
    }
  }

  deinit { close() }

  /// Commands and exchanges since the last ``setFaults(_:)``, or since the start.
  public var statistics: Statistics {
    shared.state.withLock { $0.statistics }
  }

  /// Replaces the faults that are to happen, and counts from 0 again.
  ///
  /// Takes effect before the next command of the host.
  public func setFaults(_ faults: [Fault]) {
    shared.state.withLock {
      $0.faults = faults
      $0.statistics = Statistics()
    }
  }

  /// Pulls the plug: the serial line is gone. Calling it again does nothing.
  public func close() {
    shared.close()
    thread.join()
  }
}
#endif
