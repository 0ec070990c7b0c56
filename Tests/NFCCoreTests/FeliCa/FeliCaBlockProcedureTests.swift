import Testing

@testable import SwiftNFCCore

@Suite struct FeliCaBlockProcedureTests {
  private static let idm: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

  /// A card that grants so many blocks at once, and refuses more by flags or by saying nothing.
  private final class Card {
    let granted: Int
    let isSilent: Bool
    var asked: [Int] = []
    var written: [[UInt8]] = []
    var hasLeft = false
    /// How many blocks there are.
    let count: Int
    /// Whether the flags say which block does not exist.
    let namesBlock: Bool

    init(granted: Int, isSilent: Bool = false, count: Int = .max, namesBlock: Bool = false) {
      self.granted = granted
      self.isSilent = isSilent
      self.count = count
      self.namesBlock = namesBlock
    }

    var procedure: FeliCaBlockProcedure {
      FeliCaBlockProcedure(
        idm: FeliCaBlockProcedureTests.idm, maximumCommandLength: 262, maximumResponseLength: 262
      ) { try self.answer($0) }
    }

    private func answer(_ packet: [UInt8]) throws -> [UInt8] {
      let count = Int(packet[12])
      asked.append(count)
      let silence = NFCError(.tagResponseError, "the tag has not answered", cause: .noAnswer)
      if hasLeft { throw silence }
      let head = [packet[0] + 1] + FeliCaBlockProcedureTests.idm
      guard count <= granted else {
        if isSilent { throw silence }
        return head + [0xFF, 0xA2]
      }
      var numbers: [Int] = []
      var index = 13
      while numbers.count < count, index + 1 < packet.count {
        let isShort = packet[index] & 0x80 != 0
        numbers.append(Int(packet[index + 1]) | (isShort ? 0 : Int(packet[index + 2]) << 8))
        index += isShort ? 2 : 3
      }
      if let missing = numbers.firstIndex(where: { $0 >= self.count }) {
        return head + [namesBlock ? 1 << UInt8(missing % 8) : 0xFF, 0xA8]
      }
      guard packet[0] == 0x06 else {
        written.append(packet)
        return head + [0, 0]
      }
      return head + [0, 0, UInt8(count)]
        + (0..<count).flatMap { [UInt8](repeating: packet[14 + 2 * $0], count: 16) }
    }
  }

  /// Twenty blocks of a transit card's history, whatever the card grants.
  @Test(arguments: [
    (12, false, [12, 8]), (12, true, [12, 8]), (15, false, [12, 8]), (8, false, [12, 6, 6, 6, 2]),
    (8, true, [12, 1, 6, 6, 6, 1]), (4, false, [12, 6, 3, 3, 3, 3, 3, 3, 2]),
    (1, true, [12, 1, 6, 1, 3, 1] + Array(repeating: 1, count: 17)),
  ])
  func history(granted: Int, isSilent: Bool, asked: [Int]) throws {
    let card = Card(granted: granted, isSilent: isSilent)
    var limit = FeliCaBlockLimits(pmm: [0x10, 0x0B, 0x4B, 0x42, 0x84, 0x85, 0xD0, 0xFF]).read
    let blocks = try card.procedure.read(service: 0x090F, blocks: Array(0..<20), limit: &limit)
    #expect(blocks.map(\.first) == (0..<20).map { UInt8($0) })
    #expect(card.asked == asked)
    // What was refused is remembered.
    card.asked = []
    _ = try card.procedure.read(service: 0x090F, blocks: Array(0..<20), limit: &limit)
    #expect(card.asked.allSatisfy { $0 <= granted })
  }

  /// All blocks of a service, of which a card has twenty.
  @Test(arguments: [
    (15, true, [12, 12, 8]), (15, false, [12, 12, 6, 3, 1, 1]), (12, true, [12, 12, 8]),
    (8, true, [12, 6, 6, 6, 6, 2]), (4, true, [12, 6, 3, 3, 3, 3, 3, 3, 3, 2]),
    (1, false, [12, 6, 3] + Array(repeating: 1, count: 21)),
  ])
  func allBlocks(granted: Int, namesBlock: Bool, asked: [Int]) throws {
    let card = Card(granted: granted, count: 20, namesBlock: namesBlock)
    var limit = 12
    let (blocks, isComplete) = try card.procedure.readAll(service: 0x090F, limit: &limit)
    #expect(blocks.count == 20)
    #expect(isComplete)
    #expect(card.asked == asked)
  }

  /// A card that has every block, and a service that is not there.
  @Test func boundsOfAllBlocks() throws {
    let endless = Card(granted: 15)
    var limit = 15
    let (blocks, isComplete) = try endless.procedure.readAll(service: 0x0009, limit: &limit)
    #expect(blocks.count == FeliCaBlockProcedure.mostBlocks)
    #expect(!isComplete)
    let empty = try Card(granted: 15, count: 0).procedure.readAll(service: 0x0009, limit: &limit)
    #expect(empty.blocks.isEmpty)
    #expect(empty.isComplete)
  }

  @Test func aCardThatHasLeftIsAskedTwice() {
    let card = Card(granted: 12, isSilent: false)
    card.hasLeft = true
    var limit = 12
    let error = #expect(throws: NFCError.self) {
      try card.procedure.read(service: 0x090F, blocks: Array(0..<20), limit: &limit)
    }
    #expect(error?.cause == .noAnswer)
    #expect(card.asked == [12, 1])
  }

  /// A service of random access is written again with fewer blocks; a cyclic one or a purse would take the
  /// same twice.
  @Test(arguments: [(0x0009, true), (0x000D, false), (0x0011, false)])
  func silenceAfterAWrite(_ service: UInt16, _ isRepeated: Bool) {
    let card = Card(granted: 2, isSilent: true)
    var limit = 8
    let data = (0..<5).map { [UInt8](repeating: $0, count: 16) }
    let result = Result {
      try card.procedure.write(
        service: service, blocks: [3, 4, 5, 6, 9], data: data, limit: &limit)
    }
    if isRepeated {
      #expect(throws: Never.self) { try result.get() }
      #expect(card.asked == [5, 1, 2, 2])
      #expect(card.written.map { $0[14] } == [3, 4, 6])
      #expect(card.written.last.map { $0[16] } == 9)
    } else {
      #expect(throws: NFCError.self) { try result.get() }
      #expect(card.asked == [5])
    }
  }

  /// Flag 1 has a bit for the first wrong element of the list, and the ninth has the bit of the first one again:
  /// a block is named only if there is no other that the flag could mean.
  @Test(
    arguments: [
      (0..<12, 1, nil), (0..<12, 9, nil), (0..<12, 5, 5), (0..<8, 1, 1), (18..<22, 20, 20),
      (0..<1, 0, 0), (4..<16, 11, 11), (4..<16, 13, nil),
    ] as [(Range<Int>, Int, Int?)])
  func theRefusedBlock(_ numbers: Range<Int>, _ refused: Int, _ named: Int?) {
    let flag = UInt8(1) << UInt8((refused - numbers.lowerBound) % 8)
    #expect(place(in: numbers, flag) == named.map { .block($0) })
  }

  /// FF says that the refusal does not concern an element of the list.
  @Test func aRefusalOfTheWholeList() {
    #expect(place(in: 0..<12, 0xFF) == nil)
    #expect(place(in: 7..<8, 0xFF) == .block(7))
  }

  /// Returns the place in the error of a card that refuses these blocks with this flag 1.
  private func place(in numbers: Range<Int>, _ flag: UInt8) -> NFCError.Place? {
    let procedure = FeliCaBlockProcedure(
      idm: Self.idm, maximumCommandLength: 262, maximumResponseLength: 262
    ) { [$0[0] + 1] + Self.idm + [flag, 0xA8] }
    var limit = 12
    let error = #expect(throws: NFCError.self) {
      try procedure.read(service: 0x090F, blocks: Array(numbers), limit: &limit)
    }
    #expect(error?.cause == .statusFlags(flag1: flag, flag2: 0xA8))
    return error?.place
  }

  @Test func writesAreHalvedOnRefusal() throws {
    let card = Card(granted: 3, isSilent: false)
    var limit = 13
    let data = (0..<9).map { [UInt8](repeating: $0, count: 16) }
    try card.procedure.write(service: 0x0009, blocks: Array(0..<9), data: data, limit: &limit)
    #expect(card.asked == [9, 4, 2, 2, 2, 2, 1])
    #expect(limit == 2)
    #expect(throws: NFCError.self) {
      try card.procedure.write(service: 0x0009, blocks: [0], data: [], limit: &limit)
    }
    #expect(throws: NFCError.self) {
      try card.procedure.read(service: 0x0009, blocks: [0x1_0000], limit: &limit)
    }
  }
}
