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
    if let plus = CardChip(historicalBytes: historical) {
      return plus.features.contains(.mayHaveVersion)
    }
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
    CardChip(historicalBytes: target.historicalBytes)?.product
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
  private static let lightDESFire: UInt8 = 0x08
  private static let desfireOnMicrocontroller: UInt8 = 0x83

  /// The type without the bit for a microcontroller.
  private var family: UInt8 { type & ~Self.microcontroller }

  var isDESFire: Bool {
    family & 0x0F == Self.desfire || family == Self.lightDESFire
      || type == Self.desfireOnMicrocontroller
  }
  var isPlus: Bool { family == Self.plus }

  /// The product; `nil` for an implementation without a known name.
  var product: TagProduct? {
    CardChip(type: type, majorVersion: majorVersion)?.product(storageSize: storageSize)
  }
}
