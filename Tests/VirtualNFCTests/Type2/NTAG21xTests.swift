import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Rules of the data sheets NTAG213/215/216 rev. 3.2 and NTAG210/212 rev. 3.0.
@Suite struct NTAG21xTests {
  @Test(
    arguments: identification + reading + writing + refusals + counting + passwords + mirrors)
  func rule(_ script: Type2Script) throws {
    var bench = try Type2Bench(named: script.chip)
    bench.run(script.lines, script.testDescription)
  }

  /// Section 9.3: code 1 for a wrong check or parity; a transmission without whole bytes is not a frame.
  @Test(arguments: [
    ("wrong CRC", RadioFrame.typeA(bare: [0x30, 0x00, 0x00, 0x00]), "N1"),
    ("no CRC", .typeA(bare: [0x60]), "N1"),
    ("nothing", .typeA(bare: []), "N1"),
    ("anticollision", .typeA(bare: [0x93, 0x20]), "N1"),
    (
      "parity",
      RadioFrame(
        [0x60] + CyclicRedundancyCheck.a([0x60]), modulation: .typeA, parity: [false, true, true]),
      "N1"
    ),
    ("a nibble", .typeA(bare: [0x0A], bitsInLastByte: 4), "-"),
    ("REQA", .typeA(bare: [0x26], bitsInLastByte: 7), "-"),
  ])
  func brokenFrames(name: String, frame: RadioFrame, answer: String) throws {
    for chip in Type2Chips.all {
      var bench = try Type2Bench(named: chip.name)
      #expect(Type2Bench.text(bench.chip.receive(frame)) == answer, "\(chip.name)")
      bench.run("30 00 > -\nrequest\n30 00 > …00")
    }
  }

  @Test func counterStaysAtItsEnd() {
    var chip = NTAG21x(.ntag216)
    chip.counter = 0xFFFFFE
    var bench = Type2Bench(chip)
    bench.run(
      """
      A2 E4 10050000 > A
      field
      30 04 > …00
      39 02 > FFFFFF
      field
      30 04 > …00
      39 02 > FFFFFF
      """)
  }

  @Test(arguments: [
    (NTAG21x.Product.ntag210, 80, 46), (.ntag212, 164, 121), (.ntag213, 180, 137),
    (.ntag215, 540, 492), (.ntag216, 924, 868),
  ])
  func sizes(product: NTAG21x.Product, bytes: Int, capacity: Int) throws {
    let longest = [UInt8](repeating: 0xA5, count: capacity)
    #expect(NTAG21x(product).memory.count == bytes)
    let chip = try NTAG21x(product, ndef: longest)
    #expect(chip.memory.count == bytes)
    #expect(chip.memory.suffix(16).prefix(4) == [0x04, 0x00, 0x00, 0xFF])
    #expect(throws: VirtualTagError.messageTooLarge(capacity: capacity)) {
      try NTAG21x(product, ndef: longest + [0xA5])
    }
  }

  @Test func messages() throws {
    let short = try NTAG21x(.ntag213, ndef: [0xD0, 0x00, 0x00]).memory
    #expect(short[16..<27].hexadecimal == "0103A00C340303D00000FE")
    let long = try NTAG21x(.ntag216, ndef: [UInt8](repeating: 1, count: 255)).memory
    #expect(long[16..<21].hexadecimal == "03FF00FF01")
    #expect(long[16 + 4 + 255] == 0xFE)
  }

  @Test func programmingMachine() {
    var chip = NTAG21x(.ntag213)
    let before = chip.memory
    #expect(before[(0x2B * 4)...].hexadecimal == "FFFFFFFF00000000")
    chip.memory = [UInt8](repeating: 0x77, count: 2000)
    #expect(chip.memory == before.prefix(9) + [UInt8](repeating: 0x77, count: 171))
    chip.memory = [1, 2, 3]
    #expect(chip.memory.prefix(9) == before.prefix(9))
  }

  @Test func dumps() throws {
    var source = NTAG21x(.ntag215, uid: [4, 1, 2, 3, 5, 6, 7])
    source.memory = source.memory.prefix(16) + [9, 9, 9, 9]
    let copy = try #require(NTAG21x(.ntag215, dump: source.memory))
    #expect(copy.identifier == source.identifier)
    #expect(copy.memory == source.memory)
    #expect(NTAG21x(.ntag216, dump: source.memory) == nil)
    #expect(NTAG21x(.ntag215, dump: []) == nil)
  }

  @Test func signaturesOfOtherUIDsDiffer() {
    let first = NTAG21x(.ntag215, uid: [4, 1, 2, 3, 5, 6, 7]).signature
    let second = NTAG21x(.ntag215, uid: [4, 1, 2, 3, 5, 6, 8]).signature
    #expect(first.count == 32 && second.count == 32 && first != second)
    #expect(first == NTAG21x(.ntag216, uid: [4, 1, 2, 3, 5, 6, 7]).signature)
  }
}
