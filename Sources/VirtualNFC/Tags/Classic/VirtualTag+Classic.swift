// In these factories, an NFC tag has key A A0A1A2A3A4A5 for the application directory, key A D3F7D3F7D3F7
// for NDEF, and key B FFFFFFFFFFFF. A card as on delivery has FFFFFFFFFFFF everywhere.
extension VirtualTag {
  /// Returns a MIFARE Classic 1K (MF1S50).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC tag with an empty message; if not, it is as on delivery.
  public static func classic1K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(MIFAREClassic(.oneK, uid: uid, formatted: formatted))
  }

  /// Returns a MIFARE Classic 1K (MF1S50) with an NDEF message of up to 716 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classic1K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREClassic(.oneK, uid: uid, ndef: ndef))
  }

  /// Returns a MIFARE Classic 4K (MF1S70).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC tag with an empty message; if not, it is as on delivery.
  public static func classic4K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(MIFAREClassic(.fourK, uid: uid, formatted: formatted))
  }

  /// Returns a MIFARE Classic 4K (MF1S70) with an NDEF message of up to 3356 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classic4K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREClassic(.fourK, uid: uid, ndef: ndef))
  }

  /// Returns a MIFARE Classic Mini (MF1S20).
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC tag with an empty message; if not, it is as on delivery.
  public static func classicMini(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(MIFAREClassic(.mini, uid: uid, formatted: formatted))
  }

  /// Returns a MIFARE Classic Mini (MF1S20) with an NDEF message of up to 190 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func classicMini(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREClassic(.mini, uid: uid, ndef: ndef))
  }
}

extension MIFAREClassic {
  /// Creates a card as on delivery, all keys FFFFFFFFFFFF, transport access conditions, no data; or an
  /// NFC tag without a message.
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; `nil` for the product's own.
  ///   - formatted: whether it is an NFC tag: application directory, NDEF, key A A0A1A2A3A4A5 for the
  ///     directory and D3F7D3F7D3F7 for NDEF, key B FFFFFFFFFFFF everywhere.
  public init(_ product: Product, uid: [UInt8]? = nil, formatted: Bool = true) {
    let uid = uid ?? product.defaultUID
    self.init(
      product, uid: uid,
      image: formatted ? product.emptyImage(uid: uid) : product.factoryImage(uid: uid))
  }

  /// Creates an NFC tag with a message.
  ///
  /// - Parameters:
  ///   - uid: 4 or 7 bytes; `nil` for the product's own.
  ///   - ndef: the message, or its bytes; an empty one leaves the tag empty.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(
    _ product: Product, uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) {
    let uid = uid ?? product.defaultUID
    self.init(
      product, uid: uid,
      image: try product.formattedImage(uid: uid, message: ndef.encodedMessage))
  }

  /// Creates a card from a dump. The size determines the product, the first block the UID.
  ///
  /// `nil` if no card has this number of bytes. The UID has four bytes if the fifth is their check byte
  /// and the following bytes do not look like those of a seven-byte UID.
  public init?(dump: [UInt8]) {
    guard
      let product = Product.allCases.first(where: {
        $0.blockCount * Product.blockSize == dump.count
      })
    else { return nil }
    // One of 256 seven-byte UIDs looks as if it had a check byte; the ATQA after it decides.
    let isSevenBytes =
      dump.prefix(5).reduce(0, ^) != 0
      || (dump[0] == Self.manufacturer && Array(dump[8..<10]) == product.atqa(uidCount: 7))
    self.init(product, uid: Array(dump.prefix(isSevenBytes ? 7 : 4)), image: dump)
  }

  /// The manufacturer code of NXP, the first byte of a seven-byte UID (ISO/IEC 7816-6).
  private static let manufacturer: UInt8 = 0x04
}

extension MIFAREClassic.Product {
  /// The default UID.
  var defaultUID: [UInt8] {
    switch self {
    case .mini: [0x3F, 0x7A, 0x90, 0xE6]
    case .oneK: [0x6F, 0x21, 0xD4, 0x0A]
    case .fourK: [0x9F, 0x38, 0xB2, 0x5C]
    }
  }
}
