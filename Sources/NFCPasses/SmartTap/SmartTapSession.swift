import NDEF
import PassMessage

/// The messages and keys of one session of Google's Smart Tap 2.1: bytes in, bytes out.
///
/// Source: developers.google.com/wallet/smart-tap, "Terminal", "Data format" and "Security"; google-wallet/smart-tap-sample-app;
/// kormax/google-smart-tap.
struct SmartTapSession {
  let collector: SmartTapCollector
  /// Random numbers of the session, so that tests can choose them.
  struct Numbers {
    /// 8 bytes.
    var session: [UInt8]
    /// 32 bytes.
    var nonce: [UInt8]
    /// The reader's key for this session.
    var key: MerchantKey
  }
  let numbers: Numbers
  /// The nonce that the phone has sent after its selection, 32 bytes.
  let phoneNonce: [UInt8]

  /// What the signature covers: both nonces, the collector, and the reader's key.
  var signedBytes: [UInt8] {
    numbers.nonce + phoneNonce + Self.bytes(collector.identifier) + numbers.key.compressedPublicKey
  }

  /// The sequence number of the negotiation.
  static let firstSequence: UInt8 = 0x01
  private static let version: [UInt8] = [0x00, 0x01]
  private static let live: UInt8 = 0x01
  /// The format of the bytes of a record: binary.
  private static let binary: UInt8 = 0x04

  /// NEGOTIATE's data.
  ///
  /// - Parameter signature: of ``signedBytes`` by the collector's key, in DER.
  func negotiation(signature: [UInt8]) -> [UInt8] {
    let proof = NDEFMessage(
      .smartTap("sig", [Self.binary] + signature),
      .smartTap("cld", [Self.binary] + Self.bytes(collector.identifier)))
    let cryptography =
      numbers.nonce + [Self.live] + numbers.key.compressedPublicKey
      + Self.bytes(collector.keyVersion) + proof.encoded()
    let content = NDEFMessage(sessionRecord(Self.firstSequence), .smartTap("cpr", cryptography))
    return NDEFMessage(.smartTap("ngr", Self.version + content.encoded())).encoded()
  }

  /// Derives the keys of the session from the answer to NEGOTIATE.
  func keys(answer: [UInt8], signature: [UInt8]) throws(SmartTapError) -> SmartTapKeys {
    let response = try SmartTapResponse(answer, type: "nrs", session: numbers.session)
    guard let point = response.records.first(where: { $0.hasType(.external, "dpk") })?.payload,
      point.count == 33
    else { throw .malformed("no key") }
    guard var secret = numbers.key.sharedSecret(with: point) else { throw .notAPoint }
    defer { secret.wipe() }
    return SmartTapKeys(
      derived: Digest.hkdf(
        secret, salt: point, info: signedBytes + signature, count: SmartTapKeys.size),
      sequence: response.sequence)
  }

  /// GET DATA's data, for passes of every type.
  ///
  /// - Parameter sequence: that of the phone's last answer and one.
  func request(sequence: UInt8) -> [UInt8] {
    let merchant = NDEFMessage(
      .smartTap("cld", [Self.binary] + Self.bytes(collector.identifier)))
    let services = NDEFMessage(.smartTap("str", [Self.allTypes]))
    let content = NDEFMessage(
      sessionRecord(sequence), .smartTap("mer", merchant.encoded()),
      .smartTap("slr", services.encoded()))
    return NDEFMessage(.smartTap("srq", Self.version + content.encoded())).encoded()
  }

  private static let allTypes: UInt8 = 0x00
  /// The status in a session record: the session is open.
  private static let open: UInt8 = 0x01

  private func sessionRecord(_ sequence: UInt8) -> NDEFRecord {
    .smartTap("ses", numbers.session + [sequence, Self.open])
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [
      UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16),
      UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
    ]
  }
}

/// What all answers have in common: a record with a version, in which there is a message with a session record.
struct SmartTapResponse {
  let sequence: UInt8
  let records: [NDEFRecord]

  private static let sessionSize = 8
  private static let versionSize = 2

  init(_ bytes: [UInt8], type: String, session: [UInt8]) throws(SmartTapError) {
    let outer = try Self.message(bytes)
    guard let record = outer.first(where: { $0.hasType(.external, type) }) else {
      throw .malformed("no record \(type)")
    }
    // What real phones send has a version before the records, the constructed answers have none.
    let content = record.payload
    if let inner = try? Self.message(content), inner.first?.hasType(.external, "ses") == true {
      records = inner
    } else {
      records = try Self.message(Array(content.dropFirst(Self.versionSize)))
    }
    guard let own = records.first(where: { $0.hasType(.external, "ses") })?.payload,
      own.count >= Self.sessionSize + 1
    else { throw .malformed("no session") }
    guard Array(own.prefix(Self.sessionSize)) == session else { throw .otherSession }
    sequence = own[Self.sessionSize]
  }

  static func message(_ bytes: [UInt8]) throws(SmartTapError) -> [NDEFRecord] {
    do { return try NDEFMessage(decoding: bytes).records } catch {
      throw .malformed("no message")
    }
  }
}

/// The keys of a session.
struct SmartTapKeys {
  static let size = 48
  private static let cipherKeySize = 16
  private static let vectorSize = 12
  private static let codeSize = 32

  /// AES-128 in counter mode, then HMAC with SHA-256.
  private(set) var derived: [UInt8]
  /// The sequence number of the phone's answer.
  let sequence: UInt8

  /// Overwrites the keys.
  mutating func wipe() { derived.wipe() }

  private static let isEncrypted: UInt8 = 0x01
  private static let isCompressed: UInt8 = 0x02

  /// Returns the records of the passes in the answer to GET DATA.
  func passes(in answer: [UInt8], session: [UInt8]) throws(SmartTapError) -> [SmartTapPass] {
    let response = try SmartTapResponse(answer, type: "srs", session: session)
    guard let bundle = response.records.first(where: { $0.hasType(.external, "reb") })?.payload,
      let flags = bundle.first
    else { throw .malformed("no pass") }
    var content = Array(bundle.dropFirst())
    if flags & Self.isEncrypted != 0 { content = try decrypt(content) }
    guard flags & Self.isCompressed == 0 else { throw .compressed }
    return try SmartTapPass.all(in: content)
  }

  private func decrypt(_ data: [UInt8]) throws(SmartTapError) -> [UInt8] {
    guard data.count >= Self.vectorSize + Self.codeSize else { throw .malformed("too few bytes") }
    let covered = Array(data.dropLast(Self.codeSize))
    let code = Digest.hmac(covered, key: Array(derived.dropFirst(Self.cipherKeySize)))
    guard code.equalsInConstantTime(Array(data.suffix(Self.codeSize))) else { throw .wrongCode }
    let vector = Array(covered.prefix(Self.vectorSize)) + [0, 0, 0, 0]
    guard
      let plain = CounterCipher.apply(
        to: Array(covered.dropFirst(Self.vectorSize)),
        key: Array(derived.prefix(Self.cipherKeySize)),
        counter: vector)
    else { throw .wrongCode }
    return plain
  }
}

extension NDEFRecord {
  /// A record of Smart Tap: an external type of three letters.
  static func smartTap(_ type: String, _ payload: [UInt8]) -> NDEFRecord {
    NDEFRecord(typeNameFormat: .external, type: type, payload: payload)
  }
}
