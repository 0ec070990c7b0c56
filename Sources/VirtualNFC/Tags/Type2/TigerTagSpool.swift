extension VirtualTag {
  /// Returns an NTAG213 on a spool of red PLA, in the format TigerTag: the example of TigerTag-Project/TigerTag-RFID-Guide,
  /// README.md, 4, with the brand's number of its database. Of 1000 grams, 640 are left.
  ///
  /// - Parameter uid: 7 bytes; `nil` for the chip's own.
  public static func tigerTag(uid: [UInt8]? = nil) -> VirtualTag {
    spool(
      uid,
      [
        0x5B, 0xF5, 0x92, 0x64, 0xFF, 0xFF, 0xFF, 0xFF,
        // PLA, Basic, filament of 1.75 mm, Rosa3D
        0x95, 0x4B, 0x68, 0x00, 0x8E, 0x38, 0x4D, 0xF9,
        0xFF, 0x00, 0x00, 0xFF, 0x00, 0x03, 0xE8, 0x15,
        0x00, 0xC3, 0x00, 0xE6, 0x32, 0x05, 0x32, 0x3C,
        0x2F, 0x7A, 0x0A, 0x5C, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0xE6, 0x00, 0x00,
      ], message: "Starter Red", rest: [0x00, 0x02, 0x80], signature: [])
  }

  /// Returns an NTAG213 on a spool of two colors, in the format TigerTag+, with the number of a product and bytes in the
  /// place of a manufacturer's signature, whose key is not public.
  ///
  /// - Parameter uid: 7 bytes; `nil` for the chip's own.
  public static func tigerTagPlus(uid: [UInt8]? = nil) -> VirtualTag {
    spool(
      uid,
      [
        0xBC, 0x0F, 0xCB, 0x97, 0x00, 0x00, 0x00, 0x0A,
        // PETG, Silk, Bicolor, filament of 2.85 mm, Polymaker
        0x95, 0x70, 0x5C, 0xFC, 0x8E, 0xDD, 0xC5, 0xAC,
        0x00, 0x80, 0x80, 0xFF, 0x00, 0x00, 0x01, 0x23,
        0x00, 0xE6, 0x01, 0x04, 0x41, 0x08, 0x46, 0x50,
        0x2F, 0x7A, 0x0A, 0x5C, 0x10, 0x20, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00,
      ], message: "", rest: [0x00, 0x00, 0x01], signature: (1...64).map { UInt8($0) })
  }

  /// The parts of the memory from page 4 on: 48 bytes, a text of 28 and the remaining quantity, then two numbers of 32 bytes.
  private static func spool(
    _ uid: [UInt8]?, _ head: [UInt8], message: String, rest: [UInt8], signature: [UInt8]
  ) -> VirtualTag {
    let tag = ntag213(uid: uid, formatted: false)
    let text = Array(message.utf8.prefix(28))
    let padding = [UInt8](repeating: 0, count: 28 - text.count)
    let data = head + text + padding + rest + [0x00] + signature
    let zeros = [UInt8](repeating: 0, count: max(0, 144 - data.count))
    var memory = tag.memory
    memory.replaceSubrange(16..<160, with: data + zeros)
    tag.memory = memory
    return tag
  }
}
