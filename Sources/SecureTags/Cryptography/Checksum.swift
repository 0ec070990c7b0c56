/// The checksums that the secure messaging of the first two generations of MIFARE DESFire encrypts
/// together with the data.
package enum Checksum {
  private static let polynomial: UInt32 = 0xEDB8_8320

  /// Returns the CRC-32 of IEEE 802.3 without the final inversion, least significant byte first
  /// (MF3ICDx21_41_81 data sheet, 8.4.2; libfreefare calls it DESFire's own).
  package static func crc32(_ data: some Sequence<UInt8>) -> [UInt8] {
    var register: UInt32 = 0xFFFF_FFFF
    for byte in data {
      register ^= UInt32(byte)
      for _ in 0..<8 { register = register & 1 != 0 ? register >> 1 ^ polynomial : register >> 1 }
    }
    return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: register >> $0) }
  }
}
