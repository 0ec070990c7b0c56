import SwiftNFCCore

/// Finds keys and passwords in the commands to a tag and in its answers.
///
/// The meaning of a byte may depend on earlier exchanges: which chip answers, and what was asked.
/// There is therefore one value for each reader.
struct RecordingSecrets {
  /// The possible content of the answer to the last command.
  enum Expectation: Hashable {
    case nothing
    /// PACK.
    case acknowledge
    case version
    /// A step of a mutual authentication, after its first byte.
    case authentication
    /// The same in the ISO/IEC 7816-4 form, before the status word.
    case wrappedAuthentication
    /// The same in a frame, with check bytes at its end, after a prologue and its first byte.
    case framedAuthentication(prologue: Int)
    case sectorTrailer
    /// FeliCa blocks, and which of them are secret.
    case feliCaBlocks([Bool])
    /// The whole answer is secret.
    case everything
    /// No secret, but the rest of the command may be in the next frame.
    case restOfCommand
  }

  private var target: Target?
  /// The possible content of the answer to the last command.
  var expectation = Expectation.nothing
  /// The pages in which the chip keeps its password or key.
  private var secretPages = Type2Chip.secretPagesOfAll
  /// Whether the next command is the second half of a secret one.
  private var isContinued = false
  /// Whether the application of travel documents is selected, without secure messaging.
  private var isTravelDocument = false
  /// Whether the application for passes of phones is selected.
  private var isWallet = false
  /// The PACK that was last written to the tag, two bytes.
  private var writtenAcknowledge: [UInt8]?

  /// Whether the next answer is a step of a mutual authentication.
  var expectsProof: Bool {
    switch expectation {
    case .authentication, .wrappedAuthentication, .framedAuthentication, .everything: true
    default: false
    }
  }

  /// The PACK with which the tag answers the last command, if that is PWD_AUTH and the PACK was
  /// written before.
  var expectedAcknowledge: [UInt8]? { expectation == .acknowledge ? writtenAcknowledge : nil }

  /// Handles the selection of another tag, or of the same one again.
  mutating func turn(to target: Target?) {
    expectation = .nothing
    isContinued = false
    isTravelDocument = false
    isWallet = false
    guard let target else { return }
    if !(self.target?.isSame(as: target) ?? false) {
      secretPages = Type2Chip.secretPagesOfAll
      writtenAcknowledge = nil
    }
    self.target = target
  }

  /// Returns the positions of the secrets in a command.
  mutating func find(inCommand command: [UInt8], framing: Framing) -> [Range<Int>] {
    let previous = expectation
    expectation = .nothing
    guard !isContinued else {
      isContinued = false
      return [command.indices]
    }
    guard let code = command.first else { return [] }
    switch target {
    case .feliCa: return secrets(inFeliCa: command)
    case .iso15693: return secrets(inVicinity: command)
    case .iso14443a(let card) where !card.supportsISO14443Part4:
      return secrets(inTypeA: command, code, after: previous, framing)
    default: return secrets(inCard: command, code, after: previous)
    }
  }

  /// Returns the positions of the secrets in the answer to the last command.
  mutating func find(inAnswer answer: [UInt8]) -> [Range<Int>] {
    let all = answer.indices
    switch expectation {
    case .nothing, .restOfCommand: return []
    case .version:
      if let chip = Type2Chip.version(answer) { secretPages = chip.secretPages }
      return []
    // One byte is a refusal.
    case .acknowledge: return answer.count > 1 ? [all] : []
    case .authentication: return answer.count > 1 ? [all.dropFirst()] : []
    case .wrappedAuthentication: return answer.count > 2 ? [all.dropLast(2)] : []
    case .framedAuthentication(let prologue):
      return answer.count > prologue + Self.blockSize ? [all.dropFirst(prologue + 1)] : []
    case .sectorTrailer:
      guard answer.count >= Self.blockSize else { return [] }
      // Key A, and key B with check bytes after it.
      return [0..<Self.classicKeySize, Self.keyBOffset..<answer.count]
    case .feliCaBlocks(let isSecret): return Self.secrets(inBlocks: answer, isSecret)
    case .everything: return [all]
    }
  }

  /// Handles the failure of a command: only chips without a password refuse GET_VERSION. Silence says nothing about the
  /// chip, because an answer may be lost.
  mutating func answerFailed(_ error: NFCError) {
    if expectation == .version, error.cause != .noAnswer {
      secretPages = Type2Chip.secretPagesWithoutVersion
    }
  }

  static let blockSize = 16
  private static let classicKeySize = 6
  private static let keyBOffset = 10

  // MARK: MIFARE Classic, Ultralight, NTAG

  private enum TypeA {
    /// MF1S50YYX data sheet, 9; NTAG21x data sheet, 10; MF0ICU2 data sheet, 7.5.
    static let authenticateA: UInt8 = 0x60
    static let authenticateB: UInt8 = 0x61
    static let version: UInt8 = 0x60
    static let read: UInt8 = 0x30
    static let write: UInt8 = 0xA2
    /// Writes 16 bytes: a block of a Classic; Ultralight uses the first four.
    static let longWrite: UInt8 = 0xA0
    static let passwordAuthenticate: UInt8 = 0x1B
    static let authenticate: UInt8 = 0x1A
    static let authenticateContinued: UInt8 = 0xAF
    /// The first byte of a block with data, without CID and NAD.
    static let informationBlocks: Set<UInt8> = [0x02, 0x03]
    /// The bit in SAK for MIFARE Classic's commands (AN10833, 3.2).
    static let classic: UInt8 = 0x08
  }

  private var isClassic: Bool {
    if case .iso14443a(let card)? = target { card.sak & TypeA.classic != 0 } else { false }
  }

  private mutating func secrets(
    inTypeA command: [UInt8], _ code: UInt8, after previous: Expectation, _ framing: Framing
  ) -> [Range<Int>] {
    let end = command.count
    if isClassic, framing != .tagProtocol, let found = secrets(inFrame: command, after: previous) {
      return found
    }
    switch code {
    case TypeA.authenticateA where end > 8, TypeA.authenticateB where end > 8:
      return [2..<8]
    case TypeA.version where end == 1 || end == 3: expectation = .version
    case TypeA.read where isClassic && end > 1 && Self.isTrailer(command[1]):
      expectation = .sectorTrailer
    case TypeA.longWrite where end > 1:
      guard isClassic ? Self.isTrailer(command[1]) : isSecret(page: command[1]) else { return [] }
      guard end >= 2 + Self.blockSize else {
        // The data comes in a separate frame.
        isContinued = true
        return []
      }
      return isClassic
        ? [2..<2 + Self.classicKeySize, 2 + Self.keyBOffset..<end] : [2..<end]
    case TypeA.write where end > 2 && isSecret(page: command[1]):
      // PACK stands in the page after the password.
      if end > 3, command[1] > 0, isSecret(page: command[1] - 1) {
        writtenAcknowledge = Array(command[2..<4])
      }
      return [2..<end]
    case TypeA.passwordAuthenticate where end > 4:
      expectation = .acknowledge
      return [1..<end]
    case TypeA.authenticate: expectation = .authentication
    case TypeA.authenticateContinued where previous == .authentication && end > 1:
      expectation = .authentication
      return [1..<end]
    default: break
    }
    return []
  }

  /// Returns the positions of the secrets in a command of MIFARE Plus, which in security level 1 is sent in frames
  /// to a Classic, or in blocks of ISO/IEC 14443-4 (7.1.1) with one byte before it.
  private mutating func secrets(
    inFrame command: [UInt8], after previous: Expectation
  ) -> [Range<Int>]? {
    let prologue = command.first.map { TypeA.informationBlocks.contains($0) } ?? false ? 1 : 0
    guard command.count > prologue else { return nil }
    let length = command.count - prologue
    let expected = Expectation.framedAuthentication(prologue: prologue)
    switch command[prologue] {
    case let code where Card.plusAuthentications.contains(code) && (3...12).contains(length):
      expectation = expected
      return []
    case Card.plusContinued where length > Self.blockSize:
      guard case .framedAuthentication = previous else { return nil }
      expectation = expected
      return [(prologue + 1)..<command.count]
    default: return nil
    }
  }

  /// Returns whether a block is the last block of a sector of a MIFARE Classic (MF1S70YYX data
  /// sheet, 8.6).
  private static func isTrailer(_ block: UInt8) -> Bool {
    block < 128 ? block % 4 == 3 : block % 16 == 15
  }

  private func isSecret(page: UInt8) -> Bool { secretPages.contains(Int(page)) }

  // MARK: ISO/IEC 14443-4

  private enum Card {
    static let wrapped: UInt8 = 0x90
    static let continued: UInt8 = 0xAF
    /// Authenticate for DES, 3DES, AES and, twice, of EV2 (MF3DX2 data sheet, table 22).
    static let authentications: Set<UInt8> = [0x0A, 0x1A, 0xAA, 0x71, 0x77]
    /// AuthenticateEV2First has the number of the key, a length, and up to six bytes of capabilities.
    static let authenticateFirst: UInt8 = 0x71
    static let longestAuthenticateFirst = 9
    /// ChangeKey, ChangeKeyEV2, SetConfiguration, which may hold a default key, and
    /// CreateTransactionMACFile.
    static let changeKeys: Set<UInt8> = [0xC4, 0xC6, 0x5C, 0xCE]
    /// CreateDelegatedApplication, whose second frame holds a key and the issuer's code.
    static let delegation: UInt8 = 0xC9
    /// VERIFY, CHANGE REFERENCE DATA, RESET RETRY COUNTER (ISO/IEC 7816-4, table 4).
    static let verifications: Set<UInt8> = [0x20, 0x21, 0x24, 0x25, 0x2C, 0x2D]
    /// EXTERNAL, INTERNAL and GENERAL AUTHENTICATE: both directions.
    static let authenticateInstructions: Set<UInt8> = [0x82, 0x88, 0x86, 0x87]
    static let proprietary: UInt8 = 0x80
    static let headerSize = 5
    /// GET CHALLENGE: from the number and the answer to it, a guessed password could be checked.
    static let getChallenge: UInt8 = 0x84
    /// The bits of the class byte for secure messaging with an authenticated header, and the first interindustry
    /// classes, which have them (ISO/IEC 7816-4, table 2).
    static let secureMessaging: UInt8 = 0x0C
    static let otherThanFirstInterindustry: UInt8 = 0xE0
    /// ISO/IEC 7816-4 has no instruction below that is used here; native commands of a DESFire have the number of a file
    /// in its place.
    static let firstInstruction: UInt8 = 0x20
    /// SELECT by name, and the application of travel documents (ICAO Doc 9303-10, 4.3). Its files are about a person.
    static let (select, byName): (UInt8, UInt8) = (0xA4, 0x04)
    static let travelDocument: [UInt8] = [0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01]
    /// READ BINARY, in both forms, and GET RESPONSE.
    static let fileReads: Set<UInt8> = [0xB0, 0xB1, 0xC0]
    /// MIFARE Plus: both authentications, their second half, and writing keys in security level 0.
    static let plusAuthentications: Set<UInt8> = [0x70, 0x76]
    static let plusContinued: UInt8 = 0x72
    static let plusWritePersonalization: UInt8 = 0xA8
  }

  private mutating func secrets(
    inCard command: [UInt8], _ code: UInt8, after previous: Expectation
  ) -> [Range<Int>] {
    let end = command.count
    if let found = secrets(inWallet: command) { return found }
    if code == Card.wrapped, end >= 2 {
      let data = min(Card.headerSize, end)..<end
      switch command[1] {
      case let code where Card.changeKeys.contains(code): return [data.dropFirst()]
      case let code where Card.authentications.contains(code):
        expectation = .wrappedAuthentication
      case Card.continued where previous == .wrappedAuthentication:
        expectation = .wrappedAuthentication
        return [data]
      case Card.delegation: expectation = .restOfCommand
      case Card.continued where previous == .restOfCommand: return [data]
      default: break
      }
      return []
    }
    // MIFARE Plus, before the classes of ISO/IEC 7816-4: its codes are possible classes, and the byte after them, of a
    // block's address or of a random number, is a possible instruction.
    if code == Card.plusContinued, previous == .authentication, end > Self.blockSize {
      expectation = .authentication
      return [1..<end]
    }
    if Card.plusAuthentications.contains(code), (3...10).contains(end) {
      expectation = .authentication
      let isVerification = Card.verifications.contains(command[1])
      return isVerification && end > Card.headerSize ? [Card.headerSize..<end] : []
    }
    if end >= 4, code & Card.proprietary == 0, Card.verifications.contains(command[1]) {
      return end > Card.headerSize ? [Card.headerSize..<end] : []
    }
    if let found = secrets(inDocument: command, code, after: previous) { return found }
    if end >= 4, code & Card.proprietary == 0, Card.authenticateInstructions.contains(command[1]) {
      expectation = .wrappedAuthentication
      return end > Card.headerSize ? [Card.headerSize..<end] : []
    }
    if code == Card.plusWritePersonalization, end == 3 + Self.blockSize { return [3..<end] }
    if Card.changeKeys.contains(code), end > 2 { return [2..<end] }
    let longest = code == Card.authenticateFirst ? Card.longestAuthenticateFirst : 4
    if Card.authentications.contains(code), end <= longest {
      expectation = .authentication
    } else if code == Card.continued, previous == .authentication, end > 1 {
      expectation = .authentication
      return [1..<end]
    } else if code == Card.delegation {
      expectation = .restOfCommand
    } else if code == Card.continued, previous == .restOfCommand, end > 1 {
      return [1..<end]
    }
    return []
  }

  /// Returns the positions of the secrets in a command with secure messaging, and in one to a travel document; `nil` for
  /// any other command.
  ///
  /// The bytes that secure messaging protects are masked too: whoever learns the printed password later could decrypt
  /// them, if the proofs were there.
  private mutating func secrets(
    inDocument command: [UInt8], _ code: UInt8, after previous: Expectation
  ) -> [Range<Int>]? {
    let end = command.count
    guard end >= 4, code & Card.otherThanFirstInterindustry == 0,
      command[1] >= Card.firstInstruction
    else { return nil }
    let data = Card.headerSize..<max(Card.headerSize, end)
    if code & Card.secureMessaging == Card.secureMessaging {
      expectation = .wrappedAuthentication
      return data.isEmpty ? [] : [data]
    }
    switch command[1] {
    case Card.getChallenge: expectation = .wrappedAuthentication
    case Card.select where command[2] == Card.byName:
      isTravelDocument = command.dropFirst(Card.headerSize).starts(with: Card.travelDocument)
    // The rest of a protected answer is fetched without protection.
    case let code where Card.fileReads.contains(code):
      guard isTravelDocument || code == 0xC0 && previous == .wrappedAuthentication else {
        return nil
      }
      expectation = .wrappedAuthentication
    default: return nil
    }
    return []
  }

  // MARK: Passes of phones

  private enum WalletCode {
    /// "OSE.VAS.01", and Smart Tap's own application.
    static let application: [UInt8] = Array("OSE.VAS.01".utf8)
    static let smartTap: [UInt8] = [0xA0, 0x00, 0x00, 0x04, 0x76, 0xD0, 0x00, 0x01, 0x11]
    /// GET VAS DATA, class and instruction.
    static let getVASData: [UInt8] = [0x80, 0xCA]
    static let smartTapClass: UInt8 = 0x90
    /// NEGOTIATE, GET DATA, and the rest of an answer.
    static let (negotiate, getData, getMore): (UInt8, UInt8, UInt8) = (0x53, 0x50, 0xC0)
    /// The tag of the reader's nonce, and its length.
    static let nonce: [UInt8] = [0x9F, 0x28, 0x04]
  }

  /// Returns the positions of what is masked in a command to a wallet: numbers that are drawn anew each time. The answers
  /// hold a message, a token or identifiers, which are about a person.
  private mutating func secrets(inWallet command: [UInt8]) -> [Range<Int>]? {
    guard command.count >= 4 else { return nil }
    if command[0] == 0, command[1] == Card.select, command[2] == Card.byName {
      let name = command.dropFirst(Card.headerSize)
      isWallet =
        name.starts(with: WalletCode.application)
        || isWallet && name.starts(with: WalletCode.smartTap)
      return nil
    }
    guard isWallet else { return nil }
    let data = Card.headerSize..<max(Card.headerSize, command.count)
    if command.starts(with: WalletCode.getVASData) {
      expectation = .wrappedAuthentication
      let start = command.indices.first { command[$0...].starts(with: WalletCode.nonce) }
      guard let start else { return [] }
      let first = start + WalletCode.nonce.count
      return [first..<min(first + 4, command.count)]
    }
    guard command[0] == WalletCode.smartTapClass else { return nil }
    switch command[1] {
    case WalletCode.negotiate: break
    case WalletCode.getData, WalletCode.getMore: expectation = .wrappedAuthentication
    default: return nil
    }
    return data.isEmpty ? [] : [data]
  }

  // MARK: ISO/IEC 15693

  private enum Vicinity {
    static let addressed: UInt8 = 0x20
    static let inventory: UInt8 = 0x04
    static let identifierSize = 8
    /// Custom commands begin here; they contain the maker's code.
    static let custom: UInt8 = 0xA0
    /// A password's number, and the password: write and present password of ST (ST25DV data sheet, 7.6), SET and
    /// WRITE PASSWORD of NXP (SL2S2602 data sheet, 9.5.3).
    static let passwords: Set<UInt8> = [0xB1, 0xB3, 0xB4]
    /// DESTROY and ENABLE PRIVACY of NXP, AUTHENTICATE, KEY UPDATE and CHALLENGE (ISO/IEC 15693-3:2019, 10.5).
    static let others: Set<UInt8> = [0xB9, 0xBA, 0x35, 0x36, 0x39]
    static let authenticate: UInt8 = 0x35
    /// READ BUFFER, whose answer is that to a CHALLENGE.
    static let readBuffer: UInt8 = 0x3A
    /// READ CONFIG and WRITE CONFIG of NXP's NTAG 5, and the blocks in which it keeps keys and passwords (NTP53x2
    /// data sheet rev. 3.3, table 11). The same codes are other commands of other makers.
    static let (readConfiguration, writeConfiguration): (UInt8, UInt8) = (0xC0, 0xC1)
    static let secretBlocks = [0x20...0x2F, 0x33...0x36]
    static let nxp: UInt8 = 0x04
    /// KILL of ST, which is a fixed byte and the password as the ST25 SDK sends them. NXP has another command with this code.
    static let (st, kill): (UInt8, UInt8) = (0x02, 0xA6)
    /// EM Microelectronic: WRITE PASSWORD, DESTROY, ENABLE and DISABLE PRIVACY, AUTHENTICATE and LOGIN, all of them
    /// without a password's number (emulation of an EM4233 in Chameleon Mini's firmware).
    static let em: UInt8 = 0x16
    static let emSecrets: Set<UInt8> = [0xB4, 0xB9, 0xBA, 0xBB, 0xE0, 0xE1, 0xE4]
  }

  /// Flags, code, maker, UID, parameters.
  private mutating func secrets(inVicinity command: [UInt8]) -> [Range<Int>] {
    if command.count > 1, command[1] == Vicinity.readBuffer { expectation = .everything }
    guard command.count > 2 else { return [] }
    let (flags, code) = (command[0], command[1])
    if code == Vicinity.readConfiguration || code == Vicinity.writeConfiguration {
      return secrets(inConfiguration: command)
    }
    let isPassword: Bool
    switch (command[2], code) {
    case (Vicinity.st, Vicinity.kill): isPassword = true
    case (Vicinity.em, let code) where Vicinity.emSecrets.contains(code): isPassword = false
    default:
      isPassword = Vicinity.passwords.contains(code)
      guard isPassword || Vicinity.others.contains(code) else { return [] }
    }
    if code == Vicinity.authenticate { expectation = .everything }
    let isAddressed = flags & Vicinity.addressed != 0 && flags & Vicinity.inventory == 0
    let start =
      2 + (code >= Vicinity.custom ? 1 : 0) + (isAddressed ? Vicinity.identifierSize : 0)
      + (isPassword ? 1 : 0)
    return start < command.count ? [start..<command.count] : []
  }

  /// A block's number, and its new content or the number of further blocks.
  private mutating func secrets(inConfiguration command: [UInt8]) -> [Range<Int>] {
    let isAddressed = command[0] & Vicinity.addressed != 0
    let parameters = command.dropFirst(3 + (isAddressed ? Vicinity.identifierSize : 0))
    guard command[2] == Vicinity.nxp, let first = parameters.first, parameters.count > 1 else {
      return []
    }
    let isWriting = command[1] == Vicinity.writeConfiguration
    let more = isWriting ? 0 : Int(parameters[parameters.startIndex + 1])
    let blocks = Int(first)...(Int(first) + more)
    guard Vicinity.secretBlocks.contains(where: { $0.overlaps(blocks) }) else { return [] }
    guard isWriting else {
      expectation = .everything
      return []
    }
    return [(parameters.startIndex + 1)..<command.count]
  }
}
