/// Identifies a type A tag from ATQA, SAK, ATS and, if they are not sufficient, one GetVersion.
///
/// Sources: NXP AN10833 (MIFARE type identification procedure), AN10834 for ISO/IEC 14443-4 cards.
enum TypeAIdentification {
  enum Kind: Hashable {
    case miFare(MiFareFamily)
    case iso7816
    case other
  }

  private static let ultralightSAK: UInt8 = 0x00
  private static let isoWrappedGetVersion: [UInt8] = [0x90, 0x60, 0x00, 0x00, 0x00]
  private static let additionalFrame: UInt16 = 0x91AF
  private static let operationOK: UInt16 = 0x9100
  private static let isoWrappedAdditionalFrame: [UInt8] = [0x90, 0xAF, 0x00, 0x00, 0x00]

  /// The first byte of historical bytes in the forms of ISO/IEC 7816-4, 8.1.1: a status at their end, or
  /// data objects.
  private static let statusCategory: UInt8 = 0x00
  private static let objectsCategory: UInt8 = 0x80

  /// Returns whether to send GetVersion. DESFire and the NTAG 4xx have the same activation data:
  /// SAK 20, and 80 as the only historical byte (MF3ICDx21_41_81 data sheet, 8.2; NTAG 424 DNA data
  /// sheet, 8.1). An issuer can give a DESFire any answer to select, so the command is left out
  /// only for cards with meaningful historical bytes according to ISO/IEC 7816-4, and for a Plus S.
  static func needsVersion(_ target: ISO14443ATarget) -> Bool {
    guard target.sak == ISO14443ATarget.sakISO14443Part4 else { return false }
    let historical = target.historicalBytes
    if let plus = MiFarePlus(historicalBytes: historical) { return plus.mayHaveVersion }
    let isStandard = [statusCategory, objectsCategory].contains(historical.first)
    return !isStandard || historical == [objectsCategory]
  }

  /// Returns whether to select the NDEF application first, and to send GetVersion only if there is none.
  ///
  /// A program with which a reader stands for a tag may send no historical bytes, and end at a command whose class is
  /// not 00 (libnfc's `nfc-emulate-forum-tag4`).
  static func mayBeEmulated(_ target: ISO14443ATarget) -> Bool { target.historicalBytes.isEmpty }

  static func kind(_ target: ISO14443ATarget, version: DESFireVersion?) -> Kind {
    if target.supportsISO14443Part4 {
      if let version {
        return version.isDESFire ? .miFare(.desfire) : version.isPlus ? .miFare(.plus) : .iso7816
      }
      return plus(target) == nil ? .iso7816 : .miFare(.plus)
    }
    // ATQA adds nothing: with several tags in the field, it is a mixture of theirs.
    if target.sak == ultralightSAK { return .miFare(.ultralight) }
    return MiFareClassicKind(sak: target.sak) == nil ? .other : .miFare(.classic)
  }

  /// Returns a MIFARE Classic, or a Plus in security level 1 or 2, which has a Classic's SAK; the
  /// historical bytes of a Plus do not indicate its size.
  static func classic(_ target: ISO14443ATarget) -> TagProduct? {
    plus(target) ?? MiFareClassicKind(sak: target.sak)?.product
  }

  /// Returns a Plus by its historical bytes.
  static func plus(_ target: ISO14443ATarget) -> TagProduct? {
    MiFarePlus(historicalBytes: target.historicalBytes)?.product
  }

  /// The answers of a DESFire to a command without a MAC, in a session that another program has
  /// left open: authentication error, command aborted, integrity error, length error. This ends the
  /// session.
  private static let sessionRefusals: Set<UInt16> = [0x91AE, 0x91CA, 0x911E, 0x917E]

  /// Returns the answer to GetVersion, wrapped according to ISO/IEC 7816-4; `nil` if the card does not
  /// support the command, does not answer, or if its answer makes no sense. All three frames are
  /// fetched, also so that the card is left idle.
  ///
  /// - Throws: `tagConnectionLost` if a silent card cannot be woken: it has left.
  static func desfireVersion(_ link: TagLink) throws -> DESFireVersion? {
    do {
      // Begun again after a lost frame: a card that was left between two frames refuses once, as in a session.
      return try FrameLoss.onLine.repeatingOnce { try version(link) }
    } catch let error as NFCError
      where [.tagResponseError, .tagConnectionLost].contains(error.code)
    {
      // A card without this command may answer in a way that a PC/SC reader treats as a broken
      // exchange. One that has really left cannot be selected again.
      try link.selectAgain()
      return nil
    }
  }

  private static func version(_ link: TagLink) throws -> DESFireVersion? {
    var answer = try ResponseAPDU(link.exchange(isoWrappedGetVersion, framing: .tagProtocol))
    // A card in a session that another program has left refuses once.
    if sessionRefusals.contains(answer.statusWord) {
      answer = try ResponseAPDU(link.exchange(isoWrappedGetVersion, framing: .tagProtocol))
    }
    let hardware = answer
    var bytes = answer.data
    var frames = 1
    while answer.statusWord == additionalFrame, frames < 3 {
      answer = try ResponseAPDU(link.exchange(isoWrappedAdditionalFrame, framing: .tagProtocol))
      bytes += answer.data
      frames += 1
    }
    guard hardware.statusWord == additionalFrame || hardware.statusWord == operationOK else {
      return nil
    }
    let isComplete = answer.statusWord == operationOK
    return DESFireVersion(hardware: hardware.data, bytes: isComplete ? bytes : nil)
  }
}

/// A MIFARE Plus by the historical bytes of its answer to select.
///
/// Sources: MF1PLUSx0y1 data sheet, 8.2; for the last three bytes Proxmark3 (`cmdhf14a.c`), the list of
/// contactless ATRs of pcsc-tools, and Flipper Zero's firmware, whose pull request 4049 has an EV1 with the
/// bytes of a Plus X.
private struct MiFarePlus {
  let product: TagProduct
  /// Whether it may be an EV1 or EV2, which only GetVersion shows. Other cards refuse the command and are not
  /// changed.
  let mayHaveVersion: Bool

  private static let plusSX: [UInt8] = [0xC1, 0x05, 0x2F, 0x2F]
  private static let plusSEOrEV: [UInt8] = [0xC1, 0x05, 0x21, 0x30]
  private static let otherPlusSE: [UInt8] = [0xC1, 0x05, 0x20, 0x30]
  /// "MFP_ENG".
  private static let engineeringSample: [UInt8] = [0x4D, 0x46, 0x50, 0x5F, 0x45, 0x4E, 0x47]
  private static let plusS: [UInt8] = [0x00, 0x35, 0xC7]
  private static let plusX: [UInt8] = [0x01, 0xBC, 0xD6]
  /// With 17 pF, with 70 pF, and others.
  private static let plusSE: Set<[UInt8]> = [
    [0x00, 0xF6, 0xD1], [0x10, 0xF6, 0xD1], [0x00, 0x77, 0xC1],
  ]

  init?(historicalBytes: [UInt8]) {
    let family = Array(historicalBytes.prefix(Self.plusSX.count))
    let rest = Array(historicalBytes.dropFirst(Self.plusSX.count).prefix(Self.plusS.count))
    let (id, name): (ChipID, String)
    switch (family, rest) {
    case (Self.plusSX, Self.plusS): (id, name) = (.plusS, "MIFARE Plus S")
    case (Self.plusSX, Self.plusX): (id, name) = (.plusX, "MIFARE Plus X")
    case (Self.plusSEOrEV, _) where Self.plusSE.contains(rest), (Self.otherPlusSE, _):
      (id, name) = (.plusSE, "MIFARE Plus SE")
    case (Self.plusSX, _), (Self.plusSEOrEV, _): (id, name) = (.plus, "MIFARE Plus")
    default:
      guard historicalBytes == Self.engineeringSample else { return nil }
      (id, name) = (.plus, "MIFARE Plus")
    }
    product = TagProduct(id, name: name, maker: "NXP")
    mayHaveVersion = id != .plusS
  }
}

/// The answer to GetVersion. Its hardware part names the chip: vendor, type, subtype, major and minor version,
/// storage size, protocol (MF3ICDx21_41_81 data sheet; NTAG 424 DNA data sheet, 10.5.2).
struct DESFireVersion: Hashable, Sendable {
  private let type: UInt8
  private let majorVersion: UInt8
  private let storageSize: UInt8
  /// The data of all frames; `nil` if the card has not returned all of them.
  let bytes: [UInt8]?

  init?(hardware: [UInt8], bytes: [UInt8]?) {
    guard hardware.count >= 7, hardware[0] == 0x04 else { return nil }
    self.bytes = bytes
    type = hardware[1]
    majorVersion = hardware[3]
    storageSize = hardware[5]
  }

  /// Bit 8 of the type: an implementation on a microcontroller.
  private static let microcontroller: UInt8 = 0x80
  private static let desfire: UInt8 = 0x01
  private static let plus: UInt8 = 0x02
  private static let ntag4xx: UInt8 = 0x04
  private static let desfireLight: UInt8 = 0x08
  /// DESFire on other hardware: a microcontroller, Apple Wallet, MIFARE 2GO.
  private static let desfireOnMicrocontroller: UInt8 = 0x83
  private static let appleWallet: UInt8 = 0x91
  private static let miFare2GO: UInt8 = 0xA1

  /// The type without the bit for a microcontroller.
  private var family: UInt8 { type & ~Self.microcontroller }

  var isDESFire: Bool {
    family & 0x0F == Self.desfire || family == Self.desfireLight
      || type == Self.desfireOnMicrocontroller
  }
  var isPlus: Bool { family == Self.plus }

  /// The product, from versions of real cards (Proxmark3, `cmdhfmfdes.c`); `nil` for an
  /// implementation without a known name.
  var product: TagProduct? {
    switch (type, majorVersion) {
    case (Self.desfireOnMicrocontroller, _): return nxp(.desfire, "MIFARE DESFire")
    case (Self.appleWallet, _):
      return nxp(.appleWalletDESFire, "Apple Wallet DESFire", maker: "Apple")
    case (Self.miFare2GO, _): return nxp(.miFare2GO, "MIFARE 2GO")
    default: break
    }
    switch (family, majorVersion) {
    case (Self.desfire, 0x00): return nxp(.desfire, "MIFARE DESFire")
    case (Self.desfire, 0x01): return nxp(.desfireEV1, "MIFARE DESFire EV1")
    case (Self.desfire, 0x12), (Self.desfire, 0x22), (Self.desfire, 0x42):
      return nxp(.desfireEV2, "MIFARE DESFire EV2")
    case (Self.desfire, 0x33), (Self.desfire, 0x43): return nxp(.desfireEV3, "MIFARE DESFire EV3")
    case (Self.desfire, 0xA0): return nxp(.duox, "MIFARE DUOX")
    case (Self.desfireLight, 0x30), (Self.desfireLight, 0x10):
      return nxp(.desfireLight, "MIFARE DESFire Light")
    case (Self.ntag4xx, 0x10): return nxp(.ntag413DNA, "NTAG 413 DNA")
    case (Self.ntag4xx, 0x30): return nxp(.ntag424DNA, "NTAG 424 DNA")
    case (Self.plus, 0x11): return nxp(.plusEV1, "MIFARE Plus EV1")
    case (Self.plus, 0x22): return nxp(.plusEV2, "MIFARE Plus EV2")
    case (Self.plus, _): return nxp(.plus, "MIFARE Plus")
    default: return nil
    }
  }

  /// The user memory of chips whose files are fixed, in bytes (NT4H1321 data sheet, 1.1; NT4H2421Gx data sheet, 1.1;
  /// MF2DL(H)x0 data sheet, 1.1).
  private static let fixedSizes: [ChipID: Int] = [
    .ntag413DNA: 160, .ntag424DNA: 416, .desfireLight: 640,
  ]

  private func nxp(_ id: ChipID, _ name: String, maker: String = "NXP") -> TagProduct {
    // The exponent of two; an odd value is between two of them (same source).
    let exponent = Int(storageSize >> 1)
    let exact = storageSize & 1 == 0 && exponent < 24 ? 1 << exponent : nil
    let memorySize = Self.fixedSizes[id] ?? exact
    return TagProduct(id, name: name, maker: maker, memorySize: memorySize)
  }
}
