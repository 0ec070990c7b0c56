import Testing

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore

/// Any bytes give a value or an error, from a seed, so that a failure can be repeated.
@Suite struct MiFareFuzzTests {
  /// xorshift64 (Marsaglia, 2003).
  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  static func bytes(_ count: Int, _ generator: inout Generator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func decodersAreTotal(seed: UInt64) throws {
    var generator = Generator(state: seed &* 0x9E37_79B9_7F4A_7C15)
    for _ in 0..<300 {
      let bytes = Self.bytes(Int.random(in: 0...50, using: &generator), &generator)
      if let trailer = try? MiFareClassicSectorTrailer(bytes) { #expect(trailer.bytes == bytes) }
      if let value = try? MiFareClassicValueBlock(bytes) { #expect(value.bytes == bytes) }
      for part in MiFareApplicationDirectory.Part.allCases {
        var content = Self.bytes(part.size, &generator)
        content[0] = MiFareApplicationDirectory.check(content.dropFirst())
        let directory = try MiFareApplicationDirectory(content, part: part)
        #expect(directory.sectors(of: .ndef).allSatisfy(part.describedSectors.contains))
        _ = try? MiFareApplicationDirectory(bytes, part: part)
      }
    }
  }

  /// A plan never touches block 0 and never writes a trailer that closes its sector.
  @Test(arguments: [4, 5] as [UInt64]) func plansDoNoHarm(seed: UInt64) throws {
    var generator = Generator(state: seed &* 0x9E37_79B9_7F4A_7C15)
    let geometry = MiFareClassicGeometry.oneK
    let sectors = geometry.sectors.map { sector in
      var dump = MiFareClassicSectorDump(sector: sector, blockCount: 4)
      dump.openedWith = .a
      dump.keyA = .factory
      dump.keyB = .factory
      dump.accessConditions = sector % 3 == 0 ? .ndef : .transport
      dump.generalPurposeByte = 0x69
      return dump
    }
    let card = MiFareClassicDump(geometry: geometry, sectors: sectors)
    for round in 0..<50 {
      var image = Self.bytes(geometry.memorySize, &generator)
      if round.isMultiple(of: 2) {
        for sector in geometry.sectors {
          let conditions = try #require(
            MiFareClassicAccessConditions(groups: Self.bytes(4, &generator).map { $0 & 7 }))
          let first = geometry.trailer(ofSector: sector) * 16 + 6
          image.replaceSubrange(first..<first + 3, with: conditions.bytes)
        }
      }
      let plan = try MiFareClassicRestorePlan(image: image, card: card)
      #expect(!plan.writes.isEmpty)
      for write in plan.writes {
        #expect(write.block != 0)
        guard geometry.isTrailer(write.block) else { continue }
        let trailer = try MiFareClassicSectorTrailer(write.data)
        let conditions = trailer.accessConditions
        #expect(
          !conditions.writableTrailerFields(with: .a).isEmpty
            || !conditions.writableTrailerFields(with: .b).isEmpty)
        #expect(!"\(write)".contains(", "))
      }
    }
  }

  /// Nothing but user memory is written unasked.
  @Test(arguments: [
    (Type2Chip.ultralight, 64, 4..<16), (.ultralightC, 176, 4..<40), (.ntag203, 168, 4..<40),
    (.ntag210, 80, 4..<16), (.ntag212, 164, 4..<36), (.ntag213, 180, 4..<40),
    (.ntag215, 540, 4..<130), (.ntag216, 924, 4..<226),
  ])
  func ultralightPlansTouchUserPagesOnly(chip: Type2Chip, size: Int, pages: Range<Int>) throws {
    let tag = UltralightDump(
      chip: chip, bytes: [UInt8](repeating: 0, count: size), firstProtectedPage: nil)
    let image = [UInt8](repeating: 0xFF, count: size)
    let plan = try UltralightRestorePlan(image: image, tag: tag)
    #expect(plan.writes.map(\.page) == Array(pages))
    #expect(plan.writes.count + plan.omissions.count == size / 4)
    let everything = try UltralightRestorePlan(
      image: image, tag: tag, extras: [.oneTimePage, .configuration, .password, .locks])
    #expect(everything.writes.map(\.page).starts(with: pages))
    #expect(!everything.writes.contains { $0.page < 2 })
    #expect(throws: NFCError.self) {
      try UltralightRestorePlan(image: image + [0], tag: tag)
    }
  }
}
