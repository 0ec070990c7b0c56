/// The check bytes of the contactless standards.
///
/// Every function takes the frame without its check bytes and returns the two bytes in the order in
/// which they are sent over the air.
package enum CyclicRedundancyCheck {
  /// CRC_A of ISO/IEC 14443-3, annex B: polynomial x¹⁶+x¹²+x⁵+1, initial value 6363.
  package static func a(_ frame: some Sequence<UInt8>) -> [UInt8] {
    reflected(frame, initial: 0x6363).littleEndianBytes
  }

  /// CRC_B of ISO/IEC 14443-3, annex B, and the check of ISO/IEC 15693-3: initial value FFFF,
  /// inverted. Jewel and Topaz tags use it too.
  package static func b(_ frame: some Sequence<UInt8>) -> [UInt8] {
    (~reflected(frame, initial: 0xFFFF)).littleEndianBytes
  }

  /// Returns the check of JIS X 6319-4 and ISO/IEC 18092 at 212 and 424 kbit/s: initial value 0000,
  /// most significant bit and byte first. It covers the length byte and what follows.
  package static func feliCa(_ frame: some Sequence<UInt8>) -> [UInt8] {
    var register: UInt16 = 0
    for byte in frame {
      register ^= UInt16(byte) << 8
      for _ in 0..<8 {
        register = register & 0x8000 != 0 ? register << 1 ^ 0x1021 : register << 1
      }
    }
    return register.bigEndianBytes
  }

  private static func reflected(_ frame: some Sequence<UInt8>, initial: UInt16) -> UInt16 {
    var register = initial
    for byte in frame {
      register ^= UInt16(byte)
      for _ in 0..<8 {
        register = register & 1 != 0 ? register >> 1 ^ 0x8408 : register >> 1
      }
    }
    return register
  }
}
