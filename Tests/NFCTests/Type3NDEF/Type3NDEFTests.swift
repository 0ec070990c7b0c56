import NFC
import Testing
import VirtualNFC

/// NDEF on type 3 tags, through the real libnfc.
@Suite struct Type3NDEFTests {
  private static func bench(_ tag: VirtualTag) async throws -> NDEFBench {
    try await NDEFBench(tag, .iso18092)
  }

  // MARK: Exchanges

  /// Nbr, length, exchanges: the attribute block, then the message.
  @Test(arguments: [
    (4, 137, 4), (12, 137, 2), (15, 137, 2), (4, 868, 15), (12, 868, 6), (15, 868, 5), (12, 0, 1),
  ])
  func readsInTheFewestExchanges(_ nbr: Int, _ length: Int, _ exchanges: Int) async throws {
    let content = pattern(length)
    let bench = try await Self.bench(try .type3(nbr: nbr, ndef: content))
    let tag = try await bench.connected()
    let first = try await bench.bench.counting { try await tag.readNDEFBytes() }
    #expect(first.result ?? [] == content)
    #expect(first.exchanges == exchanges)
    // Once more: a host on wires may have written meanwhile, so all of it is read again.
    let second = try await bench.bench.counting { try await tag.readNDEFBytes() }
    #expect(second.result ?? [] == content)
    #expect(second.exchanges == exchanges)
    let other = try await bench.connected()
    let status = try await bench.bench.counting { try await other.queryNDEFStatus() }
    #expect(status.result == NDEFStatus(access: .readWrite, capacity: 1024))
    #expect(status.exchanges == 1)
    let rest = try await bench.bench.counting { try await other.readNDEFBytes() }
    #expect(rest.exchanges == exchanges)
  }

  /// The first exchange of a FeliCa Lite brings two blocks of the message, too.
  @Test(arguments: [(0, 1), (32, 1), (33, 2), (137, 3), (208, 4)])
  func readsFeliCaLite(_ length: Int, _ exchanges: Int) async throws {
    let content = pattern(length)
    for virtual in [
      try VirtualTag.feliCaLite(ndef: content), try .feliCaLiteS(ndef: content),
    ] {
      let bench = try await Self.bench(virtual)
      let tag = try await bench.connected()
      let first = try await bench.bench.counting { try await tag.readNDEFBytes() }
      #expect(first.result ?? [] == content)
      #expect(first.exchanges == exchanges)
      #expect(
        try await tag.queryNDEFStatus() == NDEFStatus(access: .readWrite, capacity: 208))
      let second = try await bench.bench.counting { try await tag.readNDEFBytes() }
      #expect(second.exchanges == 1)
    }
  }

  /// The reader's own commands by which the chip waits for as long as the card may take: none if a command before
  /// has done so, else one for reading and one more for a write that takes longer.
  private static let longerWait = 2

  /// One byte that changes is three writes: the attribute block twice, and its block.
  @Test(arguments: [137, 868])
  func rewritesWhatChanges(_ length: Int) async throws {
    var content = pattern(length)
    let bench = try await Self.bench(try .type3(nbr: 12, nbw: 8, ndef: content))
    let tag = try await bench.connected()
    #expect(try await tag.readNDEFBytes() == content)
    content[100] ^= 0xFF
    // What is on the tag now is read first.
    let reading = 1 + ((length + 15) / 16 + 11) / 12
    #expect(
      try await bench.commands { try await tag.writeNDEFBytes(content, verify: false) } == reading
        + 3)
    #expect(bench.tag.memory.dropFirst(16).starts(with: content))
    // The same again writes nothing.
    #expect(
      try await bench.commands { try await tag.writeNDEFBytes(content, verify: false) } == reading)
    content[60] ^= 0xFF
    let other = try await bench.connected()
    let again = try await bench.commands {
      try await other.writeNDEFBytes(content, verify: false)
    }
    #expect((reading + 3...reading + 3 + Self.longerWait).contains(again), "\(again)")
    #expect(try await bench.connected().readNDEFBytes() == content)
  }

  /// Attribute block, blocks by Nbw, attribute block; without the first where the tag is empty.
  @Test(arguments: [(8, 137, 3), (8, 868, 8), (13, 868, 6), (1, 32, 3)])
  func writesByNbw(_ nbw: Int, _ length: Int, _ writes: Int) async throws {
    let bench = try await Self.bench(.type3(nbw: nbw))
    let tag = try await bench.connected()
    let content = pattern(length)
    let commands = try await bench.commands { try await tag.writeNDEFBytes(content, verify: false) }
    #expect((1 + writes...1 + writes + Self.longerWait).contains(commands), "\(commands)")
    #expect(try await bench.connected().readNDEFBytes() == content)
    try await bench.connected().writeNDEFBytes([], verify: true)
    #expect(try await bench.connected().readNDEFBytes() == nil)
  }

  // MARK: Tearing

  @Test(arguments: [
    (40, 60), (60, 40), (137, 100), (137, 137), (0, 50), (50, 0),
  ])
  func neverAMixture(_ old: Int, _ new: Int) async throws {
    for tag in [VirtualTag.feliCaLiteS(), .type3(nbr: 4, nbw: 2)] {
      let bench = try await Self.bench(tag)
      let count = try await bench.tearEveryExchange(from: pattern(old), to: pattern(new, seed: 90))
      #expect(count > 1)
    }
  }

  // MARK: Refusals

  @Test func refusesWhatDoesNotFit() async throws {
    let bench = try await Self.bench(try .feliCaLiteS(ndef: pattern(20)))
    try await bench.expectRefusal(.capacityExceeded) {
      try await $0.writeNDEFBytes(pattern(209), verify: false)
    }
  }

  /// What is changed in the attribute block, and what reading and writing then say.
  @Test(
    arguments: [
      // RWFlag.
      ([10: 0x00], true, nil, .readOnly),
      // Nbw 0.
      ([2: 0x00], true, nil, .readOnly),
      // A wrong checksum.
      ([15: 0x00], false, .malformedContent, nil),
      // Ln 1025 of 1024 bytes.
      ([12: 0x04, 13: 0x01], true, .malformedContent, nil),
      // Nbr 0.
      ([1: 0x00], true, .malformedContent, nil),
      // Major version 2.
      ([0: 0x20], true, .notNDEF, .notNDEF),
    ] as [([Int: UInt8], Bool, NFCError.Code?, NFCError.Code?)])
  func attributeBlocksThatSayNo(
    _ changes: [Int: UInt8], _ isSummedUp: Bool, _ reading: NFCError.Code?,
    _ writing: NFCError.Code?
  ) async throws {
    let tag = try VirtualTag.type3(ndef: pattern(40))
    Self.change(tag, changes, isSummedUp)
    let bench = try await Self.bench(tag)
    let place: NFCError.Place? = reading == .malformedContent ? .block(0) : nil
    if let reading {
      try await bench.expectRefusal(reading, at: place) { _ = try await $0.readNDEFBytes() }
    } else {
      #expect(try await bench.connected().readNDEFBytes() == pattern(40))
      #expect(try await bench.connected().queryNDEFStatus().access == .readOnly)
    }
    if let writing {
      try await bench.expectRefusal(writing) { try await $0.writeNDEFBytes([1], verify: false) }
      return
    }
    // What is broken is mended by writing, by erasing and by formatting.
    let broken = tag.memory
    try await bench.expectRefusal(.malformedContent, at: place) { try await $0.makeReadOnly() }
    try await bench.connected().writeNDEFBytes(pattern(30, seed: 7), verify: true)
    #expect(try await bench.connected().readNDEFBytes() == pattern(30, seed: 7))
    #expect(try await bench.connected().queryNDEFStatus().capacity == 1024)
    tag.memory = broken
    try await bench.connected().writeNDEFBytes([], verify: true)
    #expect(try await bench.connected().readNDEFBytes() == nil)
    tag.memory = broken
    try await bench.connected().formatNDEF()
    #expect(try await bench.connected().readNDEFBytes() == nil)
  }

  private static func change(_ tag: VirtualTag, _ changes: [Int: UInt8], _ isSummedUp: Bool) {
    var memory = tag.memory
    for (index, value) in changes { memory[index] = value }
    if isSummedUp {
      let sum = memory.prefix(14).reduce(0) { $0 + Int($1) }
      memory[14] = UInt8(sum >> 8)
      memory[15] = UInt8(sum & 0xFF)
    }
    tag.memory = memory
  }

  /// Nmaxb says more than there is, and Ln with it: the block that is missing is named.
  @Test func anAttributeBlockThatLies() async throws {
    let tag = try VirtualTag.type3(nbr: 4, dataBlocks: 8, ndef: pattern(40))
    Self.change(tag, [4: 0x40, 13: 200], true)
    let bench = try await Self.bench(tag)
    try await bench.expectRefusal(.malformedContent, at: .block(9)) {
      _ = try await $0.readNDEFBytes()
    }
    let lite = try VirtualTag.feliCaLiteS(ndef: pattern(40))
    Self.change(lite, [4: 0x40, 13: 220], true)
    try await Self.bench(lite).expectRefusal(.malformedContent, at: .block(0)) {
      _ = try await $0.queryNDEFStatus()
    }
  }

  @Test func aWriteThatWasBrokenOffIsNotAMessage() async throws {
    let tag = try VirtualTag.type3(ndef: pattern(40))
    Self.change(tag, [9: 0x0F], true)
    let bench = try await Self.bench(tag)
    #expect(try await bench.connected().readNDEFBytes() == nil)
    #expect(try await bench.connected().queryNDEFStatus().access == .readWrite)
    try await bench.connected().writeNDEFBytes(pattern(30, seed: 7), verify: true)
    #expect(try await bench.connected().readNDEFBytes() == pattern(30, seed: 7))
  }

  // MARK: Systems

  @Test func aCardWithoutAnNDEFSystem() async throws {
    let bench = try await Self.bench(.suica())
    let tag = try await bench.connected()
    #expect(try await tag.queryNDEFStatus() == .notSupported)
    // The card is asked again: it may have left.
    #expect(try await bench.commands { _ = try await tag.queryNDEFStatus() } > 0)
    try await bench.expectRefusal(.notNDEF) { _ = try await $0.readNDEFBytes() }
    try await bench.expectRefusal(.unsupported) { try await $0.formatNDEF() }
    // Silence because it has left is another thing.
    let gone = try await bench.connected()
    bench.bench.field.removeAll()
    let error = await #expect(throws: NFCError.self) { try await gone.queryNDEFStatus() }
    #expect(error?.code == .tagConnectionLost)
  }

  /// The NDEF system is the card's second one, with an IDm of its own.
  @Test func aCardWithSeveralSystems() async throws {
    var blocks = [[UInt8]](repeating: [UInt8](repeating: 0, count: 16), count: 11)
    blocks[0] = [0x10, 0x04, 0x02, 0x00, 0x0A, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x00, 0x21]
    let card = FeliCaStandard(
      name: "two-systems", idm: [0x01, 0x10, 1, 2, 3, 4, 5, 6], pmm: [0, 0x20, 0, 0, 0, 0, 0, 0],
      systems: [
        .init(
          code: 0x0003, nodes: [.area(0x0000, last: 0xFFFE), .service(0x090F)],
          blocks: [0x24: [[UInt8](repeating: 0, count: 16)]]),
        .init(
          code: 0x12FC, nodes: [.area(0x0000, last: 0xFFFE), .service(0x0009), .service(0x000B)],
          blocks: [0x00: blocks]),
      ])
    let bench = try await Self.bench(VirtualTag(card))
    let tag = try await bench.connected()
    #expect(try await tag.queryNDEFStatus() == NDEFStatus(access: .readWrite, capacity: 160))
    try await tag.writeNDEFBytes(pattern(70), verify: true)
    let again = try await bench.connected()
    let read = try await bench.bench.counting { try await again.readNDEFBytes() }
    #expect(read.result == pattern(70))
    // Polling, the attribute block, five blocks by four.
    #expect(read.exchanges == 4)
  }

  // MARK: Format

  @Test func formatsABlankLite() async throws {
    for virtual in [VirtualTag.feliCaLite(formatted: false), .feliCaLiteS(formatted: false)] {
      let bench = try await Self.bench(virtual)
      let before = virtual.memory
      #expect(try await bench.connected().queryNDEFStatus() == .notSupported)
      try await bench.expectRefusal(.notNDEF) { try await $0.writeNDEFBytes([1], verify: false) }
      let tag = try await bench.connected()
      try await tag.formatNDEF()
      #expect(try await tag.queryNDEFStatus() == NDEFStatus(access: .readWrite, capacity: 208))
      // Nothing but block 0, SYS_OP, and Lite-S' counter of writes.
      let after = virtual.memory
      let mc = 21 * 16
      let changed = before.indices.filter { before[$0] != after[$0] && $0 < mc + 16 }
      #expect(changed.filter { $0 >= 16 } == [mc + 3])
      try await bench.connected().writeNDEFBytes(pattern(50), verify: true)
      #expect(try await bench.connected().readNDEFBytes() == pattern(50))
      try await bench.connected().formatNDEF()
      #expect(try await bench.connected().readNDEFBytes() == nil)
    }
  }

  @Test(arguments: [(12, 8, 64), (15, 13, 20), (1, 1, 1), (4, 2, 300)])
  func detectsWhatABlankTagAccepts(_ nbr: Int, _ nbw: Int, _ dataBlocks: Int) async throws {
    let virtual = VirtualTag.type3(nbr: nbr, nbw: nbw, dataBlocks: dataBlocks, formatted: false)
    let bench = try await Self.bench(virtual)
    let tag = try await bench.connected()
    #expect(try await tag.queryNDEFStatus() == .notSupported)
    try await tag.formatNDEF()
    let block = Array(virtual.memory.prefix(5))
    // Block numbers above 255 take a byte more of the frame.
    let written = min(nbw, dataBlocks > 255 ? 12 : 13, dataBlocks)
    #expect(
      block == [
        0x10, UInt8(min(nbr, dataBlocks)), UInt8(written), UInt8(dataBlocks >> 8),
        UInt8(dataBlocks & 0xFF),
      ])
    let content = pattern(min(400, dataBlocks * 16))
    try await bench.connected().writeNDEFBytes(content, verify: true)
    #expect(try await bench.connected().readNDEFBytes() == content)
  }

  @Test func formatRepairsABrokenAttributeBlock() async throws {
    let virtual = try VirtualTag.feliCaLiteS(ndef: pattern(20))
    Self.change(virtual, [15: 0x00], false)
    let bench = try await Self.bench(virtual)
    try await bench.connected().formatNDEF()
    #expect(try await bench.connected().readNDEFBytes() == nil)
  }

  /// A card that is torn away while it is being formatted is blank or formatted, and can be formatted.
  @Test func tornFormatsAreCompleted() async throws {
    for virtual in [
      VirtualTag.feliCaLiteS(formatted: false),
      .type3(nbr: 2, nbw: 2, dataBlocks: 5, formatted: false),
    ] {
      let bench = try await Self.bench(virtual)
      let blank = virtual.memory
      let first = try await bench.connected()
      let exchanges = try await bench.bench.counting { try await first.formatNDEF() }.exchanges
      #expect(exchanges > 2)
      for moment in 0..<exchanges {
        virtual.memory = blank
        let torn = try await bench.connected()
        bench.bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
        let error = await #expect(throws: NFCError.self) { try await torn.formatNDEF() }
        #expect(error?.code == .tagConnectionLost)
        bench.bench.virtual.setFaults([])
        bench.bench.field.place(virtual)
        let again = try await bench.connected()
        #expect(try await again.queryNDEFStatus() == .notSupported, "torn at \(moment)")
        try await again.formatNDEF()
        try await again.writeNDEFBytes(pattern(20), verify: true)
      }
    }
  }

  // MARK: Lock

  @Test(.asking(.memoryConfiguration)) func locksAPlainTag() async throws {
    let virtual = try VirtualTag.type3(ndef: pattern(20))
    let bench = try await Self.bench(virtual)
    let tag = try await bench.connected()
    try await tag.makeReadOnly()
    #expect(virtual.memory[10] == 0x00)
    #expect(try await tag.queryNDEFStatus().access == .readOnly)
    #expect(try await bench.connected().readNDEFBytes() == pattern(20))
    try await bench.expectRefusal(.readOnly) { try await $0.writeNDEFBytes([1], verify: false) }
    try await bench.expectRefusal(.readOnly) { try await $0.formatNDEF() }
  }

  @Test(.asking(.memoryConfiguration)) func locksLite() async throws {
    let virtual = try VirtualTag.feliCaLiteS(ndef: pattern(20))
    let bench = try await Self.bench(virtual)
    try await bench.connected().makeReadOnly()
    let mc = 21 * 16
    #expect(virtual.memory[mc..<(mc + 5)].elementsEqual([0x00, 0xC0, 0xFF, 0x01, 0x07]))
    #expect(try await bench.connected().queryNDEFStatus().access == .readOnly)
    #expect(try await bench.connected().readNDEFBytes() == pattern(20))
    try await bench.expectRefusal(.readOnly) { try await $0.writeNDEFBytes([1], verify: false) }
    // Locking what is locked is nothing.
    try await bench.connected().makeReadOnly()
  }

  /// Torn between the attribute block and MC, the card is read-only by the former's word; the next call
  /// closes what is open.
  @Test(.asking(.memoryConfiguration)) func interruptedLocksHarmNothing() async throws {
    for moment in 0..<3 {
      let virtual = try VirtualTag.feliCaLiteS(ndef: pattern(20))
      let bench = try await Self.bench(virtual)
      let torn = try await bench.connected()
      bench.bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      await #expect(throws: NFCError.self) { try await torn.makeReadOnly() }
      bench.bench.virtual.setFaults([])
      bench.bench.field.place(virtual)
      let again = try await bench.connected()
      #expect(try await again.queryNDEFStatus().access == (moment < 2 ? .readWrite : .readOnly))
      #expect(try await again.readNDEFBytes() == pattern(20))
      try await again.makeReadOnly()
      let mc = 21 * 16
      #expect(virtual.memory[mc..<(mc + 2)].elementsEqual([0x00, 0xC0]))
      #expect(virtual.memory[10] == 0x00)
    }
  }

  /// A card that cannot be locked completely stays as it is.
  @Test func aLockThatCannotBeCompleteIsNotBegun() async throws {
    let virtual = try VirtualTag.feliCaLiteS(ndef: pattern(20))
    var memory = virtual.memory
    // The restrictions are fixed, and the blocks open.
    memory[21 * 16 + 1] &= 0x7F
    virtual.memory = memory
    let bench = try await Self.bench(virtual)
    try await bench.expectRefusal(.unsupported) { try await $0.makeReadOnly() }
  }

  // MARK: Wires, and tags that have left

  /// A host on wires changes a byte behind the reader's back: it is seen, and what is written is whole.
  @Test func changesByWireAreSeen() async throws {
    let virtual = try VirtualTag.type3(ndef: pattern(137))
    let bench = try await Self.bench(virtual)
    let tag = try await bench.connected()
    #expect(try await tag.readNDEFBytes() == pattern(137))
    var memory = virtual.memory
    memory[16 + 60] ^= 0xFF
    virtual.memory = memory
    #expect(try await tag.readNDEFBytes() != pattern(137))
    #expect(try await tag.readNDEFBytes()?[60] == pattern(137)[60] ^ 0xFF)
    virtual.memory[16 + 61] ^= 0xFF
    try await tag.writeNDEFBytes(pattern(137), verify: false)
    #expect(virtual.memory.dropFirst(16).starts(with: pattern(137)))
  }

  @Test func everyCallReachesTheTag() async throws {
    for virtual in [
      try VirtualTag.type3(ndef: pattern(40)), try .feliCaLiteS(ndef: pattern(40)), .suica(),
    ] {
      let calls: [(any NDEFTag) async throws -> Void] = [
        { _ = try await $0.queryNDEFStatus() }, { _ = try await $0.readNDEFBytes() },
        { try await $0.writeNDEFBytes(pattern(40), verify: false) },
        { try await $0.makeReadOnly() },
        { try await $0.formatNDEF() },
      ]
      for call in calls {
        let bench = try await Self.bench(virtual)
        let tag = try await bench.connected()
        _ = try? await tag.readNDEFBytes()
        bench.bench.field.removeAll()
        let error = await #expect(throws: NFCError.self) { try await call(tag) }
        #expect(error?.code == .tagConnectionLost)
      }
    }
  }

  /// Blocks in use are not formatted over, unless it is asked for.
  @Test func formatRefusesWhatIsInUse() async throws {
    for virtual in [
      VirtualTag.feliCaLiteS(formatted: false), .type3(dataBlocks: 30, formatted: false),
    ] {
      virtual.memory[16 * 11 + 3] = 0x42
      let bench = try await Self.bench(virtual)
      try await bench.expectRefusal(.unsupported, at: .block(11)) { try await $0.formatNDEF() }
      try await bench.connected().formatNDEF(wipe: true)
      #expect(try await bench.connected().readNDEFBytes() == nil)
    }
  }

  /// MC alone makes a card read-only, whatever its attribute block says.
  @Test func lockBitsAreSeen() async throws {
    let virtual = try VirtualTag.feliCaLiteS(ndef: pattern(20))
    var memory = virtual.memory
    memory[21 * 16] = 0xFB
    virtual.memory = memory
    let bench = try await Self.bench(virtual)
    #expect(try await bench.connected().queryNDEFStatus().access == .readOnly)
    try await bench.expectRefusal(.readOnly) { try await $0.writeNDEFBytes([1], verify: false) }
  }

  // MARK: Commands

  @Test func commandsOfATransitCard() async throws {
    let bench = try await Bench(.suica())
    let tag = try await bench.tag(.iso18092).feliCa
    let systems = try await tag.requestSystemCode()
    #expect(systems.contains(0x0003))
    #expect(try await tag.requestResponse() == 0)
    let versions = try await tag.requestService(nodeCodes: [0x090F, 0x1234])
    #expect(versions[0] != nil && versions[1] == nil)
    #expect(try await tag.polling(systemCode: 0x0003).idm == tag.idm)
    let (blocks, _, exchanges) = try await bench.counting {
      try await tag.readWithoutEncryption(serviceCodes: [0x090F], blocks: [0, 1, 2])
    }
    #expect(blocks.count == 3 && blocks.allSatisfy { $0.count == 16 })
    #expect(exchanges == 1)
    let error = await #expect(throws: NFCError.self) {
      try await tag.readWithoutEncryption(serviceCodes: [0x090F], blocks: [200])
    }
    #expect(error?.code == .tagRefused)
    #expect(error?.cause == .statusFlags(flag1: 0x01, flag2: 0xA8))
  }

  /// What a program writes by itself is seen by the next reading.
  @Test func rawCommandsAreNotMissed() async throws {
    let bench = try await Bench(try .type3(ndef: pattern(40)))
    let tag = try await bench.tag(.iso18092).feliCa
    #expect(try await tag.readNDEFBytes() == pattern(40))
    try await tag.writeWithoutEncryption(
      serviceCodes: [0x0009], blocks: [1], data: [[UInt8](repeating: 0x55, count: 16)])
    let expected = [UInt8](repeating: 0x55, count: 16) + pattern(40).dropFirst(16)
    #expect(try await tag.readNDEFBytes() == expected)
  }
}
