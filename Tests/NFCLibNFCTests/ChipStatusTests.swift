import NFC
import SwiftNFCCore
import Testing
import VirtualNFC

@testable import SwiftNFCLibNFC

extension LibNFCTests {
  /// The error codes of the chip (UM0701-02, 7.1, table 15): what libnfc makes of each, and what a program receives.
  @Suite struct ChipStatusTests {
    struct Row: Sendable, CustomTestStringConvertible {
      let status: UInt8
      let effect: Fault.Effect
      /// What libnfc returns (`pn53x_transceive`).
      let libnfcCode: Int32
      let code: NFCError.Code
      let reason: String
      var framing = Framing.checked
      /// The frame from the tag that it concerns; the tag is woken first if it is not the first one.
      var exchange = 0

      var testDescription: String { [status].hexadecimal }
    }

    static let rows = [
      Row(
        status: 0x01, effect: .answerLost, libnfcCode: LibNFC.Failure.transmission,
        code: .tagResponseError, reason: "not answered"),
      Row(
        status: 0x02, effect: .answerBroken, libnfcCode: LibNFC.Failure.transmission,
        code: .tagResponseError, reason: "broken"),
      Row(
        status: 0x03, effect: .answerParityBroken, libnfcCode: LibNFC.Failure.transmission,
        code: .tagResponseError, reason: "broken"),
      Row(
        status: 0x04, effect: .answerBitsLost(4), libnfcCode: LibNFC.Failure.transmission,
        code: .tagResponseError, reason: "not answered as it should", framing: .tagProtocol,
        exchange: 1),
      Row(
        status: 0x05, effect: .answerBitsLost(2), libnfcCode: LibNFC.Failure.transmission,
        code: .tagResponseError, reason: "not answered as it should", framing: .tagProtocol),
      Row(
        status: 0x06, effect: .answerCollides(bit: 9), libnfcCode: LibNFC.Failure.transmission,
        code: .tagResponseError, reason: "more than one tag"),
      Row(
        status: 0x07, effect: .answerContinues(300), libnfcCode: LibNFC.Failure.chip,
        code: .tagResponseError, reason: "longer than the reader can receive"),
      Row(
        status: 0x0B, effect: .answerStartBroken, libnfcCode: LibNFC.Failure.transmission,
        code: .tagResponseError, reason: "not answered as it should"),
      Row(
        status: 0x0D, effect: .chipOverheats, libnfcCode: LibNFC.Failure.chip,
        code: .tagConnectionLost, reason: "antenna off"),
      Row(
        status: 0x2D, effect: .antennaOverloads, libnfcCode: LibNFC.Failure.chip,
        code: .tagConnectionLost, reason: "antenna off"),
    ]

    private static let readPage4: [UInt8] = [0x30, 0x04]

    @Test(arguments: rows) func whatLibnfcMakesOfIt(_ row: Row) throws {
      let field = VirtualField()
      field.place(.ntag213())
      let virtual = try VirtualReader(field)
      let driver = try LibNFCDriver.open(virtual.connectionString)
      driver.begin()
      defer {
        driver.end()
        driver.close()
      }
      let target = try #require(try driver.list(.iso14443a).first)
      try driver.select(target)
      try driver.use(row.framing)
      if row.exchange > 0 { try driver.device.deselect() }
      virtual.setFaults([Fault(row.effect, at: .exchange(row.exchange))])
      let failure = #expect(throws: LibNFC.Failure.self) {
        try driver.device.transceive(Self.readPage4, timeout: 500)
      }
      #expect(failure?.code == row.libnfcCode)
      #expect(failure?.chipStatus == row.status)
      // And the tag is there again, once the carrier is.
      driver.active = nil
      try driver.select(target)
      let page = try driver.exchange(
        Self.readPage4, framing: row.framing, timeout: .milliseconds(100))
      #expect(page.count == 16)
    }

    @Test(arguments: rows) func whatAProgramReceives(_ row: Row) async throws {
      let field = VirtualField()
      field.place(.ntag213())
      let virtual = try VirtualReader(field)
      let reader = try await Reader.open(virtual.connectionString)
      let error = ChipStatus.error(row.status)
      #expect(error.code == row.code)
      #expect(error.reason.contains(row.reason), "\(error.reason)")
      if row.exchange == 0, row.framing == .checked {
        let found = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
        guard case .miFare(let tag) = found else { return }
        virtual.setFaults([Fault(row.effect, at: .exchange(0))])
        let met = await #expect(throws: NFCError.self) {
          try await tag.sendMiFareCommand(Self.readPage4)
        }
        #expect(met?.code == row.code, "\(met.map { "\($0)" } ?? "")")
        virtual.setFaults([])
        let again = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
        #expect(again.identifier == tag.identifier)
      }
      await reader.close()
    }
  }
}
