import SwiftNFCSeededRandom
import Testing

@testable import SwiftNFCCore

/// What stands on a tag between any two writes of a message.
struct MessageReplacementTests {
  /// Whatever is written in units of a size, what stands there between two writes is the old message,
  /// none, or the new one: for all forms of the length, in every place of a unit.
  @Test(arguments: [1, 4, 16]) func everyPrefixOfAWriteIsConsistent(_ unitSize: Int) throws {
    let lengths = [0, 1, 13, 254, 255, 300]
    let size = 310
    for padding in 0..<min(unitSize, 5) {
      for old in lengths {
        for new in lengths {
          let oldMessage = (0..<old).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ 1) }
          let newMessage = (0..<new).map { UInt8(truncatingIfNeeded: $0 &* 5 &+ 9) }
          var area = [UInt8](repeating: 0, count: padding)
          area += TagLengthValue.block(message: oldMessage, room: size - padding)
          area += [UInt8](repeating: 0xA5, count: size - area.count)
          let image = area
          let replacement = try MessageReplacement(
            of: #require(try Self.first(in: area)), by: newMessage, size: size)
          let writes = replacement.writes(old: { image[$0] }, unit: { $0 / unitSize })
          for write in writes {
            Self.apply(write, to: &area, unitSize)
            let held = try Array(area[#require(try Self.first(in: area)).value])
            #expect(
              held.isEmpty || held == oldMessage || held == newMessage,
              "\(old) to \(new), padding \(padding), unit \(write)")
          }
          #expect(Array(area[padding..<replacement.end]) == replacement.bytes)
          #expect(Set(writes.map(\.unit)).count >= writes.count - 1)
        }
      }
    }
  }

  /// TLVs that follow the message can be found between any two writes, moved or not; and what stands
  /// there is the old message, none, or the new one.
  @Test(arguments: [1, 4, 8, 16, 32]) func whatFollowsIsAlwaysThere(_ unitSize: Int) throws {
    var random = SplitMix64(seed: UInt64(unitSize))
    var moves = 0
    for round in 0..<600 {
      var subject = Subject(unitSize, &random)
      guard let replacement = subject.replacement else { continue }
      let image = subject.area
      let writes = replacement.writes(old: { image[$0] }, unit: { $0 / unitSize })
      if replacement.destination != replacement.following { moves += 1 }
      for (index, write) in writes.enumerated() {
        Self.apply(write, to: &subject.area, unitSize)
        #expect(
          subject.isWhole(replacement.new, unitSize),
          "round \(round), write \(index) of \(writes.count): \(subject.area.hexadecimal)")
      }
      #expect(
        Array(subject.area[replacement.old.offset..<replacement.end]) == replacement.bytes)
      #expect(Array(subject.area[..<subject.padding]) == Array(image[..<subject.padding]))
    }
    #expect(moves > 100)
  }

  /// A shorter message, and one of the same length, cost the same as without TLVs after them.
  @Test func whatFollowsCostsNothingWhereItStays() throws {
    let old = [UInt8](repeating: 0xD1, count: 10)
    let area = [3, 10] + old + [0xFD, 1, 7, 0xFE]
    for new in [[UInt8]([0xD1, 1, 1, 0x54, 2]), [UInt8](repeating: 0xD5, count: 10)] {
      let replacement = try MessageReplacement(
        of: #require(Self.message(in: area)), by: new, size: area.count, followedBy: [0xFD, 1, 7],
        at: 12)
      #expect(replacement.destination == 12..<15)
      let writes = replacement.writes(old: { area[$0] }, unit: { $0 / 4 })
      #expect(writes.map(\.unit) == [0, 1, 2, 0])
    }
  }

  /// Without room for a copy after them, TLVs are in the message's place meanwhile.
  @Test func aCopyIsInTheMessagesPlace() throws {
    let message = [UInt8](repeating: 0xD1, count: 20)
    let area = [3, 20] + message + [0xFD, 2, 7, 8, 0xFE, 0x55]
    let replacement = try MessageReplacement(
      of: #require(Self.message(in: area)), by: message + [0x41], size: area.count,
      followedBy: [0xFD, 2, 7, 8], at: 22)
    #expect(replacement.destination == 23..<27)
    var now = area
    for write in replacement.writes(old: { area[$0] }, unit: { $0 / 4 }) {
      Self.apply(write, to: &now, 4)
      #expect(Self.blocks(in: now)?.contains { now[$0.value] == [7, 8] } == true)
    }
    #expect(now == [3, 21] + message + [0x41, 0xFD, 2, 7, 8, 0xFE])
  }

  @Test func whatDoesNotFitIsRefused() throws {
    let area: [UInt8] = [3, 0, 0xFD, 1, 7, 0xFE, 0, 0]
    #expect(throws: NFCError.self) {
      try MessageReplacement(
        of: .emptyMessage(at: 0), by: [0xD0, 0, 0, 0], size: area.count,
        followedBy: [0xFD, 1, 7], at: 2)
    }
  }

  // MARK: The area

  /// An area with a message and a TLV after it, and another message to write.
  private struct Subject {
    let padding: Int
    let old: [UInt8]
    let new: [UInt8]
    let following: [UInt8]
    let start: Int
    var area: [UInt8]

    init(_ unitSize: Int, _ random: inout SplitMix64) {
      let size =
        ([48, 96, 144, 300, 496].randomElement(using: &random) ?? 48)
        - Int.random(in: 0..<3, using: &random)
      padding = Int.random(in: 0..<(unitSize == 1 ? 2 : unitSize), using: &random)
      func message(_ first: UInt8) -> [UInt8] {
        let length =
          [
            0, 1, 2, 3, 4, Int.random(in: 0..<60, using: &random),
            Int.random(in: 240..<270, using: &random),
          ].randomElement(using: &random) ?? 0
        return (0..<length).map { $0 == 0 ? 0xD1 : UInt8(truncatingIfNeeded: $0 &* 3) &+ first | 1 }
      }
      old = message(1)
      new = message(100)
      following = [0xFD] + [UInt8](repeating: 0x5A, count: Int.random(in: 1..<12, using: &random))
      let gap = Bool.random(using: &random) ? 0 : Int.random(in: 0..<20, using: &random)
      var area = [UInt8](repeating: 0, count: padding)
      area += TagLengthValue.header(TagLengthValue.Tag.ndefMessage, length: old.count) + old
      area += [UInt8](repeating: 0, count: gap)
      start = area.count
      area += [0xFD, UInt8(following.count)] + following
      let isPadded = Bool.random(using: &random)
      if area.count < size { area.append(isPadded ? 0 : TagLengthValue.Tag.terminator) }
      while area.count < size {
        area.append(isPadded ? 0 : UInt8.random(in: 0...255, using: &random))
      }
      self.area = area.count > size ? [] : area
    }

    var blocks: [UInt8] { [0xFD, UInt8(following.count)] + following }

    /// `nil` where the area is too small, or where the order cannot keep what follows.
    var replacement: MessageReplacement? {
      guard !area.isEmpty, let message = MessageReplacementTests.message(in: area),
        let found = try? MessageReplacement(
          of: message, by: new, size: area.count, followedBy: blocks, at: start)
      else { return nil }
      let hasRoom =
        found.destination.lowerBound == start
        || found.destination.lowerBound > found.following.upperBound
        || start - 1 - blocks.count > message.offset + 4
      // Both bytes of a long length change, in two units.
      let isApart = message.hasLongHeader && found.new.hasLongHeader
      return hasRoom && !isApart ? found : nil
    }

    func isWhole(_ new: TagLengthValue, _ unitSize: Int) -> Bool {
      guard let found = MessageReplacementTests.blocks(in: area),
        found.contains(where: { Array(area[$0.offset..<$0.end]) == blocks }),
        let message = found.first(where: { $0.tag == TagLengthValue.Tag.ndefMessage })
      else { return false }
      let held = Array(area[message.value])
      if MessageReplacement.isNone(held) || held == old || held == self.new { return true }
      // Without the flag Message Begin, no reader accepts a message. Bytes are written one by one only in memory
      // that is too small for a long length. The length of a TLV that a message covers for a moment is less than 80.
      return held[0] & 0x80 == 0 && (unitSize == 1 || Int(held[0]) == following.count)
    }
  }

  private static func apply(
    _ write: MessageReplacement.UnitWrite, to area: inout [UInt8], _ unitSize: Int
  ) {
    for (offset, byte) in write.content {
      #expect(offset / unitSize == write.unit)
      area[offset] = byte
    }
  }

  /// The TLVs from the beginning on; `nil` if one is malformed.
  private static func blocks(in area: [UInt8]) -> [TagLengthValue]? {
    var blocks: [TagLengthValue] = []
    while let step = try? TagLengthValue.step(
      at: blocks.last?.end ?? 0, size: area.count, { area[$0] })
    {
      guard case .block(let block) = step else { return blocks }
      blocks.append(block)
    }
    return nil
  }

  /// The first TLV, whatever follows it.
  private static func first(in area: [UInt8]) throws -> TagLengthValue? {
    guard
      case .block(let block) = try TagLengthValue.step(at: 0, size: area.count, { area[$0] })
    else { return nil }
    return block
  }

  private static func message(in area: [UInt8]) -> TagLengthValue? {
    blocks(in: area)?.first { $0.tag == TagLengthValue.Tag.ndefMessage }
  }
}
