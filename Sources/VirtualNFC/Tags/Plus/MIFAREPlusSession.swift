/// The state of a MIFARE Plus after the first half of an authentication.
struct MIFAREPlusChallenge: Hashable, Sendable {
  let address: UInt16
  let randomNumber: [UInt8]
  /// Whether the authentication begins a transaction.
  let isFirst: Bool
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
  private let encryption: DESFireCipher
  private let code: DESFireCipher

  init(
    key: DESFireCipher, address: UInt16, reader: [UInt8], card: [UInt8], identifier: [UInt8],
    reads: UInt16 = 0, writes: UInt16 = 0
  ) {
    func derived(_ first: Int, _ mixed: Int, _ constant: UInt8) -> DESFireCipher {
      var block = Array(reader[first..<first + 5])
      block += card[first..<first + 5]
      block += zip(reader[mixed..<mixed + 5], card[mixed..<mixed + 5]).map { $0 ^ $1 }
      block.append(constant)
      return DESFireCipher(kind: .aes, key: key.encrypt(block, vector: key.zeroVector))
    }
    self.address = address
    self.identifier = identifier
    self.reads = reads
    self.writes = writes
    encryption = derived(11, 4, 0x11)
    code = derived(7, 0, 0x22)
  }

  private static func bytes(_ number: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
  }

  private var counters: [UInt8] {
    let pair = Self.bytes(reads) + Self.bytes(writes)
    return pair + pair + pair
  }

  /// The initial vector for data that the reader encrypts.
  var commandVector: [UInt8] { identifier + counters }
  /// The initial vector for data that the card encrypts.
  var answerVector: [UInt8] { counters + identifier }

  func encrypt(_ data: [UInt8]) -> [UInt8] { encryption.encrypt(data, vector: answerVector) }
  func decrypt(_ data: [UInt8]) -> [UInt8] { encryption.decrypt(data, vector: commandVector) }

  /// Returns every second byte of the CMAC of a code or status, a counter, the identifier and further
  /// bytes.
  func authenticationCode(_ head: UInt8, _ counter: UInt16, _ rest: [UInt8]) -> [UInt8] {
    let whole = code.authenticationCode(
      [head] + Self.bytes(counter) + identifier + rest, vector: code.zeroVector)
    return stride(from: 1, to: whole.count, by: 2).map { whole[$0] }
  }
}
