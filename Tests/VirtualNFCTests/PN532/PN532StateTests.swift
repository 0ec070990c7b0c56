import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests the state that the chip keeps, and the events that reset it: UM0701-02, 7.2 and 7.3, and logs of
/// real chips.
@Suite struct PN532StateTests {
  // MARK: Waking

  /// GetFirmwareVersion.
  private static let command = "0000FF02FED4022A00"

  @Test func aSleepingChipReceivesNothingUntilItIsWoken() {
    var asleep = PN532Bench()
    asleep.chip.powerUp()
    #expect(asleep.hears(Self.command) == [])
    for preamble in ["55550000000000000000000000000000", "00000000000000000000"] {
      var bench = PN532Bench()
      bench.chip.powerUp()
      #expect(bench.hears(preamble + Self.command) == [.command([0x02])])
      #expect(bench.hears(Self.command) == [.command([0x02])])
    }
    // Version 1.4 is awake after power-up.
    var old = PN532Bench(model: VirtualPN532(.pn532C104))
    old.chip.powerUp()
    #expect(old.hears(Self.command) == [.command([0x02])])
    #expect(old.send("02") == "0332010407")
  }

  @Test func risingEdgesOfALine() {
    for (byte, count) in [(UInt8(0x00), 1), (0x55, 5), (0xFF, 1), (0x03, 2), (0xAA, 4)] {
      #expect(SerialWakeUp.risingEdges(byte) == count, "\(byte)")
    }
  }

  @Test func lowVbatEndsWithSAMConfiguration() {
    var bench = PN532Bench(.ntag213())
    bench.chip.powerUp()
    _ = bench.hears("55550000")
    #expect(bench.send("02") == "0332010607")
    #expect(bench.send("4A0100") == nil)
    #expect(bench.send("1401") == "15")
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
  }

  @Test(arguments: [false, true]) func powerDown(_ forgets: Bool) {
    var model = VirtualPN532()
    model.powerDownRestoresConfiguration = forgets
    var bench = PN532Bench(.ntag213(), model: model)
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
    #expect(bench.send("3202000B05") == "33" && bench.send("1200") == "13")
    #expect(bench.send("08630D10") == "09")
    #expect(bench.send("16F0") == "1700")
    #expect(!bench.field.isPowered)
    #expect(bench.hears(Self.command) == [])
    #expect(bench.hears("5555" + Self.command) == [.command([0x02])])
    // The registers have their values after power-up; SAMConfiguration is not required.
    #expect(bench.send("06630263036305630D6338633D") == "07000000000000")
    #expect(bench.chip.radio.retryTimeOut == (forgets ? 0x0A : 0x05))
    #expect(bench.chip.parameters == (forgets ? 0x34 : 0x00))
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true || forgets)
    // Only the selected sources wake the chip.
    #expect(bench.send("1620") == "1700")
    #expect(bench.hears("55555555" + Self.command) == [])
  }

  // MARK: Registers

  @Test(arguments: [false, true]) func aSearchSetsRegisters(_ restores: Bool) {
    var model = VirtualPN532()
    model.searchRestoresReceiver = restores
    var bench = PN532Bench(.ntag213(), model: model)
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
    #expect(bench.send("066302630363056318") == "07" + "80804B3F")
    #expect(bench.send("066305") == "0743")
    // The register writes of libnfc's search for iCLASS.
    #expect(bench.send("08630D1063030B6318306319126305006305006302036308FF") == "09")
    #expect(bench.send("4A0103" + "00") == "4B00")
    #expect(
      bench.send("066302630363056318630863196317") == "07" + "83" + (restores ? "83" : "8B")
        + "073F8517FF")
    #expect(bench.send("06630D") == (restores ? "0700" : "0710"))
    // Without parity, no tag of type A understands the unit; after the host restores it, the tag is found
    // again.
    #expect(bench.send("320100") == "33")
    #expect(bench.send("4A0100")?.hasPrefix(restores ? "4B01" : "4B00") == true)
    #expect(bench.send("08630D00") == "09" && bench.send("320100") == "33")
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
  }

  @Test func registersAfterPowerUp() {
    var bench = PN532Bench()
    #expect(
      bench.send("0663016302630363056308630D6314633C633D") == "07" + "3B000000840026" + "0000")
  }

  @Test func theAnalogueSettingsOfAHostAreUsed() {
    var bench = PN532Bench()
    #expect(bench.send("320A5AF43F114D8561" + "6F266287") == "33")
    #expect(bench.send("4A0100") == "4B00")
    #expect(bench.send("066316") == "075A")
  }

  // MARK: The host's line

  @Test func aBaudRateCountsFromTheAcknowledgeOn() {
    var bench = PN532Bench()
    #expect(bench.send("1007") == "11")
    #expect(bench.chip.baudRate == 115_200)
    bench.chip.hostAcknowledges()
    #expect(bench.chip.baudRate == 921_600)
    #expect(bench.send("1004") == "11" && bench.send("02") != nil)
    bench.chip.hostAcknowledges()
    #expect(bench.chip.baudRate == 921_600)
    bench.chip.powerUp()
    #expect(bench.chip.baudRate == 115_200)
  }

  @Test func portsAreKept() {
    var bench = PN532Bench()
    #expect(bench.send("0E8A00") == "0F" && bench.send("0C") == "0D0A0600")
    #expect(bench.send("0E0580") == "0F" && bench.send("0C") == "0D0A0000")
  }

  @Test func framesWithoutAmble() {
    var bench = PN532Bench()
    #expect(bench.chip.sendsAmble)
    #expect(bench.send("1254") == "13" && !bench.chip.sendsAmble)
    #expect(PN532Frame.encode([0xD5, 0x03], hasAmble: false).hexadecimal == "00FF02FED50328")
    #expect(
      PN532Frame.fixed(PN532Frame.acknowledge, hasAmble: false).hexadecimal == "00FF00FF")
  }

  // MARK: What other programs leave

  @Test(arguments: VirtualPN532.Start.allCases) func startingStates(_ start: VirtualPN532.Start) {
    let chip = PN532Chip(field: VirtualField(), model: VirtualPN532(start: start))
    let isAsleep = [.poweredUp, .libnfc, .nfcpy].contains(start)
    #expect((chip.power == .awake) != isAsleep)
    #expect(chip.isInLowVbat == (start == .poweredUp))
    #expect(chip.baudRate == (start == .interruptedNfcpy ? 921_600 : 115_200))
    #expect(chip.registers.handlesParity == (start != .interruptedLibnfc))
    #expect(chip.field.isPowered == (start == .interruptedLibnfc))
  }

  @Test func aPN533AnswersRegistersWithAStatus() {
    var bench = PN532Bench(model: VirtualPN532(.pn533))
    #expect(bench.send("02") == "0333020707")
    #expect(bench.send("08633D07") == "0900" && bench.send("06633D") == "070007")
    #expect(bench.send("16F0") == nil)
  }
}
