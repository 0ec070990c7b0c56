/// The session keys of one message and their use: NT4H2421Gx data sheet, 9.3.6 to 9.3.9.
struct SUNSession {
  private enum Keys {
    case aes(authentication: SUNKey, encryption: SUNKey)
    case lrp(authentication: LeakageResilientPrimitive, encryption: LeakageResilientPrimitive)
    /// The chip's key, and what its MAC covers; there are no session keys.
    case suncmac(SUNKey, input: [UInt8])
  }

  private let keys: Keys
  /// The counter, least significant byte first.
  private let counter: [UInt8]

  private enum Label {
    static let authentication: [UInt8] = [0x3C, 0xC3]
    static let encryption: [UInt8] = [0xC3, 0x3C]
    /// The last bytes for both keys of LRP.
    static let lrp: [UInt8] = [0x1E, 0xE1]
  }

  /// One key of 128 bits (NIST SP 800-108: counter and length).
  private static let oneKey: [UInt8] = [0x00, 0x01, 0x00, 0x80]

  /// - Parameters:
  ///   - uid: the UID, and `counter`: the counter; `nil` for one that is not mirrored.
  ///   - tamperStatus: the status, only in ``SUNMode/suncmac``.
  init(
    _ fileReadKey: SUNKey, _ mode: SUNMode, uid: [UInt8]?, counter: UInt32?,
    tamperStatus: SUNTamperStatus? = nil
  ) {
    let counter = counter.map(Self.counterBytes)
    let context = (uid ?? []) + (counter ?? [])
    self.counter = counter ?? []
    switch mode {
    case .aes:
      func key(_ label: [UInt8]) -> SUNKey {
        let vector = Self.filled(label + Self.oneKey + context, leaving: 0)
        return SUNKey(block: CMAC.code(vector) { AESBlock.encrypt($0, fileReadKey) })
      }
      keys = .aes(
        authentication: key(Label.authentication), encryption: key(Label.encryption))
    case .lrp:
      let vector = Self.filled(Self.oneKey + context, leaving: Label.lrp.count) + Label.lrp
      let master = SUNKey(
        block: LeakageResilientPrimitive(fileReadKey, keyIndex: 0).authenticationCode(vector))
      keys = .lrp(
        authentication: LeakageResilientPrimitive(master, keyIndex: 0),
        encryption: LeakageResilientPrimitive(master, keyIndex: 1))
    case .suncmac:
      // The counter is in the order in which the link has it, most significant byte first.
      keys = .suncmac(
        fileReadKey,
        input: (uid ?? []) + self.counter.reversed() + (tamperStatus?.encoded ?? []))
    }
  }

  /// Returns the SDMMAC over a part of the file as it was sent, or the SUNCMAC, which covers no text; 8 bytes.
  func authenticationCode(_ text: [UInt8]) -> [UInt8] {
    switch keys {
    case .aes(let key, _): CMAC.truncated(CMAC.code(text) { AESBlock.encrypt($0, key) })
    case .lrp(let primitive, _): CMAC.truncated(primitive.authenticationCode(text))
    case .suncmac(let key, let input):
      CMAC.truncated(CMAC.code(input + text) { AESBlock.encrypt($0, key) })
    }
  }

  /// Decrypts whole blocks. A message with SUNCMAC has none.
  func decryptFileData(_ data: [UInt8]) -> [UInt8] {
    switch keys {
    case .suncmac: return []
    case .aes(_, let key):
      let vector = AESBlock.encrypt(Self.filled(counter, leaving: 0), key)
      return AESBlock.decryptChained(data, key, vector: vector)
    case .lrp(_, let primitive):
      return primitive.decrypt(data, counter: counter + [0x00, 0x00, 0x00])
    }
  }

  /// Returns SDMReadCtr in the form for cryptographic calculations (data sheet, 9.3.1).
  private static func counterBytes(_ counter: UInt32) -> [UInt8] {
    [0, 8, 16].map { UInt8(truncatingIfNeeded: counter >> $0) }
  }

  /// Returns the bytes padded with zeros to whole blocks, leaving room for this number of bytes in
  /// the last block.
  private static func filled(_ bytes: [UInt8], leaving room: Int) -> [UInt8] {
    let rest = (bytes.count + room) % AESBlock.size
    return rest == 0 ? bytes : bytes + [UInt8](repeating: 0, count: AESBlock.size - rest)
  }
}

/// Encrypted PICC data: data sheet, 9.3.4.
struct PICCDataContent {
  let uid: [UInt8]?
  let counter: UInt32?

  private enum Tag {
    static let hasUID: UInt8 = 0x80
    static let hasCounter: UInt8 = 0x40
    static let reserved: UInt8 = 0x30
    static let uidSize: UInt8 = 0x0F
  }

  /// The number of random bytes before the encrypted block with LRP, which are its counter.
  private static let randomSize = 8

  /// Decrypts the data; `nil` if the result is something that no chip writes, so that the key is
  /// another one.
  init?(_ data: [UInt8], _ mode: SUNMode, _ key: SUNKey) {
    let plain: [UInt8] =
      switch mode {
      case .aes, .suncmac: AESBlock.decryptChained(data, key, vector: AESBlock.zero)
      case .lrp:
        LeakageResilientPrimitive(key, keyIndex: 0).decrypt(
          Array(data.dropFirst(Self.randomSize)), counter: Array(data.prefix(Self.randomSize)))
      }
    guard let tag = plain.first, tag & Tag.reserved == 0 else { return nil }
    let hasUID = tag & Tag.hasUID != 0
    let hasCounter = tag & Tag.hasCounter != 0
    guard hasUID || hasCounter, tag & Tag.uidSize == (hasUID ? UInt8(SUNMessage.uidSize) : 0)
    else { return nil }
    var rest = plain.dropFirst()
    uid = hasUID ? Array(rest.prefix(SUNMessage.uidSize)) : nil
    if hasUID { rest = rest.dropFirst(SUNMessage.uidSize) }
    counter =
      hasCounter
      ? rest.prefix(SUNMessage.counterSize).reversed().reduce(0) { $0 << 8 | UInt32($1) } : nil
  }
}
