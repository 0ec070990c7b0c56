import Testing

@testable import SwiftNFCCore

@Suite struct CardAccessTests {
  private static func bytes(_ text: String) -> [UInt8] {
    [UInt8](hexadecimal: text.filter { $0 != " " }) ?? []
  }

  /// ICAO Doc 9303-11, appendix G.1: PACE with ECDH, generic mapping and AES of 128 bits.
  private static let worked = "31 14 30 12 06 0A 04 00 7F 00 07 02 02 04 02 02 02 01 02 02 01 0D"
  /// Terminal authentication, 0.4.0.127.0.7.2.2.2: of the same family and no PACE.
  private static let other = "31 0F 30 0D 06 08 04 00 7F 00 07 02 02 02 02 01 02"

  @Test func findsPACE() throws {
    let file = try #require(CardAccess(Self.bytes(Self.worked)))
    #expect(file.protocols == [Self.bytes("04 00 7F 00 07 02 02 04 02 02")])
    #expect(file.offersPACE)
    // Files are longer than what stands in them.
    #expect(CardAccess(Self.bytes(Self.worked + "00 00 FF"))?.offersPACE == true)
  }

  @Test func findsNoPACEInOtherProtocols() throws {
    let file = try #require(CardAccess(Self.bytes(Self.other)))
    #expect(file.protocols.count == 1)
    #expect(!file.offersPACE)
    for empty in ["31 00", "31 81 00", "31 83 00 00 00"] {
      #expect(CardAccess(Self.bytes(empty))?.protocols == [], "\(empty)")
    }
    // Its bytes where no identifier stands.
    let hidden = "31 10 30 0E 06 02 04 00 04 08 04 00 7F 00 07 02 02 04"
    #expect(CardAccess(Self.bytes(hidden))?.offersPACE == false)
  }

  @Test func readsBothProtocolsOfAFile() throws {
    let entries =
      "30 0D 06 08 04 00 7F 00 07 02 02 02 02 01 02 30 12 06 0A 04 00 7F 00 07 02 02 04 02 02 02 01 02 02 01 0D"
    let content = Self.bytes(entries)
    for header in [
      [0x31, UInt8(content.count)], [0x31, 0x81, UInt8(content.count)],
      [0x31, 0x82, 0x00, UInt8(content.count)],
    ] {
      let file = try #require(CardAccess(header + content))
      #expect(file.protocols.count == 2)
      #expect(file.offersPACE)
    }
  }

  /// Every beginning of a file, every byte changed, and lengths beyond the end.
  @Test func acceptsAnyBytes() {
    let file = Self.bytes(Self.worked)
    for count in file.indices { #expect(CardAccess(Array(file.prefix(count))) == nil) }
    for index in file.indices {
      for value in UInt8.min...UInt8.max {
        var changed = file
        changed[index] = value
        if let read = CardAccess(changed) { #expect(read.protocols.count <= 1) }
      }
    }
    for text in [
      "31", "31 80", "31 83 00 00 01", "31 85 00 00 00 00 00", "31 84 FF FF FF FF", "31 81",
      "31 82 FF", "30 00",
    ] {
      #expect(CardAccess(Self.bytes(text)) == nil, "\(text)")
    }
  }
}
