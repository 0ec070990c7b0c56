/// A command of MIFARE Classic as a value, in the form for a reader's chip: the second part of a
/// two-part command directly follows the first. Source: MF1S50YYX and MF1S70YYX data sheets, 9.
enum MiFareClassicCommand: Hashable, Sendable {
  case authenticate(UInt8, MiFareClassicKeyType, [UInt8])
  case read(UInt8)
  case write(UInt8, [UInt8])
  case increment(UInt8, by: UInt32)
  case decrement(UInt8, by: UInt32)
  case restore(UInt8)
  case transfer(UInt8)

  private enum Code {
    static let authenticateA: UInt8 = 0x60
    static let authenticateB: UInt8 = 0x61
    static let read: UInt8 = 0x30
    static let write: UInt8 = 0xA0
    static let transfer: UInt8 = 0xB0
    static let decrement: UInt8 = 0xC0
    static let increment: UInt8 = 0xC1
    static let restore: UInt8 = 0xC2
  }

  private static let operandSize = 4

  /// Parses a command; `nil` for an invalid code or length. RESTORE may omit its operand, which has
  /// no meaning.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    let block = bytes[1]
    let rest = Array(bytes.dropFirst(2))
    switch (bytes[0], rest.count) {
    case (Code.authenticateA, MiFareClassicKey.size): self = .authenticate(block, .a, rest)
    case (Code.authenticateB, MiFareClassicKey.size): self = .authenticate(block, .b, rest)
    case (Code.read, 0): self = .read(block)
    case (Code.write, MiFareClassicGeometry.blockSize): self = .write(block, rest)
    case (Code.increment, Self.operandSize): self = .increment(block, by: Self.operand(rest))
    case (Code.decrement, Self.operandSize): self = .decrement(block, by: Self.operand(rest))
    case (Code.restore, 0), (Code.restore, Self.operandSize): self = .restore(block)
    case (Code.transfer, 0): self = .transfer(block)
    default: return nil
    }
  }

  private static func operand(_ bytes: [UInt8]) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func bytes(_ operand: UInt32) -> [UInt8] {
    (0..<operandSize).map { UInt8(truncatingIfNeeded: operand >> (8 * UInt32($0))) }
  }

  var encoded: [UInt8] {
    switch self {
    case .authenticate(let block, let type, let key):
      [type == .a ? Code.authenticateA : Code.authenticateB, block] + key
    case .read(let block): [Code.read, block]
    case .write(let block, let data): [Code.write, block] + data
    case .increment(let block, let value): [Code.increment, block] + Self.bytes(value)
    case .decrement(let block, let value): [Code.decrement, block] + Self.bytes(value)
    case .restore(let block): [Code.restore, block] + Self.bytes(0)
    case .transfer(let block): [Code.transfer, block]
    }
  }

  var block: UInt8 {
    switch self {
    case .authenticate(let block, _, _), .read(let block), .write(let block, _),
      .increment(let block, _), .decrement(let block, _), .restore(let block),
      .transfer(let block):
      block
    }
  }

  /// Returns the content of the answer: 16 bytes of a block, nothing for any other command.
  ///
  /// - Throws: `tagResponseError` for another number of bytes.
  func answer(_ bytes: [UInt8]) throws -> [UInt8] {
    guard case .read = self else { return [] }
    guard bytes.count == MiFareClassicGeometry.blockSize else {
      throw NFCError(
        .tagResponseError, "a block has 16 bytes, the tag gave \(bytes.count)",
        place: .block(Int(block)))
    }
    return bytes
  }
}
