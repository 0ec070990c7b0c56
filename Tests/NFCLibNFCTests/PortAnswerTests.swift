import Foundation
import NFC
import SwiftNFCReaderExamination
import Testing
import VirtualNFC

@testable import SwiftNFCLibNFC

extension LibNFCTests {
  /// What is on a serial port.
  @Suite struct PortAnswerTests {
    private static let question = LineRate.question
    private static let acknowledge: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
    /// The answer to GetFirmwareVersion in UM0701-02, 7.2.2: PN532, version 1.6.
    private static let version: [UInt8] = [
      0x00, 0x00, 0xFF, 0x06, 0xFA, 0xD5, 0x03, 0x32, 0x01, 0x06, 0x07, 0xE8, 0x00,
    ]

    @Test(
      arguments: [
        ([], .silence), (acknowledge + version, .chip("PN532")),
        // Its echo comes first, as on a line with two wires joined after the chip.
        (question + acknowledge + version, .chip("PN532")),
        (acknowledge + [0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD5, 0x03, 0x28, 0x00], .chip("PN53x")),
        (question, .echo), (Array("login: ".utf8), .other), ([0x55], .other), ([0xD5], .other),
        ([0xD5, 0x03], .chip("PN53x")), (Array(question.prefix(10)), .other),
      ] as [([UInt8], PortAnswer)])
    func recognizes(_ bytes: [UInt8], _ answer: PortAnswer) {
      #expect(LineRate.answer(bytes) == answer)
    }

    private func ask(_ path: String) throws -> PortAnswer {
      try LibNFCSource().ask(ReaderAddress("pn532_uart:\(path)"))
    }

    /// The chip that was asked can be opened as before.
    @Test func findsAChip() async throws {
      let field = VirtualField()
      let tag = VirtualTag.ntag213()
      field.place(tag)
      let virtual = try VirtualReader(field)
      #expect(try ask(virtual.path) == .chip("PN532"))
      let reader = try await Reader.open("pn532_uart:\(virtual.path)")
      #expect(throws: NFCError.self) { try ask(virtual.path) }
      #expect(
        try await reader.firstTag(polling: .iso14443a, within: .seconds(3)).identifier
          == tag.identifier)
      await reader.close()
    }

    @Test func findsASilentLine() throws {
      let chip = try StubbornChip(manner: .silent)
      #expect(try LibNFCSource().ask(ReaderAddress(chip.connectionString)) == .silence)
    }

    @Test func asksSerialPortsOnly() {
      for name in ["pn532_i2c:/dev/i2c-1", "usb:001:002", "pn532_uart:/dev/null", "arygon:/dev/x"] {
        #expect(throws: NFCError.self) { try LibNFCSource().ask(ReaderAddress(name)) }
      }
    }
  }
}
