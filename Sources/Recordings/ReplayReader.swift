import NFCCore
import ReaderThread
import Synchronization

/// A reader that answers from a recording.
///
/// ```swift
/// let recording = try Recording(Data(contentsOf: file))
/// let reader = try await ReplayReader(recording).open()
/// let tag = try await reader.firstTag(within: .seconds(1))
/// #expect(try await tag.ndef?.readNDEF() == message)
/// ```
///
/// Everything above the reader's driver is what it is with a real reader. Rounds of searching in which nothing was
/// found may be more or fewer than were recorded, and at the end they go on for as long as was recorded; every other
/// call has to come as it was recorded, and a command may differ only in masked bytes. Masked bytes of an answer are
/// zero. An authentication in which both sides prove a key by random numbers, as DESFire's and Ultralight C's, goes as it
/// went if the recording was made with its secrets: it has the numbers that were drawn, and they are drawn again. From a
/// recording without them it fails (``maskedProof`` says where): other numbers are drawn, and nobody can answer those
/// without the key.
public final class ReplayReader: Sendable {
  /// How commands find their answers.
  public enum Order: Hashable, Sendable {
    /// As they were recorded, one after the other.
    case recorded
    /// By the command: the next answer to the same one, from the beginning again after the last.
    case any
  }

  /// A command for which the recording has no answer.
  public struct Mismatch: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the recording, counted from 1: what would have come next, or the last one.
    public let line: Int
    public let description: String
  }

  private let recording: Recording
  private let order: Order
  private let state = Mutex<Mismatch?>(nil)
  private let proof = Mutex<Mismatch?>(nil)

  /// - Parameter order: how commands find their answers.
  public init(_ recording: Recording, order: Order = .recorded) {
    self.recording = recording
    self.order = order
  }

  /// The first command that the recording does not have, `nil` as long as all were there. Every call after it has
  /// thrown `malformedContent`, whatever a program has made of that.
  public var mismatch: Mismatch? { state.withLock { $0 } }

  /// The last answer by which a tag has proved that it knows a key, if it is masked: an authentication that fails has
  /// failed because of that, and not because of the key.
  public var maskedProof: Mismatch? { proof.withLock { $0 } }

  /// How many readers there are.
  public var readerCount: Int { recording.readers.count }

  /// The driver of one of the recorded readers, which begins at its first call.
  ///
  /// - Throws: ``NFCError/Code/readerNotFound`` if there are fewer readers.
  public func driver(at index: Int = 0) throws -> any ReaderDriver {
    guard recording.readers.indices.contains(index) else {
      throw NFCError(.readerNotFound, "the recording has no reader \(index)")
    }
    let script = ReplayScript(recording, reader: index, order: order)
    return ReplayDriver(
      recording.readers[index], script: script, isAlone: recording.readers.count == 1
    ) { mismatch in
      self.state.withLock { $0 = $0 ?? mismatch }
    } proof: { place in
      self.proof.withLock { $0 = place }
    }
  }

  /// Opens one of the recorded readers.
  ///
  /// - Parameter wrap: makes a driver that stands before the reader's own, for instance a recorder's.
  /// - Throws: ``NFCError/Code/readerNotFound`` if there are fewer readers, ``NFCError/Code/readerUnavailable``.
  public func open(
    at index: Int = 0,
    through wrap: @escaping @Sendable (any ReaderDriver) -> any ReaderDriver = { $0 }
  ) async throws -> Reader {
    let thread: ReaderThread
    do {
      thread = try ReaderThread()
    } catch {
      throw NFCError(.readerUnavailable, "no thread for the reader", cause: .system(0, "\(error)"))
    }
    return try await Task(executorPreference: thread) {
      Reader(driver: wrap(try self.driver(at: index)), executor: thread)
    }.value
  }
}
