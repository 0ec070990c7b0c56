import NFC
import SwiftNFCCore
import Synchronization
import Testing

/// Records every reader that the tests of this process open, and replays each recording when its reader is closed.
///
/// Every call that went through the door between reader and tags is made again, with what was recorded in place of
/// the reader. It ends in the same way, by the same answer, error or cancellation, up to the end of the recording; a
/// recording in which one line is another fails with that line. Whether the program would make the same calls again is
/// what the trait ``Replayed`` checks.
///
/// Of a reader, the first calls are recorded, and of a test that runs over many, those of its first readers: what
/// follows are the same procedures with a fault elsewhere.
///
/// What has no recording: readers that are created without `Reader.open`, that are lost with their process, or that
/// are closed only when the tests have ended.
public enum ReplayedReaders {
  private static let isRecording: Void = ReaderSources.wrapDrivers { driver in
    ReplayScope.current?.wrapped(driver) ?? ReplayedDriver(driver, of: Test.current)
  }

  private static let mostCallsOfATest = 1000
  private static let calls = Mutex<[Test.ID: Int]>([:])

  /// Whether one more call of a test is recorded.
  static func takesCall(of test: Test?) -> Bool {
    guard let test else { return true }
    return calls.withLock { calls in
      calls[test.id, default: 0] += 1
      return calls[test.id, default: 0] <= mostCallsOfATest
    }
  }

  /// Records the readers that are opened from now on. Every bench says so.
  public static func begin() { isRecording }
}
