import Testing

@testable import SwiftNFCCore

@Suite struct MiFareClassicValueTests {
  // MF1S50YYX and MF1S70YYX data sheets, 8.6.
  @Test(arguments: [
    (MiFareClassicGeometry.mini, 5, 20, 320), (.oneK, 16, 64, 1024), (.twoK, 32, 128, 2048),
    (.fourK, 40, 256, 4096),
  ])
  func geometry(geometry: MiFareClassicGeometry, sectors: Int, blocks: Int, size: Int) {
    #expect(geometry.sectorCount == sectors)
    #expect(geometry.blockCount == blocks)
    #expect(geometry.memorySize == size)
    #expect(MiFareClassicGeometry(memorySize: size) == geometry)
    var next = 0
    for sector in geometry.sectors {
      let range = geometry.blocks(ofSector: sector)
      #expect(range.lowerBound == next)
      next = range.upperBound
      for block in range {
        #expect(geometry.sector(ofBlock: block) == sector)
        #expect(geometry.isTrailer(block) == (block == next - 1))
      }
      #expect(geometry.accessGroup(ofBlock: range.lowerBound) == 0)
      #expect(geometry.accessGroup(ofBlock: next - 2) == 2)
      #expect(geometry.accessGroup(ofBlock: next - 1) == 3)
    }
    #expect(next == blocks)
    #expect(geometry.dataBlocks(ofSector: 0) == 1..<3)
  }

  @Test func geometryIsTotal() {
    for number in [Int.min, -1, 256, Int.max] {
      _ = MiFareClassicGeometry.fourK.blocks(ofSector: number)
      let sector = MiFareClassicGeometry.fourK.sector(ofBlock: number)
      #expect(sector >= 0)
    }
    #expect(MiFareClassicGeometry(sak: 0x20) == nil)
    #expect(MiFareClassicGeometry(memorySize: 1023) == nil)
  }

  // FF 07 80: data sheet, 8.7.2. 78 77 88, 7F 07 88, 07 8F 0F: AN1304, 6.4.1.
  @Test(arguments: [
    (MiFareClassicAccessConditions.transport, "FF0780"), (.applicationDirectory, "787788"),
    (.ndef, "7F0788"), (.ndefReadOnly, "078F0F"),
  ])
  func knownAccessConditions(conditions: MiFareClassicAccessConditions, bytes: String) {
    #expect(conditions.bytes.hexadecimal == bytes)
    #expect(MiFareClassicAccessConditions(bytes: conditions.bytes) == conditions)
  }

  @Test func accessConditionsArePreserved() throws {
    for number in 0..<4096 {
      let groups = (0..<4).map { UInt8(number >> (3 * $0) & 7) }
      let conditions = try #require(MiFareClassicAccessConditions(groups: groups))
      #expect(MiFareClassicAccessConditions(bytes: conditions.bytes) == conditions)
      // A single wrong bit is found.
      var bytes = conditions.bytes
      bytes[number % 3] ^= 1 << (number % 8)
      #expect(MiFareClassicAccessConditions(bytes: bytes) == nil)
    }
    #expect(MiFareClassicAccessConditions(groups: [0, 0, 0]) == nil)
    #expect(MiFareClassicAccessConditions(groups: [0, 0, 0, 8]) == nil)
    #expect(MiFareClassicAccessConditions(bytes: [0xFF, 0x07]) == nil)
  }

  // Data sheet, table 8: read, write, increment, decrement by key A, then by key B.
  @Test(arguments: [
    (UInt8(0b000), "1111", "1111"), (0b010, "1000", "1000"), (0b100, "1000", "1100"),
    (0b110, "1001", "1111"), (0b001, "1001", "1001"), (0b011, "0000", "1100"),
    (0b101, "0000", "1000"), (0b111, "0000", "0000"),
  ])
  func dataRights(bits: UInt8, keyA: String, keyB: String) throws {
    let conditions = try #require(
      MiFareClassicAccessConditions(groups: [bits, bits, bits, 0b011]))
    for (key, wanted) in [(MiFareClassicKeyType.a, keyA), (.b, keyB)] {
      for group in 0..<3 {
        let found = MiFareClassicAccessConditions.Operation.allCases.map {
          conditions.allows($0, group: group, with: key) ? "1" : "0"
        }
        #expect(found.joined() == wanted)
      }
      #expect(!conditions.allows(.read, group: 3, with: key))
    }
    // Where key B can be read it opens nothing.
    let readable = try #require(MiFareClassicAccessConditions(groups: [bits, bits, bits, 0b001]))
    #expect(!readable.allows(.read, group: 0, with: .b))
  }

  // Data sheet, table 7.
  @Test(
    arguments: [
      (UInt8(0b000), MiFareClassicAccessConditions.TrailerFields([.keyA, .keyB]), [], true),
      (0b010, [], [], true), (0b100, [], [.keyA, .keyB], false), (0b110, [], [], false),
      (0b001, .all, [], true), (0b011, [], .all, false), (0b101, [], .accessBits, false),
      (0b111, [], [], false),
    ]
      as [(
        UInt8, MiFareClassicAccessConditions.TrailerFields,
        MiFareClassicAccessConditions.TrailerFields, Bool
      )])
  func trailerRights(
    bits: UInt8, keyA: MiFareClassicAccessConditions.TrailerFields,
    keyB: MiFareClassicAccessConditions.TrailerFields, isKeyBReadable: Bool
  ) throws {
    let conditions = try #require(MiFareClassicAccessConditions(groups: [0, 0, 0, bits]))
    #expect(conditions.writableTrailerFields(with: .a) == keyA)
    #expect(conditions.writableTrailerFields(with: .b) == keyB)
    #expect(conditions.isKeyBReadable == isKeyBReadable)
    #expect(
      conditions.readableTrailerFields(with: .a).contains(.keyB) == isKeyBReadable)
  }

  @Test func trailers() throws {
    let block = try #require([UInt8](hexadecimal: "D3F7D3F7D3F7 7F0788 40 FFFFFFFFFFFF"))
    let trailer = try MiFareClassicSectorTrailer(block)
    #expect(trailer.keyA == .ndef)
    #expect(trailer.accessConditions == .ndef)
    #expect(trailer.generalPurposeByte == 0x40)
    #expect(trailer.keyB == .factory)
    #expect(trailer.bytes == block)
    var broken = block
    broken[7] ^= 1
    #expect(throws: NFCError.self) { try MiFareClassicSectorTrailer(broken) }
    #expect(throws: NFCError.self) { try MiFareClassicSectorTrailer(block + [0]) }
    #expect(throws: NFCError.self) { try MiFareClassicSectorTrailer([]) }
  }

  @Test func keysAreNeverShown() throws {
    let key = try #require(MiFareClassicKey([0xAB, 0xCD, 0xEF, 0xAB, 0xCD, 0xEF]))
    let texts = [
      "\(key)", String(reflecting: key), String(describing: [key]), String(reflecting: [1: key]),
    ]
    for text in texts {
      #expect(!text.contains("171") && !text.uppercased().contains("ABCD"))
    }
    var dumped = ""
    dump(
      MiFareClassicSectorTrailer(
        keyA: key, accessConditions: .ndef, generalPurposeByte: 0, keyB: key), to: &dumped)
    #expect(!dumped.contains("171"))
    #expect(MiFareClassicKey([1, 2, 3]) == nil)
  }

  // Data sheet, 8.6.2.1: the value three times, once inverted, the address four times, twice inverted.
  @Test(arguments: [
    (Int32(1_234_567), UInt8(0x11), "87D61200 7829EDFF 87D61200 11EE11EE"),
    (-1, 0x00, "FFFFFFFF 00000000 FFFFFFFF 00FF00FF"),
    (.min, 0xFF, "00000080 FFFFFF7F 00000080 FF00FF00"),
  ])
  func valueBlocks(value: Int32, address: UInt8, hexadecimal: String) throws {
    let block = try #require([UInt8](hexadecimal: hexadecimal))
    #expect(MiFareClassicValueBlock(value: value, address: address).bytes == block)
    #expect(
      try MiFareClassicValueBlock(block) == MiFareClassicValueBlock(value: value, address: address))
    for index in block.indices {
      var broken = block
      broken[index] ^= 0x10
      #expect(throws: NFCError.self) { try MiFareClassicValueBlock(broken) }
    }
    #expect(throws: NFCError.self) { try MiFareClassicValueBlock(Array(block.dropLast())) }
  }

  // AN10787, 3.7: the example of a directory with its check 89.
  @Test func directoryCheck() throws {
    let block = try #require(
      [UInt8](
        hexadecimal: """
          89 01 0108 0108 0108 0000 0000 0000 0400 0310 0310 0210 0210 0000 0000 0000 1130
          """))
    let directory = try MiFareApplicationDirectory(block, part: .first)
    #expect(directory.bytes == block)
    #expect(directory.publisherSector == 1)
    #expect(
      directory.sectors(of: .init(functionCluster: 0x08, applicationCode: 0x01)) == [1, 2, 3])
    #expect(directory.sectors(of: .ndef).isEmpty)
    var broken = block
    broken[9] ^= 1
    #expect(throws: NFCError.self) { try MiFareApplicationDirectory(broken, part: .first) }
    #expect(throws: NFCError.self) { try MiFareApplicationDirectory(block, part: .second) }
    #expect(throws: NFCError.self) { try MiFareApplicationDirectory([], part: .first) }
  }

  @Test(arguments: [
    (MiFareClassicGeometry.oneK, MiFareApplicationDirectory.Part.first, Array(1...15)),
    (.mini, .first, Array(1...4)), (.fourK, .second, Array(17...39)),
  ])
  func directoriesForNFC(
    geometry: MiFareClassicGeometry, part: MiFareApplicationDirectory.Part, sectors: [Int]
  ) throws {
    let directory = MiFareApplicationDirectory(ndefOn: geometry, part: part)
    #expect(directory.bytes.count == part.size)
    let read = try MiFareApplicationDirectory(directory.bytes, part: part)
    #expect(read == directory)
    #expect(read.sectors(of: .ndef) == sectors)
  }
}
