import SwiftNFCCore

/// The chip's side of secure messaging with AES or LRP (NT4H2421Gx data sheet, 9.1 and 9.2).
struct NTAG424Session: Hashable, Sendable {
  let keyNumber: UInt8
  /// TI, the transaction identifier.
  let transaction: [UInt8]
  /// CmdCtr, the command counter.
  private(set) var counter: UInt16
  private enum Keys: Hashable, Sendable {
    case aes(encryption: DESFireCipher, authentication: DESFireCipher)
    case lrp(LeakageResilientKeys)
  }
  private var keys: Keys

  var isLRP: Bool { if case .lrp = keys { true } else { false } }

  static let macSize = 8
  private static let blockSize = 16
  private static let endMark: UInt8 = 0x80

  private enum Label {
    static let encryptionKey: [UInt8] = [0xA5, 0x5A]
    static let authenticationKey: [UInt8] = [0x5A, 0xA5]
    static let command: [UInt8] = [0xA5, 0x5A]
    static let response: [UInt8] = [0x5A, 0xA5]
  }

  private static let oneKey: [UInt8] = [0x00, 0x01, 0x00, 0x80]

  /// Creates a session with AES (9.1.7).
  init(
    key: [UInt8], number: UInt8, reader: [UInt8], chip: [UInt8], transaction: [UInt8],
    counter: UInt16
  ) {
    keyNumber = number
    self.transaction = transaction
    self.counter = counter
    let mixed = zip(reader[2..<8], chip[0..<6]).map { $0 ^ $1 }
    let context = Array(reader[0..<2]) + mixed + Array(chip[6..<16]) + Array(reader[8..<16])
    let cipher = DESFireCipher(kind: .aes, key: key)
    func sessionKey(_ label: [UInt8]) -> DESFireCipher {
      DESFireCipher(
        kind: .aes,
        key: cipher.authenticationCode(label + Self.oneKey + context, vector: cipher.zeroVector))
    }
    keys = .aes(
      encryption: sessionKey(Label.encryptionKey),
      authentication: sessionKey(Label.authenticationKey))
  }

  /// Creates a session with LRP.
  ///
  /// - Parameter keys: the keys that were used in the authentication (9.2.5).
  init(
    _ keys: LeakageResilientKeys, number: UInt8, transaction: [UInt8], counter: UInt16
  ) {
    keyNumber = number
    self.transaction = transaction
    self.counter = counter
    self.keys = .lrp(keys)
  }

  private var counterBytes: [UInt8] { counter.littleEndianBytes }

  /// Returns every second byte of a code (9.1.3).
  static func truncated(_ code: [UInt8]) -> [UInt8] {
    code.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }

  private func code(_ first: UInt8, _ data: [UInt8]) -> [UInt8] {
    let message = [first] + counterBytes + transaction + data
    switch keys {
    case .aes(_, let key):
      return Self.truncated(key.authenticationCode(message, vector: key.zeroVector))
    case .lrp(let keys): return Self.truncated(keys.authenticationCode(message))
    }
  }

  private mutating func decrypt(_ blocks: [UInt8]) -> [UInt8] {
    switch keys {
    case .aes(let key, _): return key.decrypt(blocks, vector: vector(Label.command, key))
    case .lrp(var lrp):
      defer { keys = .lrp(lrp) }
      return lrp.decrypt(blocks)
    }
  }

  private mutating func encrypt(_ blocks: [UInt8]) -> [UInt8] {
    switch keys {
    case .aes(let key, _): return key.encrypt(blocks, vector: vector(Label.response, key))
    case .lrp(var lrp):
      defer { keys = .lrp(lrp) }
      return lrp.encrypt(blocks)
    }
  }

  private func vector(_ label: [UInt8], _ encryption: DESFireCipher) -> [UInt8] {
    encryption.encrypt(
      DESFireCipher.padded(label + transaction + counterBytes, to: Self.blockSize),
      vector: encryption.zeroVector)
  }

  /// Verifies a command and returns its plain data; the counter advances.
  ///
  /// - Parameter headerSize: the number of parameter bytes that are never encrypted.
  mutating func unprotect(
    _ command: UInt8, _ parameters: [UInt8], headerSize: Int,
    _ communication: NTAG424File.Communication
  ) throws(NTAG424Status) -> [UInt8] {
    guard counter < .max else { throw .integrityError }
    guard communication != .plain else {
      counter += 1
      return parameters
    }
    guard parameters.count >= headerSize + Self.macSize else { throw .lengthError }
    let body = Array(parameters.dropLast(Self.macSize))
    guard code(command, body) == Array(parameters.suffix(Self.macSize)) else {
      throw .integrityError
    }
    defer { counter += 1 }
    let encrypted = Array(body.dropFirst(headerSize))
    guard communication == .encrypted, !encrypted.isEmpty else { return body }
    guard encrypted.count % Self.blockSize == 0 else { throw .integrityError }
    let plain = decrypt(encrypted)
    guard let end = plain.lastIndex(where: { $0 != 0 }), plain[end] == Self.endMark,
      plain.count - end <= Self.blockSize
    else { throw .integrityError }
    return Array(body.prefix(headerSize)) + plain[..<end]
  }

  /// Returns an answer's data with its protection, after the command has been counted.
  mutating func protect(
    _ data: [UInt8], _ status: NTAG424Status, _ communication: NTAG424File.Communication
  ) -> [UInt8] {
    guard communication != .plain else { return data }
    var body = data
    if communication == .encrypted, !data.isEmpty {
      body = encrypt(DESFireCipher.padded(data + [Self.endMark], to: Self.blockSize))
    }
    return body + code(status.rawValue, body)
  }
}
