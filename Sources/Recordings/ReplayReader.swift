import SwiftNFCCore
import ReaderThread
import Synchronization

/// A reader that replays a recording.
///
/// ```swift
/// let recording = try Recording(Data(contentsOf: file))
/// let reader = try await ReplayReader(recording).open()
/// let tag = try await reader.firstTag(within: .seconds(1))
/// #expect(try await tag.ndef?.readNDEF() == message)
/// ```
///
/// Everything above the reader's driver is the same as with a real reader. The number of search
/// rounds that find nothing may differ from the recording, and at the end they continue for as long
/// as was recorded. Every other call must match the recording, and a command may differ only in
/// masked bytes. Masked bytes of an answer are zero, except for a PACK that the program has written
/// itself.
///
/// In an authentication of DESFire, Ultralight C and the like, both sides prove a key with random
/// numbers. A recording that was made with its secrets has the program's random numbers, and the
/// replay uses them again. From a recording without them, such an authentication fails
/// (``maskedProof`` says where): the program chooses other random numbers, and nobody can answer
/// those without the key.
public final class ReplayReader: Sendable {
  /// How commands are matched with answers.
  @nonexhaustive
  public enum Order: Hashable, Sendable {
    /// In the recorded order.
    case recorded
    /// By the command: the next answer to the same command, starting over after the last one.
    case any
  }

  /// A command without an answer in the recording.
  public struct Mismatch: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line of the recording, counted from 1: the expected call, or the last one.
    public let line: Int
    public let description: String
  }

  private let recording: Recording
  private let order: Order
  private let state = Mutex<Mismatch?>(nil)
  private let proof = Mutex<Mismatch?>(nil)

  /// - Parameter order: how commands are matched with answers.
  public init(_ recording: Recording, order: Order = .recorded) {
    self.recording = recording
    self.order = order
  }

  /// The first command that is missing in the recording; `nil` as long as there is none. Every call
  /// after it throws `malformedContent`, even if the program ignores the error.
  public var mismatch: Mismatch? { state.withLock { $0 } }

  /// The last answer with which a tag proved that it knows a key, if that answer is masked: a
  /// failed authentication has failed because of that, not because of the key.
  public var maskedProof: Mismatch? { proof.withLock { $0 } }

  /// The number of readers.
  public var readerCount: Int { recording.readers.count }

  /// Returns the driver of one of the recorded readers, starting at its first call.
  ///
  /// - Throws: ``NFCError/Code/readerNotFound`` if there are fewer readers.
  public func driver(at index: Int = 0) throws -> any ReaderDriver {
    guard recording.readers.indices.contains(index) else {
      throw NFCError(.readerNotFound, "the recording has no reader \(index)")
    }
    let script = ReplayScript(recording, reader: index, order: order)
    return ReplayDriver(
      recording.readers[index], script: script, isOnlyReader: recording.readers.count == 1
    ) { mismatch in
      self.state.withLock { $0 = $0 ?? mismatch }
    } proof: { place in
      self.proof.withLock { $0 = place }
    }
  }

  /// Opens one of the recorded readers.
  ///
  /// - Parameter wrap: returns a driver in front of the reader's own, for instance a recorder's.
  /// - Throws: ``NFCError/Code/readerNotFound`` if there are fewer readers, ``NFCError/Code/readerUnavailable``.
  public func open(
    at index: Int = 0,
    through wrap: @escaping @Sendable (any ReaderDriver) -> any ReaderDriver = { $0 }
  ) async throws -> Reader {
    let thread = try ReaderThread.forReader()
    return try await Task(executorPreference: thread) {
      Reader(driver: wrap(try self.driver(at: index)), executor: thread)
    }.value
  }
}
