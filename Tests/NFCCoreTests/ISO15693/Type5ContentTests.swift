import Testing

@testable import NFCCore

@Suite struct Type5ContentTests {
  @Test(arguments: [
    // bytes, area in units of 8, length, write access
    ("E1400D01", 13, 4, UInt8(0)),  // ICODE SLIX
    ("E1402701", 39, 4, 0),  // ICODE SLIX2
    ("E1430D01", 13, 4, 3),
    ("E140000100000100", 256, 8, 0),
    ("E2400001000003FF", 1023, 8, 0),  // ST25DV64K
  ])
  func containers(text: String, units: Int, length: Int, writeAccess: UInt8) throws {
    let bytes = try #require([UInt8](hexadecimal: text))
    let container = try #require(try Type5CapabilityContainer(decoding: bytes))
    #expect(container.areaUnits == units)
    #expect(container.length == length)
    #expect(container.writeAccess == writeAccess)
    #expect(container.isWide == text.hasPrefix("E2"))
    #expect(container.encoded == bytes)
  }

  @Test func noContainer() throws {
    for text in ["", "00000000", "FFFFFFFF", "E1100D00", "E1800D01"] {
      let bytes = try #require([UInt8](hexadecimal: text))
      #expect(try Type5CapabilityContainer(decoding: bytes) == nil, "\(text)")
    }
    for text in ["E1", "E14000", "E1400001", "E14000010000"] {
      let bytes = try #require([UInt8](hexadecimal: text))
      #expect(throws: NFCError.self) { try Type5CapabilityContainer(decoding: bytes) }
    }
  }

  @Test(arguments: [
    ("E1400D01", 112, 108), ("E1402701", 320, 316),
    // Android counts the container in.
    ("E1402801", 320, 316),
    // More than the length says.
    ("E140FF05", 8192, 8192),
    // More than there is.
    ("E140FF01", 112, 108),
  ])
  func areas(text: String, memorySize: Int, end: Int) throws {
    let bytes = try #require([UInt8](hexadecimal: text))
    let container = try #require(try Type5CapabilityContainer(decoding: bytes))
    #expect(container.areaEnd(memorySize: memorySize) == end)
  }

  static let head = "E1400D01"

  @Test(arguments: [
    ("0300FE", Type5Image.Place(start: 4, value: 6..<6)),
    ("0303D00000FE", Type5Image.Place(start: 4, value: 6..<9)),
    // A proprietary field before it, a single zero as Android writes it, a length of three bytes.
    ("FD02AABB0301D0FE", Type5Image.Place(start: 8, value: 10..<11)),
    ("000301D0FE", Type5Image.Place(start: 5, value: 7..<8)),
    ("03FF000000", Type5Image.Place(start: 4, value: 8..<8)),
    ("FE", Type5Image.Place(start: 4, value: nil)),
    ("FD01AAFE", Type5Image.Place(start: 7, value: nil)),
  ])
  func messages(text: String, place: Type5Image.Place) throws {
    let bytes = try #require([UInt8](hexadecimal: Self.head + text))
    #expect(try Type5Image(bytes: bytes).findMessage(from: 4, to: 108) == .found(place))
  }

  @Test func moreIsNeeded() throws {
    for (text, count) in [("", 6), ("03", 6), ("03FF01", 8), ("FD04AA", 12)] {
      let bytes = try #require([UInt8](hexadecimal: Self.head + text))
      #expect(try Type5Image(bytes: bytes).findMessage(from: 4, to: 108) == .needs(count))
    }
  }

  @Test(arguments: ["0367", "03FF0065", "FD67", "03FFFFFF"])
  func beyondTheArea(text: String) throws {
    let bytes = try #require([UInt8](hexadecimal: Self.head + text))
    #expect { try Type5Image(bytes: bytes).findMessage(from: 4, to: 108) } throws: {
      let error = $0 as? NFCError
      return error?.code == .malformedContent && error?.place == .offset(4)
    }
  }

  @Test func blankArea() throws {
    let bytes = try #require([UInt8](hexadecimal: Self.head)) + [UInt8](repeating: 0, count: 104)
    #expect(
      try Type5Image(bytes: bytes).findMessage(from: 4, to: 108)
        == .found(Type5Image.Place(start: 4, value: nil)))
  }
}
