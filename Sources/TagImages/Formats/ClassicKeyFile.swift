/// A file with the keys of a MIFARE Classic: six bytes for each sector, all keys A and then all keys B (Proxmark3,
/// client/src/mifare/mifarehost.c and fileutils.c; its name is `hf-mf-…-key.bin`).
enum ClassicKeyFile {
  private static let keyLength = ClassicLayout.keyLength
  /// The cards by their number of sectors, which may include the two of the signature (Proxmark3,
  /// traces/mifare/s20-empty-key.bin).
  private static let cards = [
    5: "Mini", 7: "Mini", 16: "1K", 18: "1K EV1", 32: "2K", 40: "4K",
  ]

  /// Returns the card of a file of this size; `nil` for the size of no such file.
  private static func card(of bytes: [UInt8]) -> String? {
    bytes.count.isMultiple(of: 2 * keyLength) ? cards[bytes.count / (2 * keyLength)] : nil
  }

  /// Returns the keys of a file of such a size; `nil` for other bytes.
  static func keys(_ bytes: [UInt8]) -> [[UInt8]]? {
    guard card(of: bytes) != nil else { return nil }
    return stride(from: 0, to: bytes.count, by: keyLength).map {
      Array(bytes[$0..<$0 + keyLength])
    }
  }

  /// Returns a sentence about bytes that are such a file, as far as their number shows: no tag of ISO/IEC 15693 has one of
  /// these sizes. `nil` for bytes of a tag.
  static func remark(on bytes: [UInt8]) -> String? {
    guard let card = card(of: bytes), let keys = keys(bytes), TagImage.type2UID(bytes) == nil,
      !startsWithContainer(bytes)
    else { return nil }
    // Memory that was never written is all alike.
    guard Set(keys).count > 1 || card == "1K" else { return nil }
    return
      "\(bytes.count) bytes are the size of a key file of a MIFARE Classic \(card): use it with --keys"
  }

  /// A capability container of a Type 5 tag.
  private static func startsWithContainer(_ bytes: [UInt8]) -> Bool {
    [0xE1, 0xE2].contains(bytes[0]) && bytes[1] & 0xF0 == 0x40
  }
}
