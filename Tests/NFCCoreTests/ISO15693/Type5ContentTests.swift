import Testing

@testable import SwiftNFCCore

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
}
