import NFCCore
import ReaderThread
import Synchronization

/// A reader in the process, for an app's unit tests: tags without hardware, libnfc, a serial port or a PC/SC
/// service.
///
/// ```
///   Reader, tags, NDEF        DirectReader            VirtualField
///   (as with hardware)  ───▶  a PN532 chip,  ───▶  NTAG215, Suica, …
///                       ◀───  called directly ◀───
/// ```
///
/// The tags are those of ``VirtualReader``, and so is the chip; what is left out is the way to it. An exchange takes
/// some microseconds, and nothing waits. ISO 15693 is there as well, which a PN532 has not.
///
/// ```swift
/// let field = VirtualField()
/// field.place(try .ntag215(ndef: NDEFMessage(.uri("https://swift.org"))))
/// let reader = try await DirectReader(field).open()
/// let tag = try await reader.firstTag(within: .seconds(1))
/// ```
public final class DirectReader: Sendable {
  /// The field of its antenna.
  public let field: VirtualField
  private let shared: DirectDriver.Shared

  /// - Parameters:
  ///   - field: the field of its antenna. Two readers must not share one.
  ///   - trace: is called for every frame that goes over the air, on the thread that the reader is used on.
  public init(_ field: VirtualField, trace: (@Sendable (TraceEvent) -> Void)? = nil) {
    self.field = field
    shared = DirectDriver.Shared(field, trace: trace)
  }

  /// Frames over the air since the last ``setFaults(_:)``, or since the start.
  public var exchanges: Int { shared.chip.withLock { $0.faults.exchanges } }

  /// Replaces the faults that are to happen, and counts from 0 again. Those of the line to a host never happen: there
  /// is none.
  public func setFaults(_ faults: [Fault]) {
    shared.chip.withLock { $0.faults.faults = faults }
  }

  /// A driver over this reader, for whoever makes a `Reader` himself or works without one. Only one of
  /// them is to be used at a time.
  public func driver() -> any ReaderDriver { DirectDriver(shared) }

  /// Opens the reader. It is closed with its last reference.
  ///
  /// - Throws: `readerUnavailable` if the system gives no thread.
  public func open() async throws -> Reader {
    let thread: ReaderThread
    do {
      thread = try ReaderThread()
    } catch {
      throw NFCError(.readerUnavailable, "no thread for the reader", cause: .system(0, "\(error)"))
    }
    return await Task(executorPreference: thread) {
      Reader(driver: self.driver(), executor: thread)
    }.value
  }
}
