extension VirtualTag {
  /// Returns an NTAG210, 48 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory formatted.
  public static func ntag210(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAG21x(.ntag210, uid: uid, formatted: formatted))
  }

  /// Returns an NTAG210 with an NDEF message of up to 46 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntag210(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAG21x(.ntag210, uid: uid, ndef: ndef))
  }

  /// Returns an NTAG212, 128 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory formatted.
  public static func ntag212(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAG21x(.ntag212, uid: uid, formatted: formatted))
  }

  /// Returns an NTAG212 with an NDEF message of up to 121 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntag212(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAG21x(.ntag212, uid: uid, ndef: ndef))
  }

  /// Returns an NTAG213, 144 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory formatted.
  public static func ntag213(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAG21x(.ntag213, uid: uid, formatted: formatted))
  }

  /// Returns an NTAG213 with an NDEF message of up to 137 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntag213(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAG21x(.ntag213, uid: uid, ndef: ndef))
  }

  /// Returns an NTAG215, 504 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory formatted.
  public static func ntag215(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAG21x(.ntag215, uid: uid, formatted: formatted))
  }

  /// Returns an NTAG215 with an NDEF message of up to 492 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntag215(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAG21x(.ntag215, uid: uid, ndef: ndef))
  }

  /// Returns an NTAG216, 888 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory formatted.
  public static func ntag216(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAG21x(.ntag216, uid: uid, formatted: formatted))
  }

  /// Returns an NTAG216 with an NDEF message of up to 868 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntag216(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAG21x(.ntag216, uid: uid, ndef: ndef))
  }
}
