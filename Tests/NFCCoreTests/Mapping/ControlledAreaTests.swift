import Testing

@testable import SwiftNFCCore

@Suite struct ControlledAreaTests {
  @Test(
    arguments: [
      // NTAG213: 12 lock bits at byte 0 of page 28h (data sheet, table 6).
      (0x01, "A0 0C 34", 160..<162, 12),
      // NTAG212 and NTAG203: tables of their data sheets.
      (0x01, "90 0A 34", 144..<146, 10), (0x01, "A0 10 44", 160..<162, 16),
      // Topaz 512, in pages of eight bytes: 48 bits from byte 2 of block F on, two reserved bytes.
      (0x01, "F2 30 33", 122..<128, 48), (0x02, "F0 02 03", 120..<122, nil),
      // A size of 0 stands for 256.
      (0x02, "10 00 04", 16..<272, nil), (0x01, "10 00 04", 16..<48, 256),
    ] as [(UInt8, String, Range<Int>, Int?)]) func decodes(
      _ tag: UInt8, _ value: String, _ bytes: Range<Int>, _ lockBits: Int?
    ) throws
  {
    let value = try #require([UInt8](hexadecimal: value))
    let area = try #require(ControlledArea(tag: tag, value: value))
    #expect(area.bytes == bytes)
    #expect(area.lockBits == lockBits)
  }

  @Test func isRefusedWithAnotherSizeOrKind() {
    #expect(ControlledArea(tag: 0x01, value: [0xA0, 0x0C]) == nil)
    #expect(ControlledArea(tag: 0x01, value: [0xA0, 0x0C, 0x34, 0x00]) == nil)
    #expect(ControlledArea(tag: 0x03, value: [0xA0, 0x0C, 0x34]) == nil)
    #expect(ControlledArea(tag: 0x02, value: [0xFF, 0xFF, 0xFF])?.bytes.count == 255)
  }

  @Test func areasLeaveReservedBytesOut() {
    let area = TagDataArea(12..<40, without: [20..<24, 22..<26, 36..<60, 0..<4])
    #expect(area.size == 18)
    #expect(area.end == 36)
    #expect(area.address(0) == 12)
    #expect(area.address(7) == 19)
    #expect(area.address(8) == 26)
    #expect(area.address(17) == 35)
    #expect(area.address(18) == nil)
    #expect(area.address(-1) == nil)
    #expect(area.offset(19) == 7)
    #expect(area.offset(20) == nil)
    #expect(area.offset(26) == 8)
    #expect(area.offset(40) == nil)
    #expect(TagDataArea(16..<16).size == 0)
  }

  @Test(
    arguments: [
      ("E1 10 6D 00", 0x6D, true), ("E1 11 12 0F", 0x12, false), ("E1 10 06 0A", 0x06, false),
    ] as [(String, UInt8, Bool)]) func capabilityContainers(
      _ text: String, _ size: UInt8, _ isWritable: Bool
    ) throws
  {
    let bytes = try #require([UInt8](hexadecimal: text))
    let container = try #require(Type2CapabilityContainer(bytes))
    #expect(container.size == size)
    #expect(container.isWritable == isWritable)
    #expect(container.isReadable)
  }

  @Test(arguments: ["00 00 00 00", "E1 20 6D 00", "E2 10 6D 00", "E1 10 6D"])
  func noCapabilityContainers(_ text: String) throws {
    let bytes = try #require([UInt8](hexadecimal: text))
    #expect(Type2CapabilityContainer(bytes) == nil)
  }
}
