import SwiftNFCCore

/// Frames of type A in APDUs of the reader's maker, for tags without ISO/IEC 14443-4.
///
/// | Readers | APDU | Answer |
/// |---|---|---|
/// | Identiv, and SCM before it | `FF EF 00 00` | the tag's with its check, nothing if it is silent; no status word |
/// | ACS, without a PN532 | `FF 00 00 00`, as for FeliCa | the tag's without its check, then a status word |
///
/// Identiv: SCL010/01X, reference manual 1.6, 6.4.2; CLOUD 45x0 F, reference manual 1.0,
/// `PAPDU_ISO14443_PART3_PASS_THRU`. The answers are those that programs for a CLOUD 47x0 F expect: NXP's
/// demonstration of NTAG I2C (`NTAG_I2C_RF.cpp`), and, with P1 01 for answers without a check, another one. ACS:
/// liblogicalaccess 3.5 (`MifareUltralightCACSACRCommands`, for every "ACS ACR"). No manual shows an answer, so
/// either form is accepted from either maker.
struct TypeAPassThrough: Hashable {
  private let header: [UInt8]
  /// Whether the reader searches for the tag between commands, as only disabling its search prevents (CLOUD 47x0 F,
  /// reference manual 1.0, 6.3.4.8). A selected sector is lost by that without notice.
  private let losesSector: Bool
  /// Whether it is not known how an acknowledge arrives, so that WRITE is better left to the reader.
  private let losesAcknowledge: Bool

  static let identiv = TypeAPassThrough(
    header: [0xFF, 0xEF, 0x00, 0x00], losesSector: true, losesAcknowledge: false)
  static let acs = TypeAPassThrough(
    header: [0xFF, 0x00, 0x00, 0x00], losesSector: false, losesAcknowledge: true)

  // NTAG21x data sheet, 10.4; NTAG I2C data sheet (NT3H1101/NT3H1201), 10.
  private static let writePage: UInt8 = 0xA2
  private static let selectSector: [UInt8] = [0xC2, 0xFF]

  /// Lc is one byte; 256 bytes less a check or a status word.
  static let maximumCommandLength = 255
  static let maximumResponseLength = 254

  /// Whether the reader's own command is the better one.
  func leavesToReader(_ command: [UInt8]) -> Bool {
    losesAcknowledge && command.first == Self.writePage
  }

  /// Returns the APDU for a frame without check; `nil` for a frame that is too long or must not be sent.
  func command(for frame: [UInt8]) -> [UInt8]? {
    guard !losesSector || frame != Self.selectSector, let count = UInt8(exactly: frame.count) else {
      return nil
    }
    return header + [count] + frame
  }

  private static let checkLength = 2
  private static let done: [UInt8] = [0x90, 0x00]
  /// The operation has failed: a tag that is silent, or whose answer was broken.
  private static let meanings: ExchangeOutcome.Meanings = [0x6300: .noAnswer, 0x6F00: .noAnswer]

  /// Returns the outcome of a frame, without check.
  ///
  /// A tag's answer of one byte is the four bits of an acknowledge; a longer one has at least three bytes. Two bytes
  /// are therefore a status word, and if it reports no failure, it is not known what the tag has answered.
  static func outcome(_ answer: [UInt8]) -> ExchangeOutcome {
    switch answer.count {
    case 0: return .noAnswer
    case 1: return .answer(answer)
    case checkLength:
      let outcome = ExchangeOutcome(answer, meanings: meanings)
      return outcome == .answer([]) ? .noAnswer : outcome
    default:
      if let body = withoutCheck(answer) { return .answer(body) }
      guard answer.suffix(checkLength).elementsEqual(done) else { return .broken }
      let body = Array(answer.dropLast(checkLength))
      return .answer(withoutCheck(body) ?? body)
    }
  }

  /// Returns an answer without its check; `nil` if it does not end with the right one.
  private static func withoutCheck(_ answer: [UInt8]) -> [UInt8]? {
    let body = Array(answer.dropLast(checkLength))
    guard !body.isEmpty, answer.suffix(checkLength).elementsEqual(CyclicRedundancyCheck.a(body))
    else { return nil }
    return body
  }
}
