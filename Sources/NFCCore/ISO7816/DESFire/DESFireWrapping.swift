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

  /// The maximum number of parameter bytes in one frame. EV1 accepts blocks of 64 bytes; this is what remains after the
  /// block's own bytes and those of an APDU, as in libfreefare. Every generation continues a longer command in frames of
  /// AF (MF3ICDx21_41_81 data sheet, 8.3; NXP AN11004; libfreefare, Proxmark3).
  package static let longestFrame = 54
  /// Commands whose chaining is left to ISO/IEC 14443-4. NXP's reader library does that for ChangeFileSettings, too,
  /// which needs it only with additional rights and Secure Dynamic Messaging.
  package static let wholeCommands: Set<DESFireCommandCode> = [
    .readDataChained, .writeDataChained, .readRecordsChained, .writeRecordChained,
    .updateRecordChained, .changeFileSettings,
  ]

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
  /// A command that does not fit into one frame is continued with AF, one exchange for each frame, and the answer is
  /// that to the last frame. If the card refuses an earlier frame, its refusal is the answer, and the rest is not sent.
  ///
  /// - Throws: `commandTooLong`; `tagRefused` for an answer that does not belong to a wrapped
  ///   command; `tagResponseError` for a card that ends the command before it has received all of it.
  static func send(native command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard let code = command.first else {
      throw NFCError(.invalidParameter, "a command has at least one byte")
    }
    guard code != wrappedClass, code != interindustryClass else {
      return try link.exchange(command, framing: .tagProtocol)
    }
    let parameters = command.dropFirst()
    let isWhole = DESFireCommandCode(rawValue: code).map(wholeCommands.contains) ?? false
    let first = isWhole ? parameters.count : longestFrame
    var rest = parameters.dropFirst(first)
    var last = try exchange(code, Array(parameters.prefix(first)), link)
    while !rest.isEmpty {
      guard last.status == .additionalFrame, last.data.isEmpty else {
        guard last.status != .operationOK, last.status != .additionalFrame else {
          throw NFCError(
            .tagResponseError, "the card has ended the command before it has received all of it")
        }
        break
      }
      last = try exchange(
        DESFireCommandCode.additionalFrame.rawValue, Array(rest.prefix(longestFrame)), link)
      rest = rest.dropFirst(longestFrame)
    }
    return [last.status.code] + last.data
  }

  private static func exchange(
    _ code: UInt8, _ parameters: [UInt8], _ link: TagLink
  ) throws -> Answer {
    let wrapped = apdu(code, parameters)
    try wrapped.validate()
    return try answer(ResponseAPDU(link.exchange(wrapped.encoded, framing: .tagProtocol)))
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
