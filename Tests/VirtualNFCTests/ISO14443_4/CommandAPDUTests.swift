import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite("Command APDU")
struct CommandAPDUTests {
  struct Case: Sendable {
    let bytes: String
    let data: String
    let expectedLength: Int
    let isExtended: Bool

    init(_ bytes: String, _ data: String, _ expectedLength: Int, isExtended: Bool = false) {
      self.bytes = bytes
      self.data = data
      self.expectedLength = expectedLength
      self.isExtended = isExtended
    }
  }

  /// ISO/IEC 7816-4, 5.1, the four cases in both forms.
  @Test(arguments: [
    Case("00A40400", "", 0), Case("00B0000010", "", 16), Case("00B0000000", "", 256),
    Case("00D6000001AA", "AA", 0), Case("00D6000002AABB", "AABB", 0),
    Case("00A4040002AABB10", "AABB", 16), Case("00A4040002AABB00", "AABB", 256),
    Case("00B00000000010", "", 16, isExtended: true),
    Case("00B00000000000", "", 65536, isExtended: true),
    Case("00D60000000002AABB", "AABB", 0, isExtended: true),
    Case("00D60000000002AABB0100", "AABB", 256, isExtended: true),
    Case("00D60000000002AABB0000", "AABB", 65536, isExtended: true),
  ])
  func takenApartAndPutTogether(_ example: Case) throws {
    let bytes = try #require([UInt8](hexadecimal: example.bytes))
    let command = try #require(CommandAPDU(bytes))
    #expect(command.data.hexadecimal == example.data)
    #expect(command.expectedLength == example.expectedLength)
    #expect(command.isExtended == example.isExtended)
    let maximum = example.isExtended ? 65536 : 256
    #expect(command.expectsMaximum == (example.expectedLength == maximum))
    #expect(command.bytes == bytes)
  }

  @Test(arguments: [
    "", "00", "00A404", "00A4040002AA", "00A4040002AABB0000", "00A404000000", "00D600000000",
    "00D6000000000000", "00D60000000002AA", "00D60000000002AABB00", "00D60000000002AABB000000",
  ])
  func lengthsThatDoNotFit(_ text: String) throws {
    #expect(try CommandAPDU(#require([UInt8](hexadecimal: text))) == nil)
  }

  @Test func statusWords() {
    #expect(StatusWord.moreData(5).bytes == [0x61, 0x05])
    #expect(StatusWord.moreData(255).bytes == [0x61, 0xFF])
    #expect(StatusWord.moreData(256).bytes == [0x61, 0x00])
    #expect(StatusWord.wrongExpectedLength(15).bytes == [0x6C, 0x0F])
    #expect(StatusWord.wrongExpectedLength(256).bytes == [0x6C, 0x00])
  }
}
