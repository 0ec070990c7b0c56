/// Finds keys and passwords in the commands to a tag and in its answers.
///
/// Commands are accepted in the form of the air interface or of the host: with or without check bytes,
/// and with or without the prologue of ISO/IEC 14443-4.
struct TraceSecrets: Sendable {
  /// The secret that the answer to the last command may contain.
  private enum Expectation: Hashable {
    case nothing
    /// The password acknowledge, PACK.
    case acknowledge
    case version
    /// A step of a mutual authentication, following its first byte.
    case authentication
    /// A step of a mutual authentication in ISO/IEC 7816-4 form, followed by the status word.
    case wrappedAuthentication
    case sectorTrailer
    /// No secret, but the rest of the command may be in the next frame.
    case restOfCommand
  }

  private var expectation = Expectation.nothing
  /// Whether a MIFARE Classic has been authenticated, so that 30 and A0 address blocks.
  private var isClassic = false
  /// The pages that hold the chip's password. Before the chip has been identified, these are the pages of
  /// all chips.
  private var secretPages = Self.pagesOfAll
  /// Whether the next frame is the second half of a secret one.
  private var isSecretContinued = false
  /// Whether the tag uses blocks of ISO/IEC 14443-4.
  var usesBlocks = false
  /// Whether the last command was sent in such a block.
  private var isBlockProtocol = false

  private enum Code {
    static let classicRead: UInt8 = 0x30
    static let classicAuthenticateA: UInt8 = 0x60
    static let classicAuthenticateB: UInt8 = 0x61
    /// VERIFY, CHANGE REFERENCE DATA and RESET RETRY COUNTER, each in two forms (ISO/IEC 7816-4, table 4).
    static let verificationInstructions: Set<UInt8> = [0x20, 0x21, 0x24, 0x25, 0x2C, 0x2D]
    static let proprietaryClass: UInt8 = 0x80
    static let desfireClass: UInt8 = 0x90
    /// Authenticate with DES, 3DES and AES and its EV2 forms; ChangeKey, ChangeKeyEV2, SetConfiguration, which may hold a
    /// default key, and CreateTransactionMACFile.
    static let desfireAuthentications: Set<UInt8> = [0x0A, 0x1A, 0xAA, 0x71, 0x77]
    static let desfireChangeKeys: Set<UInt8> = [0xC4, 0xC6, 0x5C, 0xCE]
    /// CreateDelegatedApplication, whose second frame holds a key and the issuer's code.
    static let desfireDelegation: UInt8 = 0xC9
    /// MIFARE Plus: both authentications, their second half, and the writing of keys in security level 0.
    static let plusAuthentications: Set<UInt8> = [0x70, 0x76]
    static let plusContinued: UInt8 = 0x72
    static let plusWritePersonalization: UInt8 = 0xA8
    static let feliCaWrite: UInt8 = 0x08
    /// RATS (ISO/IEC 14443-4, 5.1) and ATTRIB (ISO/IEC 14443-3, 7.10).
    static let requestAnswerToSelect: UInt8 = 0xE0
    static let attrib: UInt8 = 0x1D
  }

  private static let classicKeyOffset = 2
  private static let classicKeySize = 6
  private static let classicBlockSize = 16
  private static let keyBOffset = 10
  private static let apduHeaderSize = 5
  private static let checkSize = 2
  private static let shortestAttrib = 9
  /// The maximum size of a status word with check bytes.
  private static let longestStatus = 4

  // MARK: Commands

  /// The form of a command.
  enum Form: Hashable {
    /// A command preceded by its length (JIS X 6319-4).
    case feliCa
    /// An unchanged command, or blocks of ISO/IEC 14443-4.
    case frame
    /// An unchanged command.
    case plain
  }

  /// Returns the ranges of the secrets in a command.
  mutating func find(inCommand bytes: [UInt8], _ form: Form) -> [Range<Int>] {
    guard form != .feliCa else {
      (expectation, isBlockProtocol) = (.nothing, false)
      return secrets(inFeliCa: bytes)
    }
    let isFrame = form == .frame && usesBlocks
    let prologue = isFrame ? Self.prologue(bytes) : 0
    // Only I-blocks change what the next answer may contain.
    if prologue == 0, isFrame, isBlockProtocol { return [] }
    isBlockProtocol = prologue > 0
    let command = Array(bytes.dropFirst(prologue))
    let wasContinued = isSecretContinued
    isSecretContinued = false
    let ranges = wasContinued ? [0..<command.count] : secrets(inCommand: command)
    if isBlockProtocol, !ranges.isEmpty, bytes[0] & Block.moreFollows != 0 {
      isSecretContinued = true
    }
    return ranges.map { prologue + $0.lowerBound..<prologue + $0.upperBound }
  }

  /// The first byte of a block: ISO/IEC 14443-4, 7.1.1.
  private enum Block {
    static let kindMask: UInt8 = 0xE2
    static let information: UInt8 = 0x02
    static let moreFollows: UInt8 = 0x10
    static let cardIdentifierFollows: UInt8 = 0x08
    static let nodeAddressFollows: UInt8 = 0x04
  }

  /// Returns the number of bytes before the information of an I-block; 0 for any other block.
  private static func prologue(_ bytes: [UInt8]) -> Int {
    guard let control = bytes.first, control & Block.kindMask == Block.information,
      bytes.count > 3
    else { return 0 }
    return 1 + (control & Block.cardIdentifierFollows != 0 ? 1 : 0)
      + (control & Block.nodeAddressFollows != 0 ? 1 : 0)
  }

  /// Returns whether a host's command is one of JIS X 6319-4: it begins with its own length and has one
  /// of the even command codes.
  static func isFeliCa(_ command: [UInt8]) -> Bool {
    guard command.count > 1, Int(command[0]) == command.count else { return false }
    return command[1] % 2 == 0 && !Code.verificationInstructions.contains(command[1])
  }

  private mutating func secrets(inCommand command: [UInt8]) -> [Range<Int>] {
    let previous = expectation
    expectation = .nothing
    guard let code = command.first else { return [] }
    let end = command.count
    switch code {
    case Code.classicAuthenticateA where end > Self.classicKeyOffset + Self.classicKeySize,
      Code.classicAuthenticateB where end > Self.classicKeyOffset + Self.classicKeySize:
      isClassic = true
      return [Self.classicKeyOffset..<Self.classicKeyOffset + Self.classicKeySize]
    case Code.classicAuthenticateA where end == 1 || end == 1 + Self.checkSize:
      expectation = .version
    // RATS and ATTRIB: blocks follow.
    case Code.requestAnswerToSelect where end == 2 + Self.checkSize,
      Code.attrib where end >= Self.shortestAttrib:
      usesBlocks = true
    case Type2Command.passwordAuthenticate where end > Type2Memory.pageSize:
      expectation = .acknowledge
      return [1..<end]
    case Type2Command.authenticateContinued
    where previous == .authentication && end > 1:
      expectation = .authentication
      return [1..<end]
    case Code.desfireDelegation: expectation = .restOfCommand
    case Type2Command.authenticateContinued where previous == .restOfCommand && end > 1:
      return [1..<end]
    case let code where Code.plusAuthentications.contains(code) && (3...12).contains(end):
      expectation = .authentication
    case Code.plusContinued where previous == .authentication && end > Self.classicBlockSize:
      expectation = .authentication
      return [1..<end]
    case Code.plusWritePersonalization
    where [3, 3 + Self.checkSize].contains(end - Self.classicBlockSize):
      return [3..<end]
    case Type2Command.write where end > 2 && isSecret(page: command[1]):
      return [2..<end]
    case Type2Command.compatibilityWrite where end > 1:
      return secrets(inCompatibilityWrite: command)
    case Code.classicRead where isClassic && end > 1 && Self.isTrailer(command[1]):
      expectation = .sectorTrailer
    case Code.desfireClass where end >= Self.apduHeaderSize:
      return secrets(inWrapped: command, after: previous)
    case let code where Code.desfireChangeKeys.contains(code) && end > 2:
      return [2..<end]
    case let code where Code.desfireAuthentications.contains(code):
      expectation = .authentication
    default:
      return secrets(inVerification: command)
    }
    return []
  }

  /// Returns the ranges of the secrets in COMPATIBILITY_WRITE: two bytes, and the data in the same
  /// command or, on the air, in the next frame.
  private mutating func secrets(inCompatibilityWrite command: [UInt8]) -> [Range<Int>] {
    let isTrailer = isClassic && Self.isTrailer(command[1])
    guard isTrailer || !isClassic && isSecret(page: command[1]) else { return [] }
    guard command.count >= 2 + Self.classicBlockSize else {
      isSecretContinued = true
      return []
    }
    return isTrailer
      ? [2..<2 + Self.classicKeySize, 2 + Self.keyBOffset..<command.count] : [2..<command.count]
  }

  /// Returns the ranges of the secrets in a DESFire command in ISO/IEC 7816-4 form: class, code, 00, 00,
  /// Lc, data, Le.
  private mutating func secrets(
    inWrapped command: [UInt8], after previous: Expectation
  ) -> [Range<Int>] {
    let data = Self.apduHeaderSize..<command.count
    switch command[1] {
    case let code where Code.desfireChangeKeys.contains(code):
      return [min(data.lowerBound + 1, data.upperBound)..<data.upperBound]
    case let code where Code.desfireAuthentications.contains(code):
      expectation = .wrappedAuthentication
      return []
    case Type2Command.authenticateContinued where previous == .wrappedAuthentication:
      expectation = .wrappedAuthentication
      return [data]
    case Code.desfireDelegation:
      expectation = .restOfCommand
      return []
    case Type2Command.authenticateContinued where previous == .restOfCommand:
      return [data]
    default:
      return []
    }
  }

  private func secrets(inVerification command: [UInt8]) -> [Range<Int>] {
    guard command.count > Self.apduHeaderSize, command[0] & Code.proprietaryClass == 0,
      Code.verificationInstructions.contains(command[1])
    else { return [] }
    return [Self.apduHeaderSize..<command.count]
  }

  /// Returns the ranges of the secrets in Write Without Encryption: LEN, code, IDm, services, block list,
  /// data (FeliCa Card User's Manual, 4.4.6).
  private func secrets(inFeliCa command: [UInt8]) -> [Range<Int>] {
    let (idmSize, shortElement): (Int, UInt8) = (8, 0x80)
    guard command.count > 2 + idmSize, command[1] == Code.feliCaWrite else { return [] }
    var position = 2 + idmSize
    position += 1 + 2 * Int(command[position])
    guard position < command.count else { return [] }
    let count = Int(command[position])
    position += 1
    var isKey: [Bool] = []
    for _ in 0..<count {
      guard position + 1 < command.count else { return [] }
      isKey.append(command[position + 1] == FeliCaLiteBlock.cardKey)
      position += command[position] & shortElement != 0 ? 2 : 3
    }
    guard isKey.contains(true) else { return [] }
    let data = position
    let keys = isKey.indices.filter { isKey[$0] }.map {
      data + $0 * Self.classicBlockSize..<data + ($0 + 1) * Self.classicBlockSize
    }
    // The check bytes would reveal two bytes of it.
    return keys + [min(Int(command[0]), command.count)..<command.count]
  }

  // MARK: Answers

  /// Returns the ranges of the secrets in an answer.
  mutating func find(inAnswer bytes: [UInt8]) -> [Range<Int>] {
    let first = isBlockProtocol ? Self.prologue(bytes) : 0
    let range = first..<bytes.count
    switch expectation {
    case .nothing, .restOfCommand: return []
    case .version:
      learn(version: Array(bytes[range]))
      return []
    // An answer of one byte is a refusal.
    case .acknowledge: return range.count > 1 ? [range] : []
    case .authentication:
      return range.count > Self.longestStatus ? [range.dropFirst()] : []
    case .wrappedAuthentication: return range.count > Self.longestStatus ? [range] : []
    case .sectorTrailer:
      guard range.count >= Self.classicBlockSize else { return [] }
      return [first..<first + Self.classicKeySize, first + Self.keyBOffset..<bytes.count]
    }
  }

  // MARK: Chips

  /// Returns whether a block is the last one of its sector on a MIFARE Classic (MF1S70YYX data sheet,
  /// 8.6).
  private static func isTrailer(_ block: UInt8) -> Bool {
    block < 128 ? block % 4 == 3 : block % 16 == 15
  }

  private func isSecret(page: UInt8) -> Bool {
    secretPages.contains { $0.contains(Int(page)) }
  }

  private static let passwordPages: [[UInt8]: Range<Int>] = {
    var pages: [[UInt8]: Range<Int>] = [:]
    for product in NTAG21x.Product.allCases {
      pages[product.version] = product.configurationPage + 2..<product.pageCount
    }
    for product in MIFAREUltralightEV1.Product.allCases {
      pages[product.version] = product.configurationPage + 2..<product.pageCount
    }
    pages[MIFAREUltralightAES.version] = MIFAREUltralightAES.keyPages
    return pages
  }()

  /// The password pages of all chips, and the key pages of Ultralight C, which does not report a version.
  private static let pagesOfAll = Array(passwordPages.values) + [MIFAREUltralightC.keyPages]

  private mutating func learn(version answer: [UInt8]) {
    let versionSize = 8
    if let pages = Self.passwordPages[Array(answer.prefix(versionSize))] { secretPages = [pages] }
  }
}
