/// The commands after which a tag may hold something until it starts again: an authentication, a password that was
/// proven, or another sector than the first one.
///
/// It is recognized here, because programs send such commands themselves, too. A command that only looks like one has
/// no other effect than that its tag starts again when a PC/SC reader is released.
enum HeldState {
  // VERIFY, MUTUAL and EXTERNAL AUTHENTICATE, GENERAL AUTHENTICATE (ISO/IEC 7816-4, 11.6).
  private static let proofs: Set<UInt8> = [0x20, 0x21, 0x82, 0x86, 0x87]
  /// The class of commands of MIFARE DESFire in APDUs (MF3ICDx21_41_81 data sheet, 8.3).
  private static let wrappedClass: UInt8 = 0x90
  // Authentications of MIFARE DESFire (``DESFireCommandCode``) and MIFARE Plus (AN10922; NXP's reader library,
  // `phalMfp`): wrapped, or as the first byte.
  private static let nativeProofs: Set<UInt8> = [0x0A, 0x1A, 0xAA, 0x71, 0x77, 0x70, 0x76]
  // AUTHENTICATE of Ultralight C and AES, PWD_AUTH, SECTOR_SELECT (MF0ICU2, NTAG21x and NT3H2111 data sheets), and the
  // authentications of MIFARE Plus in security level 1.
  private static let typeA: Set<UInt8> = [0x1A, 0x1B, 0xC2, 0x70, 0x76]
  // AUTHENTICATE (ISO/IEC 15693-3:2019), and SET PASSWORD of ICODE and PRESENT PASSWORD of ST25 (SL2S2602 data sheet,
  // 9.5.3.2; ST25DVxxK data sheet, 7.6.9). They follow the request flags.
  private static let vicinity: Set<UInt8> = [0x35, 0xB3]
  // Authentication1 with DES and AES (FeliCa Card User's Manual, 4.1). They follow the length.
  private static let feliCa: Set<UInt8> = [0x10, 0x40]

  static func mayFollow(_ command: [UInt8], _ framing: Framing, to target: Target) -> Bool {
    guard let first = command.first else { return false }
    let second = command.dropFirst().first
    switch target {
    case .iso14443a(let card) where !card.supportsISO14443Part4:
      return framing != .tagProtocol && typeA.contains(first)
    case .iso14443a, .iso14443b:
      guard framing == .tagProtocol else { return false }
      if first == wrappedClass { return second.map(nativeProofs.contains) ?? false }
      return nativeProofs.contains(first) || second.map(proofs.contains) ?? false
    case .iso15693: return second.map(vicinity.contains) ?? false
    case .feliCa: return second.map(feliCa.contains) ?? false
    case .jewel, .barcode, .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .iClass: return false
    }
  }
}
