extension SRxChip {
  /// Bits of the system block. One is cleared to lock, and cannot be set again.
  package enum LockRegister: Hashable, Sendable {
    /// Bits 24 to 31: blocks 7 and 8 together, then one each up to block 15.
    case narrow
    /// Bits 16 to 31: one for each block.
    case wide

    private static let bitsOfByte = 8
    private static let narrowByte = 3
    private static let wideBytes = 2..<4

    private var bytes: Range<Int> {
      self == .wide ? Self.wideBytes : Self.narrowByte..<Self.narrowByte + 1
    }

    private func place(of block: Int) -> (byte: Int, bit: Int)? {
      switch (self, block) {
      case (.wide, 0...15):
        (Self.wideBytes.lowerBound + block / Self.bitsOfByte, block % Self.bitsOfByte)
      case (.narrow, 7...15): (Self.narrowByte, max(0, block - 8))
      default: nil
      }
    }

    /// Returns whether a block is locked.
    ///
    /// - Parameter system: the system block, least significant byte first.
    package func locks(_ block: Int, _ system: [UInt8]) -> Bool {
      guard let place = place(of: block), system.indices.contains(place.byte) else { return false }
      return system[place.byte] >> place.bit & 1 == 0
    }

    /// Returns the system block with the locks of both. All other bytes are those of the chip.
    package func adding(_ wanted: [UInt8], to system: [UInt8]) -> [UInt8] {
      var system = system
      for byte in bytes where byte < min(system.count, wanted.count) {
        system[byte] &= wanted[byte]
      }
      return system
    }
  }
}
