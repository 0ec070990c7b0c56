// An NFC tag here has key A A0A1A2A3A4A5 for the application directory and D3F7D3F7D3F7 for NDEF, and key B
// FFFFFFFFFFFF; a card as it leaves the factory has FFFFFFFFFFFF everywhere.
extension VirtualTag {
  /// A MIFARE Classic 1K (MF1S50).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; `nil` for the chip's own.
  ///   - formatted: Whether it is an NFC tag with an empty message; if not, it is as it leaves the
  ///     factory.
  public static func classic1K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(MIFAREClassic(.oneK, uid: uid, formatted: formatted))
  }

  /// A MIFARE Classic 1K (MF1S50) with an NDEF message of up to 716 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classic1K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREClassic(.oneK, uid: uid, ndef: ndef))
  }

  /// A MIFARE Classic 4K (MF1S70).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; `nil` for the chip's own.
  ///   - formatted: Whether it is an NFC tag with an empty message; if not, it is as it leaves the
  ///     factory.
  public static func classic4K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(MIFAREClassic(.fourK, uid: uid, formatted: formatted))
  }

  /// A MIFARE Classic 4K (MF1S70) with an NDEF message of up to 3356 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classic4K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREClassic(.fourK, uid: uid, ndef: ndef))
  }

  /// A MIFARE Classic Mini (MF1S20).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; `nil` for the chip's own.
  ///   - formatted: Whether it is an NFC tag with an empty message; if not, it is as it leaves the
  ///     factory.
  public static func classicMini(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(MIFAREClassic(.mini, uid: uid, formatted: formatted))
  }

  /// A MIFARE Classic Mini (MF1S20) with an NDEF message of up to 190 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classicMini(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREClassic(.mini, uid: uid, ndef: ndef))
  }
}

extension MIFAREClassic.Product {
  /// The UID unless another is asked for.
  var defaultUID: [UInt8] {
    switch self {
    case .mini: [0x3F, 0x7A, 0x90, 0xE6]
    case .oneK: [0x6F, 0x21, 0xD4, 0x0A]
    case .fourK: [0x9F, 0x38, 0xB2, 0x5C]
    }
  }
}
