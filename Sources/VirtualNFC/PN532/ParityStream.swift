/// Bytes and their parity bits as one sequence of bits: nine bits per byte, least significant first. The
/// FIFO has this form while ``PN532Registers/parityDisable`` is set.
enum ParityStream {
  /// Returns the bits packed into bytes, and the number of bits used in the last byte (8 for all).
  static func encode(_ frame: RadioFrame) -> (bytes: [UInt8], bitsInLastByte: Int) {
    var bits: [Bool] = []
    for (index, byte) in frame.bytes.enumerated() {
      let isLast = index == frame.bytes.count - 1
      let count = isLast ? frame.bitsInLastByte : 8
      for bit in 0..<count { bits.append(byte >> bit & 1 == 1) }
      if count == 8 {
        let odd = byte.nonzeroBitCount % 2 == 0
        if let parity = frame.parity {
          if index < parity.count { bits.append(parity[index]) }
        } else {
          bits.append(odd)
        }
      }
    }
    var bytes = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (index, bit) in bits.enumerated() where bit { bytes[index / 8] |= 1 << (index % 8) }
    return (bytes, bits.count % 8 == 0 ? 8 : bits.count % 8)
  }

  /// Returns the frame of a sequence of bits. Fewer than nine bits are a short frame.
  static func decode(
    _ bytes: [UInt8], bitsInLastByte: Int, modulation: RadioFrame.Modulation
  ) -> RadioFrame {
    let count = bytes.isEmpty ? 0 : (bytes.count - 1) * 8 + bitsInLastByte
    guard count >= 9 else {
      return RadioFrame(bytes, modulation: modulation, bitsInLastByte: max(1, count))
    }
    func bit(_ index: Int) -> UInt8 { bytes[index / 8] >> (index % 8) & 1 }
    var data: [UInt8] = []
    var parity: [Bool] = []
    var position = 0
    while position < count {
      let width = min(8, count - position)
      var byte: UInt8 = 0
      for offset in 0..<width { byte |= bit(position + offset) << offset }
      data.append(byte)
      if position + 8 < count { parity.append(bit(position + 8) == 1) }
      position += 9
    }
    let rest = count % 9
    let isOdd = zip(data, parity).allSatisfy { ($0.nonzeroBitCount % 2 == 0) == $1 }
    return RadioFrame(
      data, modulation: modulation, bitsInLastByte: rest == 0 ? 8 : rest,
      parity: isOdd ? nil : parity)
  }
}
