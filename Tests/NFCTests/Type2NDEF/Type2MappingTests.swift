import NFC
import TestSupport
import Testing
import VirtualNFC

/// What a Type 2 tag is, holds and refuses, over the real libnfc.
@Suite struct Type2MappingTests {
  private func ndef(_ tag: VirtualTag) async throws -> (bench: Bench, ndef: any NDEFTag) {
    let bench = try await Bench(tag)
    return (bench, try #require(try await bench.tag().ndef))
  }

  /// A tag whose data area begins with these bytes.
  private func tag(
    _ area: String, on tag: VirtualTag = .ntag213(), container: String? = nil
  ) throws -> VirtualTag {
    let bytes = try #require([UInt8](hexadecimal: area))
    var memory = tag.memory
    memory.replaceSubrange(16..<(16 + bytes.count), with: bytes)
    if let container {
      memory.replaceSubrange(12..<16, with: try #require([UInt8](hexadecimal: container)))
    }
    tag.memory = memory
    return tag
  }

  // MARK: Capacity

  /// The data area less control TLVs, the message's tag and its length of one byte, or of three where
  /// more than 254 bytes fit: NTAG216 872 - 4.
  @Test(arguments: [
    (VirtualTag.ntag210(), 46), (.ntag212(), 121), (.ntag213(), 137), (.ntag215(), 492),
    (.ntag216(), 868), (.ntag203(), 137), (.ultralight(), 46), (.ultralightC(), 137),
    (.ultralightEV1(), 46), (.ultralightEV1With128Bytes(), 126), (.ntagI2C1K(), 868),
    (.ntagI2C2K(), 1868),
  ]) func fillsToTheLastByte(_ tag: VirtualTag, _ capacity: Int) async throws {
    let (bench, ndef) = try await ndef(tag)
    #expect(
      try await ndef.queryNDEFStatus() == NDEFStatus(access: .readWrite, capacity: capacity))
    let image = tag.memory
    let error = await #expect(throws: NFCError.self) {
      try await ndef.writeNDEFBytes(message(capacity + 1), verify: false)
    }
    #expect(error?.code == .capacityExceeded)
    #expect(tag.memory == image)
    try await ndef.writeNDEFBytes(message(capacity), verify: true)
    #expect(try await bench.tag().ndef?.readNDEFBytes() == message(capacity))
    await bench.reader.close()
  }

  // MARK: TLVs

  @Test(arguments: [
    // NULL TLVs, a proprietary one, two messages of which the first counts.
    ("00 00 00 03 01 D0 FE", "D0"),
    ("FD 02 AA BB 03 02 D0 D1 03 01 EE FE", "D0D1"),
    ("03 FF 00 02 D0 D1 FE", "D0D1"),
    // Two reserved bytes, at 24 and 25, in the middle of the message.
    ("02 03 18 02 04 03 04 D0 EE EE D1 D2 D3 FE", "D0D1D2D3"),
  ]) func readsThroughOtherTLVs(_ area: String, _ content: String) async throws {
    let (bench, ndef) = try await ndef(tag(area))
    #expect(try await ndef.readNDEFBytes() == [UInt8](hexadecimal: content))
    await bench.reader.close()
  }

  @Test func writesAroundReservedBytesAndAfterOtherTLVs() async throws {
    // Proprietary, then two reserved bytes at address 32 (page 2 of 16 bytes each).
    let tag = try tag("FD 02 AA BB 02 03 20 02 04 03 00 FE 00 00 00 00 EE EE")
    let (bench, ndef) = try await ndef(tag)
    try await ndef.writeNDEFBytes(message(20), verify: true)
    #expect(Array(tag.memory[16..<27]) == [UInt8](hexadecimal: "FD02AABB02032002040314"))
    #expect(Array(tag.memory[32..<34]) == [0xEE, 0xEE])
    #expect(Array(tag.memory[27..<32] + tag.memory[34..<49]) == message(20))
    #expect(tag.memory[49] == 0xFE)
    await bench.reader.close()
  }

  /// A proprietary TLV after the message stays in its place, moves past a longer message, or leaves
  /// no room for it.
  @Test func keepsWhatFollowsTheMessage() async throws {
    let tag = try tag("03 04 D0 D1 D2 D3 FD 02 AA BB FE")
    let (bench, ndef) = try await ndef(tag)
    try await ndef.writeNDEFBytes([0xE1], verify: true)
    #expect(
      Array(tag.memory[16..<27]) == [UInt8](hexadecimal: "03 01 E1 00 00 00 FD 02 AA BB FE"))
    let long = message(20)
    try await ndef.writeNDEFBytes(long, verify: true)
    #expect(
      Array(tag.memory[16..<43]) == [0x03, 20] + long + [0xFD, 0x02, 0xAA, 0xBB, 0xFE])
    let image = tag.memory
    let error = await #expect(throws: NFCError.self) {
      try await ndef.writeNDEFBytes(message(140), verify: false)
    }
    #expect(error?.code == .capacityExceeded)
    #expect(tag.memory == image)
    try await bench.tag().ndef?.writeNDEFBytes(message(138), verify: true)
    #expect(Array(tag.memory[156..<160]) == [0xFD, 0x02, 0xAA, 0xBB])
    await bench.reader.close()
  }

  @Test(
    arguments: [
      ("03 91 D0", nil, 4), ("03 FF 00 8D", nil, 4), ("FD FF FF FE 03 00", nil, 4),
      ("00 00 00 00 03 8B", nil, 5),
    ] as [(String, String?, Int)]) func refusesBrokenTLVs(
      _ area: String, _ container: String?, _ page: Int
    ) async throws
  {
    let (bench, ndef) = try await ndef(tag(area, container: container))
    let error = await #expect(throws: NFCError.self) { try await ndef.readNDEFBytes() }
    #expect(error?.code == .malformedContent)
    #expect(error?.place == .page(page))
    await bench.reader.close()
  }

  @Test(arguments: ["00 00 00 00", "E1 20 12 00", "E2 10 12 00"])
  func saysThatATagIsNotFormatted(_ container: String) async throws {
    let tag = try tag("03 00 FE", container: container)
    let image = tag.memory
    let (bench, ndef) = try await ndef(tag)
    #expect(try await ndef.queryNDEFStatus() == .notSupported)
    for body in [
      { _ = try await ndef.readNDEFBytes() }, { try await ndef.writeNDEFBytes([1], verify: false) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: NFCError.self) { try await body() }
      #expect(error?.code == .notNDEF)
    }
    #expect(tag.memory == image)
    await bench.reader.close()
  }

  // MARK: A container that lies

  /// The message is said to reach, or the container promises, what is not there.
  @Test(arguments: [
    (VirtualTag.ultralight(), "E1 10 12 00", "03 40"),
    (.ntag213(), "E1 10 6D 00", "03 FF 01 40"),
    (.ultralightEV1(), "E1 10 10 00", "03 50"),
  ]) func detectsAFalseContainer(_ chip: VirtualTag, _ container: String, _ area: String)
    async throws
  {
    let tag = try tag(area, on: chip, container: container)
    let image = tag.memory
    let (bench, ndef) = try await ndef(tag)
    for body in [
      { _ = try await ndef.readNDEFBytes() }, { _ = try await ndef.queryNDEFStatus() },
      { try await ndef.writeNDEFBytes(message(60), verify: false) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: NFCError.self) { try await body() }
      #expect(error?.code == .malformedContent)
      guard case .page = error?.place else {
        Issue.record("no page in \(String(describing: error))")
        continue
      }
    }
    #expect(tag.memory == image)
    await bench.reader.close()
  }

  /// A page of the message that looks like page 0 is not taken for the end of the memory.
  @Test func readsAMessageWithTheHeaderPageInIt() async throws {
    let chip = MIFAREUltralightC()
    let content = message(2) + Array(chip.memory[0..<4]) + message(30)
    let tag = try VirtualTag.ultralightC(ndef: [0xD0] + content)
    let (bench, ndef) = try await ndef(tag)
    #expect(try await ndef.readNDEFBytes() == [0xD0] + content)
    await bench.reader.close()
  }

  // MARK: Protection

  /// Lock bits of pages 4 and 15, and the first and last dynamic ones.
  @Test(
    arguments: [
      (VirtualTag.ultralight(), 10, 0x10), (.ntag216(), 11, 0x80), (.ntag216(), 0xE2 * 4, 0x01),
      (.ntag216(), 0xE2 * 4 + 1, 0x10), (.ntag213(), 0x28 * 4 + 1, 0x08),
      (.ntag215(), 0x82 * 4, 0x40), (.ultralightC(), 0x28 * 4, 0x02),
      (.ultralightEV1With128Bytes(), 0x24 * 4 + 1, 0x02), (.ntagI2C1K(), 0xE2 * 4, 0x02),
    ] as [(VirtualTag, Int, UInt8)]) func locksMakeItReadOnly(
      _ tag: VirtualTag, _ address: Int, _ bit: UInt8
    ) async throws
  {
    tag.memory[address] |= bit
    try await expectReadOnly(tag)
  }

  /// Bits that lock the capability container, freeze other bits, lock the key, or pages after the data area that
  /// the container announces, do not matter.
  @Test(
    arguments: [
      (VirtualTag.ultralight(), 10, 0x0F), (.ultralightC(), 0x28 * 4, 0x11),
      (.ultralightC(), 0x28 * 4 + 1, 0xF0), (.ntag216(), 0xE2 * 4 + 2, 0x7F),
      (.ntag216(), 0xE2 * 4 + 1, 0x20), (.ntag215(), 0x82 * 4, 0x80),
    ] as [(VirtualTag, Int, UInt8)]) func otherLockBitsDoNot(
      _ tag: VirtualTag, _ address: Int, _ bits: UInt8
    ) async throws
  {
    tag.memory[address] |= bits
    let (bench, ndef) = try await ndef(tag)
    #expect(try await ndef.queryNDEFStatus().access == .readWrite)
    try await ndef.writeNDEFBytes(message(30), verify: true)
    await bench.reader.close()
  }

  private func expectReadOnly(_ tag: VirtualTag) async throws {
    let image = tag.memory
    let (bench, ndef) = try await ndef(tag)
    #expect(try await ndef.queryNDEFStatus().access == .readOnly)
    for body in [
      { try await ndef.writeNDEFBytes([1], verify: false) }, { try await ndef.formatNDEF() },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: NFCError.self) { try await body() }
      #expect(error?.code == .readOnly)
    }
    #expect(tag.memory == image)
    await bench.reader.close()
  }

  @Test func theContainerMakesItReadOnly() async throws {
    let tag = VirtualTag.ntag216()
    tag.memory[15] = 0x0F
    try await expectReadOnly(tag)
  }

  /// AUTH0 04 with PROT: page 4 and up want the password for reading; without it for writing only.
  @Test(arguments: [true, false]) func aPasswordIsRequested(_ protectsReading: Bool) async throws {
    let tag = try VirtualTag.ntag213(ndef: message(60))
    tag.memory[0x29 * 4 + 3] = 0x04
    tag.memory[0x2A * 4] = protectsReading ? 0x80 : 0x00
    let image = tag.memory
    let (bench, ndef) = try await ndef(tag)
    if protectsReading {
      let error = await #expect(throws: NFCError.self) { try await ndef.readNDEFBytes() }
      #expect(error?.code == .notAuthenticated)
      #expect(error?.place == .page(4))
    } else {
      #expect(try await ndef.readNDEFBytes() == message(60))
      let error = await #expect(throws: NFCError.self) {
        try await ndef.writeNDEFBytes(message(10, seed: 9), verify: false)
      }
      // The settings can be read: they say why.
      #expect(error?.code == .notAuthenticated)
      #expect(error?.place == .page(5))
      #expect(error?.cause == .negativeAcknowledge(0))
      // The refusal has muted the tag; it is awake again for the next command.
      #expect(try await ndef.readNDEFBytes() == message(60))
    }
    #expect(tag.memory == image)
    await bench.reader.close()
  }

  /// AUTH0 in the middle of the message: the length's page could be written, a later one cannot. The last page is
  /// written first.
  @Test func aRefusedPageInTheMiddleLeavesTheOldMessage() async throws {
    let old = message(60)
    let tag = try VirtualTag.ntag213(ndef: old)
    tag.memory[0x29 * 4 + 3] = 0x0A
    let image = tag.memory
    let (bench, ndef) = try await ndef(tag)
    let error = await #expect(throws: NFCError.self) {
      try await ndef.writeNDEFBytes(message(100, seed: 9), verify: false)
    }
    #expect(error?.code == .notAuthenticated)
    #expect(error?.place == .page(30))
    #expect(error?.recovery == nil)
    #expect(tag.memory == image)
    #expect(try await ndef.readNDEFBytes() == old)
    await bench.reader.close()
  }

  /// What a program writes by itself is seen by the next read.
  @Test func aRawWriteIsNotHiddenByWhatWasKnown() async throws {
    var content = message(60)
    let (bench, ndef) = try await ndef(try .ntag216(ndef: content))
    #expect(try await ndef.readNDEFBytes() == content)
    let card = try #require(ndef as? any MiFareTag)
    _ = try await card.sendMiFareCommand([0xA2, 0x0A, 0xC0, 0xC1, 0xC2, 0xC3])
    // The message begins at byte 2 of page 4.
    content.replaceSubrange(22..<26, with: [0xC0, 0xC1, 0xC2, 0xC3])
    #expect(try await ndef.readNDEFBytes() == content)
    await bench.reader.close()
  }

  // MARK: Formatting and locking

  @Test(
    .asking(.oneTimeBits),
    arguments: [
      (VirtualTag.ultralight(formatted: false), VirtualTag.ultralight()),
      (.ultralightC(formatted: false), .ultralightC()),
      (.ultralightEV1(formatted: false), .ultralightEV1()),
    ]) func formatsABlankTag(_ tag: VirtualTag, _ formatted: VirtualTag) async throws
  {
    let (bench, ndef) = try await ndef(tag)
    #expect(try await ndef.queryNDEFStatus() == .notSupported)
    try await ndef.formatNDEF()
    let capacity = try await ndef.queryNDEFStatus().capacity
    #expect(Array(tag.memory[12..<24]) == Array(formatted.memory[12..<24]))
    #expect(try await ndef.readNDEFBytes() == nil)
    try await ndef.writeNDEFBytes(message(capacity), verify: true)
    try await ndef.formatNDEF()
    #expect(try await bench.tag().ndef?.readNDEFBytes() == nil)
    await bench.reader.close()
  }

  @Test(.asking(.oneTimeBits)) func formatsWithALockControlTLV() async throws {
    let (bench, ndef) = try await ndef(.ultralightEV1With128Bytes(formatted: false))
    try await ndef.formatNDEF()
    #expect(
      Array(try #require(bench.field.tags.first).memory[12..<24])
        == [UInt8](hexadecimal: "E11010000103900A340300FE"))
    #expect(try await ndef.queryNDEFStatus().capacity == 121)
    await bench.reader.close()
  }

  @Test func doesNotFormatOverOtherOneTimeBits() async throws {
    let tag = VirtualTag.ultralight(formatted: false)
    tag.memory[12] = 0x10
    tag.memory[13] = 0x0F
    let image = tag.memory
    let (bench, ndef) = try await ndef(tag)
    let error = await #expect(throws: NFCError.self) { try await ndef.formatNDEF() }
    #expect(error?.code == .unsupported)
    #expect(error?.place == .page(3))
    #expect(tag.memory == image)
    await bench.reader.close()
  }

  /// An NTAG21x of another maker, which answers GET_VERSION in its own way or refuses it.
  private struct Clone: ForwardingChip {
    var chip: NTAG21x
    let version: [UInt8]?

    mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
      let getVersion: UInt8 = 0x60
      guard frame.checkedPayload == [getVersion] else { return chip.receive(frame) }
      guard let version else { return chip.receive(.typeA([0x61])) }
      return chip.receive(frame).map { _ in .typeA(version) }
    }
  }

  /// The standard has the dynamic lock bits after the data area; NTAG215 and NTAG216 have user memory there, and so
  /// have those who copy them.
  @Test(
    arguments: [
      (NTAG21x.Product.ntag215, [0x00, 0x05, 0x34, 0x02, 0x01, 0x00, 0x11, 0x03]),
      (.ntag215, nil), (.ntag216, nil),
    ] as [(NTAG21x.Product, [UInt8]?)])
  func aLockThatWouldLockNothingChangesNothing(
    _ product: NTAG21x.Product, _ version: [UInt8]?
  ) async throws {
    let chip = NTAG21x(product, uid: [0x53, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06])
    let tag = VirtualTag(Clone(chip: chip, version: version))
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    try await ndef.writeNDEFBytes(message(46), verify: false)
    let image = tag.memory
    await #expect {
      try await ndef.makeReadOnly()
    } throws: {
      ($0 as? NFCError)?.code == .unsupported
    }
    #expect(tag.memory == image)
    #expect(try await ndef.queryNDEFStatus().access == .readWrite)
    await bench.reader.close()
  }

  /// A clone that answers GET_VERSION as NXP's chip does, keeps its dynamic lock bits and heeds none of them.
  private struct Imitation: ForwardingChip {
    var chip: NTAG21x

    private static let lockBits = 130 * 4..<131 * 4

    mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
      guard let payload = frame.checkedPayload, payload.first == 0xA2, payload.count == 6,
        (16..<130).contains(payload[1])
      else { return chip.receive(frame) }
      let held = Array(chip.memory[Self.lockBits])
      chip.memory.replaceSubrange(Self.lockBits, with: [0, 0, 0, held[3]])
      defer { chip.memory.replaceSubrange(Self.lockBits, with: held) }
      return chip.receive(frame)
    }
  }

  /// GET_VERSION is easy to copy: that the bits lock something is seen before the static ones are set.
  @Test(.asking(.lockBits, .oneTimeBits))
  func aCloneThatKeepsNoLockIsNotReportedLocked() async throws {
    let chip = NTAG21x(.ntag215, uid: [0x04, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06])
    let tag = VirtualTag(Imitation(chip: chip))
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    try await ndef.writeNDEFBytes(message(46), verify: false)
    let error = await #expect(throws: NFCError.self) { try await ndef.makeReadOnly() }
    #expect(error?.code == .unsupported)
    // Capability container and static lock bits are as they were.
    #expect(tag.memory[10..<12] == [0, 0] && tag.memory[15] == 0x00)
    #expect(try await ndef.readNDEFBytes() == message(46))
    await bench.reader.close()
  }

  /// Pages 128 and 129 hold the standard's lock bits for this size, and on an NTAG215 or its clones, data: an
  /// image for a game fills them.
  @Test(
    arguments: [
      (.ntag215, [0x00, 0x53, 0x04, 0x02, 0x01, 0x00, 0x11, 0x03], 0x5A, true),
      (.ntag215, nil, 0x5A, true), (.ntag216, nil, 0x5A, true), (.ntag215, nil, 0xFF, false),
      (.ntag215, [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x11, 0x03], 0xFF, true),
    ] as [(NTAG21x.Product, [UInt8]?, UInt8, Bool)])
  func dataIsNotTakenForLockBits(
    _ product: NTAG21x.Product, _ version: [UInt8]?, _ byte: UInt8, _ isWritable: Bool
  ) async throws {
    let chip = NTAG21x(product, uid: [0x53, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06])
    let tag = VirtualTag(Clone(chip: chip, version: version))
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    try await ndef.writeNDEFBytes(message(46), verify: false)
    let end = 16 + 8 * Int(tag.memory[14])
    var memory = tag.memory
    memory.replaceSubrange(end..<end + 8, with: [UInt8](repeating: byte, count: 8))
    tag.memory = memory
    let status = try await bench.tag().ndef?.queryNDEFStatus()
    #expect(status?.access == (isWritable ? .readWrite : .readOnly))
    await bench.reader.close()
  }

  /// The same of an NTAG213, which has them where the standard has them.
  @Test(
    .asking(.lockBits, .oneTimeBits),
    arguments: [[0x00, 0x53, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03], nil] as [[UInt8]?])
  func aCloneIsLocked(_ version: [UInt8]?) async throws {
    let chip = NTAG21x(.ntag213, uid: [0x53, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06])
    let tag = VirtualTag(Clone(chip: chip, version: version))
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    try await ndef.writeNDEFBytes(message(46), verify: false)
    try await ndef.makeReadOnly()
    #expect(try await ndef.queryNDEFStatus().access == .readOnly)
    #expect(try await ndef.readNDEFBytes() == message(46))
    let card = try await bench.tag().miFare
    for page: UInt8 in 3...39 {
      await #expect(throws: NFCError.self) {
        _ = try await card.sendMiFareCommand([0xA2, page, 0x55, 0x55, 0x55, 0x55])
      }
    }
    await bench.reader.close()
  }

  @Test(
    .asking(.lockBits, .oneTimeBits),
    arguments: [
      (VirtualTag.ultralight(), 2), (.ultralightC(), 3), (.ntag203(), 3), (.ntag213(), 3),
      (.ntag215(), 3), (.ntag216(), 3), (.ultralightEV1With128Bytes(), 3), (.ntagI2C1K(), 3),
    ]) func locks(_ tag: VirtualTag, _ writes: Int) async throws
  {
    let trace = Trace()
    let bench = try await Bench(tag, trace: { trace.append($0) })
    let ndef = try #require(try await bench.tag().ndef)
    try await ndef.writeNDEFBytes(message(46), verify: false)
    trace.clear()
    let open = tag.memory
    try await ndef.makeReadOnly()
    // The others write what is there already, to see whether that is refused.
    let changing = trace.sent.filter { frame in
      guard frame.first == 0xA2, frame.count > 5 else { return false }
      return !open.dropFirst(4 * Int(frame[1])).starts(with: frame[2..<6])
    }
    #expect(changing.count == writes)
    #expect(trace.writes <= writes + 4)
    trace.clear()
    try await ndef.makeReadOnly()
    #expect(trace.writes == 0)
    #expect(tag.memory[15] == 0x0F)
    let again = try #require(try await bench.tag().ndef)
    #expect(try await again.queryNDEFStatus().access == .readOnly)
    #expect(try await again.readNDEFBytes() == message(46))
    // No page of the data area takes a write any more.
    let card = try await bench.tag().miFare
    let image = tag.memory
    let end = 4 + Int(tag.memory[14]) * 2
    for page in [3, 4, 15, 16, end - 1] where page < end {
      await #expect(throws: NFCError.self) {
        _ = try await card.sendMiFareCommand([0xA2, UInt8(page), 0x55, 0x55, 0x55, 0x55])
      }
    }
    #expect(tag.memory == image)
    await bench.reader.close()
  }
}
