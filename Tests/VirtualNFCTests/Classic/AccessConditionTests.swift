import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests every row of tables 7 and 8 of the MF1S50YYX data sheet, over the air.
@Suite struct AccessConditionTests {
  static let keyA: [UInt8] = [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5]
  static let keyB: [UInt8] = [0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5]
  static let value = ValueBlock(value: 100, address: 4)

  /// Returns a card whose sectors all have these conditions, with a value block in each data block.
  static func card(
    _ product: MIFAREClassic.Product = .oneK, groups: [UInt8]
  ) -> MIFAREClassic {
    var card = MIFAREClassic(product, uid: [1, 2, 3, 4], formatted: false)
    var memory = card.memory
    let conditions = AccessConditions(groups: groups).bytes
    for block in 1..<product.blockCount {
      let sector = MIFAREClassic.Product.sector(ofBlock: block)
      let bytes =
        block == MIFAREClassic.Product.trailer(ofSector: sector)
        ? keyA + conditions + [0x42] + keyB : value.bytes
      memory.replaceSubrange(block * 16..<block * 16 + 16, with: bytes)
    }
    card.memory = memory
    return card
  }

  static func session(
    _ card: MIFAREClassic, block: UInt8, key: MIFAREClassic.Key
  ) -> ClassicSession? {
    let session = ClassicSession(card)
    guard session.select() != nil,
      session.authenticate(block, key, key == .a ? keyA : keyB)
    else { return nil }
    return session
  }

  /// The keys that permit an operation, in the words of the data sheet.
  enum Keys: Sendable {
    case never, a, b, both
    func contains(_ key: MIFAREClassic.Key) -> Bool {
      self == .both || self == (key == .a ? .a : .b)
    }
  }

  struct DataRow: Sendable, CustomTestStringConvertible {
    var bits: UInt8
    var read, write, increment, decrement: Keys
    var testDescription: String { "data \(bits >> 2)\(bits >> 1 & 1)\(bits & 1)" }
  }

  /// Table 8.
  static let dataRows = [
    DataRow(bits: 0b000, read: .both, write: .both, increment: .both, decrement: .both),
    DataRow(bits: 0b010, read: .both, write: .never, increment: .never, decrement: .never),
    DataRow(bits: 0b100, read: .both, write: .b, increment: .never, decrement: .never),
    DataRow(bits: 0b110, read: .both, write: .b, increment: .b, decrement: .both),
    DataRow(bits: 0b001, read: .both, write: .never, increment: .never, decrement: .both),
    DataRow(bits: 0b011, read: .b, write: .b, increment: .never, decrement: .never),
    DataRow(bits: 0b101, read: .b, write: .never, increment: .never, decrement: .never),
    DataRow(bits: 0b111, read: .never, write: .never, increment: .never, decrement: .never),
  ]

  static let refused = ClassicSession.Answer.acknowledge(4)
  static let accepted = ClassicSession.Answer.acknowledge(0x0A)

  /// The row applies to one group of a sector only; the other groups allow nothing.
  @Test(arguments: dataRows) func dataBlocks(_ row: DataRow) throws {
    for (product, block, group) in [
      (MIFAREClassic.Product.oneK, UInt8(4), 0), (.oneK, 5, 1), (.oneK, 6, 2), (.fourK, 4, 0),
      (.fourK, 128, 0), (.fourK, 132, 0), (.fourK, 133, 1), (.fourK, 137, 1), (.fourK, 138, 2),
      (.fourK, 142, 2), (.fourK, 254, 2),
    ] {
      // Trailer conditions 011 make key B usable as a key.
      var groups: [UInt8] = [0b111, 0b111, 0b111, 0b011]
      groups[group] = row.bits
      let card = Self.card(product, groups: groups)
      for key in MIFAREClassic.Key.allCases {
        let start = try #require(Self.session(card, block: block, key: key))
        var session = start.copy()
        #expect(
          session.read(block)
            == (row.read.contains(key) ? .data(Self.value.bytes) : Self.refused))
        session = start.copy()
        #expect(
          session.write(block, [UInt8](0..<16))
            == (row.write.contains(key) ? Self.accepted : Self.refused))
        #expect(
          Array(session.card.memory[Int(block) * 16..<Int(block) * 16 + 16])
            == (row.write.contains(key) ? [UInt8](0..<16) : Self.value.bytes))
        for (code, keys, result) in [
          (UInt8(0xC1), row.increment, UInt32(107)), (0xC0, row.decrement, 93),
          (0xC2, row.decrement, 100),
        ] {
          session = start.copy()
          let answer = session.calculate(code, block, [7, 0, 0, 0])
          guard keys.contains(key) else {
            #expect(answer == Self.refused)
            continue
          }
          #expect(answer == .silence)
          #expect(
            session.send([0xB0, block])
              == (row.decrement.contains(key) ? Self.accepted : .acknowledge(0)))
          #expect(
            ValueBlock(
              block: Array(session.card.memory[Int(block) * 16..<Int(block) * 16 + 16]))
              == ValueBlock(value: result, address: 4))
        }
      }
    }
  }

  struct TrailerRow: Sendable, CustomTestStringConvertible {
    var bits: UInt8
    var writeKeyA, readAccess, writeAccess, readKeyB, writeKeyB: Keys
    var testDescription: String { "trailer \(bits >> 2)\(bits >> 1 & 1)\(bits & 1)" }
  }

  /// Table 7.
  static let trailerRows = [
    TrailerRow(
      bits: 0b000, writeKeyA: .a, readAccess: .a, writeAccess: .never, readKeyB: .a, writeKeyB: .a),
    TrailerRow(
      bits: 0b010, writeKeyA: .never, readAccess: .a, writeAccess: .never, readKeyB: .a,
      writeKeyB: .never),
    TrailerRow(
      bits: 0b100, writeKeyA: .b, readAccess: .both, writeAccess: .never, readKeyB: .never,
      writeKeyB: .b),
    TrailerRow(
      bits: 0b110, writeKeyA: .never, readAccess: .both, writeAccess: .never, readKeyB: .never,
      writeKeyB: .never),
    TrailerRow(
      bits: 0b001, writeKeyA: .a, readAccess: .a, writeAccess: .a, readKeyB: .a, writeKeyB: .a),
    TrailerRow(
      bits: 0b011, writeKeyA: .b, readAccess: .both, writeAccess: .b, readKeyB: .never,
      writeKeyB: .b),
    TrailerRow(
      bits: 0b101, writeKeyA: .never, readAccess: .both, writeAccess: .b, readKeyB: .never,
      writeKeyB: .never),
    TrailerRow(
      bits: 0b111, writeKeyA: .never, readAccess: .both, writeAccess: .never, readKeyB: .never,
      writeKeyB: .never),
  ]

  @Test(arguments: trailerRows) func trailers(_ row: TrailerRow) throws {
    let hidden = [UInt8](repeating: 0, count: 6)
    let conditions = AccessConditions(groups: [0, 0, 0, row.bits]).bytes + [0x42]
    let newConditions = AccessConditions(groups: [1, 2, 4, 3]).bytes + [0x69]
    let newA: [UInt8] = [1, 2, 3, 4, 5, 6]
    let newB: [UInt8] = [7, 8, 9, 10, 11, 12]
    for (product, block) in [(MIFAREClassic.Product.oneK, UInt8(7)), (.fourK, 255)] {
      let card = Self.card(product, groups: [0, 0, 0, row.bits])
      for key in MIFAREClassic.Key.allCases {
        let start = try #require(Self.session(card, block: block, key: key))
        var session = start.copy()
        let read = session.read(block)
        if row.readAccess.contains(key) {
          let keyB = row.readKeyB.contains(key) ? Self.keyB : hidden
          #expect(read == .data(hidden + conditions + keyB))
        } else {
          #expect(read == Self.refused)
        }
        session = start.copy()
        let write = session.write(block, newA + newConditions + newB)
        let isAnyWritable = [row.writeKeyA, row.writeAccess, row.writeKeyB].contains {
          $0.contains(key)
        }
        #expect(write == (isAnyWritable ? Self.accepted : Self.refused))
        var trailer = row.writeKeyA.contains(key) ? newA : Self.keyA
        trailer += row.writeAccess.contains(key) ? newConditions : conditions
        trailer += row.writeKeyB.contains(key) ? newB : Self.keyB
        #expect(Array(session.card.memory[Int(block) * 16..<Int(block) * 16 + 16]) == trailer)
      }
    }
  }

  /// Table 8, note 1: a readable key B opens nothing, although it authenticates.
  @Test(arguments: [UInt8(0b000), 0b010, 0b001]) func readableKeyBOpensNothing(bits: UInt8) throws {
    let card = Self.card(groups: [0, 0, 0, bits])
    let start = try #require(Self.session(card, block: 4, key: .b))
    for command: [UInt8] in [
      [0x30, 4], [0x30, 7], [0xA0, 4], [0xA0, 7], [0xC1, 4], [0xC0, 4],
    ] {
      let session = start.copy()
      #expect(session.send(command) == Self.refused)
    }
  }

  /// The data sheet's transport configuration, and the configurations that AN1304 writes to an NFC tag.
  @Test(
    arguments: [
      ([0xFF, 0x07, 0x80], [0, 0, 0, 1]), ([0x78, 0x77, 0x88], [4, 4, 4, 3]),
      ([0x7F, 0x07, 0x88], [0, 0, 0, 3]),
    ] as [([UInt8], [UInt8])]) func knownBytes(bytes: [UInt8], groups: [UInt8])
  {
    let trailer = [UInt8](repeating: 0, count: 6) + bytes + [UInt8](repeating: 0, count: 7)
    #expect(AccessConditions(trailer: trailer)?.groups == groups)
    #expect(AccessConditions(groups: groups).bytes == bytes)
  }

  /// Each single one of the 24 bits makes the format invalid; the sector is then blocked permanently.
  @Test func brokenConditionsBlockTheSector() throws {
    let good = Self.card(groups: [0, 0, 0, 3])
    for bit in 0..<24 {
      var card = good
      card.memory[7 * 16 + 6 + bit / 8] ^= 1 << (bit % 8)
      for key in MIFAREClassic.Key.allCases {
        #expect(Self.session(card, block: 4, key: key) == nil)
        #expect(Self.session(card, block: 8, key: key) != nil)
      }
    }
    // A write over the air takes effect with the next command.
    let session = try #require(Self.session(good, block: 4, key: .b))
    #expect(
      session.write(7, Self.keyA + [0, 0, 0, 0] + Self.keyB) == Self.accepted)
    #expect(session.write(7, Self.keyA + [0xFF, 0x07, 0x80, 0x69] + Self.keyB) == Self.refused)
    #expect(session.select() == 0x08)
    #expect(!session.authenticate(4, .a, Self.keyA))
  }
}
