/// The passwords of the NDEF file of a type 4 tag: ST25TA and M24SR. Descriptions never show them.
///
/// What one opens lasts until another file is selected (ST25TA02K, formerly SRTAG2K, data sheet, 3.3).
struct Type4Passwords: Hashable, Sendable {
  var read: [UInt8]?
  var write: [UInt8]?

  /// Sends VERIFY for each password that the selected file requires: one exchange each.
  ///
  /// - Throws: `authenticationFailed`, with how many attempts are left.
  func open(_ file: Type4File, _ link: TagLink) throws {
    if file.hasReadPassword, let read {
      try Type4Verification.verify(.read, read, file: file.identifier, link)
    }
    if file.hasWritePassword, let write {
      try Type4Verification.verify(.write, write, file: file.identifier, link)
    }
  }
}

extension Type4Passwords: CustomStringConvertible, CustomReflectable {
  var description: String { "secrets" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// VERIFY as ST's type 4 chips have it (ISO/IEC 7816-4, 7.5.6; ST25TA02K, formerly SRTAG2K, data sheet, 5.7.1).
package enum Type4Verification {
  /// P2 of VERIFY and of the commands that change the requirements.
  package enum Password: UInt8, Hashable, Sendable, CaseIterable {
    case read = 0x01
    case write = 0x02
  }

  private static let instruction: UInt8 = 0x20

  /// Presents a password for the selected file: one exchange.
  ///
  /// - Throws: `authenticationFailed`, with how many attempts are left where the card reports that.
  package static func verify(
    _ number: Password, _ password: [UInt8], file: UInt16?, _ link: TagLink
  ) throws {
    let answer = try ISO7816Exchange.send(
      APDU(
        instructionClass: 0x00, instructionCode: instruction, p1: 0x00, p2: number.rawValue,
        data: password), link)
    guard answer.isSuccess else { throw failure(number, answer.status, file) }
  }

  package static func failure(
    _ number: Password, _ status: StatusWord, _ file: UInt16?
  ) -> NFCError {
    let isBlocked = status == .authenticationMethodBlocked
    guard isBlocked || status.attemptsLeft != nil else {
      return NFCError(
        .tagRefused, "the card has not accepted the command", cause: .statusWord(status.rawValue),
        place: file.map { .file($0) })
    }
    return NFCError(
      .authenticationFailed, "the \(number) password is wrong",
      cause: .statusWord(status.rawValue), place: file.map { .file($0) },
      attempts: .left(status.attemptsLeft ?? 0))
  }
}

extension StatusWord {
  private static let counter: UInt8 = 0x63
  private static let counterNibble: UInt8 = 0xC

  /// The number of attempts left, from 63Cx in the answer to a command that compares a secret
  /// (ISO/IEC 7816-4, 7.5.1); `nil` for any other word.
  public var attemptsLeft: Int? {
    sw1 == Self.counter && sw2 >> 4 == Self.counterNibble ? Int(sw2 & 0x0F) : nil
  }
}

extension ISO7816Tag {
  /// Keeps passwords for the NDEF file, which they open after each of its selections while the card is connected; `nil`
  /// for none. No exchange.
  package func useFilePasswords(read: [UInt8]?, write: [UInt8]?) {
    guard let handle = (self as? any ConnectedTag)?.handle else { return }
    handle.knowledge.withLock {
      $0.filePasswords =
        read == nil && write == nil ? nil : Type4Passwords(read: read, write: write)
      $0.mapping = nil
    }
  }
}
