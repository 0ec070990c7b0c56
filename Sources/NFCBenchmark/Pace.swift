import Glibc
import SwiftNFCCore
import Synchronization
import VirtualNFC

/// Gives a virtual reader the speed of a real one: PN532 user manual UM0701-02, 6.2 for the frames
/// on the serial line; ISO/IEC 14443-3, 6.2 for frames over the air.
///
/// A missing answer takes no longer than the tag's delay here, which favors programs that look for
/// absent tags.
final class Pace: Sendable {
  private static let byteOnLine = Duration.seconds(10) / 115_200
  /// Preamble, start code, length, length checksum, direction; data checksum, postamble.
  private static let frame = 8
  private static let acknowledge = 6
  private static let etu = Duration.seconds(128) / 13_560_000
  private static let delay = Duration.microseconds(91)

  /// The time at which the last wait ended. A wait takes longer than requested. The excess is
  /// subtracted from the next wait, but not the time that the program itself needs until its next
  /// command.
  private let end = Mutex(ContinuousClock.now)

  func wait(for event: TraceEvent) {
    let duration: Duration
    var isFirst = false
    switch event {
    case .command(let bytes):
      duration = Self.byteOnLine * (Self.frame + bytes.count + Self.acknowledge)
      isFirst = true
    case .reply(let bytes): duration = Self.byteOnLine * (Self.frame + bytes.count)
    case .sent(let frame): duration = Self.etu * (9 * frame.bytes.count + 3) + Self.delay
    case .received(let frame): duration = Self.etu * (9 * (frame?.bytes.count ?? 0) + 2)
    case .collided, .carrier: return
    }
    let now = ContinuousClock.now
    let until = end.withLock { end in
      end = (isFirst ? now : end) + duration
      return end
    }
    let microseconds = (until - now) / .microseconds(1)
    if microseconds > 0 { usleep(UInt32(microseconds)) }
  }
}
