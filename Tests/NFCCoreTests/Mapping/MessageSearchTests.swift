import Testing

@testable import SwiftNFCCore

@Suite struct MessageSearchTests {
  /// What the search comes to in an area that begins at address 4.
  static func search(
    _ text: String, size: Int = 104, hasControlTLVs: Bool = false, repairing: Bool = false
  ) throws -> MessageSearch.Result {
    let bytes = try #require([UInt8](hexadecimal: "E1400D01" + text))
    var search = MessageSearch(
      TagDataArea(4..<4 + size), hasControlTLVs: hasControlTLVs, repairing: repairing)
    return try search.advance(
      { bytes.indices.contains($0) ? bytes[$0] : nil }, place: { .offset($0) })
  }

  static func message(_ offset: Int, _ value: Range<Int>) -> MessageSearch.Result {
    .message(
      TagLengthValue(
        tag: 0x03, offset: offset, valueOffset: value.lowerBound, length: value.count))
  }

  @Test(arguments: [
    ("0300FE", message(0, 2..<2)), ("0303D00000FE", message(0, 2..<5)),
    // A proprietary field before it, a single zero as Android writes it, a length of three bytes.
    ("FD02AABB0301D0FE", message(4, 6..<7)), ("000301D0FE", message(1, 3..<4)),
    ("03FF000000", message(0, 4..<4)),
    // No message: one can begin where the terminator is.
    ("FE", .place(0)), ("FD01AAFE", .place(3)), ("FD01AA0000FE", .place(5)),
  ])
  func messages(text: String, result: MessageSearch.Result) throws {
    #expect(try Self.search(text) == result)
  }

  @Test func moreIsNeeded() throws {
    for (text, end) in [("", 2), ("03", 2), ("03FF01", 4), ("FD04AA", 8)] {
      guard case .needs(let range) = try Self.search(text) else {
        Issue.record("nothing is needed for \(text)")
        continue
      }
      #expect(range.upperBound == end, "\(text)")
    }
  }

  @Test(arguments: ["0367", "03FF0065", "FD67", "03FFFFFF"])
  func beyondTheArea(text: String) throws {
    #expect { try Self.search(text) } throws: {
      let error = $0 as? NFCError
      return error?.code == .malformedContent && error?.place == .offset(4)
    }
    // For a repair it is the place for a new message.
    #expect(try Self.search(text, repairing: true) == .place(0))
  }

  /// What stands before what is broken stays.
  @Test func aRepairBeginsWhereItIsBroken() throws {
    #expect(try Self.search("FD02AABB03FFFFFF", repairing: true) == .place(4))
  }

  @Test func blankArea() throws {
    #expect(try Self.search(String(repeating: "00", count: 104)) == .place(0))
  }

  /// A lock control TLV takes its bytes out of the area, once its value is known.
  @Test func controlTLVs() throws {
    let bytes = try #require([UInt8](hexadecimal: "00000000" + "0103A01044" + "0300FE"))
    var search = MessageSearch(TagDataArea(4..<200), hasControlTLVs: true)
    #expect(
      try search.advance({ $0 < 7 ? bytes[$0] : nil }, place: { .offset($0) }) == .needs(2..<5))
    let found = try search.advance(
      { bytes.indices.contains($0) ? bytes[$0] : nil }, place: { .offset($0) })
    #expect(found == Self.message(5, 7..<7))
    #expect(search.lockControl?.bytes == 160..<162)
    #expect(search.area.size == 194)
  }
}
