import SwiftNFCCore
import ReaderThread
import Synchronization

/// A reader in the same process, for an app's unit tests: tags without hardware, libnfc, a serial port or
/// a PC/SC service.
///
/// ```
///   Reader, tags, NDEF        DirectReader            VirtualField
///   (as with hardware)  ───▶  a PN532 chip,  ───▶  NTAG215, Suica, …
///                       ◀───  called directly ◀───
/// ```
///
/// The tags are those of ``VirtualReader``, and so is the chip; only the connection to the chip is
/// missing. An exchange takes some microseconds, without waiting times. ISO 15693 is supported as well,
/// which a PN532 does not have.
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
  ///   - trace: called for every frame over the air, after the command that has caused it, on the thread that the
  ///     reader is used on.
  public init(_ field: VirtualField, trace: (@Sendable (TraceEvent) -> Void)? = nil) {
    self.field = field
    shared = DirectDriver.Shared(field, trace: trace)
  }

  /// The number of frames over the air since the last ``setFaults(_:)``, or since the start.
  public var exchanges: Int { shared.withChip { $0.faults.exchanges } }

  /// Replaces the faults, and starts to count from 0 again. Faults of the line to a host never
  /// happen, because there is none.
  public func setFaults(_ faults: [Fault]) {
    shared.withChip { $0.faults.faults = faults }
  }

  /// Returns a driver for this reader, for programs that create a `Reader` themselves or work
  /// without one. Use only one of them at a time.
  public func driver() -> any ReaderDriver { DirectDriver(shared) }

  /// Opens the reader. It is closed when its last reference is released.
  ///
  /// - Throws: `readerUnavailable` if the system cannot create a thread.
  public func open() async throws -> Reader {
    let thread = try ReaderThread.forReader()
    return await Task(executorPreference: thread) {
      Reader(driver: self.driver(), executor: thread)
    }.value
  }
}
