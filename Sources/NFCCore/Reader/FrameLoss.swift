/// The ways in which a frame of an exchange can be lost, although reader and tag are present.
///
/// An exchange that changes nothing on the tag is repeated once after such a loss, as the NFC Forum's tag
/// specifications allow (for instance Type 5 Tag 1.0, 5.6). The tag is not woken in between, so that it keeps what is
/// selected and unlocked in it; one that has left does not answer the second time either.
package struct FrameLoss: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  /// Between host and reader. The tag may have answered, but has noticed nothing.
  package static let onLine = FrameLoss(rawValue: 1 << 0)
  /// The answer was broken on the air.
  static let ofCheck = FrameLoss(rawValue: 1 << 1)
  /// There was no answer. For many tags, this is also how they refuse.
  static let inSilence = FrameLoss(rawValue: 1 << 2)

  /// For a command that every tag of its kind answers.
  static let any: FrameLoss = [.onLine, .ofCheck, .inSilence]
  /// For a command that a tag may refuse with silence.
  static let visible: FrameLoss = [.onLine, .ofCheck]

  /// The chip's code for a frame with a wrong structure (PN532 user manual, UM0701-02, 7.1, table 15).
  private static let framingError: UInt8 = 0x05

  /// Returns the loss that an error reports; `nil` for any other error.
  init?(_ error: NFCError) {
    guard error.code == .tagResponseError else { return nil }
    switch error.cause {
    case .driver(let failure) where failure.meaning == .readerFailure: self = .onLine
    case .checksum, .chip(Self.framingError, _): self = .ofCheck
    case .noAnswer: self = .inSilence
    default: return nil
    }
  }

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Returns whether an error reports one of these losses.
  func includes(_ error: NFCError) -> Bool {
    FrameLoss(error).map(contains) ?? false
  }

  /// Runs an exchange that changes nothing on the tag, and once more after one of these losses.
  package func repeatingOnce<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as NFCError where includes(error) {
      return try body()
    }
  }
}
