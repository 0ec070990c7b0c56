import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite struct FeliCaStandardTests: FeliCaTesting {
  static let transit = hex("01010612B41C7D2A")
  static let common = hex("11010612B41C7D2A")

  @Test(arguments: [
    // Any system: the first one answers. Then each system by its code; the IDm contains the number of the
    // system.
    ("00FFFF0100", "0101010612B41C7D2A100B4B428485D0FF0003"),
    ("0000030000", "0101010612B41C7D2A100B4B428485D0FF"),
    ("00FE000100", "0111010612B41C7D2A100B4B428485D0FFFE00"),
    ("00FEFF0100", "0111010612B41C7D2A100B4B428485D0FFFE00"),
    ("0012FC0000", nil),
    ("0088B40000", nil),
    // Request Response: mode 0.
    ("0401010612B41C7D2A", "0501010612B41C7D2A00"),
    ("0401010612B41C7D2B", nil),
    ("0421010612B41C7D2A", nil),
    ("0401010612B41C7D2A00", nil),
    // Request System Code.
    ("0C01010612B41C7D2A", "0D01010612B41C7D2A020003FE00"),
    ("0C11010612B41C7D2A", "0D11010612B41C7D2A020003FE00"),
    // Request Service: 090F (no key), an area, 0909 (does not exist), the system itself; 090C (a key); a wrong count.
    ("0201010612B41C7D2A040F0940000909FFFF", "0301010612B41C7D2A0400000100FFFF0100"),
    ("0201010612B41C7D2A010C09", "0301010612B41C7D2A010100"),
    ("0211010612B41C7D2A010F09", "0311010612B41C7D2A01FFFF"),
    ("0201010612B41C7D2A00", nil),
    ("0201010612B41C7D2A020F09", nil),
    // Request Service v2: no AES keys.
    ("3201010612B41C7D2A020F090909", "3301010612B41C7D2A00004102FFFFFFFF0000FFFF"),
    // Search Service Code: an area, a service, past the end.
    ("0A01010612B41C7D2A0000", "0B01010612B41C7D2A0000FEFF"),
    ("0A01010612B41C7D2A0100", "0B01010612B41C7D2A4000FF07"),
    ("0A01010612B41C7D2A0500", "0B01010612B41C7D2A8B00"),
    ("0A01010612B41C7D2A1600", "0B01010612B41C7D2AFFFF"),
    ("0A01010612B41C7D2AFFFF", "0B01010612B41C7D2AFFFF"),
    // Request Specification Version, Reset Mode.
    ("3C01010612B41C7D2A0000", "3D01010612B41C7D2A0000000005010001"),
    ("3E01010612B41C7D2A0000", "3F01010612B41C7D2A0000"),
    // Authentication1 is not answered.
    ("1001010612B41C7D2A0100000148000102030405060708", nil),
  ])
  func commands(command: String, answer: String?) {
    var chip = FeliCaStandard.suica(idm: Self.transit)
    #expect(exchange(&chip, hex(command)) == answer.map(hex))
  }

  @Test(arguments: [
    // A service that does not exist, one with a key, an access mode, block 20 of 20.
    ("010F0A018000", "01A6"),
    ("014A00018000", "01A5"),
    ("010F09019000", "01A7"),
    ("010F0902800080 14", "02A8"),
    ("010F0901001401", "01A8"),
    ("010F09018100", "01A3"),
    // Numbers of services and blocks.
    ("00018000", "FFA1"),
    ("110F09018000", "FFA1"),
    ("010F0900", "FFA2"),
    ("010F0910", "FFA2"),
    ("010F09028000", nil),
  ])
  func readRefusals(parameters: String, status: String?) {
    var chip = FeliCaStandard.suica(idm: Self.transit)
    let answer = exchange(&chip, [0x06] + Self.transit + hex(parameters))
    #expect(answer.map { Array($0.dropFirst(9)) } == status.map(hex))
  }

  /// The ninth element uses bit 0 again.
  @Test func statusFlagWrapsAfterEight() {
    var chip = FeliCaStandard.suica(idm: Self.transit)
    let list = shortElements([UInt8](repeating: 0, count: 8) + [0x40])
    let answer = exchange(&chip, [0x06] + Self.transit + hex("010F0909") + list)
    #expect(answer?.suffix(2) == [0x01, 0xA8])
  }

  @Test func historyIsConsistent() throws {
    var chip = FeliCaStandard.suica(idm: Self.transit)
    var records: [[UInt8]] = []
    for block: UInt8 in 0..<20 {
      let answer = try #require(
        exchange(&chip, readCommand(Self.transit, service: 0x090F, block)))
      #expect(answer.prefix(12).suffix(3) == [0, 0, 1])
      records.append(Array(answer.suffix(16)))
    }
    let balances = records.map { Int($0[10]) | Int($0[11]) << 8 }
    let numbers = records.map { Int($0[12]) << 16 | Int($0[13]) << 8 | Int($0[14]) }
    let dates = records.map { Int($0[4]) << 8 | Int($0[5]) }
    #expect(numbers == Array((4...23).reversed()))
    #expect(dates == dates.sorted(by: >))
    #expect(dates[0] == 26 << 9 | 6 << 5 | 10)
    // The newest record is first: a fare decreases the balance, a charge increases it.
    for (newer, older) in zip(records.indices, records.indices.dropFirst()) {
      let change = balances[newer] - balances[older]
      #expect(records[newer][1] == 0x02 ? change > 0 : change < 0)
    }
    let attributes = try #require(
      exchange(&chip, readCommand(Self.transit, service: 0x008B, 0))?.suffix(16).map { $0 })
    #expect(Int(attributes[11]) | Int(attributes[12]) << 8 == balances[0])
  }

  /// The number of blocks that a card with a limit of 12 permits; a card whose limit is the size of the
  /// frame is different.
  @Test func blocksInOneAnswer() {
    var chip = FeliCaStandard.suica(idm: Self.transit)
    let twelve = shortElements(Array(0..<12))
    #expect(
      exchange(&chip, [0x06] + Self.transit + hex("010F090C") + twelve)?.count == 12 + 192)
    let thirteen = shortElements(Array(0..<13))
    #expect(
      exchange(&chip, [0x06] + Self.transit + hex("010F090D") + thirteen)?.suffix(2) == [
        0xFF, 0xA2,
      ])
    let block = [UInt8](repeating: 7, count: 16)
    var other = FeliCaStandard(
      name: "other", idm: Self.transit, pmm: [0, 0x31, 0, 0, 0, 0, 0, 0],
      systems: [
        .init(
          code: 3, nodes: [.service(0x090F)],
          blocks: [0x24: Array(repeating: block, count: 15)])
      ], maximumBlocksRead: 15)
    let list = shortElements(Array(0..<15))
    #expect(
      exchange(&other, [0x06] + Self.transit + hex("010F090F") + list)?.count == 12 + 240)
  }

  @Test func severalServicesInOneRead() {
    var chip = FeliCaStandard.suica(idm: Self.transit)
    let answer = exchange(
      &chip, [0x06] + Self.transit + hex("028B00CB10 03 8000 8100 8101"))
    #expect(answer?.count == 12 + 48)
    #expect(answer?.dropFirst(12 + 16).prefix(2) == [0x25, 0x02])
  }

  @Test func writesOnlyWhereNoKeyIsNeeded() {
    var chip = FeliCaStandard.suica(idm: Self.transit)
    let data = Array(UInt8(1)...16)
    #expect(
      exchange(&chip, writeCommand(Self.common, service: 0x39C9, 3, data))?.suffix(2) == [0, 0])
    #expect(exchange(&chip, readCommand(Self.common, service: 0x39C9, 3))?.suffix(16) == data[...])
    #expect(
      exchange(&chip, writeCommand(Self.transit, service: 0x090F, 0, data))?.suffix(2)
        == [0x01, 0xA5])
    #expect(
      exchange(&chip, writeCommand(Self.transit, service: 0x0088, 0, data))?.suffix(2)
        == [0x01, 0xA5])
    // Services of the other system are not accessible.
    #expect(
      exchange(&chip, writeCommand(Self.transit, service: 0x39C9, 0, data))?.suffix(2)
        == [0x01, 0xA6])
  }

  @Test func cyclicServiceTakesTheNewestFirst() {
    let blocks = (UInt8(1)...3).map { [UInt8](repeating: $0, count: 16) }
    var chip = FeliCaStandard(
      name: "cyclic", idm: Self.transit, pmm: [UInt8](repeating: 0xFF, count: 8),
      systems: [
        FeliCaStandard.System(
          code: 0x4000, nodes: [.area(0, last: 0xFFFE), .service(0x004D)], blocks: [1: blocks])
      ])
    let new = [UInt8](repeating: 9, count: 16)
    #expect(
      exchange(&chip, writeCommand(Self.transit, service: 0x004D, 1, new))?.suffix(2)
        == [0x01, 0xA8])
    #expect(
      exchange(&chip, writeCommand(Self.transit, service: 0x004D, 0, new))?.suffix(2) == [0, 0])
    #expect(chip.memory == new + blocks[0] + blocks[1])
  }

  @Test func memoryIsPreserved() {
    var chip = FeliCaStandard.suica(idm: Self.transit)
    let old = chip.memory
    #expect(old.count % 16 == 0)
    chip.memory = [UInt8](repeating: 0xCC, count: old.count)
    #expect(chip.memory == [UInt8](repeating: 0xCC, count: old.count))
    chip.memory = Array(old.prefix(40))
    #expect(Array(chip.memory.prefix(32)) == Array(old.prefix(32)))
    #expect(chip.memory[32...] == [UInt8](repeating: 0xCC, count: old.count - 32)[...])
  }

  @Test func anyFrameIsSurvived() {
    var random = SplitMix64(seed: 0x5C1CA)
    var chip = FeliCaStandard.suica(idm: Self.transit)
    for round in 0..<6000 {
      var payload = random.bytes(Int(random.next() % 60))
      if round % 2 == 0 {
        payload = [random.next() & 0x3E] + Self.transit + random.bytes(Int(random.next() % 40))
      }
      if let answer = exchange(&chip, payload) { #expect(answer.count <= 254) }
    }
  }
}

@Suite struct Type3TagTests: FeliCaTesting {
  static let idm = hex("02FE00159A3C72E1")

  @Test func attributeBlockIsAsConfigured() throws {
    var chip = try Type3Tag(idm: Self.idm, nbr: 15, nbw: 13, dataBlocks: 0x1234, ndef: [1, 2, 3])
    #expect(exchange(&chip, hex("00FFFF0100"))?.suffix(2) == [0x12, 0xFC])
    #expect(exchange(&chip, hex("0088B40100")) == nil)
    #expect(
      exchange(&chip, readCommand(Self.idm, 0))?.suffix(16)
        == hex("100F0D1234 00000000 0001 000003 0076")[...])
    #expect(exchange(&chip, readCommand(Self.idm, 1))?.suffix(16).prefix(4) == [1, 2, 3, 0])
    #expect(chip.memory.count == 0x1235 * 16)
    // The last block and the one after it, with 3-byte elements.
    #expect(exchange(&chip, [0x06] + Self.idm + hex("010B0001003412"))?.count == 28)
    #expect(
      exchange(&chip, [0x06] + Self.idm + hex("010B0001003512"))?.suffix(2) == [0x01, 0xA8])
  }

  @Test func limitsAreKept() {
    var chip = Type3Tag(idm: Self.idm, nbr: 2, nbw: 1, dataBlocks: 4)
    #expect(exchange(&chip, readCommand(Self.idm, 1, 2))?.count == 44)
    #expect(exchange(&chip, readCommand(Self.idm, 1, 2, 3))?.suffix(2) == [0xFF, 0xA2])
    let two = [0x08] + Self.idm + hex("0109000280018002") + [UInt8](repeating: 1, count: 32)
    #expect(exchange(&chip, two)?.suffix(2) == [0xFF, 0xA2])
    let data = [UInt8](repeating: 1, count: 16)
    #expect(exchange(&chip, writeCommand(Self.idm, 4, data))?.suffix(2) == [0, 0])
    #expect(
      exchange(&chip, writeCommand(Self.idm, service: 0x000B, 4, data))?.suffix(2) == [0x01, 0xA5])
    #expect(exchange(&chip, readCommand(Self.idm, 4))?.suffix(16) == data[...])
    #expect(exchange(&chip, [0x04] + Self.idm) == nil)
  }

  /// A write is performed completely or not at all: with a wrong second element, the first is not
  /// written.
  @Test func refusedWriteChangesNothing() {
    var chip = Type3Tag(idm: Self.idm, dataBlocks: 4)
    let old = chip.memory
    let command = [0x08] + Self.idm + hex("0109000280018005") + [UInt8](repeating: 1, count: 32)
    #expect(exchange(&chip, command)?.suffix(2) == [0x02, 0xA8])
    #expect(chip.memory == old)
  }

  @Test func anyFrameIsSurvived() {
    var random = SplitMix64(seed: 3)
    var chip = Type3Tag(idm: Self.idm)
    for _ in 0..<4000 {
      let payload =
        [random.next() & 0x0E] + Self.idm + [1, 9, 0, random.next() % 16]
        + random.bytes(Int(random.next() % 60))
      if let answer = exchange(&chip, payload) { #expect(answer.count <= 254) }
    }
  }
}
