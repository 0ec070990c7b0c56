import NFCCore

/// What an authentication leaves behind: a session key and how it protects commands and answers.
struct DESFireSession: Hashable, Sendable {
  /// Which command began it.
  enum Scheme: Hashable, Sendable {
    /// Authenticate (0A), the first generation: MACs of four bytes, CRC_A, no chained vector.
    case legacy
    /// AuthenticateISO and AuthenticateAES: CMAC over every command and answer, CRC-32.
    case standard
  }

  let scheme: Scheme
  let keyNumber: UInt8
  let cipher: DESFireCipher
  private var vector: [UInt8]

  init(scheme: Scheme, keyNumber: UInt8, cipher: DESFireCipher) {
    self.scheme = scheme
    self.keyNumber = keyNumber
    self.cipher = cipher
    vector = cipher.zeroVector
  }

  /// Takes note of a command that is sent without a MAC; `frame` is its code and parameters.
  mutating func absorb(_ frame: [UInt8]) {
    if scheme == .standard { vector = cipher.authenticationCode(frame, vector: vector) }
  }

  /// The answer's data with what protects it.
  ///
  /// - Parameter marksEnd: pads with 80 first, as where the reader did not say how much it reads.
  mutating func protect(
    _ data: [UInt8], _ communication: DESFireCommunication, marksEnd: Bool = false
  ) -> [UInt8] {
    switch (scheme, communication) {
    case (.legacy, .plain):
      return data
    case (.legacy, .authenticated):
      return data + cipher.legacyAuthenticationCode(data)
    case (.standard, .plain), (.standard, .authenticated):
      vector = cipher.authenticationCode(data + [DESFireStatus.operationOK.code], vector: vector)
      return data + vector.prefix(8)
    case (.legacy, .enciphered):
      let block = data + CyclicRedundancyCheck.a(data) + (marksEnd ? [0x80] : [])
      return cipher.encrypt(
        DESFireCipher.padded(block, to: cipher.blockSize), vector: cipher.zeroVector)
    case (.standard, .enciphered):
      let check = DESFireCipher.checksum(data + [DESFireStatus.operationOK.code])
      let block = data + check + (marksEnd ? [0x80] : [])
      let enciphered = cipher.encrypt(
        DESFireCipher.padded(block, to: cipher.blockSize), vector: vector)
      vector = Array(enciphered.suffix(cipher.blockSize))
      return enciphered
    }
  }

  /// How many bytes `count` bytes of command data take on the air.
  func protectedCount(_ count: Int, _ communication: DESFireCommunication) -> Int {
    switch (scheme, communication) {
    case (_, .plain): return count
    case (.legacy, .authenticated): return count + 4
    case (.standard, .authenticated): return count + 8
    case (_, .enciphered):
      let whole = count + (scheme == .legacy ? 2 : 4)
      return (whole + cipher.blockSize - 1) / cipher.blockSize * cipher.blockSize
    }
  }

  /// Checks a command and gives its data without protection.
  ///
  /// - Parameters:
  ///   - header: the code and the parameters that are never enciphered.
  ///   - count: the number of data bytes in `body`, which holds ``protectedCount(_:_:)`` bytes.
  mutating func unprotect(
    header: [UInt8], body: [UInt8], count: Int, _ communication: DESFireCommunication
  ) throws(DESFireStatus) -> [UInt8] {
    guard body.count == protectedCount(count, communication) else { throw .lengthError }
    switch (scheme, communication) {
    case (_, .plain):
      absorb(header + body)
      return body
    case (.legacy, .authenticated):
      let data = Array(body.prefix(count))
      guard cipher.legacyAuthenticationCode(data) == Array(body.suffix(4)) else {
        throw .integrityError
      }
      return data
    case (.standard, .authenticated):
      let data = Array(body.prefix(count))
      absorb(header + data)
      guard Array(vector.prefix(8)) == Array(body.suffix(8)) else { throw .integrityError }
      return data
    case (_, .enciphered):
      let plain = decipher(body)
      let data = Array(plain.prefix(count))
      let check =
        scheme == .legacy
        ? CyclicRedundancyCheck.a(data) : DESFireCipher.checksum(header + data)
      guard plain.dropFirst(count).starts(with: check) else { throw .integrityError }
      return data
    }
  }

  /// Deciphers what a reader sent, a number of whole blocks.
  mutating func decipher(_ body: [UInt8]) -> [UInt8] {
    switch scheme {
    case .legacy:
      return cipher.undoDecipheringReader(body)
    case .standard:
      let plain = cipher.decrypt(body, vector: vector)
      vector = Array(body.suffix(cipher.blockSize))
      return plain
    }
  }
}

/// The two steps of Authenticate, AuthenticateISO and AuthenticateAES.
struct DESFireAuthentication: Hashable, Sendable {
  let scheme: DESFireSession.Scheme
  let keyNumber: UInt8
  let key: DESFireKey
  private let challenge: [UInt8]
  private let challengeSent: [UInt8]

  /// - Parameter challenge: as many random bytes as the key's kind asks for.
  init(scheme: DESFireSession.Scheme, keyNumber: UInt8, key: DESFireKey, challenge: [UInt8]) {
    self.scheme = scheme
    self.keyNumber = keyNumber
    self.key = key
    self.challenge = challenge
    challengeSent = key.cipher.encrypt(challenge, vector: key.cipher.zeroVector)
  }

  /// The enciphered challenge to the reader.
  var firstAnswer: [UInt8] { challengeSent }

  /// Takes the reader's two enciphered blocks; `nil` if it does not know the key.
  func finish(_ token: [UInt8]) -> (answer: [UInt8], session: DESFireSession)? {
    let size = challenge.count
    let cipher = key.cipher
    guard token.count == 2 * size else { return nil }
    let plain =
      scheme == .legacy
      ? cipher.undoDecipheringReader(token)
      : cipher.decrypt(token, vector: Array(challengeSent.suffix(cipher.blockSize)))
    let reader = Array(plain.prefix(size))
    guard Array(plain.suffix(size)) == Self.rotated(challenge) else { return nil }
    let vector =
      scheme == .legacy ? cipher.zeroVector : Array(token.suffix(cipher.blockSize))
    let answer = cipher.encrypt(Self.rotated(reader), vector: vector)
    return (
      answer,
      DESFireSession(
        scheme: scheme, keyNumber: keyNumber,
        cipher: key.sessionCipher(reader: reader, card: challenge))
    )
  }

  /// One byte to the left.
  static func rotated(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.dropFirst()) + bytes.prefix(1)
  }
}
