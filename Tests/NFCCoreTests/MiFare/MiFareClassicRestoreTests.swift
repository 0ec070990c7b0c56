import Testing

@testable import SwiftNFCCore

/// What a restore plan makes of sector trailers.
@Suite struct MiFareClassicRestoreTests {
  private static let secret: [UInt8] = [0x51, 0x52, 0x53, 0x54, 0x55, 0x56]

  /// A card of which each sector was opened with both keys; all data is zero.
  private static func card(_ trailer: MiFareClassicSectorTrailer) -> MiFareClassicDump {
    let geometry = MiFareClassicGeometry.mini
    return MiFareClassicDump(
      geometry: geometry,
      sectors: geometry.sectors.map { number in
        var sector = MiFareClassicSectorDump(sector: number, blockCount: 4)
        sector.blocks = Array(repeating: Array(repeating: 0, count: 16), count: 4)
        sector.openedWith = .a
        sector.keyA = trailer.keyA
        sector.keyB = trailer.keyB
        sector.accessConditions = trailer.accessConditions
        sector.generalPurposeByte = trailer.generalPurposeByte
        return sector
      })
  }

  private static func trailer(
    _ conditions: MiFareClassicAccessConditions, keyA: MiFareClassicKey = .factory
  ) -> MiFareClassicSectorTrailer {
    MiFareClassicSectorTrailer(
      keyA: keyA, accessConditions: conditions, generalPurposeByte: 0x69, keyB: .factory)
  }

  private static func image(_ trailer: MiFareClassicSectorTrailer) -> [UInt8] {
    (0..<5).flatMap { _ in [UInt8](repeating: 0, count: 48) + trailer.bytes }
  }

  private static func conditions(trailer: UInt8, data: UInt8 = 0) throws
    -> MiFareClassicAccessConditions
  {
    try #require(MiFareClassicAccessConditions(groups: [data, data, data, trailer]))
  }

  /// Under 001, 011 and 101 some key writes the access bits again (MF1S50YYX data sheet, table 7). Under 000
  /// and 100 the keys can still be written, and the access bits can never be written: that is permanent, too.
  @Test(arguments: [
    (UInt8(0b000), false), (0b001, true), (0b010, false), (0b011, true), (0b100, false),
    (0b101, true), (0b110, false), (0b111, false),
  ])
  func leavesOutTrailersThatArePermanent(condition: UInt8, canBeTakenBack: Bool) throws {
    // Key B may change everything on the card as it is.
    let card = Self.card(Self.trailer(try Self.conditions(trailer: 0b011)))
    let wanted = Self.trailer(try Self.conditions(trailer: condition, data: 0b010))
    let plan = try MiFareClassicRestorePlan(image: Self.image(wanted), card: card)
    #expect(wanted.accessConditions.areAccessBitsWritable == canBeTakenBack)
    #expect(plan.writes.map(\.block) == (canBeTakenBack ? [3, 7, 11, 15, 19] : []))
    let reasons = plan.omissions.map(\.reason)
    #expect(
      reasons
        == (canBeTakenBack
          ? [] : Array(repeating: ChangePlan.Omission.Reason.locksPermanently, count: 5)))
    let named = try MiFareClassicRestorePlan(
      image: Self.image(wanted), card: card, locksPermanently: true)
    #expect(named.writes.map(\.block) == [3, 7, 11, 15, 19])
    #expect(named.effects == (canBeTakenBack ? [] : [.locksMemory]))
    #expect(!"\(named.steps)".contains("FFFF"))
  }

  /// Nothing becomes final where the access bits are what they were: a key that can be changed is.
  @Test func changesKeysWhereTheAccessBitsArePermanentAlready() throws {
    let final = try Self.conditions(trailer: 0b000)
    let key = try #require(MiFareClassicKey(Self.secret))
    let plan = try MiFareClassicRestorePlan(
      image: Self.image(Self.trailer(final, keyA: key)), card: Self.card(Self.trailer(final)))
    #expect(plan.writes.map(\.block) == [3, 7, 11, 15, 19])
    #expect(plan.omissions.allSatisfy { $0.reason == .neverWritten })
  }
}
