import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// InDataExchange with Jewel and Topaz tags (PN532 user manual UM0701-02, 7.3.8): the parameters and
/// answers on which libnfc's nfc-jewel and nfcpy's type 1 driver rely.
@Suite struct JewelExchangeTests {
  private static let uid: [UInt8] = [0x47, 0x1B, 0x9D, 0x02]

  /// Commands with their parameters after Tg, and the answers after the response code.
  private static let exchanges: [(String, [UInt8], [UInt8])] = [
    ("RID", [0x78], [0x00, 0x12, 0x4C] + uid),
    ("READ", [0x01, 0x08], [0x00, 0xE1]),
    ("READ with the UID given", [0x01, 0x0A, 0x00] + uid, [0x00, 0x3F]),
    ("WRITE-E", [0x53, 0x20, 0xA5], [0x00, 0xA5]),
    ("WRITE-NE", [0x1A, 0x20, 0x5A], [0x00, 0xFF]),
    ("another tag's UID", [0x01, 0x08, 0x00, 0x01, 0x02, 0x03, 0x04], [0x01]),
  ]

  @Test func answersWithoutTheAddress() throws {
    let field = VirtualField()
    field.place(.topaz512())
    var chip = PN532Chip(field: field)
    #expect(reply(chip.execute([0x14, 0x01])) == [0x15])
    #expect(reply(chip.execute([0x32, 0x01, 0x01])) == [0x33])
    #expect(
      reply(chip.execute([0x4A, 0x01, 0x04]))
        == [0x4B, 0x01, 0x01, 0x0C, 0x00] + Self.uid)
    for (name, command, answer) in Self.exchanges {
      #expect(
        reply(chip.execute([0x40, 0x01] + command)) == [0x41] + answer, "\(name)")
    }
  }

  /// A command without its address or byte of data is invalid: nothing is written.
  @Test(arguments: [[0x53], [0x53, 0x20], [0x01], [0x1A, 0x20], [0x78, 0x00]] as [[UInt8]])
  func incompleteCommandsAreRefused(_ command: [UInt8]) {
    let field = VirtualField()
    let tag = VirtualTag.topaz512()
    let memory = tag.memory
    field.place(tag)
    var chip = PN532Chip(field: field)
    #expect(reply(chip.execute([0x14, 0x01])) == [0x15])
    #expect(reply(chip.execute([0x4A, 0x01, 0x04]))?.starts(with: [0x4B, 0x01]) == true)
    #expect(reply(chip.execute([0x40, 0x01] + command)) == nil)
    #expect(tag.memory == memory)
  }

  private func reply(_ outcome: PN532Chip.Outcome) -> [UInt8]? {
    if case .reply(let bytes) = outcome { bytes } else { nil }
  }
}
