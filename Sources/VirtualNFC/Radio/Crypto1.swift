/// CRYPTO1, the stream cipher of MIFARE Classic, as a running cipher. After authentication, card and
/// reader each have one, and every frame in either direction advances both.
///
/// ``CardAuthentication`` is the card's side of an authentication, and ``ReaderAuthentication`` the
/// reader chip's. Each results in a cipher that is synchronized with the other side's. A reader chip uses
/// it as follows:
///
/// ```text
/// guard
///   let authentication = Crypto1.ReaderAuthentication(
///     key: key, uid: uid, challenge: answerToAUTH, readerNonce: nonce, isNested: cipher != nil),
///   let answer = transmit(authentication.answer),
///   var cipher = authentication.cipher(verifying: answer)
/// else { return }
/// let request = cipher.frame(encrypting: command + CyclicRedundancyCheck.a(command))
/// ```
///
/// Bits are numbered in the order in which they go over the air, the least significant of a byte first.
/// Source: Garcia et al., "Dismantling MIFARE Classic", ESORICS 2008; Nohl et al., "Reverse-Engineering a
/// Cryptographic RFID Tag", USENIX Security 2008.
struct Crypto1: Hashable, Sendable {
  /// The shift register; bit i is x_i of the paper.
  private var register: UInt64

  /// Creates a cipher that holds a key and has not seen a nonce.
  ///
  /// - Parameter key: the six bytes of the key in the order of a sector trailer. Further bytes are
  ///   ignored; missing ones count as zero.
  init(key: some Sequence<UInt8>) {
    register = 0
    for (index, byte) in key.prefix(6).enumerated() {
      register |= UInt64(byte) << (8 * index)
    }
  }

  // MARK: Frames

  /// Encrypts whole bytes, including check bytes, and the parity bit of each.
  mutating func encrypt(_ bytes: [UInt8]) -> (bytes: [UInt8], parity: [Bool]) {
    encrypt(bytes, feeding: nil)
  }

  /// Decrypts whole bytes; `nil` if a parity bit is wrong.
  ///
  /// The cipher advances in either case.
  ///
  /// - Parameter parity: as ``RadioFrame/parity``: `nil` if each bit is the odd parity of the byte on the
  ///   air.
  mutating func decrypt(_ bytes: [UInt8], parity: [Bool]?) -> [UInt8]? {
    decrypt(bytes, parity: parity, feeding: nil)
  }

  /// Encrypts or decrypts the four bits of an acknowledge, which has no parity. The high half of
  /// the result is zero.
  mutating func apply(toAcknowledge code: UInt8) -> UInt8 {
    var result: UInt8 = 0
    for position in 0..<4 {
      let bit = UInt64(code >> position & 1) ^ keystreamBit
      advance(feeding: 0)
      result |= UInt8(truncatingIfNeeded: bit) << position
    }
    return result
  }

  /// Returns an encrypted type A frame of these bytes, which must include check bytes.
  mutating func frame(encrypting bytes: [UInt8]) -> RadioFrame {
    let (bytes, parity) = encrypt(bytes)
    return RadioFrame(bytes, modulation: .typeA, parity: parity)
  }

  /// Returns an encrypted type A frame of a 4-bit acknowledge.
  mutating func frame(encryptingAcknowledge code: UInt8) -> RadioFrame {
    .typeA(bare: [apply(toAcknowledge: code)], bitsInLastByte: 4)
  }

  /// Returns the bytes of an encrypted frame, including check bytes; `nil` if it does not consist of
  /// whole bytes or a parity bit is wrong.
  mutating func bytes(decrypting frame: RadioFrame) -> [UInt8]? {
    guard frame.bitsInLastByte == 8, !frame.bytes.isEmpty else { return nil }
    return decrypt(frame.bytes, parity: frame.parity)
  }

  /// Returns the code of an encrypted 4-bit acknowledge; `nil` if the frame is not one.
  mutating func acknowledge(decrypting frame: RadioFrame) -> UInt8? {
    guard frame.bytes.count == 1, frame.bitsInLastByte == 4 else { return nil }
    return apply(toAcknowledge: frame.bytes[0])
  }

  // MARK: Bytes

  /// Encrypts a byte, and shifts the plain text exclusive-or `mask` into the register unless `mask` is
  /// `nil`.
  fileprivate mutating func encrypt(
    _ bytes: [UInt8], feeding mask: [UInt8]?
  ) -> (bytes: [UInt8], parity: [Bool]) {
    var encrypted: [UInt8] = []
    var parity: [Bool] = []
    for (index, byte) in bytes.enumerated() {
      let mask = mask.map { index < $0.count ? $0[index] : 0 }
      encrypted.append(apply(to: byte, isDecrypting: false, feeding: mask))
      parity.append(encryptedParity(ofPlain: byte))
    }
    return (encrypted, parity)
  }

  /// Decrypts a byte, and shifts the plain text exclusive-or `mask` into the register unless `mask` is
  /// `nil`.
  fileprivate mutating func decrypt(
    _ bytes: [UInt8], parity: [Bool]?, feeding mask: [UInt8]?
  ) -> [UInt8]? {
    var plain: [UInt8] = []
    var isParityRight = parity == nil || parity?.count == bytes.count
    for (index, byte) in bytes.enumerated() {
      let mask = mask.map { index < $0.count ? $0[index] : 0 }
      let value = apply(to: byte, isDecrypting: true, feeding: mask)
      plain.append(value)
      let received: Bool
      if let parity {
        received = index < parity.count && parity[index]
      } else {
        received = Self.oddParity(byte)
      }
      if received != encryptedParity(ofPlain: value) { isParityRight = false }
    }
    return isParityRight ? plain : nil
  }

  private mutating func apply(
    to byte: UInt8, isDecrypting: Bool, feeding mask: UInt8?
  ) -> UInt8 {
    var result: UInt8 = 0
    for position in 0..<8 {
      let bit = UInt64(byte >> position & 1)
      let transformed = bit ^ keystreamBit
      let plain = isDecrypting ? transformed : bit
      advance(feeding: mask.map { plain ^ UInt64($0 >> position & 1) } ?? 0)
      result |= UInt8(truncatingIfNeeded: transformed) << position
    }
    return result
  }

  /// Returns the parity bit that is sent after a byte. It is encrypted with the same keystream bit as
  /// the first bit of the next byte.
  private func encryptedParity(ofPlain byte: UInt8) -> Bool {
    Self.oddParity(byte) != (keystreamBit == 1)
  }

  /// Returns the bit that makes the total number of ones odd, including the byte's own.
  static func oddParity(_ byte: UInt8) -> Bool {
    byte.nonzeroBitCount & 1 == 0
  }

  // MARK: The generator

  /// The register bits that the feedback function adds.
  private static let feedbackTaps: UInt64 =
    [0, 5, 9, 10, 12, 14, 15, 17, 19, 24, 25, 27, 29, 35, 39, 41, 42, 43].reduce(0) {
      $0 | 1 << UInt64($1)
    }

  private mutating func advance(feeding input: UInt64) {
    let feedback = UInt64((register & Self.feedbackTaps).nonzeroBitCount & 1)
    register = register >> 1 | (feedback ^ input) << 47
  }

  /// The filter function: a bit that depends on the twenty odd places from x9 to x47.
  private var keystreamBit: UInt64 {
    let a0 = Self.filterA[fourOddBits(from: 9)]
    let b0 = Self.filterB[fourOddBits(from: 17)]
    let b1 = Self.filterB[fourOddBits(from: 25)]
    let a1 = Self.filterA[fourOddBits(from: 33)]
    let b2 = Self.filterB[fourOddBits(from: 41)]
    return Self.filterC[a0 | b0 << 1 | b1 << 2 | a1 << 3 | b2 << 4] == 1 ? 1 : 0
  }

  /// Returns x_n, x_n+2, x_n+4 and x_n+6 as a number, with x_n as its least significant bit.
  private func fourOddBits(from place: Int) -> Int {
    var bits = Int(truncatingIfNeeded: register >> UInt64(place) & 0x55)
    bits = (bits | bits >> 1) & 0x33
    return (bits | bits >> 2) & 0x0F
  }

  private static let filterA: [Int] = (0..<16).map { y in
    let (y0, y1, y2, y3) = (y & 1, y >> 1 & 1, y >> 2 & 1, y >> 3 & 1)
    return ((y0 | y1) ^ (y0 & y3)) ^ (y2 & ((y0 ^ y1) | y3))
  }

  private static let filterB: [Int] = (0..<16).map { y in
    let (y0, y1, y2, y3) = (y & 1, y >> 1 & 1, y >> 2 & 1, y >> 3 & 1)
    return ((y0 & y1) | y2) ^ ((y0 ^ y1) & (y2 | y3))
  }

  private static let filterC: [Int] = (0..<32).map { y in
    let (y0, y1, y2, y3) = (y & 1, y >> 1 & 1, y >> 2 & 1, y >> 3 & 1)
    let y4 = y >> 4 & 1
    return (y0 | ((y1 | y4) & (y3 ^ y4))) ^ ((y0 ^ (y1 & y3)) & ((y2 ^ y3) | (y1 & y4)))
  }
}

extension Crypto1 {
  /// A card's nonce nT: 32 successive bits of a 16-bit shift register with the polynomial
  /// x^16+x^14+x^13+x^11+1.
  struct Nonce: Hashable, Sendable {
    /// The bits of the nonce; bit 0 is the first on the air.
    private var bits: UInt32

    /// Creates a nonce from its four bytes in the order of transmission; missing ones count as zero.
    init(bytes: some Sequence<UInt8>) {
      bits = 0
      for (index, byte) in bytes.prefix(4).enumerated() {
        bits |= UInt32(byte) << (8 * index)
      }
    }

    /// Creates the nonce of a generator whose register holds `state`. A generator with state 0 stays at
    /// 0.
    init(generatorState state: UInt16) {
      bits = UInt32(state) << 16
      self = successor(16)
    }

    /// The four bytes in the order of transmission.
    var bytes: [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt32($0))) }
    }

    /// Returns the nonce that the generator produces this number of steps later.
    ///
    /// The reader's answer to nT is the 64th successor, the card's answer is the 96th.
    func successor(_ steps: Int) -> Nonce {
      var next = self
      for _ in 0..<max(0, steps) {
        let feedback = next.bits >> 16 ^ next.bits >> 18 ^ next.bits >> 19 ^ next.bits >> 21
        next.bits = next.bits >> 1 | (feedback & 1) << 31
      }
      return next
    }
  }

  private static let readerAnswerSteps = 64
  private static let cardAnswerSteps = 96

  /// Returns the part of a UID that an authentication uses: the last four bytes (NXP AN10927, MIFARE
  /// product and handling of UIDs).
  private static func authenticationUID(_ uid: [UInt8]) -> [UInt8] { Array(uid.suffix(4)) }

  /// The card's side of an authentication.
  struct CardAuthentication: Hashable, Sendable {
    /// The frame that answers the AUTH command: nT, encrypted with the new key if AUTH was sent in an
    /// authenticated state.
    let challenge: RadioFrame
    private var cipher: Crypto1
    private let nonce: Nonce

    /// - Parameters:
    ///   - key: the key of the sector, six bytes.
    ///   - uid: the card's UID, of which the last four bytes are used.
    ///   - nonce: nT.
    ///   - isNested: whether AUTH was encrypted.
    init(key: [UInt8], uid: [UInt8], nonce: Nonce, isNested: Bool) {
      self.nonce = nonce
      cipher = Crypto1(key: key)
      let (bytes, parity) = cipher.encrypt(
        nonce.bytes, feeding: Crypto1.authenticationUID(uid))
      challenge =
        isNested
        ? RadioFrame(bytes, modulation: .typeA, parity: parity) : .typeA(bare: nonce.bytes)
    }

    /// Verifies the reader's encrypted nR and aR. Returns the encrypted aT and the running cipher;
    /// `nil` if the reader does not know the key, to which a card does not answer.
    func answer(to frame: RadioFrame) -> (frame: RadioFrame, cipher: Crypto1)? {
      guard frame.bytes.count == 8, frame.bitsInLastByte == 8,
        frame.parity == nil || frame.parity?.count == 8
      else { return nil }
      var cipher = cipher
      let readerNonce = cipher.decrypt(
        Array(frame.bytes.prefix(4)), parity: frame.parity.map { Array($0.prefix(4)) },
        feeding: [0, 0, 0, 0])
      let answer = cipher.decrypt(
        Array(frame.bytes.suffix(4)), parity: frame.parity.map { Array($0.suffix(4)) })
      guard readerNonce != nil, answer == nonce.successor(Crypto1.readerAnswerSteps).bytes
      else { return nil }
      let frame = cipher.frame(
        encrypting: nonce.successor(Crypto1.cardAnswerSteps).bytes)
      return (frame, cipher)
    }
  }

  /// The reader's side of an authentication, after the card's answer to AUTH.
  struct ReaderAuthentication: Hashable, Sendable {
    /// The frame to send next: encrypted nR and aR.
    let answer: RadioFrame
    private let cipher: Crypto1
    private let nonce: Nonce

    /// Creates the answer to a card's challenge; `nil` if the challenge does not have four whole bytes.
    ///
    /// - Parameters:
    ///   - key: the key to authenticate with, six bytes.
    ///   - uid: the card's UID, of which the last four bytes are used.
    ///   - challenge: the card's answer to AUTH. The parity of an encrypted challenge is not checked:
    ///     with a wrong key it is random, and the card's silence reveals a wrong key too.
    ///   - readerNonce: nR, any four bytes.
    ///   - isNested: whether AUTH was encrypted.
    init?(
      key: [UInt8], uid: [UInt8], challenge: RadioFrame, readerNonce: [UInt8], isNested: Bool
    ) {
      guard challenge.bytes.count == 4, challenge.bitsInLastByte == 8, readerNonce.count == 4
      else { return nil }
      let uid = Crypto1.authenticationUID(uid)
      var cipher = Crypto1(key: key)
      var plain = challenge.bytes
      if isNested {
        plain = cipher.apply(toAll: challenge.bytes, feeding: uid)
      } else {
        _ = cipher.encrypt(challenge.bytes, feeding: uid)
      }
      nonce = Nonce(bytes: plain)
      let first = cipher.encrypt(readerNonce, feeding: [0, 0, 0, 0])
      let second = cipher.encrypt(nonce.successor(Crypto1.readerAnswerSteps).bytes)
      answer = RadioFrame(
        first.bytes + second.bytes, modulation: .typeA, parity: first.parity + second.parity)
      self.cipher = cipher
    }

    /// Verifies the card's answer and returns the running cipher; `nil` if the card does not know the
    /// key.
    func cipher(verifying frame: RadioFrame) -> Crypto1? {
      var cipher = cipher
      guard
        cipher.bytes(decrypting: frame) == nonce.successor(Crypto1.cardAnswerSteps).bytes
      else { return nil }
      return cipher
    }
  }

  /// Decrypts bytes without checking parity.
  fileprivate mutating func apply(toAll bytes: [UInt8], feeding mask: [UInt8]) -> [UInt8] {
    zip(bytes, mask).map { apply(to: $0, isDecrypting: true, feeding: $1) }
  }
}
