extension UInt16 {
  /// Both bytes, the most significant first.
  package var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }

  /// Both bytes, the least significant first.
  package var littleEndianBytes: [UInt8] { [UInt8(self & 0xFF), UInt8(self >> 8)] }
}
