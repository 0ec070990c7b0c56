#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What a reader on a serial line still sends after a command has failed.
enum SerialInput {
  /// A host's ACK, which ends the command that a PN53x is running (UM0701-02, 6.2.1.3).
  private static let acknowledge: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
  /// The silence after which nothing more is expected, in milliseconds: a USB adapter holds received bytes for 16.
  private static let silence: Int32 = 20
  private static let longestWait = Duration.milliseconds(200)

  /// Discards received bytes until the line is silent. Blocks for at most 200 ms and the time of one silence.
  ///
  /// - Parameter endsCommand: whether a chip is at the other end, without a controller that has frames of its own.
  static func clear(_ descriptor: Int32, endsCommand: Bool) {
    if endsCommand { _ = write(descriptor, acknowledge, acknowledge.count) }
    let end = ContinuousClock.now + longestWait
    while ContinuousClock.now < end {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&event, 1, silence) > 0, event.revents & Int16(POLLIN) != 0 else { break }
      tcflush(descriptor, TCIFLUSH)
    }
  }
}
