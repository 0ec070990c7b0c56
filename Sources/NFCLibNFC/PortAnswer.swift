import SwiftNFCCore
import SwiftNFCReaderExamination

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension LineRate {
  /// GetFirmwareVersion, and the code of its answer (UM0701-02, 7.2.2).
  private static let getFirmwareVersion: UInt8 = 0x02
  /// The byte IC of a PN532's answer.
  private static let pn532: UInt8 = 0x32
  /// The time in which everything arrives that belongs to one answer, in milliseconds.
  private static let longestAnswer = 250

  /// What is sent to find out what is on the line: the edges that wake a PN532, and a command that changes nothing.
  static var question: [UInt8] {
    wakeUp + preamble + frame([hostToChip, getFirmwareVersion]) + postamble
  }

  /// Asks once, at the wanted rate, what is on the line. Blocks for a quarter of a second at most.
  func ask() -> PortAnswer {
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { return .silence }
    defer {
      tcflush(descriptor, TCIOFLUSH)
      tcsetattr(descriptor, TCSANOW, &before)
    }
    guard set(wanted.speed), send(Self.question) else { return .silence }
    let clock = ContinuousClock()
    let deadline = clock.now + .milliseconds(Self.longestAnswer)
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 256)
    while clock.now < deadline, received.count < 4 * buffer.count {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = Int32((deadline - clock.now) / .milliseconds(1))
      guard poll(&event, 1, max(1, left)) > 0 else { continue }
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      received += buffer.prefix(count)
      if case .chip = Self.answer(received) { break }
    }
    return Self.answer(received)
  }

  /// Returns what has sent these bytes after ``question``.
  static func answer(_ bytes: [UInt8]) -> PortAnswer {
    guard !bytes.isEmpty else { return .silence }
    // The answer has the command's code and one more; what is sent back has the command itself.
    let start: [UInt8] = [chipToHost, getFirmwareVersion + 1]
    if let place = bytes.indices.first(where: { bytes[$0...].starts(with: start) }) {
      let code = bytes[(place + start.count)...].first
      return .chip(code == pn532 ? "PN532" : "PN53x")
    }
    return contains(bytes, frame([hostToChip, getFirmwareVersion])) ? .echo : .other
  }
}

extension PortAnswer {
  /// What the answer of a port that could not be opened says; `nil` if it says no more than that.
  var finding: ReaderFinding? {
    switch self {
    case .echo:
      ReaderFinding(
        .noAnswer, "the line returns what is sent",
        advice: "TX and RX are joined, or a login waits on this port: disconnect them, or "
          + "sudo systemctl stop serial-getty@ and the port's name")
    case .other:
      ReaderFinding(
        .noAnswer, "something answers, but not as a PN532",
        advice: "another device is on this port, or one at another speed")
    case .silence, .chip: nil
    }
  }
}
