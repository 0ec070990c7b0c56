import Testing

@testable import SwiftNFCCore
@testable import VirtualNFC

/// Tests the memory of an NTAG 5 link, which is larger than the ordinary system information can report.
@Suite struct NTAG5MemoryTests {
  /// Answers of two chips (VivoKey's ntag5sensor, "config-analysis" and the traces of an ACR1552U); the UID is that
  /// of the first.
  @Test(arguments: [
    ("022B", "000F00108449580104E00000FF0301"),
    ("023B7F", "007F00108449580104E00000FF010301EF7F6F000100"),
    ("02AB04", "00FF0000FFF10764"),
    ("02C0043700", "000812FF00"),
    ("02C0043D02", "000000000054000902A500FFFF"),
  ])
  func recordedAnswers(request: String, answer: String) {
    let reader = VicinityReader(NTAG5Link())
    if request == "02C0043D02" {
      // EH_CONFIG and ED_CONFIG of that chip.
      #expect(reader.ask("02C1043D00000A00") == "00")
      #expect(reader.ask(request) == "0000000A0054000902A500FFFF")
    } else {
      #expect(reader.ask(request) == answer)
    }
  }

  @Test func theWholeMemory() throws {
    let reader = ISO15693AccessTests.filled(NTAG5Link())
    var access = reader.access
    let information = try access.systemInformation()
    #expect(information.blockCount == 512 && information.blockSize == 4)
    #expect(information.needsWideBlockNumbers == true)
    #expect(reader.codes == [0x2B, 0x3B])
    reader.clearCount()
    #expect(try ISO15693AccessTests.data(access.readBlocks(0..<512)) == pattern(2048))
    // The reader's answer holds 60 blocks. From the read that passes block 255 on, numbers have two bytes.
    #expect(reader.codes == [0x23, 0x23, 0x23, 0x23, 0x33, 0x33, 0x33, 0x33, 0x33])
    #expect(access.knowledge.counterBlock == 511)
  }

  /// A reader that holds more than a read of this chip grants.
  @Test func noReadIsRefused() throws {
    let reader = ISO15693AccessTests.filled(NTAG5Link(), command: 2000, response: 2000)
    var access = reader.access
    #expect(try ISO15693AccessTests.data(access.readBlocks(0..<512)) == pattern(2048))
    // Eight reads of 63 blocks, and one of the rest.
    #expect(reader.exchanges == 2 + 9)
  }

  @Test func theNameOfTheChip() throws {
    let reader = VicinityReader(NTAG5Link())
    var access = reader.access
    let product = try #require(ISO15693Chip(uid: reader.chip.identifier))
    #expect(product.name == "ICODE DNA or NTAG 5")
    let information = try access.systemInformation()
    let narrowed = product.narrowed(
      blockSize: information.blockSize, blockCount: information.blockCount)
    #expect(narrowed.name == "NTAG 5 link or boost")
    #expect(narrowed.counterBlock(blockCount: 512) == 511)
  }

  /// Writes beyond block 255 use the extended command, and the counter is left alone by the mapping.
  @Test func aMessageUpToTheLastBlock() throws {
    let reader = VicinityReader(NTAG5Link(formatted: false))
    var mapping = reader.mapping()
    try mapping.format(wipe: false, reader.link)
    let message = pattern(1500)
    try mapping.write(message, reader.link)
    #expect(try mapping.read(reader.link) == message)
    #expect(reader.chip.memory.suffix(4) == [0, 0, 0, 0])
  }

  // MARK: Other chips that report 256 blocks

  private static func chip(_ count: Int, extended: Bool) -> PlainVicinityChip {
    var commands = VicinityProfile.usualCommands
    if extended { commands.formUnion(VicinityProfile.extendedCommands) }
    return PlainVicinityChip(
      VicinityModel(
        "test", uid: [0xE0, 0x99, 1, 2, 3, 4, 5, 6], blockCount: count,
        profile: VicinityProfile(commands: commands, manufacturer: 0x99)))
  }

  /// The ordinary answer of a chip with 512 blocks says 256, whoever made it.
  @Test(arguments: [
    (256, true, 256), (512, true, 512), (256, false, 256), (255, true, 255), (2048, true, 2048),
  ])
  func otherMakers(count: Int, extended: Bool, reported: Int) throws {
    let reader = VicinityReader(Self.chip(count, extended: extended))
    var access = reader.access
    #expect(try access.systemInformation().blockCount == reported)
    #expect(reader.codes == (count == 255 ? [0x2B] : [0x2B, 0x3B]))
    // The form that knew more is used from now on.
    reader.clearCount()
    _ = try access.askInformation()
    #expect(reader.codes == [count > 256 ? 0x3B : 0x2B])
  }

  /// A lost answer does not halve the memory.
  @Test(arguments: [VicinityReader<NTAG5Link>.Fault.deaf, .mute, .broken])
  func aLostAnswer(_ fault: VicinityReader<NTAG5Link>.Fault) throws {
    let reader = VicinityReader(NTAG5Link())
    reader.faults[1] = fault
    var access = reader.access
    #expect(try access.systemInformation().blockCount == 512)
    #expect(reader.codes == [0x2B, 0x3B, 0x3B])
  }
}
