import SwiftNFCCore

/// Sends commands to a chip, with protection while a session is open.
final class ChipChannel {
  /// An answer of the chip.
  struct Answer: Hashable {
    var data: [UInt8]
    var statusWord: UInt16
    /// Whether the answer has no protection although a session is open. It is never a success.
    var isBare = false

    var isSuccess: Bool { statusWord == 0x9000 && !isBare }
    var status: StatusWord { StatusWord(rawValue: statusWord) }
  }

  /// The chip has ended the session: its rights are gone, and a new access is needed.
  struct SessionEnded: Error, Hashable {
    let statusWord: UInt16
  }

  let link: any ChipLink
  private(set) var messaging: SecureMessaging?
  /// The number of exchanges.
  private(set) var exchangeCount = 0
  /// Whether a protected answer has come since the keys were last replaced.
  private(set) var hasVerifiedAnswer = false

  /// Whether the last answer in a session refused a size, or had no protection.
  private(set) var lastAnswerWasRefusal = false

  private static let getResponse: UInt8 = 0xC0
  private static let longestAnswer = 65_538
  /// The chip no longer knows the keys, or the counter, of the session (ISO/IEC 7816-4, table 7).
  private static let sessionErrors: Set<UInt16> = [
    0x6987, 0x6988,
    // Without protection, these also come from chips that no longer know of a session, or want their power switched off.
    0x6882, 0x6985, 0x6986, 0x6E00,
  ]
  private static let moreData: UInt8 = 0x61

  init(_ link: any ChipLink) { self.link = link }

  /// Begins a session, or replaces its keys.
  func begin(_ messaging: SecureMessaging) {
    self.messaging = messaging
    hasVerifiedAnswer = false
  }

  /// Forgets the session.
  func end() { messaging = nil }

  /// Sends a command and returns the complete answer.
  ///
  /// - Throws: ``SessionEnded``; `malformedContent` if an answer was altered; the errors of the link.
  func send(_ command: APDU) throws -> Answer {
    guard var session = messaging else {
      let response = try whole(transmit(command), to: command)
      return Answer(data: response.data, statusWord: response.statusWord)
    }
    let counter = session.counter
    let protected = try session.protect(command)
    let response = try whole(transmit(protected), to: protected)
    do {
      let plain = try session.open(response)
      messaging = session
      hasVerifiedAnswer = true
      lastAnswerWasRefusal = plain.data.isEmpty && Self.isRefusalOfSize(plain.statusWord)
      return Answer(data: plain.data, statusWord: plain.statusWord)
    } catch SecureMessaging.Problem.bare(let word) where word != 0x9000 {
      guard !Self.sessionErrors.contains(word) else {
        messaging = nil
        throw SessionEnded(statusWord: word)
      }
      // Some chips count neither the command nor such an answer (gmrtd/gmrtd#457). If this one has counted them, the
      // next answer says that the session is over.
      session.setBack(to: counter)
      messaging = session
      lastAnswerWasRefusal = true
      return Answer(data: [], statusWord: word, isBare: true)
    } catch is SecureMessaging.Problem {
      messaging = nil
      throw Self.altered
    }
  }

  private static func isRefusalOfSize(_ word: UInt16) -> Bool {
    [0x6700, 0x6B00, 0x6282].contains(word) || word & 0xFF00 == 0x6C00
  }

  /// Sends a command outside of the session.
  private func transmit(_ command: APDU) throws -> ResponseAPDU {
    guard command.encoded.count <= link.maximumCommandLength else {
      throw NFCError(
        .unsupported,
        "this reader sends \(link.maximumCommandLength) bytes at most, and the document needs "
          + "\(command.encoded.count) in one command", cause: .unsupportedByReader)
    }
    exchangeCount += 1
    return try link.transmit(command)
  }

  /// Fetches what the chip announces. GET RESPONSE has no protection.
  private func whole(_ first: ResponseAPDU, to command: APDU) throws -> ResponseAPDU {
    var response = first
    var data = first.data
    var parts = 0
    while response.sw1 == Self.moreData {
      parts += 1
      guard parts <= 512, data.count <= Self.longestAnswer else {
        throw NFCError(.tagResponseError, "the chip announces more and more data")
      }
      response = try transmit(
        APDU(
          instructionClass: 0, instructionCode: Self.getResponse, p1: 0, p2: 0,
          expectedLength: response.sw2 == 0 ? 256 : Int(response.sw2)))
      data += response.data
    }
    response.data = data
    return response
  }

  static let altered = NFCError(
    .malformedContent,
    "an answer of the document was altered on the way, or does not come from its chip")
}
