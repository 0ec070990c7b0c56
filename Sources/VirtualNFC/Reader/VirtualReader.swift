#if canImport(Glibc)
import Synchronization

/// A PN532 board on a serial line that any program can open: the real libnfc with
/// ``connectionString``, nfcpy with ``path``.
///
/// ```
///   libnfc, nfcpy, …                                   VirtualField
///   (any process)     pseudo-terminal     PN532 chip     ┌────────┐
///        │  bytes  ─────────────────────▶  commands ───▶ │ NTAG215│
///        │         ◀─────────────────────  answers  ◀─── │ Suica  │
///                                          frames        └────────┘
/// ```
///
/// The chip has its own thread from ``init(_:chip:pace:trace:)`` until ``close()`` or until the
/// last reference to the reader is released. One program at a time can use it, as with a real port.
public final class VirtualReader: Sendable {
  /// The usage of a reader.
  public struct Statistics: Hashable, Sendable {
    /// Commands from the host.
    public var commands = 0
    /// Frames sent over the air.
    public var exchanges = 0
  }

  /// The system did not provide a pseudo-terminal or a thread.
  public struct Unavailable: Error, CustomStringConvertible {
    public let description: String
  }

  /// The parts that take real time; none if it is empty.
  public struct Pace: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Bytes on the serial line, at the chip's baud rate.
    public static let line = Pace(rawValue: 1)
    /// Frames over the air, and the waiting times of tags and the chip.
    public static let air = Pace(rawValue: 2)
    /// All of them, as with a real reader.
    public static let realTime: Pace = [.line, .air]
  }

  /// The field of the reader's antenna.
  public let field: VirtualField
  /// The serial port's name, for instance `/dev/pts/5`.
  public let path: String
  /// The chip as the reader in front of it sees it, when it acts as a card.
  public let antenna: any FacingAntenna
  private let facing = FacingPlace()
  private let chip: VirtualPN532
  private let shared: VirtualReaderLoop.Shared
  private let thread: VirtualReaderThread

  /// The connection string for libnfc, for instance `pn532_uart:/dev/pts/5`.
  public var connectionString: String {
    "pn532_uart:\(path)" + (chip.baudRate.map { ":\($0)" } ?? "")
  }

  /// Starts a reader on a pseudo-terminal.
  ///
  /// - Parameters:
  ///   - field: the field of its antenna. Two readers must not share one.
  ///   - chip: the kind of PN532, and the state in which the first program finds it.
  ///   - pace: the parts that take real time.
  ///   - trace: called on the reader's thread for every event.
  /// - Throws: ``Unavailable``.
  public init(
    _ field: VirtualField, chip: VirtualPN532 = VirtualPN532(), pace: Pace = [],
    trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) throws {
    self.field = field
    self.chip = chip
    do {
      let terminal = try PseudoTerminal()
      path = terminal.path
      shared = VirtualReaderLoop.Shared(terminal)
    } catch {
      throw Unavailable(description: "no pseudo-terminal: \(error)")
    }
    let shared = shared
    let field = field
    let target = TargetUnit(chip.target) { [weak shared] in shared?.wake() }
    antenna = target
    let facing = facing
    thread = try VirtualReaderThread {
      var loop = VirtualReaderLoop(
        shared: shared,
        chip: PN532Chip(field: field, model: chip, target: target, facing: facing), pace: pace,
        trace: trace)
      loop.run()
    }
  }

  deinit { close() }

  /// The numbers of commands and exchanges since the last ``setFaults(_:)``, or since the start.
  public var statistics: Statistics {
    shared.state.withLock { $0.statistics }
  }

  /// Replaces the faults, and starts to count from 0 again.
  ///
  /// Takes effect before the next command of the host.
  public func setFaults(_ faults: [Fault]) {
    shared.state.withLock {
      $0.faults = faults
      $0.statistics = Statistics()
    }
  }

  /// Switches the chip's power supply off for a moment. The serial port remains, as with an adapter
  /// that has its own supply; the chip loses its state.
  ///
  /// Takes effect before the next bytes from a host.
  public func cyclePower() {
    shared.state.withLock { $0.cyclesPower = true }
  }

  /// Places an antenna in front of this reader's: the one of another reader, which then is in the field of this one and
  /// can act as a card. `nil` removes it.
  public func face(_ antenna: (any FacingAntenna)?) {
    facing.current?.setField(false)
    facing.current = antenna
    antenna?.setField(field.isPowered)
  }

  /// Unplugs the reader: the serial line disappears. Calling it again does nothing.
  public func close() {
    shared.close()
    thread.join()
  }
}
#endif
