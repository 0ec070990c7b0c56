import SwiftNFCCore

/// How a chip was opened.
public enum DocumentAccess: Hashable, Sendable {
  /// Password Authenticated Connection Establishment.
  case pace(PACEInfo, password: AccessPassword.Kind)
  /// Basic Access Control, with the machine readable zone.
  case basic
  /// The chip asks for nothing.
  case open
}

extension DocumentAccess: CustomStringConvertible {
  public var description: String {
    switch self {
    case .pace(let info, let password):
      "\(info) with the \(password == .cardAccessNumber ? "CAN" : "zone")"
    case .basic: "BAC"
    case .open: "none"
    }
  }
}

/// Commands of access, and their errors.
enum AccessCommand {
  static let getChallenge: UInt8 = 0x84
  static let externalAuthenticate: UInt8 = 0x82
  static let manageSecurityEnvironment: UInt8 = 0x22
  static let generalAuthenticate: UInt8 = 0x86
  /// Bit 5 of the class byte: more of the protocol follows.
  static let chaining: UInt8 = 0x10
  /// The template of dynamic authentication data.
  static let dynamicData: UInt32 = 0x7C

  static func wrongPassword(_ kind: AccessPassword.Kind, _ word: UInt16) -> NFCError {
    NFCError(
      .authenticationFailed,
      kind == .cardAccessNumber
        ? "the card access number does not match the document"
        : "the machine readable zone does not match the document",
      cause: .statusWord(word))
  }

  /// Returns GENERAL AUTHENTICATE with an object in the template.
  static func generalAuthenticate(_ data: [UInt8], isLast: Bool) -> APDU {
    let whole = DER.object(dynamicData, data)
    // Longer than a short command: Doc 9303-11, 9.3.1.2 allows extended lengths here in any case.
    return APDU(
      instructionClass: isLast ? 0 : chaining, instructionCode: generalAuthenticate, p1: 0, p2: 0,
      data: whole, expectedLength: whole.count > 255 ? 65_536 : 256)
  }

  /// Returns the objects in the template of an answer.
  static func objects(_ answer: [UInt8]) throws -> [UInt32: [UInt8]] {
    guard let template = try? BERObject(answer), template.tag == dynamicData,
      let objects = try? template.children()
    else { throw NFCError(.malformedContent, "the document's answer to PACE is malformed") }
    return Dictionary(objects.map { ($0.tag, $0.bytes) }) { first, _ in first }
  }
}
