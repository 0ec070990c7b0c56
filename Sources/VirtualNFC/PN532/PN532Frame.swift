/// The frames that a PN532 and its host exchange: PN532 user manual (UM0701-02), 6.2.1.
enum PN532Frame {
  static let acknowledge: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
  static let negativeAcknowledge: [UInt8] = [0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00]
  /// The syntax error frame, 6.2.1.5.
  static let error: [UInt8] = [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]

  static let hostToChip: UInt8 = 0xD4
  static let chipToHost: UInt8 = 0xD5

  /// The maximum length of TFI, command code and parameters; a longer frame is refused (6.2.1.2).
  static let maximumLength = 265

  /// Encodes TFI and data as a normal frame, or as an extended one if there are 256 bytes or more.
  ///
  /// - Parameter hasAmble: whether to add a preamble and a postamble, which SetParameters can switch off.
  static func encode(_ data: [UInt8], hasAmble: Bool = true) -> [UInt8] {
    var frame: [UInt8] = hasAmble ? [0x00, 0x00, 0xFF] : [0x00, 0xFF]
    if data.count <= 0xFF {
      let length = UInt8(data.count)
      frame += [length, 0 &- length]
    } else {
      let high = UInt8(truncatingIfNeeded: data.count >> 8)
      let low = UInt8(truncatingIfNeeded: data.count)
      frame += [0xFF, 0xFF, high, low, 0 &- (high &+ low)]
    }
    frame += data
    frame.append(0 &- data.reduce(0, &+))
    if hasAmble { frame.append(0x00) }
    return frame
  }

  /// Returns one of the fixed frames with or without preamble and postamble.
  static func fixed(_ frame: [UInt8], hasAmble: Bool) -> [UInt8] {
    hasAmble ? frame : Array(frame.dropFirst().dropLast())
  }
}

/// Splits the bytes that a host sends into frames, as the chip's serial unit does.
///
/// Bytes that are not part of a frame are skipped: the wake-up preamble of 55 and 00 bytes, line noise,
/// the rest of a frame that a killed host did not complete.
struct PN532FrameReader {
  enum Event: Hashable {
    case acknowledge
    case negativeAcknowledge
    /// A frame for the chip: command code and parameters, without TFI.
    case command([UInt8])
    /// A frame with a wrong length, a wrong data checksum, or a TFI other than the host's. The chip does
    /// not answer it.
    case damaged
  }

  private var buffer: [UInt8] = []

  /// Discards an incomplete frame, because no byte has arrived for longer than any host pauses within a
  /// frame.
  mutating func abandon() {
    buffer = []
  }

  /// Whether a frame has begun and is not complete.
  var isWithinFrame: Bool { !buffer.isEmpty }

  mutating func feed(_ bytes: some Sequence<UInt8>) -> [Event] {
    buffer += bytes
    var events: [Event] = []
    while let event = next() { events.append(event) }
    return events
  }

  private mutating func next() -> Event? {
    while true {
      // The start code is 00 FF; the 00 before it belongs to the preamble.
      guard let start = startOfFrame() else {
        buffer = buffer.last == 0x00 ? [0x00] : []
        return nil
      }
      buffer.removeFirst(start)
      guard buffer.count >= 4 else { return nil }
      let length = buffer[2]
      let lengthCheck = buffer[3]
      switch (length, lengthCheck) {
      case (0x00, 0xFF):
        buffer.removeFirst(4)
        return .acknowledge
      case (0xFF, 0x00):
        buffer.removeFirst(4)
        return .negativeAcknowledge
      case (0xFF, 0xFF):
        guard buffer.count >= 7 else { return nil }
        guard buffer[4] &+ buffer[5] &+ buffer[6] == 0 else {
          buffer.removeFirst(2)
          return .damaged
        }
        return body(from: 7, length: Int(buffer[4]) << 8 | Int(buffer[5]))
      default:
        guard length &+ lengthCheck == 0 else {
          buffer.removeFirst(2)
          return .damaged
        }
        return body(from: 4, length: Int(length))
      }
    }
  }

  private func startOfFrame() -> Int? {
    guard buffer.count >= 2 else { return nil }
    return (0..<(buffer.count - 1)).first { buffer[$0] == 0x00 && buffer[$0 + 1] == 0xFF }
  }

  private mutating func body(from start: Int, length: Int) -> Event? {
    guard length <= PN532Frame.maximumLength else {
      buffer.removeFirst(2)
      return .damaged
    }
    guard buffer.count >= start + length + 1 else { return nil }
    let data = Array(buffer[start..<(start + length)])
    let check = buffer[start + length]
    buffer.removeFirst(start + length + 1)
    guard data.reduce(check, &+) == 0, data.count >= 2, data[0] == PN532Frame.hostToChip else {
      return .damaged
    }
    return .command(Array(data.dropFirst()))
  }
}
