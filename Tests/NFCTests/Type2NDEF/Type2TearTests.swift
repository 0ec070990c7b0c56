import Testing
import VirtualNFC

@testable import SwiftNFCCore

/// A tag is taken away at every exchange of a write; what it then holds is the old message, none or the
/// new one, and it can be written again.
@Suite struct Type2TearTests {
  struct Chip: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Lengths of the message that is there and of the new one.
    let runs: [(Int, Int)]
    let blank: any VirtualChip
  }

  private static let small = [(0, 1), (1, 46), (46, 13), (13, 13), (13, 0)]
  private static let medium = [(0, 13), (13, 137), (137, 1), (137, 137)]

  static let chips = [
    Chip(testDescription: "Ultralight", runs: small, blank: MIFAREUltralight()),
    Chip(
      testDescription: "Ultralight EV1", runs: small, blank: MIFAREUltralightEV1(.mf0ul11)),
    Chip(testDescription: "Ultralight C", runs: medium, blank: MIFAREUltralightC()),
    Chip(testDescription: "NTAG203", runs: [(0, 137)], blank: NTAG203()),
    Chip(testDescription: "NTAG213", runs: medium, blank: NTAG21x(.ntag213)),
    Chip(
      testDescription: "NTAG216",
      runs: [(254, 255), (255, 254), (1, 0), (868, 13)],
      blank: NTAG21x(.ntag216)),
    Chip(
      testDescription: "NTAG I2C 1K", runs: [(0, 60), (255, 13)], blank: NTAGI2C(.nt3h1101)),
  ]

  /// Over the chip itself.
  @Test(arguments: chips) func tearsAtEveryExchange(_ chip: Chip) throws {
    for (old, new) in chip.runs {
      try tear(chip.blank, old: message(old), new: message(new, seed: 100))
    }
  }

  @Test func tearsALongMessage() throws {
    try tear(NTAG21x(.ntag216), old: message(255), new: message(868, seed: 100))
  }

  /// The length's form and the pages that it lies in: with NULL TLVs in front, tag, length and the rest
  /// of a long length lie in any page.
  @Test(arguments: 0..<4) func tearsWhereverTheLengthLies(_ padding: Int) throws {
    for (old, new) in padding == 3 ? [(13, 255), (255, 13)] : [(255, 13)] {
      var chip = NTAG21x(.ntag215)
      let area = [UInt8](repeating: 0, count: padding) + [0x03, 0x00, 0xFE]
      chip.memory.replaceSubrange(16..<(16 + area.count), with: area)
      try tear(chip, old: message(old), new: message(new, seed: 100))
    }
  }

  private func tear(_ blank: any VirtualChip, old: [UInt8], new: [UInt8]) throws {
    let first = ChipDriver(blank)
    try write(old, first)
    let start = first.chip
    let whole = ChipDriver(start)
    try write(new, whole)
    #expect(try read(ChipDriver(whole.chip)) == new)
    for exchange in 0..<whole.exchanges {
      let torn = ChipDriver(start, tear: exchange)
      #expect(throws: NFCError.self) { try write(new, torn) }
      let back = ChipDriver(torn.chip)
      let found = try read(back)
      #expect(
        found == old || found == [] || found == new,
        "\(old.count) to \(new.count), exchange \(exchange): \(found.count) bytes")
      try write(new, back)
      #expect(
        try read(ChipDriver(back.chip)) == new, "\(old.count) to \(new.count), \(exchange)")
    }
  }

  private func write(_ message: [UInt8], _ driver: ChipDriver) throws {
    var mapping = Type2Mapping()
    try mapping.checkedWrite(message, verify: false, driver.link)
  }

  private func read(_ driver: ChipDriver) throws -> [UInt8] {
    var mapping = Type2Mapping()
    return try mapping.read(driver.link) ?? []
  }

  // MARK: Over libnfc

  struct Run: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let old: Int
    let new: Int
    let tag: @Sendable () -> VirtualTag
  }

  /// Fewer of them, as polling for the tag each time takes its time.
  @Test(arguments: [
    Run(testDescription: "Ultralight", old: 46, new: 13) { .ultralight() },
    Run(testDescription: "Ultralight EV1", old: 1, new: 46) { .ultralightEV1() },
    Run(testDescription: "Ultralight C", old: 13, new: 46) { .ultralightC() },
    Run(testDescription: "NTAG213", old: 137, new: 13) { .ntag213() },
    Run(testDescription: "NTAG216", old: 254, new: 0) { .ntag216() },
    Run(testDescription: "NTAG216 longer", old: 40, new: 60) { .ntag216() },
    Run(testDescription: "NTAG I2C 1K", old: 255, new: 13) { .ntagI2C1K() },
  ]) func tearsOverLibNFC(_ run: Run) async throws {
    try await TearBench(run.tag(), old: run.old, new: run.new).run()
  }

  @Test func tearsALengthOfBothFormsOverLibNFC() async throws {
    try await TearBench(.ntag216(), old: 255, new: 1).run()
  }
}
