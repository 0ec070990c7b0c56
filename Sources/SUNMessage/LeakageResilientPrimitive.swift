/// LRP, a construction on top of AES-128 that some chips use instead of plain AES: NXP AN12304.
///
/// This is the side of the verifier and of the reader: it computes the same as the chip, but
/// without the chip's protection against side-channel measurement.
package struct LeakageResilientPrimitive: Sendable {
  /// The number of plaintexts, 16, from the number of input bits per step (m in AN12304).
  private static let plaintextCount = 16
  private static let plaintextFiller = [UInt8](repeating: 0x55, count: AESBlock.size)
  private static let outputFiller = [UInt8](repeating: 0xAA, count: AESBlock.size)

  /// As secret as the key.
  private let plaintexts: [SUNKey]
  private let updatedKey: SUNKey

  /// - Parameter keyIndex: the index of the key among those derived from `key`, from 0 on.
  package init(_ key: SUNKey, keyIndex: Int) {
    plaintexts = Self.plaintexts(key).map { SUNKey(block: $0) }
    updatedKey = Self.updatedKey(key, keyIndex)
  }

  /// AN12304, algorithm 1.
  static func plaintexts(_ key: SUNKey) -> [[UInt8]] {
    var state = SUNKey(block: AESBlock.encrypt(plaintextFiller, key))
    return (0..<plaintextCount).map { _ in
      defer { state = SUNKey(block: AESBlock.encrypt(plaintextFiller, state)) }
      return AESBlock.encrypt(outputFiller, state)
    }
  }

  /// AN12304, algorithm 2.
  static func updatedKey(_ key: SUNKey, _ index: Int) -> SUNKey {
    var state = SUNKey(block: AESBlock.encrypt(outputFiller, key))
    for _ in 0..<index { state = SUNKey(block: AESBlock.encrypt(plaintextFiller, state)) }
    return SUNKey(block: AESBlock.encrypt(outputFiller, state))
  }

  /// AN12304, algorithm 3.
  ///
  /// - Parameters:
  ///   - digits: the input, four bits each.
  ///   - isFinal: whether the result is encrypted once more; this is false only for intermediate
  ///     results.
  func evaluate(digits: some Sequence<UInt8>, isFinal: Bool = true) -> [UInt8] {
    var state = updatedKey
    var block = updatedKey.withBytes(Array.init)
    for digit in digits {
      block = AESBlock.encrypt(plaintexts[Int(digit & 0x0F)].withBytes(Array.init), state)
      state = SUNKey(block: block)
    }
    return isFinal ? AESBlock.encrypt(AESBlock.zero, state) : block
  }

  func evaluate(_ input: [UInt8]) -> [UInt8] {
    evaluate(digits: input.lazy.flatMap { [$0 >> 4, $0 & 0x0F] })
  }

  /// CMAC_LRP of AN12304; 16 bytes.
  package func authenticationCode(_ message: [UInt8]) -> [UInt8] {
    CMAC.code(message, evaluate)
  }

  /// LRICBDec of AN12304 without padding: each block has its own key, from a counter.
  ///
  /// - Parameters:
  ///   - data: whole blocks.
  ///   - counter: the counter of the first block, most significant byte first; it wraps around to
  ///     zero.
  package func decrypt(_ data: [UInt8], counter: [UInt8]) -> [UInt8] {
    run(data, counter) { AESBlock.decrypt($0, $1) }
  }

  /// LRICBEnc of AN12304 without padding; see ``decrypt(_:counter:)``.
  package func encrypt(_ data: [UInt8], counter: [UInt8]) -> [UInt8] {
    run(data, counter) { AESBlock.encrypt($0, $1) }
  }

  private func run(
    _ data: [UInt8], _ first: [UInt8], _ block: (_ data: [UInt8], _ key: SUNKey) -> [UInt8]
  ) -> [UInt8] {
    precondition(data.count % AESBlock.size == 0, "whole blocks only")
    var counter = first
    var result: [UInt8] = []
    for start in stride(from: 0, to: data.count, by: AESBlock.size) {
      let key = SUNKey(block: evaluate(counter))
      result += block(Array(data[start..<start + AESBlock.size]), key)
      counter = Self.next(counter)
    }
    return result
  }

  private static func next(_ counter: [UInt8]) -> [UInt8] {
    var counter = counter
    for index in counter.indices.reversed() {
      counter[index] &+= 1
      if counter[index] != 0 { break }
    }
    return counter
  }
}
