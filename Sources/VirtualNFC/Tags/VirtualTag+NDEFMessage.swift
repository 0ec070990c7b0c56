import NDEF

// The same tags by a message instead of its bytes: `field.place(try .ntag215(ndef: message))`. All throw
// `VirtualTagError.messageTooLarge`.
extension VirtualTag {
  /// An NTAG210 that holds a message.
  public static func ntag210(ndef message: NDEFMessage) throws -> VirtualTag {
    try ntag210(ndef: message.encoded())
  }

  /// An NTAG212 that holds a message.
  public static func ntag212(ndef message: NDEFMessage) throws -> VirtualTag {
    try ntag212(ndef: message.encoded())
  }

  /// An NTAG213 that holds a message.
  public static func ntag213(ndef message: NDEFMessage) throws -> VirtualTag {
    try ntag213(ndef: message.encoded())
  }

  /// An NTAG215 that holds a message.
  public static func ntag215(ndef message: NDEFMessage) throws -> VirtualTag {
    try ntag215(ndef: message.encoded())
  }

  /// An NTAG216 that holds a message.
  public static func ntag216(ndef message: NDEFMessage) throws -> VirtualTag {
    try ntag216(ndef: message.encoded())
  }

  /// A MIFARE Ultralight that holds a message.
  public static func ultralight(ndef message: NDEFMessage) throws -> VirtualTag {
    try ultralight(ndef: message.encoded())
  }

  /// A MIFARE Ultralight C that holds a message.
  public static func ultralightC(ndef message: NDEFMessage) throws -> VirtualTag {
    try ultralightC(ndef: message.encoded())
  }

  /// A MIFARE Ultralight EV1 that holds a message.
  public static func ultralightEV1(ndef message: NDEFMessage) throws -> VirtualTag {
    try ultralightEV1(ndef: message.encoded())
  }

  /// A MIFARE Classic 1K that holds a message.
  public static func classic1K(ndef message: NDEFMessage) throws -> VirtualTag {
    try classic1K(ndef: message.encoded())
  }

  /// A MIFARE Classic 4K that holds a message.
  public static func classic4K(ndef message: NDEFMessage) throws -> VirtualTag {
    try classic4K(ndef: message.encoded())
  }

  /// A Topaz 96 that holds a message.
  public static func topaz96(ndef message: NDEFMessage) throws -> VirtualTag {
    try topaz96(ndef: message.encoded())
  }

  /// A Topaz 512 that holds a message.
  public static func topaz512(ndef message: NDEFMessage) throws -> VirtualTag {
    try topaz512(ndef: message.encoded())
  }

  /// A type A card with the NFC Forum application that holds a message.
  public static func type4(ndef message: NDEFMessage) throws -> VirtualTag {
    try type4(ndef: message.encoded())
  }

  /// A type B card with the NFC Forum application that holds a message.
  public static func type4B(ndef message: NDEFMessage) throws -> VirtualTag {
    try type4B(ndef: message.encoded())
  }

  /// A MIFARE DESFire EV1 that holds a message.
  public static func desfire(ndef message: NDEFMessage) throws -> VirtualTag {
    try desfire(ndef: message.encoded())
  }

  /// An ICODE SLIX that holds a message.
  public static func icodeSLIX(ndef message: NDEFMessage) throws -> VirtualTag {
    try icodeSLIX(ndef: message.encoded())
  }

  /// An ICODE SLIX2 that holds a message.
  public static func icodeSLIX2(ndef message: NDEFMessage) throws -> VirtualTag {
    try icodeSLIX2(ndef: message.encoded())
  }

  /// An ST25DV64K that holds a message.
  public static func st25dv(ndef message: NDEFMessage) throws -> VirtualTag {
    VirtualTag(try ST25DV(.st25dv64K, ndef: message.encoded()))
  }

  /// An NTAG203 that holds a message.
  public static func ntag203(ndef message: NDEFMessage) throws -> VirtualTag {
    try ntag203(ndef: message.encoded())
  }

  /// A MIFARE Ultralight EV1 of 128 bytes that holds a message.
  public static func ultralightEV1With128Bytes(ndef message: NDEFMessage) throws -> VirtualTag {
    try ultralightEV1With128Bytes(ndef: message.encoded())
  }

  /// An NTAG I²C 1K that holds a message.
  public static func ntagI2C1K(ndef message: NDEFMessage) throws -> VirtualTag {
    try ntagI2C1K(ndef: message.encoded())
  }

  /// An NTAG I²C 2K that holds a message.
  public static func ntagI2C2K(ndef message: NDEFMessage) throws -> VirtualTag {
    try ntagI2C2K(ndef: message.encoded())
  }

  /// A MIFARE Classic Mini that holds a message.
  public static func classicMini(ndef message: NDEFMessage) throws -> VirtualTag {
    try classicMini(ndef: message.encoded())
  }

  /// A FeliCa Lite that holds a message.
  public static func feliCaLite(ndef message: NDEFMessage) throws -> VirtualTag {
    try feliCaLite(ndef: message.encoded())
  }

  /// A FeliCa Lite-S that holds a message.
  public static func feliCaLiteS(ndef message: NDEFMessage) throws -> VirtualTag {
    try feliCaLiteS(ndef: message.encoded())
  }

  /// A plain type 3 tag that holds a message.
  public static func type3(ndef message: NDEFMessage) throws -> VirtualTag {
    try type3(ndef: message.encoded())
  }
}
