import SwiftNFCCore

extension VirtualTag {
  /// Returns a type A card with the NFC Forum's Type 4 application.
  ///
  /// - Parameters:
  ///   - uid: 4, 7 or 10 bytes; `nil` for the card's own.
  ///   - formatted: `false` for a card without the application.
  public static func type4(
    uid: [UInt8]? = nil, formatted: Bool = true,
    configuration: Type4Application.Configuration = .init(), quirks: ISO7816Card.Quirks = []
  ) -> VirtualTag {
    type4(
      uid, formatted ? [Type4Application(configuration: configuration)] : [], quirks)
  }

  /// Returns a type A card with the NFC Forum's Type 4 application and an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func type4(
    uid: [UInt8]? = nil, ndef: some TagMessage,
    configuration: Type4Application.Configuration = .init(), quirks: ISO7816Card.Quirks = []
  ) throws(VirtualTagError) -> VirtualTag {
    type4(uid, [try Type4Application(configuration: configuration, ndef: ndef)], quirks)
  }

  private static func type4(
    _ uid: [UInt8]?, _ applications: [Type4Application], _ quirks: ISO7816Card.Quirks
  ) -> VirtualTag {
    VirtualTag(
      ISO7816Card(
        name: "type4", uid: uid ?? TypeACoding.defaultUID, applets: applications, quirks: quirks))
  }

  /// Returns a type B card with the NFC Forum's Type 4 application.
  ///
  /// - Parameters:
  ///   - pupi: 4 bytes; `nil` for the card's own.
  ///   - formatted: `false` for a card without the application.
  public static func type4B(
    pupi: [UInt8]? = nil, formatted: Bool = true,
    configuration: Type4Application.Configuration = .init(), quirks: ISO7816Card.Quirks = []
  ) -> VirtualTag {
    type4B(pupi, Type4Application(configuration: configuration), formatted: formatted, quirks)
  }

  /// Returns a type B card with the NFC Forum's Type 4 application and an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func type4B(
    pupi: [UInt8]? = nil, ndef: some TagMessage,
    configuration: Type4Application.Configuration = .init(), quirks: ISO7816Card.Quirks = []
  ) throws(VirtualTagError) -> VirtualTag {
    type4B(
      pupi, try Type4Application(configuration: configuration, ndef: ndef), formatted: true,
      quirks)
  }

  private static func type4B(
    _ pupi: [UInt8]?, _ application: Type4Application, formatted: Bool,
    _ quirks: ISO7816Card.Quirks
  ) -> VirtualTag {
    let interface = ProximityInterface(
      typeB: pupi ?? TypeBCoding.defaultPUPI,
      applicationData: TypeBCoding.applicationData(aid: application.aid),
      protocolInfo: TypeBCoding.protocolInfo)
    return VirtualTag(
      ISO7816Card(
        name: "type4b", interface: interface, applets: formatted ? [application] : [],
        quirks: quirks))
  }
}

/// The activation data of the type A cards here.
enum TypeACoding {
  /// The default UID.
  static let defaultUID: [UInt8] = [0x04, 0x5E, 0x21, 0x72, 0x9C, 0x64, 0x80]

  /// Returns the ATQA (ISO/IEC 14443-3, 6.5.2): the size of the UID in bits 8 and 7 of the first byte,
  /// and bit 3 for bit frame anticollision.
  static func atqa(uid: [UInt8]) -> [UInt8] {
    switch uid.count {
    case 4: [0x04, 0x00]
    case 7: [0x44, 0x00]
    default: [0x84, 0x00]
    }
  }

  /// The ATS: frames up to 256 bytes; 106 kbit/s in both directions, and the same higher rates in both
  /// directions; FWI 7 (38.7 ms); a CID is supported, a NAD is not.
  static let ats: [UInt8] = [0x05, 0x78, 0x80, 0x70, 0x02]
}

/// The activation data of the type B cards here.
enum TypeBCoding {
  /// The default PUPI.
  static let defaultPUPI: [UInt8] = [0x50, 0x3C, 0x9A, 0x17]

  /// Returns the application data (ISO/IEC 14443-3, 7.9.3): AFI 00 (no family), CRC_B of the AID, one
  /// application in total.
  static func applicationData(aid: [UInt8]) -> [UInt8] {
    [0x00] + CyclicRedundancyCheck.b(aid) + [0x11]
  }

  /// The protocol info (ISO/IEC 14443-3, 7.9.4): 106 kbit/s in both directions; frames up to 256 bytes
  /// and ISO/IEC 14443-4; FWI 7 (38.7 ms); standard coding of the application field; CID but no NAD.
  static let protocolInfo: [UInt8] = [0x80, 0x81, 0x75]
}
