import SwiftNFCCore
import TestSupport
import Testing

@testable import VirtualNFC

/// The custom commands of the virtual ST25DV: registers, fast reads, and a mailbox without a host.
@Suite struct ST25DVTests {
  private static let maker: UInt8 = 0x02
  private static let (readRegister, writeRegister, present): (UInt8, UInt8, UInt8) = (
    0xA0, 0xA1, 0xB3
  )

  /// Sends a request that is not addressed; returns flags and data, and whether the answer is fast.
  private func send(
    _ chip: inout ST25DV, _ code: UInt8, _ parameters: [UInt8]
  ) throws -> (answer: [UInt8], isFast: Bool) {
    let custom = code >= 0xA0 ? [Self.maker] : []
    let answer = chip.receive(.iso15693([0x02, code] + custom + parameters))
    let frame = try #require(answer)
    return (try #require(frame.checkedPayload), frame.bitRate != RadioFrame.iso15693([]).bitRate)
  }

  private func chip() throws -> ST25DV {
    var chip = try ST25DV(.st25dv04K, ndef: [UInt8](repeating: 0x5A, count: 40))
    chip.powerOn()
    return chip
  }

  /// DS10925, registers of the system configuration with their values on delivery.
  @Test(
    arguments: [
      (0x00, 0x88), (0x01, 0x03), (0x02, 0x01), (0x03, 0x00), (0x04, 0x00), (0x05, 0x0F),
      (0x0A, 0x00), (0x0D, 0x00), (0x0E, 0x07), (0x0F, 0x00),
    ] as [(UInt8, UInt8)])
  func hasEveryRegisterOfTheField(_ pointer: UInt8, _ value: UInt8) throws {
    var chip = try chip()
    #expect(try send(&chip, Self.readRegister, [pointer]).answer == [0x00, value])
    // Without the password of the configuration, nothing is written.
    #expect(try send(&chip, Self.writeRegister, [pointer, 0x01]).answer == [0x01, 0x12])
    #expect(try send(&chip, Self.present, [0] + [UInt8](repeating: 0, count: 8)).answer == [0x00])
    #expect(try send(&chip, Self.writeRegister, [pointer, 0x01]).answer == [0x00])
    #expect(try send(&chip, Self.readRegister, [pointer]).answer == [0x00, 0x01])
    chip.powerOff()
    chip.powerOn()
    #expect(try send(&chip, Self.readRegister, [pointer]).answer == [0x00, 0x01])
  }

  @Test(arguments: [0x0B, 0x0C, 0x10, 0xFF] as [UInt8]) func hasNoOther(_ pointer: UInt8) throws {
    var chip = try chip()
    #expect(try send(&chip, Self.readRegister, [pointer]).answer == [0x01, 0x10])
    #expect(try send(&chip, 0xAD, [pointer]).answer == [0x01, 0x10])
  }

  @Test(.asking(.configurationLock)) func locksItsConfiguration() throws {
    var chip = try chip()
    _ = try send(&chip, Self.present, [0] + [UInt8](repeating: 0, count: 8))
    #expect(try send(&chip, Self.writeRegister, [0x0F, 0x01]).answer == [0x00])
    #expect(try send(&chip, Self.writeRegister, [0x0F, 0x00]).answer == [0x01, 0x12])
    #expect(try send(&chip, Self.writeRegister, [0x04, 0x05]).answer == [0x01, 0x12])
    #expect(chip.irreversibleState != (try self.chip()).irreversibleState)
  }

  /// C0, C3, C4 and C5 answer as 20, 23, 30 and 33, at twice the rate.
  @Test(
    arguments: [
      (0xC0, 0x20, [2]), (0xC3, 0x23, [1, 5]), (0xC4, 0x30, [2, 0]), (0xC5, 0x33, [1, 0, 5, 0]),
      (0xC0, 0x20, [128]), (0xC3, 0x23, [126, 5]),
    ] as [(UInt8, UInt8, [UInt8])])
  func readsFast(_ fast: UInt8, _ plain: UInt8, _ parameters: [UInt8]) throws {
    var chip = try chip()
    let slow = try send(&chip, plain, parameters)
    let quick = try send(&chip, fast, parameters)
    #expect(quick.answer == slow.answer)
    #expect(quick.isFast && !slow.isFast)
    #expect(try send(&chip, fast, []).answer == [0x01, 0x02])
  }

  @Test func harvestsWhileItHasPower() throws {
    var chip = try chip()
    #expect(try send(&chip, 0xAD, [0x02]).answer == [0x00, 0x04])
    #expect(try send(&chip, 0xAE, [0x02, 0x01]).answer == [0x00])
    #expect(try send(&chip, 0xCD, [0x02]).answer == [0x00, 0x07])
    chip.powerOff()
    chip.powerOn()
    #expect(try send(&chip, 0xAD, [0x02]).answer == [0x00, 0x04])
  }

  /// Without a supply, the mailbox cannot be enabled.
  @Test func hasAMailboxWithoutAHost() throws {
    var chip = try chip()
    #expect(try send(&chip, 0xAD, [0x0D]).answer == [0x00, 0x00])
    #expect(try send(&chip, 0xAE, [0x0D, 0x01]).answer == [0x01, 0x0F])
    for (code, parameters) in [
      (0xAA, [0, 1]), (0xAB, []), (0xAC, [0, 0]), (0xCA, [0, 1]), (0xCB, []), (0xCC, [0, 0]),
    ] as [(UInt8, [UInt8])] {
      #expect(try send(&chip, code, parameters).answer == [0x01, 0x0F])
    }
  }
}
