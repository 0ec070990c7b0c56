import Testing
import VirtualNFC

@testable import NFCCore

/// The four bits with which a chip answers a command that changes it.
@Suite struct UltralightRefusalTests {
  /// NTAG213/215/216 and MF0ULx1 data sheets, 9.3: 0 for an argument, 1 for a check, 4 for a counter or an
  /// authentication, 5 and 7 for the EEPROM, 6 and 9 for anything else. MF0ICU2: 2 for the EEPROM.
  /// NT3H1101/NT3H1201, 10.3: 3 while the I2C side has the memory.
  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, 9] as [UInt8])
  func aRefusalIsReported(_ code: UInt8) throws {
    let driver = ChipDriver(VirtualTag.ntag213().chip, refusing: 0xA2, with: code)
    let error = #expect(throws: NFCError.self) {
      try UltralightExchange.send(.write(page: 8, data: [1, 2, 3, 4]), driver.link)
    }
    #expect(error?.code == (code == 0 ? .readOnly : .tagRefused))
    #expect(error?.cause == .negativeAcknowledge(code))
    #expect(error?.place == .page(8))
  }

  /// What no data sheet names is an acknowledge that was broken on its way.
  @Test(arguments: [8, 0xB, 0xC, 0xD, 0xE, 0xF] as [UInt8])
  func anythingElseIsBroken(_ code: UInt8) throws {
    let driver = ChipDriver(VirtualTag.ntag213().chip, refusing: 0xA2, with: code)
    let error = #expect(throws: NFCError.self) {
      try UltralightExchange.send(.write(page: 8, data: [1, 2, 3, 4]), driver.link)
    }
    #expect(error?.code == .tagResponseError)
  }
}
