/// LRP: a use of AES-128 that protects its key against side-channel measurements (NXP AN12304), with four
/// bits per step.
struct LeakageResilientCipher: Hashable, Sendable {
  static let blockSize = 16
  private static let stepCount = 16
  private static let odd = [UInt8](repeating: 0x55, count: blockSize)
  private static let even = [UInt8](repeating: 0xAA, count: blockSize)
  private static let zero = [UInt8](repeating: 0, count: blockSize)
  private static let endMark: UInt8 = 0x80
  private static let reduction: UInt8 = 0x87

  /// The secret plaintexts.
  private let table: [[UInt8]]
  private let start: [UInt8]

  /// - Parameter number: the number of the updated key, from 0 on.
  init(key: [UInt8], number: Int) {
    var chain = Self.cipher(key, Self.odd)
    var table: [[UInt8]] = []
    for _ in 0..<Self.stepCount {
      table.append(Self.cipher(chain, Self.even))
      chain = Self.cipher(chain, Self.odd)
    }
    self.table = table
    var update = Self.cipher(key, Self.even)
    for _ in 0..<number { update = Self.cipher(update, Self.odd) }
    start = Self.cipher(update, Self.even)
  }

  private static func cipher(_ key: [UInt8], _ block: [UInt8], encrypts: Bool = true) -> [UInt8] {
    let aes = DESFireCipher(kind: .aes, key: key)
    return encrypts
      ? aes.encrypt(block, vector: aes.zeroVector) : aes.decrypt(block, vector: aes.zeroVector)
  }

  /// Returns EvalLRP with the final step.
  private func evaluate(_ input: [UInt8]) -> [UInt8] {
    var state = start
    for byte in input {
      for half in [byte >> 4, byte & 0x0F] { state = Self.cipher(state, table[Int(half)]) }
    }
    return Self.cipher(state, Self.zero)
  }

  // MARK: Modes

  /// Returns the whole block of a CMAC that uses LRP.
  func authenticationCode(_ message: [UInt8]) -> [UInt8] {
    func doubled(_ block: [UInt8]) -> [UInt8] {
      let shifted = zip(block, block.dropFirst() + [0]).map { $0 << 1 | $1 >> 7 }
      let carry = block.first ?? 0 >= 0x80
      return shifted.dropLast() + [(shifted.last ?? 0) ^ (carry ? Self.reduction : 0)]
    }
    var subkey = doubled(evaluate(Self.zero))
    var rest = message
    if message.isEmpty || message.count % Self.blockSize != 0 {
      subkey = doubled(subkey)
      rest = DESFireCipher.marked(message, to: Self.blockSize)
    }
    let last = rest.count - Self.blockSize
    var state = Self.zero
    for begin in stride(from: 0, through: last, by: Self.blockSize) {
      var block = zip(rest[begin..<(begin + Self.blockSize)], state).map { $0 ^ $1 }
      if begin == last { block = zip(block, subkey).map { $0 ^ $1 } }
      state = evaluate(block)
    }
    return state
  }

  /// Runs LRICB, which uses a separate key for the number of each block.
  ///
  /// - Parameters:
  ///   - data: whole blocks.
  ///   - counter: the first block's number, most significant byte first.
  func run(_ data: [UInt8], counter: [UInt8], encrypts: Bool) -> [UInt8] {
    var counter = counter
    var result: [UInt8] = []
    for begin in stride(from: 0, to: data.count, by: Self.blockSize) {
      result += Self.cipher(
        evaluate(counter), Array(data[begin..<(begin + Self.blockSize)]), encrypts: encrypts)
      for index in counter.indices.reversed() {
        counter[index] &+= 1
        if counter[index] != 0 { break }
      }
    }
    return result
  }
}

/// A session's keys in LRP, and the number of blocks encrypted with them (NXP AN12343, 7.2; NT4H2421Gx
/// data sheet, 9.2).
struct LeakageResilientKeys: Hashable, Sendable {
  private let codes: LeakageResilientCipher
  private let data: LeakageResilientCipher
  /// The number of encrypted blocks, EncCtr.
  private(set) var blockCount: UInt32 = 0

  private static let prefix: [UInt8] = [0x00, 0x01, 0x00, 0x80]
  private static let label: [UInt8] = [0x96, 0x69]

  init(key: [UInt8], reader: [UInt8], chip: [UInt8]) {
    let mixed = zip(reader[2..<8], chip[0..<6]).map { $0 ^ $1 }
    let vector =
      Self.prefix + reader[0..<2] + mixed + chip[6..<16] + reader[8..<16] + Self.label
    let master = LeakageResilientCipher(key: key, number: 0).authenticationCode(vector)
    codes = LeakageResilientCipher(key: master, number: 0)
    data = LeakageResilientCipher(key: master, number: 1)
  }

  func authenticationCode(_ message: [UInt8]) -> [UInt8] { codes.authenticationCode(message) }

  mutating func encrypt(_ blocks: [UInt8]) -> [UInt8] { run(blocks, encrypts: true) }

  mutating func decrypt(_ blocks: [UInt8]) -> [UInt8] { run(blocks, encrypts: false) }

  private mutating func run(_ blocks: [UInt8], encrypts: Bool) -> [UInt8] {
    let counter = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: blockCount >> $0) }
    blockCount &+= UInt32(blocks.count / LeakageResilientCipher.blockSize)
    return data.run(blocks, counter: counter, encrypts: encrypts)
  }
}
