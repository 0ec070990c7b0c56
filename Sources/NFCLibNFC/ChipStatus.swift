import SwiftNFCCore

/// The error codes of a PN53x: user manual UM0701-02, 7.1, table 15.
enum ChipStatus {
  private static let timeOut: UInt8 = 0x01
  private static let checkError: UInt8 = 0x02
  private static let parityError: UInt8 = 0x03
  private static let bitCollision: UInt8 = 0x06
  /// Buffers that are too small: the chip's, the radio unit's, and the firmware's.
  private static let tooLong: Set<UInt8> = [0x07, 0x09, 0x0E]
  /// Overheating and over-current.
  private static let switchedOff: Set<UInt8> = [0x0D, 0x2D]

  /// The meanings of the codes, as far as they concern a reader of tags.
  private static let texts: [UInt8: String] = [
    0x04: "wrong bit count in anticollision", 0x05: "framing error",
    0x06: "collision of bits", 0x07: "the chip's buffer is too small",
    0x09: "the chip's radio buffer has overflowed", 0x0A: "the field was not switched on in time",
    0x0B: "the radio protocol was broken", 0x0D: "the chip is too hot",
    0x0E: "the chip's internal buffer has overflowed", 0x10: "a parameter is out of range",
    0x12: "the chip does not know the command", 0x13: "an answer of a wrong format",
    0x14: "authentication failed", 0x23: "the UID's check byte is wrong",
    0x25: "not possible in the chip's state", 0x26: "not possible in this configuration",
    0x27: "not possible in this context", 0x29: "released by its initiator",
    0x2A: "the card has been exchanged", 0x2B: "the card has disappeared",
    0x2C: "the identifiers do not agree", 0x2D: "over-current",
  ]

  /// Returns the error of an exchange from the chip's code for it; `nil` if the chip could not be
  /// asked.
  static func error(_ code: UInt8?) -> NFCError {
    switch code {
    case nil, 0, timeOut:
      return NFCError(.tagResponseError, "the tag has not answered", cause: .noAnswer)
    case checkError, parityError:
      return NFCError(.tagResponseError, "the tag's answer is broken", cause: .checksum)
    case .some(let code) where switchedOff.contains(code):
      return NFCError(
        .tagConnectionLost, "the reader has switched its antenna off", cause: cause(code))
    case bitCollision:
      return NFCError(
        .tagResponseError, "more than one tag has answered", cause: cause(bitCollision))
    case .some(let code) where tooLong.contains(code):
      return tooLongAnswer(cause(code))
    case .some(let code):
      return NFCError(
        .tagResponseError, "the tag has not answered as it should",
        cause: cause(code))
    }
  }

  static func tooLongAnswer(_ cause: NFCError.Cause) -> NFCError {
    NFCError(
      .tagResponseError, "the tag's answer is longer than the reader can receive", cause: cause)
  }

  private static func cause(_ code: UInt8) -> NFCError.Cause {
    .chip(code: code, text: texts[code] ?? "unknown error")
  }
}
