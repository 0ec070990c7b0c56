/// The state of a MIFARE Plus after the first half of an authentication.
struct MIFAREPlusChallenge: Hashable, Sendable {
  let address: UInt16
  let randomNumber: [UInt8]
  /// Whether the authentication begins a transaction.
  let isFirst: Bool
  /// Whether the transaction has the messaging of EV1.
  let isEV1: Bool
}

/// A transaction with a MIFARE Plus: two session keys, an identifier, and the numbers of reads and
/// writes.
struct MIFAREPlusSession: Hashable, Sendable {
  static let codeSize = 8
  /// The address of the authenticated key.
  let address: UInt16
  let identifier: [UInt8]
  var reads: UInt16 = 0
  var writes: UInt16 = 0
  /// Whether keys and initial vectors are those of MIFARE Plus EV1 (NXP's reader library,
  /// `phalMfpEVx_Sw_Int_KDF_EV1` and `phalMfpEVx_Sw_Int_ComputeIv`).
  let isEV1: Bool
  private let encryption: DESFireCipher
  private let code: DESFireCipher

  init(
    isEV1: Bool, key: DESFireCipher, address: UInt16, reader: [UInt8], card: [UInt8],
    identifier: [UInt8],
    reads: UInt16 = 0, writes: UInt16 = 0
  ) {
    func derived(_ first: Int, _ mixed: Int, _ constant: UInt8) -> DESFireCipher {
      var block = Array(reader[first..<first + 5])
      block += card[first..<first + 5]
      block += zip(reader[mixed..<mixed + 5], card[mixed..<mixed + 5]).map { $0 ^ $1 }
      block.append(constant)
      return DESFireCipher(kind: .aes, key: key.encrypt(block, vector: key.zeroVector))
    }
    func derivedByEV1(_ first: UInt8, _ second: UInt8) -> DESFireCipher {
      var input: [UInt8] = [first, second, 0x00, 0x01, 0x00, 0x80]
      input += reader[..<2]
      input += (0..<6).map { reader[2 + $0] ^ card[$0] }
      input += card[6...]
      input += reader[8...]
      return DESFireCipher(
        kind: .aes, key: key.authenticationCode(input, vector: key.zeroVector))
    }
    self.isEV1 = isEV1
    self.address = address
    self.identifier = identifier
    self.reads = reads
    self.writes = writes
    encryption = isEV1 ? derivedByEV1(0xA5, 0x5A) : derived(11, 4, 0x11)
    code = isEV1 ? derivedByEV1(0x5A, 0xA5) : derived(7, 0, 0x22)
  }

  private static func bytes(_ number: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
  }

  private var counters: [UInt8] { Self.bytes(reads) + Self.bytes(writes) }

  /// The initial vector for what the reader encrypts in an authentication.
  var readersVector: [UInt8] {
    isEV1 ? encryption.zeroVector : identifier + counters + counters + counters
  }
  /// The initial vector for what the card encrypts in an authentication.
  var cardsVector: [UInt8] {
    isEV1 ? encryption.zeroVector : counters + counters + counters + identifier
  }

  private func vectorOfEV1(_ first: UInt8, _ second: UInt8) -> [UInt8] {
    let input = [first, second] + identifier + counters + [UInt8](repeating: 0, count: 6)
    return encryption.encrypt(input, vector: encryption.zeroVector)
  }

  func encrypt(_ data: [UInt8]) -> [UInt8] {
    encryption.encrypt(data, vector: isEV1 ? vectorOfEV1(0x5A, 0xA5) : cardsVector)
  }

  func decrypt(_ data: [UInt8]) -> [UInt8] {
    encryption.decrypt(data, vector: isEV1 ? vectorOfEV1(0xA5, 0x5A) : readersVector)
  }

  /// Returns every second byte of the CMAC of a code or status, a counter, the identifier and further
  /// bytes.
  func authenticationCode(_ head: UInt8, _ counter: UInt16, _ rest: [UInt8]) -> [UInt8] {
    let whole = code.authenticationCode(
      [head] + Self.bytes(counter) + identifier + rest, vector: code.zeroVector)
    return stride(from: 1, to: whole.count, by: 2).map { whole[$0] }
  }
}
