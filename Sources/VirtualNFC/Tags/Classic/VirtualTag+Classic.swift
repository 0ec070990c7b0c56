extension VirtualTag {
  /// A MIFARE Classic 1K (MF1S50).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes.
  ///   - ndef: An encoded NDEF message of at most 716 bytes to put on it.
  ///   - formatted: Whether it is an NFC tag, writable, with key A A0A1A2A3A4A5 for the application
  ///     directory and D3F7D3F7D3F7 for NDEF, and key B FFFFFFFFFFFF. If not, and without `ndef`,
  ///     it is as it leaves the factory, all keys FFFFFFFFFFFF.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classic1K(
    uid: [UInt8] = [0x6F, 0x21, 0xD4, 0x0A], ndef: [UInt8]? = nil, formatted: Bool = true
  ) throws -> VirtualTag {
    try classic(.oneK, uid: uid, ndef: ndef, formatted: formatted)
  }

  /// A MIFARE Classic 4K (MF1S70).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes.
  ///   - ndef: An encoded NDEF message of at most 3356 bytes to put on it.
  ///   - formatted: Whether it is an NFC tag, writable, with key A A0A1A2A3A4A5 for the application
  ///     directory and D3F7D3F7D3F7 for NDEF, and key B FFFFFFFFFFFF. If not, and without `ndef`,
  ///     it is as it leaves the factory, all keys FFFFFFFFFFFF.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classic4K(
    uid: [UInt8] = [0x9F, 0x38, 0xB2, 0x5C], ndef: [UInt8]? = nil, formatted: Bool = true
  ) throws -> VirtualTag {
    try classic(.fourK, uid: uid, ndef: ndef, formatted: formatted)
  }

  /// A MIFARE Classic Mini (MF1S20).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes.
  ///   - ndef: An encoded NDEF message of at most 190 bytes to put on it.
  ///   - formatted: Whether it is an NFC tag, writable, with key A A0A1A2A3A4A5 for the application
  ///     directory and D3F7D3F7D3F7 for NDEF, and key B FFFFFFFFFFFF. If not, and without `ndef`,
  ///     it is as it leaves the factory, all keys FFFFFFFFFFFF.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classicMini(
    uid: [UInt8] = [0x3F, 0x7A, 0x90, 0xE6], ndef: [UInt8]? = nil, formatted: Bool = true
  ) throws -> VirtualTag {
    try classic(.mini, uid: uid, ndef: ndef, formatted: formatted)
  }

  private static func classic(
    _ product: MIFAREClassic.Product, uid: [UInt8], ndef: [UInt8]?, formatted: Bool
  ) throws -> VirtualTag {
    guard formatted || ndef != nil else { return VirtualTag(MIFAREClassic(product, uid: uid)) }
    return VirtualTag(try MIFAREClassic(product, uid: uid, ndef: ndef ?? []))
  }
}
