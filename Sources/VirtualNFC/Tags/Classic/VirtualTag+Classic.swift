// An NFC tag here has key A A0A1A2A3A4A5 for the application directory and D3F7D3F7D3F7 for NDEF, and key B
// FFFFFFFFFFFF; a card as it leaves the factory has FFFFFFFFFFFF everywhere.
extension VirtualTag {
  /// A MIFARE Classic 1K (MF1S50).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; the default one differs from those of the others.
  ///   - formatted: Whether it is an NFC tag with an empty message; if not, it is as it leaves the
  ///     factory.
  public static func classic1K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    classic(.oneK, uid, formatted: formatted)
  }

  /// A MIFARE Classic 1K (MF1S50) with an encoded NDEF message of up to 716 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classic1K(
    uid: [UInt8]? = nil, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    try classic(.oneK, uid, ndef: ndef)
  }

  /// A MIFARE Classic 4K (MF1S70).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; the default one differs from those of the others.
  ///   - formatted: Whether it is an NFC tag with an empty message; if not, it is as it leaves the
  ///     factory.
  public static func classic4K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    classic(.fourK, uid, formatted: formatted)
  }

  /// A MIFARE Classic 4K (MF1S70) with an encoded NDEF message of up to 3356 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classic4K(
    uid: [UInt8]? = nil, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    try classic(.fourK, uid, ndef: ndef)
  }

  /// A MIFARE Classic Mini (MF1S20).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; the default one differs from those of the others.
  ///   - formatted: Whether it is an NFC tag with an empty message; if not, it is as it leaves the
  ///     factory.
  public static func classicMini(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    classic(.mini, uid, formatted: formatted)
  }

  /// A MIFARE Classic Mini (MF1S20) with an encoded NDEF message of up to 190 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classicMini(
    uid: [UInt8]? = nil, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    try classic(.mini, uid, ndef: ndef)
  }

  private static func classic(
    _ product: MIFAREClassic.Product, _ uid: [UInt8]?, formatted: Bool
  ) -> VirtualTag {
    VirtualTag(MIFAREClassic(product, uid: uid ?? product.defaultUID, formatted: formatted))
  }

  private static func classic(
    _ product: MIFAREClassic.Product, _ uid: [UInt8]?, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREClassic(product, uid: uid ?? product.defaultUID, ndef: ndef))
  }
}

extension MIFAREClassic {
  /// - Parameters:
  ///   - uid: 4 or 7 bytes.
  ///   - formatted: Whether it is an NFC tag without a message; if not, it is as it leaves the factory.
  public init(_ product: Product, uid: [UInt8], formatted: Bool) {
    self.init(
      product, uid: uid,
      image: formatted ? product.emptyImage(uid: uid) : product.factoryImage(uid: uid))
  }
}

extension MIFAREClassic.Product {
  /// The UID unless another is asked for.
  fileprivate var defaultUID: [UInt8] {
    switch self {
    case .mini: [0x3F, 0x7A, 0x90, 0xE6]
    case .oneK: [0x6F, 0x21, 0xD4, 0x0A]
    case .fourK: [0x9F, 0x38, 0xB2, 0x5C]
    }
  }
}
