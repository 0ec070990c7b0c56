/// Native commands of MIFARE DESFire in APDUs: MF3ICDx21_41_81 data sheet, 8.3.
enum DESFireWrapping {
  private static let wrappedClass: UInt8 = 0x90
  /// The first byte of a status word that contains a native status.
  static let wrappedStatus: UInt8 = 0x91

  /// Sends a command and returns the card's answer, whatever it is.
  static func send(
    _ code: UInt8, _ parameters: [UInt8], _ link: TagLink
  ) throws -> ResponseAPDU {
    try ISO7816Exchange.send(
      APDU(
        instructionClass: wrappedClass, instructionCode: code, p1: 0, p2: 0, data: parameters,
        expectedLength: Type4Command.maximumExpectedLength), link)
  }

  /// Sends a native command over a reader that sends only APDUs, and returns the native answer,
  /// status first.
  ///
  /// - Throws: `commandTooLong`; `tagRefused` for an answer that does not belong to a wrapped
  ///   command.
  static func send(native command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard let code = command.first else {
      throw NFCError(.invalidParameter, "a command has at least one byte")
    }
    let answer = try send(code, Array(command.dropFirst()), link)
    guard answer.sw1 == wrappedStatus else {
      throw NFCError(
        .tagRefused, "the card did not accept a wrapped command",
        cause: .statusWord(answer.statusWord))
    }
    return [answer.sw2] + answer.data
  }
}
