/// The two steps of Authenticate, AuthenticateISO, AuthenticateAES and the EV2 authentications.
struct DESFireAuthentication: Hashable, Sendable {
  let scheme: DESFireSession.Scheme
  let keyNumber: UInt8
  let key: DESFireKey
  private let challenge: [UInt8]
  private let challengeSent: [UInt8]
  /// The values of the transaction that the authentication begins or continues.
  private let transaction: Transaction
  /// Whether the chip is set to LRP.
  private let isLRP: Bool

  enum Transaction: Hashable, Sendable {
    case none
    /// The authentication begins a transaction with the card's identifier for it and the capabilities
    /// that the reader has reported.
    case begins(identifier: [UInt8], readerCapabilities: [UInt8])
    case goesOn(identifier: [UInt8], commandCounter: UInt16)
  }

  private static let capabilitiesSize = 6

  /// - Parameter challenge: the number of random bytes that the key's kind requires.
  init(
    scheme: DESFireSession.Scheme, keyNumber: UInt8, key: DESFireKey, challenge: [UInt8],
    transaction: Transaction = .none, isLRP: Bool = false
  ) {
    self.scheme = scheme
    self.keyNumber = keyNumber
    self.key = key
    self.challenge = challenge
    self.transaction = transaction
    self.isLRP = isLRP
    challengeSent = key.cipher.encrypt(challenge, vector: key.cipher.zeroVector)
  }

  /// AuthMode (NT4H2421Gx data sheet, table 38).
  private static let lrpMode: UInt8 = 0x01

  /// The challenge to the reader, encrypted except in LRP.
  var firstAnswer: [UInt8] { isLRP ? [Self.lrpMode] + challenge : challengeSent }

  /// Verifies the reader's two encrypted blocks; `nil` if the reader does not know the key.
  func finish(_ token: [UInt8]) -> (answer: [UInt8], session: DESFireSession)? {
    let size = challenge.count
    let cipher = key.cipher
    guard token.count == 2 * size else { return nil }
    if isLRP { return finishLRP(token) }
    let plain =
      switch scheme {
      case .legacy: cipher.undoDecryptingReader(token)
      case .standard:
        cipher.decrypt(token, vector: Array(challengeSent.suffix(cipher.blockSize)))
      case .ev2: cipher.decrypt(token, vector: cipher.zeroVector)
      }
    let reader = Array(plain.prefix(size))
    guard Array(plain.suffix(size)) == Self.rotated(challenge) else { return nil }
    if scheme == .ev2 { return finishEV2(reader) }
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

  private func finishEV2(_ reader: [UInt8]) -> (answer: [UInt8], session: DESFireSession)? {
    let cipher = key.cipher
    var proof = Self.rotated(reader)
    let number: [UInt8]
    let counter: UInt16
    switch transaction {
    case .none: return nil
    case .begins(let identifier, let capabilities):
      (number, counter) = (identifier, 0)
      let padded = capabilities + [UInt8](repeating: 0, count: Self.capabilitiesSize)
      // The card reports no capabilities beyond the standard ones.
      proof =
        identifier + proof + [UInt8](repeating: 0, count: Self.capabilitiesSize)
        + padded.prefix(Self.capabilitiesSize)
    case .goesOn(let identifier, let commandCounter):
      (number, counter) = (identifier, commandCounter)
    }
    let keys = DESFireTransaction.ciphers(key: cipher, reader: reader, card: challenge)
    return (
      cipher.encrypt(proof, vector: cipher.zeroVector),
      DESFireSession(
        scheme: .ev2, keyNumber: keyNumber, cipher: keys.data,
        transaction: DESFireTransaction(
          identifier: number, keys: .aes(data: keys.data, codes: keys.code),
          commandCounter: counter))
    )
  }

  /// PDCap2 of a chip that is set to LRP.
  private static let lrpCapabilities: [UInt8] = [0x02, 0x00, 0x00, 0x00, 0x00, 0x00]

  /// Finishes an LRP authentication (NXP AN12343, 7.2.5; NT4H2421Gx data sheet, 9.2.5 and 9.2.6).
  private func finishLRP(_ token: [UInt8]) -> (answer: [UInt8], session: DESFireSession)? {
    let reader = Array(token.prefix(challenge.count))
    var lrp = LeakageResilientKeys(key: key.bytes, reader: reader, chip: challenge)
    guard Array(token.suffix(challenge.count)) == lrp.authenticationCode(reader + challenge)
    else { return nil }
    let number: [UInt8]
    var counter: UInt16 = 0
    var content: [UInt8] = []
    switch transaction {
    case .none: return nil
    case .begins(let identifier, let capabilities):
      number = identifier
      let padded = capabilities + [UInt8](repeating: 0, count: Self.capabilitiesSize)
      content = lrp.encrypt(
        identifier + Self.lrpCapabilities + padded.prefix(Self.capabilitiesSize))
    case .goesOn(let identifier, let commandCounter):
      (number, counter) = (identifier, commandCounter)
    }
    return (
      content + lrp.authenticationCode(challenge + reader + content),
      DESFireSession(
        scheme: .ev2, keyNumber: keyNumber, cipher: key.cipher,
        transaction: DESFireTransaction(
          identifier: number, keys: .lrp(lrp), commandCounter: counter))
    )
  }

  /// Returns bytes rotated one byte to the left.
  static func rotated(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.dropFirst()) + bytes.prefix(1)
  }
}
