/// Commands to the PN532 inside an ACS ACR122U: `FF 00 00 00` and the chip's own (application
/// programming interface 2.04, 4.3; PN532 user manual, UM0701-02, 7.3.8 and 7.3.9).
enum DirectTransmit {
  private static let header: [UInt8] = [0xFF, 0x00, 0x00, 0x00]
  private static let toChip: UInt8 = 0xD4
  private static let fromChip: UInt8 = 0xD5
  private static let dataExchange: UInt8 = 0x40
  private static let communicateThru: UInt8 = 0x42
  /// The number that the reader's own search assigns to the tag.
  private static let target: UInt8 = 0x01

  // Commands that the chip carries out itself, including an acknowledge of four bits.
  private static let read: UInt8 = 0x30
  private static let writePage: UInt8 = 0xA2
  private static let acknowledge: UInt8 = 0x0A
  private static let refusal: UInt8 = 0x00

  // The chip's status: UM0701-02, 7.1, table 15.
  private static let statusMask: UInt8 = 0x3F
  private static let statusTimeout: UInt8 = 0x01
  private static let refusals: Set<UInt8> = [0x02, 0x05, 0x13]

  /// Status words of the reader: its exchange with the chip failed, the chip does not answer, its
  /// answer is broken, it does not accept the command (ACR122U, application programming interface
  /// 2.04, 4.3).
  private static let meanings: ExchangeOutcome.Meanings = [
    0x6300: .noAnswer, 0x6301: .noAnswer, 0x6327: .broken, 0x637F: .unknown(0x637F),
  ]

  private static let getFirmwareVersion: UInt8 = 0x02
  /// A command to the chip that no tag hears (UM0701-02, 7.2.2).
  static let versionCommand = header + [0x02, toChip, getFirmwareVersion]

  /// Returns whether an answer is to ``versionCommand``.
  static func isVersion(_ answer: [UInt8]) -> Bool {
    answer.starts(with: [fromChip, getFirmwareVersion + 1])
  }

  /// Returns whether the reader may deliver the answer to a command with the next one: after a
  /// command for which it has returned nothing, or another command's answer (nfc-tools/libnfc issue
  /// 666).
  static func mayAnswerEarlierCommand(_ answer: [UInt8], of command: [UInt8]) -> Bool {
    answer.isEmpty || outcome(answer, of: command) == .malformed
  }

  /// Lc is one byte, for the code of the direction, the command's and the tag's number.
  static let maximumCommandLength = 255 - 3
  /// The reader's answers are known to have up to 255 bytes, five of them its own: D5, code, status, status word
  /// (libnfc 1.8.0, `acr122_usb.c`, has room for no more).
  static let maximumResponseLength = 255 - 5

  /// Returns a type A tag's command, or a FeliCa card's with its length, without check.
  static func command(for command: [UInt8]) -> [UInt8] {
    let body =
      isExchange(command)
      ? [toChip, dataExchange, target] + command : [toChip, communicateThru] + command
    return header + [UInt8(truncatingIfNeeded: body.count)] + body
  }

  private static func isExchange(_ command: [UInt8]) -> Bool {
    switch (command.first, command.count) {
    case (read, 2), (writePage, 6): true
    default: false
    }
  }

  /// Returns the outcome of a command, without check bytes. A refusal is a single byte 00: the chip
  /// does not report the code of an acknowledge. If the chip does not know a command, an
  /// acknowledge looks like a broken answer.
  static func outcome(_ answer: [UInt8], of command: [UInt8]) -> ExchangeOutcome {
    let code = (isExchange(command) ? dataExchange : communicateThru) + 1
    let outcome = ExchangeOutcome(answer, meanings: meanings)
    guard case .answer(let data) = outcome else { return outcome }
    guard data.count >= 3, data[0] == fromChip, data[1] == code else { return .malformed }
    let (status, payload) = (data[2] & statusMask, Array(data.dropFirst(3)))
    if status == statusTimeout { return .noAnswer }
    guard status == 0 else {
      return isExchange(command) && refusals.contains(status) ? .answer([refusal]) : .broken
    }
    return .answer(payload.isEmpty ? [acknowledge] : payload)
  }
}
