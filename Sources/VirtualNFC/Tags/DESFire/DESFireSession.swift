import SwiftNFCCore

/// The result of an authentication: session keys and the protection of commands and answers.
struct DESFireSession: Hashable, Sendable {
  /// The command that began the session.
  enum Scheme: Hashable, Sendable {
    /// Authenticate (0A), the first generation: MACs of four bytes, CRC_A, no chained vector.
    case legacy
    /// AuthenticateISO and AuthenticateAES: CMAC over every command and answer, CRC-32.
    case standard
    /// AuthenticateEV2First and AuthenticateEV2NonFirst.
    case ev2
  }

  let scheme: Scheme
  let keyNumber: UInt8
  let cipher: DESFireCipher
  /// The transaction, only in EV2's scheme.
  var transaction: DESFireTransaction?
  private var vector: [UInt8]

  init(
    scheme: Scheme, keyNumber: UInt8, cipher: DESFireCipher, transaction: DESFireTransaction? = nil
  ) {
    self.scheme = scheme
    self.keyNumber = keyNumber
    self.cipher = cipher
    self.transaction = transaction
    vector = cipher.zeroVector
  }

  /// The protection of commands that do not access a file's data.
  var administrative: DESFireCommunication { scheme == .ev2 ? .authenticated : .plain }

  /// Records a command without data, and returns its parameters without the MAC that EV2's scheme
  /// appends.
  ///
  /// - Parameter frame: the command's code and parameters.
  mutating func accept(
    _ frame: [UInt8], _ communication: DESFireCommunication
  ) throws(DESFireStatus) -> [UInt8] {
    switch scheme {
    case .legacy:
      return Array(frame.dropFirst())
    case .standard:
      vector = cipher.authenticationCode(frame, vector: vector)
      return Array(frame.dropFirst())
    case .ev2:
      guard communication != .plain else { return Array(frame.dropFirst()) }
      return Array(try verified(frame).dropFirst())
    }
  }

  /// Returns a command without its MAC, which has been verified.
  private func verified(_ frame: [UInt8]) throws(DESFireStatus) -> [UInt8] {
    guard let transaction, frame.count > DESFireTransaction.codeSize else { throw .lengthError }
    let rest = Array(frame.dropLast(DESFireTransaction.codeSize))
    guard transaction.code(of: rest) == Array(frame.suffix(DESFireTransaction.codeSize)) else {
      throw .integrityError
    }
    return rest
  }

  /// Returns the data of an answer with its protection.
  ///
  /// - Parameters:
  ///   - status: the status of the answer.
  ///   - marksEnd: whether to pad with 80 first, as for a read without a length.
  mutating func protect(
    _ data: [UInt8], _ communication: DESFireCommunication,
    status: DESFireStatus = .operationOK, marksEnd: Bool = false
  ) -> [UInt8] {
    if scheme == .ev2 { return protectInTransaction(data, communication, status) }
    switch (scheme, communication) {
    case (.legacy, .plain):
      return data
    case (.legacy, .authenticated):
      return data.isEmpty ? [] : data + cipher.legacyAuthenticationCode(data)
    case (_, .plain), (_, .authenticated):
      vector = cipher.authenticationCode(data + [status.code], vector: vector)
      return data + vector.prefix(8)
    case (.legacy, .encrypted):
      let block = data + CyclicRedundancyCheck.a(data) + (marksEnd ? [0x80] : [])
      return cipher.encrypt(
        DESFireCipher.padded(block, to: cipher.blockSize), vector: cipher.zeroVector)
    case (_, .encrypted):
      let check = DESFireCipher.checksum(data + [status.code])
      let block = data + check + (marksEnd ? [0x80] : [])
      let encrypted = cipher.encrypt(
        DESFireCipher.padded(block, to: cipher.blockSize), vector: vector)
      vector = Array(encrypted.suffix(cipher.blockSize))
      return encrypted
    }
  }

  private mutating func protectInTransaction(
    _ data: [UInt8], _ communication: DESFireCommunication, _ status: DESFireStatus
  ) -> [UInt8] {
    guard var transaction else { return data }
    defer { self.transaction = transaction }
    transaction.commandCounter &+= 1
    guard communication != .plain else { return data }
    var body = data
    if communication == .encrypted, !data.isEmpty {
      body = transaction.encrypt(DESFireCipher.marked(data, to: cipher.blockSize))
    }
    return body + transaction.code(of: [status.code] + body)
  }

  /// Returns the answer to a command with data: no data, and the MAC of the answer.
  mutating func acknowledge(_ communication: DESFireCommunication) -> [UInt8] {
    protect([], communication == .plain ? .plain : .authenticated)
  }

  /// Returns the size of `count` bytes of command data on the air.
  func protectedCount(_ count: Int, _ communication: DESFireCommunication) -> Int {
    switch (scheme, communication) {
    case (_, .plain): return count
    case (.legacy, .authenticated): return count + 4
    case (_, .authenticated): return count + 8
    case (.ev2, .encrypted): return (count / cipher.blockSize + 1) * cipher.blockSize + 8
    case (_, .encrypted):
      let whole = count + (scheme == .legacy ? 2 : 4)
      return (whole + cipher.blockSize - 1) / cipher.blockSize * cipher.blockSize
    }
  }

  /// Verifies a command and returns its data without protection.
  ///
  /// - Parameters:
  ///   - header: the code and the parameters that are never encrypted.
  ///   - count: the number of data bytes in `body`, which holds ``protectedCount(_:_:)`` bytes.
  mutating func unprotect(
    header: [UInt8], body: [UInt8], count: Int, _ communication: DESFireCommunication
  ) throws(DESFireStatus) -> [UInt8] {
    guard body.count == protectedCount(count, communication) else { throw .lengthError }
    if scheme == .ev2 {
      guard communication != .plain else { return body }
      let rest = Array(try verified(header + body).dropFirst(header.count))
      guard communication == .encrypted else { return rest }
      let data = try decryptInTransaction(rest)
      guard data.count == count else { throw .integrityError }
      return data
    }
    switch (scheme, communication) {
    case (_, .plain):
      _ = try accept(header + body, .plain)
      return body
    case (.legacy, .authenticated):
      let data = Array(body.prefix(count))
      guard cipher.legacyAuthenticationCode(data) == Array(body.suffix(4)) else {
        throw .integrityError
      }
      return data
    case (_, .authenticated):
      let data = Array(body.prefix(count))
      _ = try accept(header + data, .plain)
      guard Array(vector.prefix(8)) == Array(body.suffix(8)) else { throw .integrityError }
      return data
    case (_, .encrypted):
      let plain = decrypt(body)
      let data = Array(plain.prefix(count))
      let check =
        scheme == .legacy
        ? CyclicRedundancyCheck.a(data) : DESFireCipher.checksum(header + data)
      guard plain.dropFirst(count).starts(with: check) else { throw .integrityError }
      return data
    }
  }

  /// Verifies a command that does not specify the number of its data bytes, and returns its data. The
  /// data ends before the check and the padding byte 80.
  mutating func unprotect(
    header: [UInt8], body: [UInt8]
  ) throws(DESFireStatus) -> [UInt8] {
    if scheme == .ev2 {
      return try decryptInTransaction(
        Array(try verified(header + body).dropFirst(header.count)))
    }
    guard !body.isEmpty, body.count % cipher.blockSize == 0 else { throw .lengthError }
    let plain = decrypt(body)
    let checkSize = scheme == .legacy ? 2 : 4
    guard let mark = plain.lastIndex(where: { $0 != 0 }), plain[mark] == 0x80, mark >= checkSize
    else { throw .integrityError }
    let data = Array(plain[..<(mark - checkSize)])
    let check =
      scheme == .legacy ? CyclicRedundancyCheck.a(data) : DESFireCipher.checksum(header + data)
    guard Array(plain[(mark - checkSize)..<mark]) == check else { throw .integrityError }
    return data
  }

  /// Decrypts data from a reader in the older schemes, which consists of whole blocks.
  mutating func decrypt(_ body: [UInt8]) -> [UInt8] {
    guard scheme != .legacy else { return cipher.undoDecryptingReader(body) }
    let plain = cipher.decrypt(body, vector: vector)
    vector = Array(body.suffix(cipher.blockSize))
    return plain
  }

  private mutating func decryptInTransaction(_ body: [UInt8]) throws(DESFireStatus) -> [UInt8] {
    guard var transaction, !body.isEmpty, body.count % cipher.blockSize == 0 else {
      throw .lengthError
    }
    let plain = transaction.decrypt(body)
    self.transaction = transaction
    guard let mark = plain.lastIndex(where: { $0 != 0 }), plain[mark] == 0x80 else {
      throw .integrityError
    }
    return Array(plain[..<mark])
  }
}

/// The values that are part of every MAC in EV2's scheme, and the session keys (NXP AN12196, 4; AN12343,
/// 7; NT4H2421Gx data sheet, 9.1 and 9.2).
struct DESFireTransaction: Hashable, Sendable {
  static let codeSize = 8

  enum Keys: Hashable, Sendable {
    case aes(data: DESFireCipher, codes: DESFireCipher)
    /// The keys of a chip that is set to LRP.
    case lrp(LeakageResilientKeys)
  }

  let identifier: [UInt8]
  private(set) var keys: Keys
  var commandCounter: UInt16

  init(identifier: [UInt8], keys: Keys, commandCounter: UInt16) {
    self.identifier = identifier
    self.keys = keys
    self.commandCounter = commandCounter
  }

  var isLRP: Bool { if case .lrp = keys { true } else { false } }

  private static let commandLabel: [UInt8] = [0xA5, 0x5A]
  private static let answerLabel: [UInt8] = [0x5A, 0xA5]

  /// Returns the MAC of a frame.
  ///
  /// - Parameter frame: a command's code or an answer's status, and the bytes after it.
  func code(of frame: [UInt8]) -> [UInt8] {
    let input =
      frame.prefix(1) + commandCounter.littleEndianBytes + identifier + frame.dropFirst()
    let whole =
      switch keys {
      case .aes(_, let cipher):
        cipher.authenticationCode(Array(input), vector: cipher.zeroVector)
      case .lrp(let keys): keys.authenticationCode(Array(input))
      }
    return stride(from: 1, to: whole.count, by: 2).map { whole[$0] }
  }

  /// Returns the encrypted blocks of an answer.
  mutating func encrypt(_ blocks: [UInt8]) -> [UInt8] {
    switch keys {
    case .aes(let cipher, _):
      return cipher.encrypt(blocks, vector: vector(isAnswer: true, cipher))
    case .lrp(var lrp):
      defer { keys = .lrp(lrp) }
      return lrp.encrypt(blocks)
    }
  }

  /// Returns the decrypted blocks of a command.
  mutating func decrypt(_ blocks: [UInt8]) -> [UInt8] {
    switch keys {
    case .aes(let cipher, _):
      return cipher.decrypt(blocks, vector: vector(isAnswer: false, cipher))
    case .lrp(var lrp):
      defer { keys = .lrp(lrp) }
      return lrp.decrypt(blocks)
    }
  }

  private func vector(isAnswer: Bool, _ cipher: DESFireCipher) -> [UInt8] {
    let label = isAnswer ? Self.answerLabel : Self.commandLabel
    return cipher.encrypt(
      label + identifier + commandCounter.littleEndianBytes + [UInt8](repeating: 0, count: 8),
      vector: cipher.zeroVector)
  }

  /// Returns the session's two keys (AN12196, 4.3).
  static func ciphers(
    key: DESFireCipher, reader: [UInt8], card: [UInt8]
  ) -> (data: DESFireCipher, code: DESFireCipher) {
    let mixed = zip(reader[2..<8], card[0..<6]).map { $0 ^ $1 }
    let parts: [UInt8] =
      [0x00, 0x01, 0x00, 0x80] + reader[..<2] + mixed + card[6...] + reader[8...]
    func cipher(_ label: [UInt8]) -> DESFireCipher {
      DESFireCipher(
        kind: .aes, key: key.authenticationCode(label + parts, vector: key.zeroVector))
    }
    return (cipher(commandLabel), cipher(answerLabel))
  }
}
