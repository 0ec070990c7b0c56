#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The passes of an iPhone, which it sends by Value Added Services.
///
/// Source: RfidResearchGroup/proxmark3, `cmdhfvas.c`; kormax/apple-vas.
public struct AppleWallet: Sendable {
  /// A pass with an `nfc` dictionary.
  public struct Pass: Hashable, Sendable {
    /// The pass type identifier.
    public var passType: String
    /// The issuer's public key, 33 or 65 bytes (SEC 1, 2.3.3).
    public var publicKey: [UInt8]
    /// The message.
    public var message: [UInt8]

    /// Creates a pass.
    public init(passType: String, publicKey: [UInt8], message: [UInt8]) {
      self.passType = passType
      self.publicKey = publicKey
      self.message = message
    }
  }

  /// What the phone does that others do not.
  public struct Behavior: Sendable {
    /// The status words of the answers to the first requests, one each; later ones are answered as usual.
    public var statusWords: [UInt16] = []
    /// Whether each answer is the same as the first, as a recorded one is.
    public var repeatsItself = false
    /// The time of the phone's clock less that of this machine, in seconds.
    public var clockDifference = 0
    /// Whether a bit of the encrypted content is wrong.
    public var forgesTag = false
    /// Whether the key is derived in the way that only programs have.
    public var usesSecondMethod = false
    /// The answer to requests for passes in place of a real one, without its status word.
    public var answer: [UInt8]?
    /// The token, which is empty for most.
    public var token: [UInt8] = []

    /// Creates the behavior of most phones.
    public init() {}
  }

  private let passes: [Pass]
  private let behavior: Behavior
  private var statusWords: [UInt16]
  private var lastAnswer: [UInt8]?
  private var isSelected = false
  private(set) var hasSent = false

  init(passes: [Pass], behavior: Behavior) {
    self.passes = passes
    self.behavior = behavior
    statusWords = behavior.statusWords
  }

  /// The pass `pass.com.example.card` with the message 4711, whose issuer has a private key of this package's tests, and
  /// the pass of a demonstration of PassKit, whose private key is published (kormax/apple-vas).
  public static let examples: [Pass] = [
    Pass(
      passType: "pass.com.example.card",
      publicKey: WalletCurve.product([
        0x1F, 0x2E, 0x3D, 0x4C, 0x5B, 0x6A, 0x79, 0x88, 0x07, 0x96, 0xA5, 0xB4, 0xC3, 0xD2, 0xE1,
        0xF0, 0x01, 0x12, 0x23, 0x34, 0x45, 0x56, 0x67, 0x78, 0x89, 0x9A, 0xAB, 0xBC, 0xCD, 0xDE,
        0xEF, 0xF0,
      ]) ?? [], message: Array("4711".utf8)),
    Pass(
      passType: "pass.com.passkit.pksamples.nfcdemo",
      publicKey: WalletCurve.product([
        0x3D, 0x15, 0x47, 0xF2, 0x3C, 0xD7, 0x8A, 0xD0, 0x52, 0xA5, 0x88, 0x60, 0xF1, 0x21, 0x9E,
        0x8F, 0xB7, 0x91, 0xEC, 0x4D, 0xFE, 0x33, 0x76, 0x9F, 0x5B, 0x9B, 0xFA, 0x62, 0x7A, 0x65,
        0x6C, 0xA1,
      ]) ?? [], message: Array("6d1UlFpnOc50iVKRaboDOK".utf8)),
  ]
}

extension AppleWallet: Wallet {
  private enum Tag {
    static let version: UInt16 = 0x9F22
    static let passType: UInt16 = 0x9F25
    static let terminal: UInt16 = 0x9F26
    static let nonce: UInt16 = 0x9F28
    static let url: UInt16 = 0x9F29
  }

  private enum Status {
    static let unsupportedVersion = StatusWord(0x6340)
    static let noSuchPass = StatusWord(0x6A83)
  }

  mutating func reset() {
    isSelected = false
    hasSent = false
  }

  mutating func process(_ command: CommandAPDU) -> [UInt8] {
    switch (command.cla, command.ins) {
    case (0x00, Instruction.select):
      guard command.p1 == Parameter.selectByName, command.data == WalletObject.applicationName
      else { return StatusWord.fileNotFound.bytes }
      isSelected = true
      return Self.selection + StatusWord.success.bytes
    case (0x80, 0xCA):
      guard isSelected else { return StatusWord.conditionsOfUseNotSatisfied.bytes }
      return data(command)
    case (0x00, _), (0x80, _): return StatusWord.instructionNotSupported.bytes
    default: return StatusWord.classNotSupported.bytes
    }
  }

  /// A real answer (kormax/apple-vas, examples/traces).
  private static let selection: [UInt8] = [
    0x6F, 0x1D, 0x50, 0x08, 0x41, 0x70, 0x70, 0x6C, 0x65, 0x50, 0x61, 0x79, 0x9F, 0x21, 0x02, 0x01,
    0x00, 0x9F, 0x24, 0x04, 0xC0, 0x5D, 0x48, 0xD0, 0x9F, 0x23, 0x04, 0x00, 0x00, 0x00, 0x1E,
  ]

  private mutating func data(_ command: CommandAPDU) -> [UInt8] {
    guard command.p1 == 0x01, command.p2 <= 0x01 else { return StatusWord.wrongParameters.bytes }
    guard command.expectsMaximum, !command.isExtended else { return StatusWord.wrongLength.bytes }
    guard let objects = WalletObject.decode(command.data) else {
      return StatusWord.incorrectData.bytes
    }
    func value(_ tag: UInt16) -> [UInt8]? { objects.first { $0.tag == tag }?.value }
    guard let version = value(Tag.version), version.count == 2 else {
      return StatusWord.incorrectData.bytes
    }
    guard version == [0x01, 0x00] else { return Status.unsupportedVersion.bytes }
    guard let terminal = value(Tag.terminal), terminal.count == 4, terminal[0] == 0,
      terminal[1] & 0x80 != 0, terminal[3] & 0x7F <= 0x03, value(Tag.nonce)?.count == 4,
      value(Tag.url).map({ $0.starts(with: Array("https://".utf8)) }) ?? true
    else { return StatusWord.incorrectData.bytes }
    if !statusWords.isEmpty { return StatusWord(statusWords.removeFirst()).bytes }
    guard command.p2 == 0x01 else { return StatusWord.success.bytes }
    guard let hash = value(Tag.passType), hash.count == 32 else {
      return StatusWord.incorrectData.bytes
    }
    // In the mode for passes only, each tap has one pass.
    guard !hasSent,
      let pass = passes.first(where: { WalletCurve.sha256(Array($0.passType.utf8)) == hash })
    else { return Status.noSuchPass.bytes }
    hasSent = true
    if let answer = behavior.answer { return answer + StatusWord.success.bytes }
    if behavior.repeatsItself, let lastAnswer { return lastAnswer }
    guard let cryptogram = cryptogram(of: pass, hash) else {
      return StatusWord.memoryFailure.bytes
    }
    let content =
      WalletObject.encode([0x9F, 0x2A], behavior.token)
      + WalletObject.encode([0x9F, 0x27], cryptogram)
    let answer = WalletObject.encode([0x70], content) + StatusWord.success.bytes
    lastAnswer = answer
    return answer
  }

  /// 2001-01-01 in seconds since 1970-01-01.
  private static let epoch = 978_307_200
  private static let party = Array("ApplePay encrypted VAS data".utf8)

  private func cryptogram(of pass: Pass, _ hash: [UInt8]) -> [UInt8]? {
    guard let own = WalletCurve.newNumber(), let publicKey = WalletCurve.product(own),
      let issuer = WalletCurve.uncompressed(pass.publicKey),
      let secret = WalletCurve.product(own, of: pass.publicKey)
    else { return nil }
    let algorithm: [UInt8] = [0x0D] + Array("id-aes256-GCM".utf8)
    let information = behavior.usesSecondMethod ? Self.party : algorithm + Self.party + hash
    let key = WalletCurve.sha256(Array(secret[1...32]) + [0, 0, 0, 1] + information)
    let seconds = UInt32(clamping: Int(time(nil)) - Self.epoch + behavior.clockDifference)
    let plain = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: seconds >> UInt32($0)) }
    guard
      var body = WalletCurve.encryptGCM(
        plain + pass.message, key: key, authenticated: behavior.usesSecondMethod ? hash : [])
    else { return nil }
    if behavior.forgesTag, let last = body.indices.last { body[last] ^= 0x01 }
    let identifier = WalletCurve.sha256(Array(issuer[1...32])).prefix(4)
    return identifier + publicKey[1...32] + body
  }
}
