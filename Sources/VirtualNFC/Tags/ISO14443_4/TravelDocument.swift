import SeededRandom

/// The LDS1 application of an electronic passport before access control (ICAO Doc 9303, part 10).
///
/// Its files exist but are closed: selecting or reading one returns 6982. GET CHALLENGE, the first step
/// of Basic Access Control, is answered; no key opens the document.
struct TravelDocumentApplication: VirtualApplet {
  /// A0000002471001, Doc 9303-10, 4.3.
  let aid: [UInt8] = [0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01]
  /// The files of the application: EF.COM, EF.SOD, and data groups 1 (machine readable zone) and 2
  /// (face). The low five bits are the short file identifier.
  private static let files: [UInt16] = [0x011E, 0x011D, 0x0101, 0x0102]
  private static let challengeSize = 8

  private var generator: SplitMix64
  private var hasChallenge = false

  /// - Parameter seed: the seed of the challenges, which are the same in each run.
  init(seed: UInt64 = 0x9303) {
    generator = SplitMix64(seed: seed)
  }

  mutating func select() -> [UInt8] {
    hasChallenge = false
    return StatusWord.success.bytes
  }

  mutating func deselect() { hasChallenge = false }

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
    guard command.cla == 0 else { return StatusWord.classNotSupported.bytes }
    switch command.ins {
    case Instruction.select:
      // The only form that documents are required to support (Doc 9303-10, 3.6).
      guard command.p1 == Parameter.selectElementaryFile, command.p2 == Parameter.noAnswerData
      else {
        return StatusWord.incorrectParameters.bytes
      }
      guard command.data.count == 2 else { return StatusWord.lengthInconsistent.bytes }
      let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
      return
        (Self.files.contains(identifier)
        ? StatusWord.securityStatusNotSatisfied : .fileNotFound).bytes
    case Instruction.readBinary:
      guard command.p1 & Parameter.shortFileIdentifier != 0 else {
        return StatusWord.commandNotAllowed.bytes
      }
      let isThere = Self.files.contains {
        $0 & 0x1F == UInt16(command.p1 & Parameter.shortFileIdentifierMask)
      }
      return (isThere ? StatusWord.securityStatusNotSatisfied : .fileNotFound).bytes
    case Instruction.getChallenge:
      guard command.parameter == 0 else { return StatusWord.incorrectParameters.bytes }
      guard command.data.isEmpty, command.expectedLength == Self.challengeSize else {
        return StatusWord.wrongLength.bytes
      }
      hasChallenge = true
      return generator.bytes(Self.challengeSize) + StatusWord.success.bytes
    case Instruction.externalAuthenticate:
      guard hasChallenge else { return StatusWord.conditionsOfUseNotSatisfied.bytes }
      hasChallenge = false
      return StatusWord.authenticationFailed.bytes
    default:
      return StatusWord.instructionNotSupported.bytes
    }
  }
}

/// The master file of an electronic passport, with EF.CardAccess: ICAO Doc 9303, part 10, 3.11.3.
struct TravelDocumentMasterFile: VirtualApplet {
  let aid: [UInt8] = []
  /// The identifier of EF.CardAccess, 011C. Its short file identifier is 1C.
  private static let cardAccessIdentifier: UInt16 = 0x011C
  private var cardAccess: TransparentFile
  private var isSelected = false

  /// SecurityInfos with PACE by ECDH, generic mapping, AES-128 in CBC mode and CMAC, over the curve
  /// brainpoolP256r1: Doc 9303-11, 9.2.1, and its worked example in appendix G.1.
  ///
  /// A set of one sequence: OID 0.4.0.127.0.7.2.2.4.2.2, version 2, domain parameters 13.
  static let paceSecurityInfos: [UInt8] = [
    0x31, 0x14, 0x30, 0x12, 0x06, 0x0A, 0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04, 0x02, 0x02,
    0x02, 0x01, 0x02, 0x02, 0x01, 0x0D,
  ]

  /// - Parameter cardAccess: the content of EF.CardAccess.
  init(cardAccess: [UInt8] = Self.paceSecurityInfos) {
    self.cardAccess = TransparentFile(identifier: Self.cardAccessIdentifier, content: cardAccess)
  }

  var memory: [UInt8] {
    get { cardAccess.content }
    set {
      let part = newValue.prefix(cardAccess.content.count)
      cardAccess.content.replaceSubrange(0..<part.count, with: part)
    }
  }

  mutating func select() -> [UInt8] {
    isSelected = false
    return StatusWord.success.bytes
  }

  mutating func deselect() { isSelected = false }

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
    guard command.cla == 0 else { return StatusWord.classNotSupported.bytes }
    switch command.ins {
    case Instruction.select: return selectFile(command)
    case Instruction.readBinary: return readBinary(command)
    default: return StatusWord.instructionNotSupported.bytes
    }
  }

  private mutating func selectFile(_ command: CommandAPDU) -> [UInt8] {
    guard command.p1 == Parameter.selectElementaryFile, command.p2 == Parameter.noAnswerData
    else {
      return StatusWord.incorrectParameters.bytes
    }
    guard command.data.count == 2 else { return StatusWord.lengthInconsistent.bytes }
    let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
    guard identifier == cardAccess.identifier else { return StatusWord.fileNotFound.bytes }
    isSelected = true
    return StatusWord.success.bytes
  }

  /// Runs READ BINARY. With bit 8 of P1, its bits 5 to 1 are a short file identifier, P2 is the offset,
  /// and the command selects the file.
  private mutating func readBinary(_ command: CommandAPDU) -> [UInt8] {
    var offset = command.parameter
    if command.p1 & Parameter.shortFileIdentifier != 0 {
      guard command.p1 & 0x60 == 0 else { return StatusWord.incorrectParameters.bytes }
      guard UInt16(command.p1 & Parameter.shortFileIdentifierMask) == cardAccess.identifier & 0x1F
      else {
        return StatusWord.fileNotFound.bytes
      }
      isSelected = true
      offset = Int(command.p2)
    }
    guard isSelected else { return StatusWord.commandNotAllowed.bytes }
    guard command.data.isEmpty, command.expectedLength > 0 else {
      return StatusWord.wrongLength.bytes
    }
    switch cardAccess.read(offset: offset, count: command.expectedLength) {
    case .data(let data): return data + StatusWord.success.bytes
    case .short(let data):
      return data + (command.expectsMaximum ? StatusWord.success : .endOfFile).bytes
    case .refused(let status): return status.bytes
    }
  }
}

extension VirtualTag {
  /// Returns an electronic passport before access control, on type A as Core NFC's examples expect.
  ///
  /// - Parameter uid: real documents draw four random bytes that begin with 08 at each power-up; this UID
  ///   is fixed, so that a run can be repeated.
  public static func emrtd(
    uid: [UInt8] = [0x08, 0x5F, 0xC3, 0x1A], seed: UInt64 = 0x9303
  ) -> VirtualTag {
    VirtualTag(
      ISO7816Card(
        name: "emrtd", uid: uid, applets: [TravelDocumentApplication(seed: seed)],
        masterFile: TravelDocumentMasterFile()))
  }
}
