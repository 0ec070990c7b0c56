/// The passes of an Android phone, which it sends by Smart Tap 2.1.
///
/// Source: developers.google.com/wallet/smart-tap, "Terminal", "Data format" and "Security"; kormax/google-smart-tap.
public struct GoogleWallet: Sendable {
  /// A pass.
  public struct Pass: Hashable, Sendable {
    /// The collector's identifier.
    public var collector: UInt32
    /// The collector's public key, 33 or 65 bytes (SEC 1, 2.3.3).
    public var publicKey: [UInt8]
    /// The kind: `ly` for loyalty.
    public var kind: String
    /// The identifier of the object.
    public var objectIdentifier: [UInt8]
    /// The value that is redeemed.
    public var value: [UInt8]

    /// Creates a pass.
    public init(
      collector: UInt32, publicKey: [UInt8], kind: String = "ly", objectIdentifier: [UInt8],
      value: [UInt8]
    ) {
      self.collector = collector
      self.publicKey = publicKey
      self.kind = kind
      self.objectIdentifier = objectIdentifier
      self.value = value
    }
  }

  /// What the phone does that others do not.
  public struct Behavior: Sendable {
    /// The status words of the answers to the first requests for data, one each; later ones are answered as usual.
    public var statusWords: [UInt16] = []
    /// Whether the nonce comes only with the second selection.
    public var needsSecondSelection = false
    /// Whether a bit of the encrypted content is wrong.
    public var forgesCode = false
    /// The maximum number of bytes of one answer; the rest is fetched.
    public var longestAnswer = 240

    /// Creates the behavior of most phones.
    public init() {}
  }

  private let passes: [Pass]
  private let behavior: Behavior
  private var statusWords: [UInt16]
  private var selection = Selection.none
  private var nonce: [UInt8] = []
  private var session: Session?
  private var rest: [UInt8] = []
  private(set) var hasSent = false

  private enum Selection: Hashable { case none, wallets, smartTap }

  private struct Session {
    let number: [UInt8]
    var sequence: UInt8
    let keys: [UInt8]
    let collector: UInt32
  }

  init(passes: [Pass], behavior: Behavior) {
    self.passes = passes
    self.behavior = behavior
    statusWords = behavior.statusWords
  }

  /// The pass of Google's demonstration collector 20180608, whose private key is published
  /// (google-wallet/smart-tap-sample-app).
  public static let examples = [
    Pass(
      collector: 20_180_608,
      publicKey: [
        0x03, 0x72, 0x1C, 0x97, 0x8F, 0xCE, 0xBD, 0xCD, 0xF9, 0x8A, 0x85, 0x18, 0xBD, 0xC4, 0xFE,
        0xDF, 0xD8, 0x02, 0xB4, 0xEE, 0x41, 0x28, 0xE2, 0x51, 0x3B, 0x66, 0x55, 0x93, 0x37, 0x5E,
        0x23, 0x87, 0x86,
      ], objectIdentifier: [1, 2, 3, 4, 5, 6, 7, 8], value: Array("2018".utf8))
  ]
}

extension GoogleWallet: Wallet {
  private static let smartTap: [UInt8] = [0xA0, 0x00, 0x00, 0x04, 0x76, 0xD0, 0x00, 0x01, 0x11]
  private static let (minimumVersion, maximumVersion): ([UInt8], [UInt8]) = ([0, 0], [0, 1])

  private enum Code {
    static let negotiate: UInt8 = 0x53
    static let getData: UInt8 = 0x50
    static let getMore: UInt8 = 0xC0
  }

  private enum Status {
    static let success: [UInt8] = [0x90, 0x00]
    static let noPass: [UInt8] = [0x90, 0x01]
    static let more: [UInt8] = [0x91, 0x00]
    static let wrongRequest: [UInt8] = [0x94, 0x02]
    static let notAuthenticated: [UInt8] = [0x95, 0x00]
  }

  mutating func reset() {
    selection = .none
    session = nil
    nonce = []
    rest = []
    hasSent = false
  }

  mutating func process(_ command: CommandAPDU) -> [UInt8] {
    switch (command.cla, command.ins) {
    case (0x00, Instruction.select):
      guard command.p1 == Parameter.selectByName else { return StatusWord.fileNotFound.bytes }
      return select(command.data)
    case (0x90, Code.negotiate): return negotiate(command.data)
    case (0x90, Code.getData): return data(command.data)
    case (0x90, Code.getMore):
      guard !rest.isEmpty else { return Status.wrongRequest }
      return part()
    case (0x00, _), (0x90, _): return StatusWord.instructionNotSupported.bytes
    default: return StatusWord.classNotSupported.bytes
    }
  }

  private mutating func select(_ name: [UInt8]) -> [UInt8] {
    if nonce.isEmpty { nonce = (WalletCurve.newNumber() ?? []) }
    switch name {
    case WalletObject.applicationName:
      selection = behavior.needsSecondSelection ? .wallets : .smartTap
      var entry =
        WalletObject.encode([0xDF, 0x6D], Self.minimumVersion)
        + WalletObject.encode([0xDF, 0x4D], Self.maximumVersion)
        + WalletObject.encode([0xDF, 0x62], [behavior.needsSecondSelection ? 0x02 : 0x03])
      if !behavior.needsSecondSelection { entry += WalletObject.encode([0xDF, 0x6E], nonce) }
      let application =
        WalletObject.encode([0x4F], Self.smartTap) + WalletObject.encode([0x87], [0x01])
        + WalletObject.encode([0x73], entry)
      let directory = WalletObject.encode(
        [0xA5], WalletObject.encode([0xBF, 0x0C], WalletObject.encode([0x61], application)))
      let content =
        WalletObject.encode([0x50], Array("AndroidPay".utf8))
        + WalletObject.encode([0xC0], [0x00, 0x01]) + directory
      return WalletObject.encode([0x6F], content) + Status.success
    case Self.smartTap where selection != .none:
      selection = .smartTap
      return Self.minimumVersion + Self.maximumVersion + record("mdn", [0x04] + nonce)
        + Status.success
    default: return StatusWord.fileNotFound.bytes
    }
  }

  // MARK: Records

  /// A message of one record: a short external one without identifier (NFC Forum NDEF 1.0, 3.2).
  private func record(_ type: String, _ payload: [UInt8], isFirst: Bool = true, isLast: Bool = true)
    -> [UInt8]
  {
    let isShort = payload.count < 256
    let flags: UInt8 = (isFirst ? 0x80 : 0) | (isLast ? 0x40 : 0) | (isShort ? 0x10 : 0) | 0x04
    let length: [UInt8] =
      isShort
      ? [UInt8(payload.count)]
      : [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: payload.count >> $0) }
    return [flags, UInt8(type.utf8.count)] + length + Array(type.utf8) + payload
  }

  /// Reads the records of a message as types and payloads; `nil` for anything but short or long records without parts.
  private func records(_ bytes: [UInt8]) -> [(type: String, payload: [UInt8])]? {
    var found: [(type: String, payload: [UInt8])] = []
    var rest = bytes[...]
    func take(_ count: Int) -> [UInt8]? {
      guard count >= 0, rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    while let flags = take(1)?.first {
      guard let typeLength = take(1)?.first,
        let length = take(flags & 0x10 != 0 ? 1 : 4)?.reduce(0, { $0 << 8 | Int($1) }),
        let identifierLength = flags & 0x08 != 0 ? take(1)?.first : 0,
        let type = take(Int(typeLength)), take(Int(identifierLength)) != nil,
        let payload = take(length)
      else { return nil }
      found.append((String(decoding: type, as: UTF8.self), payload))
      if flags & 0x40 != 0 { break }
    }
    return rest.isEmpty && !found.isEmpty ? found : nil
  }

  private func content(_ bytes: [UInt8], _ type: String) -> [(type: String, payload: [UInt8])]? {
    guard let outer = records(bytes), outer.count == 1, outer[0].type == type,
      outer[0].payload.prefix(2) == Self.maximumVersion[...]
    else { return nil }
    return records(Array(outer[0].payload.dropFirst(2)))
  }

  // MARK: Commands

  private mutating func negotiate(_ bytes: [UInt8]) -> [UInt8] {
    guard selection == .smartTap, let content = content(bytes, "ngr"), content.count == 2,
      content[0].type == "ses", content[0].payload.count == 10, content[1].type == "cpr",
      content[1].payload.count > 70
    else { return Status.wrongRequest }
    let own = content[0].payload
    let parameters = content[1].payload
    let readerNonce = Array(parameters[0..<32])
    let readerKey = Array(parameters[33..<66])
    guard parameters[32] == 0x01, let proof = records(Array(parameters.dropFirst(70))),
      let signature = proof.first(where: { $0.type == "sig" })?.payload, signature.first == 0x04,
      let collector = proof.first(where: { $0.type == "cld" })?.payload, collector.count == 5,
      collector.first == 0x04
    else { return Status.wrongRequest }
    let number = collector.dropFirst().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let signed = readerNonce + nonce + collector.dropFirst() + readerKey
    guard let pass = passes.first(where: { $0.collector == number }),
      WalletCurve.isSignature(Array(signature.dropFirst()), of: signed, by: pass.publicKey)
    else { return Status.notAuthenticated }
    guard let phoneNumber = WalletCurve.newNumber(), let point = WalletCurve.product(phoneNumber),
      let secret = WalletCurve.product(phoneNumber, of: readerKey)
    else { return Status.wrongRequest }
    let publicKey = WalletCurve.compressed(point)
    session = Session(
      number: Array(own.prefix(8)), sequence: own[8] &+ 1,
      keys: WalletCurve.derive(
        Array(secret[1...32]), salt: publicKey, info: signed + signature.dropFirst()),
      collector: number)
    let answer =
      sessionRecord() + record("dpk", publicKey, isFirst: false)
    return record("nrs", answer) + Status.success
  }

  private func sessionRecord() -> [UInt8] {
    guard let session else { return [] }
    return record("ses", session.number + [session.sequence, 0x01], isLast: false)
  }

  private mutating func data(_ bytes: [UInt8]) -> [UInt8] {
    guard let session, let content = content(bytes, "srq"), content.count >= 3,
      content[0].type == "ses", content[0].payload.count == 10,
      Array(content[0].payload.prefix(8)) == session.number,
      content[0].payload[8] == session.sequence &+ 1,
      let merchant = content.first(where: { $0.type == "mer" }),
      let collector = records(merchant.payload)?.first(where: { $0.type == "cld" })?.payload,
      collector.dropFirst().reduce(UInt32(0), { $0 << 8 | UInt32($1) }) == session.collector,
      content.contains(where: { $0.type == "slr" })
    else { return Status.wrongRequest }
    self.session?.sequence &+= 2
    if !statusWords.isEmpty { return StatusWord(statusWords.removeFirst()).bytes }
    guard !hasSent, let pass = passes.first(where: { $0.collector == session.collector }) else {
      return Status.noPass
    }
    hasSent = true
    guard let encrypted = encrypt(object(pass), session.keys) else {
      return StatusWord.memoryFailure.bytes
    }
    rest = record("srs", sessionRecord() + record("reb", [0x01] + encrypted, isFirst: false))
    return part()
  }

  private mutating func part() -> [UInt8] {
    let first = Array(rest.prefix(max(1, behavior.longestAnswer)))
    rest = Array(rest.dropFirst(first.count))
    return first + (rest.isEmpty ? Status.success : Status.more)
  }

  private func object(_ pass: Pass) -> [UInt8] {
    // A well-known record with an identifier: flags, lengths, "T", "n", and a status byte without a language.
    let value: [UInt8] =
      [0x59, 0x01, UInt8(truncatingIfNeeded: pass.value.count + 1), 0x01, 0x54, 0x6E, 0x00]
      + pass.value
    let object = record("oid", [0x04] + pass.objectIdentifier, isLast: false) + value
    return record(
      "asv",
      record("i", [0x04, 0x01, 0x02, 0x03, 0x04, 0x05], isLast: false)
        + record(pass.kind, object, isFirst: false))
  }

  private func encrypt(_ plain: [UInt8], _ keys: [UInt8]) -> [UInt8]? {
    let vector = Array((WalletCurve.newNumber() ?? []).prefix(12))
    guard
      let encrypted = WalletCurve.applyCounter(
        plain, key: Array(keys.prefix(16)), counter: vector + [0, 0, 0, 0])
    else { return nil }
    var code = WalletCurve.hmac(vector + encrypted, key: Array(keys.dropFirst(16)))
    if behavior.forgesCode { code[0] ^= 0x01 }
    return vector + encrypted + code
  }
}
