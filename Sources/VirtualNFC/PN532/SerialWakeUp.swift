/// The response of a sleeping chip to bytes on its serial line: the fifth rising edge wakes it (PN532
/// data sheet, 8.4), and the byte with that edge is lost.
enum SerialWakeUp {
  static let edgesNeeded = 5

  /// Returns the number of rising edges of a byte on a serial line, whose idle level is high: a start bit
  /// of 0, the bits from the least significant, a stop bit of 1.
  static func risingEdges(_ byte: UInt8) -> Int {
    let bits = UInt16(byte) << 1 | 1 << 9
    return (bits & ~(bits << 1)).nonzeroBitCount
  }
}

extension PN532Chip {
  /// Receives bytes from the serial line, wakes the chip if they do, and returns the bytes that an awake
  /// chip receives.
  mutating func hear(_ bytes: [UInt8]) -> [UInt8] {
    guard case .asleep(var edges) = power else { return power == .awake ? bytes : [] }
    for (index, byte) in bytes.enumerated() {
      edges += SerialWakeUp.risingEdges(byte)
      guard edges < SerialWakeUp.edgesNeeded else {
        power = .awake
        return Array(bytes.dropFirst(index + 1))
      }
    }
    power = .asleep(edges: edges)
    return []
  }
}
