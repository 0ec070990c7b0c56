/// A file with the keys of a MIFARE Classic: six bytes for each sector, all keys A and then all keys B (Proxmark3,
/// client/src/mifare/mifarehost.c and fileutils.c; its name is `hf-mf-…-key.bin`).
enum ClassicKeyFile {
  private static let keyLength = 6
  /// The sectors of all sizes; 7 and 18 include the two of the signature (Proxmark3, traces/mifare/s20-empty-key.bin).
  private static let sectorCounts: Set<Int> = [5, 7, 16, 18, 32, 40]

  /// Keys of new cards and of directories (NXP AN10787, 3.7; NFC Forum, AN1305, 3.3).
  private static let usualKeys: Set<[UInt8]> = [
    [UInt8](repeating: 0xFF, count: keyLength), [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5],
    [0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5], [0xD3, 0xF7, 0xD3, 0xF7, 0xD3, 0xF7],
  ]

  /// Returns whether bytes that are not recognized otherwise are such a file: by their number, and a usual key. No
  /// tag of ISO 15693 has 48 blocks of 4 bytes, which is a file for 16 sectors.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    guard bytes.count.isMultiple(of: 2 * keyLength),
      sectorCounts.contains(bytes.count / (2 * keyLength)), TagImage.type2UID(bytes) == nil
    else { return false }
    let keys = stride(from: 0, to: bytes.count, by: keyLength).map {
      Array(bytes[$0..<$0 + keyLength])
    }
    // Memory that was never written is FF, too, and its blocks are all alike.
    guard Set(keys).count > 1 || bytes.count == 16 * 2 * keyLength else { return false }
    return keys.contains { usualKeys.contains($0) } && !startsWithContainer(bytes)
  }

  /// A capability container of a Type 5 tag.
  private static func startsWithContainer(_ bytes: [UInt8]) -> Bool {
    [0xE1, 0xE2].contains(bytes[0]) && bytes[1] & 0xF0 == 0x40
  }
}
