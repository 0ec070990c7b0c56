/// Native commands of MIFARE DESFire in APDUs: MF3ICDx21_41_81 data sheet, 8.3.
///
/// After its activation, a card keeps to the form of the first command that it receives (ACS, ACR1281U
/// reference manual, "How to access DESFIRE Tags"; the same in those of ACR1222L and AET62). The first
/// one is the wrapped GetVersion that recognizes it, so everything after it is wrapped.
package enum DESFireWrapping {
  /// The answer to a command: its status, and its data.
  package typealias Answer = (status: DESFireStatus, data: [UInt8])

  /// The class of a wrapped command.
  private static let wrappedClass: UInt8 = 0x90
  /// The first byte of a status word that contains a native status.
  private static let wrappedStatus: UInt8 = 0x91
  private static let interindustryClass: UInt8 = 0x00

  /// Sends a command in an APDU: one exchange.
  ///
  /// - Throws: `tagRefused` for an answer that does not belong to a wrapped command.
  package static func send(
    _ code: UInt8, _ parameters: [UInt8], _ link: TagLink
  ) throws -> Answer {
    try answer(link.send(apdu(code, parameters)))
  }

  /// Sends a native command in an APDU, and returns the native answer, status first. Bytes that are an
  /// APDU already are sent unchanged: no native command begins with the class of one.
  ///
  /// - Throws: `commandTooLong`; `tagRefused` for an answer that does not belong to a wrapped
  ///   command.
  static func send(native command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard let code = command.first else {
      throw NFCError(.invalidParameter, "a command has at least one byte")
    }
    guard code != wrappedClass, code != interindustryClass else {
      return try link.exchange(command, framing: .tagProtocol)
    }
    let wrapped = apdu(code, Array(command.dropFirst()))
    try wrapped.validate()
    let (status, data) = try answer(
      ResponseAPDU(link.exchange(wrapped.encoded, framing: .tagProtocol)))
    return [status.code] + data
  }

  private static func apdu(_ code: UInt8, _ parameters: [UInt8]) -> APDU {
    APDU(
      instructionClass: wrappedClass, instructionCode: code, p1: 0, p2: 0, data: parameters,
      expectedLength: Type4Command.maximumExpectedLength)
  }

  private static func answer(_ answer: ResponseAPDU) throws -> Answer {
    guard answer.sw1 == wrappedStatus else {
      throw NFCError(
        .tagRefused, "the card did not accept a wrapped command",
        cause: .statusWord(answer.statusWord))
    }
    return (DESFireStatus(code: answer.sw2), answer.data)
  }
}
