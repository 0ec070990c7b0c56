import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore

/// The four bits with which a chip answers a command that changes it.
@Suite struct UltralightRefusalTests {
  /// NTAG213/215/216 and MF0ULx1 data sheets, 9.3: 0 for an argument, 1 for a check, 4 for a counter or an
  /// authentication, 5 and 7 for the EEPROM, 6 and 9 for anything else.
  /// NT3H1101/NT3H1201, 10.3: 3 while the I2C side has the memory.
  @Test(arguments: [0, 1, 3, 4, 5, 6, 7, 9] as [UInt8])
  func aRefusalIsReported(_ code: UInt8) throws {
    let driver = ChipDriver(VirtualTag.ntag213().chip, refusing: 0xA2, with: code)
    let error = #expect(throws: NFCError.self) {
      try UltralightExchange.send(.write(page: 8, data: [1, 2, 3, 4]), driver.link)
    }
    #expect(error?.code == (code == 0 ? .readOnly : .tagRefused))
    #expect(error?.cause == .negativeAcknowledge(code))
    #expect(error?.place == .page(8))
  }

  /// What no data sheet names is an acknowledge that was broken on its way, and so is what one wrong bit makes of it:
  /// 2 is also the EEPROM error of an Ultralight C (MF0ICU2).
  @Test(arguments: [2, 8, 0xB, 0xC, 0xD, 0xE, 0xF] as [UInt8])
  func anythingElseIsBroken(_ code: UInt8) throws {
    let driver = ChipDriver(VirtualTag.ntag213().chip, refusing: 0xA2, with: code)
    let error = #expect(throws: NFCError.self) {
      try UltralightExchange.send(.write(page: 8, data: [1, 2, 3, 4]), driver.link)
    }
    #expect(error?.code == .tagResponseError)
  }

  // MARK: Silence to a wrong secret

  /// A tag that does not refuse a wrong secret, but is silent, as some do.
  private struct SilentChip<Chip: VirtualChip>: ForwardingChip {
    var chip: Chip
    let secret: UInt8

    mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
      let answer = chip.receive(frame)
      return frame.bytes.first == secret && answer?.bitCount == 4 ? nil : answer
    }
  }

  /// ChameleonUltra pull request 215 and forum.dangerousthings.com, topic 7632: NTAG that are silent to a wrong
  /// password.
  @Test func silenceToAPasswordIsARefusal() throws {
    let driver = ChipDriver(SilentChip(chip: NTAG21x(.ntag213), secret: 0x1B))
    let error = #expect(throws: NFCError.self) {
      try UltralightProcedure.authenticate(
        password: [1, 2, 3, 4], driver.link, chip: { _ in .ntag213 })
    }
    #expect(error?.code == .authenticationFailed)
    // It is not sent again, and the tag listens.
    #expect(driver.exchanges <= 5)
    let acknowledge = try UltralightProcedure.authenticate(
      password: [0xFF, 0xFF, 0xFF, 0xFF], driver.link)
    #expect(acknowledge == [0, 0])
  }

  /// nfcpy, tests/test_tag_tt2_nxp.py: no answer to the second half.
  @Test func silenceToAKeyIsARefusal() throws {
    let driver = ChipDriver(SilentChip(chip: MIFAREUltralightC(), secret: 0xAF))
    let error = #expect(throws: NFCError.self) {
      try UltralightCAuthentication.run(key: [UInt8](repeating: 7, count: 16), driver.link)
    }
    #expect(error?.code == .authenticationFailed)
    try UltralightCAuthentication.run(key: Array("IEMKAERB!NACUOYF".utf8), driver.link)
  }

  /// A lost frame is not a wrong password: the tag still listens.
  @Test(arguments: [Fault.Effect.frameLost, .answerLost])
  func aLostFrameIsNotARefusal(_ effect: Fault.Effect) throws {
    let field = VirtualField()
    field.place(.ntag213())
    let reader = DirectReader(field)
    let driver = reader.driver()
    let target = try #require(try driver.find(.iso14443a, excluding: []))
    let link = TagLink(driver: driver, target: target, operation: Reader.Operation())
    reader.setFaults([Fault(effect, at: .exchange(0))])
    let error = #expect(throws: NFCError.self) {
      try UltralightProcedure.authenticate(password: [0xFF, 0xFF, 0xFF, 0xFF], link)
    }
    #expect(error?.code == .tagResponseError)
  }

  /// A tag that has left is silent, too.
  @Test func aTagThatLeavesHasNoWrongPassword() throws {
    let driver = ChipDriver(NTAG21x(.ntag213), tear: 0)
    let error = #expect(throws: NFCError.self) {
      try UltralightProcedure.authenticate(password: [1, 2, 3, 4], driver.link)
    }
    #expect(error?.code == .tagConnectionLost)
  }
}
