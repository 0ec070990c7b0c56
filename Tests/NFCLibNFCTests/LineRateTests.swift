import Foundation
import NFC
import Testing

@testable import VirtualNFC

extension LibNFCTests {
  /// A chip that another program has left at another baud rate: it keeps the rate until its supply is cut
  /// (UM0701-02, 7.2.8), and libnfc does not look for it.
  @Suite struct LineRateTests {
    /// Opens a reader and finds the tag.
    private func use(_ name: String) async throws -> [UInt8] {
      let reader = try await Reader.open(name)
      let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
      await reader.close()
      return tag.identifier
    }

    /// A chip is opened in the state in which another program has left it, and from then on at once.
    private func expectBroughtBack(_ chip: VirtualPN532) async throws {
      let field = VirtualField()
      let tag = VirtualTag.ntag213()
      field.place(tag)
      let virtual = try VirtualReader(field, chip: chip)
      let name = "pn532_uart:\(virtual.path)"
      #expect(try await use(name) == tag.identifier)
      let start = ContinuousClock.now
      #expect(try await use(name) == tag.identifier)
      #expect(ContinuousClock.now - start < .seconds(1))
    }

    @Test(arguments: [921_600, 460_800, 230_400, 57_600, 38_400, 19_200, 9600])
    func isBroughtBack(_ rate: Int) async throws {
      var chip = VirtualPN532(start: .libnfc)
      chip.baudRate = rate
      try await expectBroughtBack(chip)
    }

    @Test func isBroughtToTheRateThatIsNamed() async throws {
      let field = VirtualField()
      let tag = VirtualTag.ntag213()
      field.place(tag)
      let virtual = try VirtualReader(field, chip: VirtualPN532(start: .interruptedNfcpy))
      for _ in 0..<2 {
        #expect(try await use("pn532_uart:\(virtual.path):230400") == tag.identifier)
      }
    }

    /// Another rate than that after power-up is set by nobody who only names it.
    @Test func aFreshChipIsLeftAtItsRate() async throws {
      let virtual = try VirtualReader(VirtualField())
      await #expect(throws: NFCError.self) {
        _ = try await Reader.open("pn532_uart:\(virtual.path):230400")
      }
      await (try await Reader.open("pn532_uart:\(virtual.path)")).close()
    }

    /// A chip that leaves out the preamble and postamble of its frames until its supply is cut, because a program has
    /// set so (UM0701-02, 7.2.9). libnfc does not recognize its acknowledgement.
    @Test(arguments: [115_200, 921_600])
    func aChipWithoutPreamblesIsOpened(_ rate: Int) async throws {
      var chip = VirtualPN532(start: .libnfc)
      chip.baudRate = rate
      chip.omitsPreambles = true
      try await expectBroughtBack(chip)
    }

    /// The whole of it takes no longer than opening a silent port may take.
    @Test(arguments: [StubbornChip.Manner.silent, .mute])
    func aSilentPortIsAbandoned(_ manner: StubbornChip.Manner) async throws {
      let chip = try StubbornChip(manner: manner)
      let start = ContinuousClock.now
      let error = await #expect(throws: NFCError.self) {
        _ = try await Reader.open(chip.connectionString)
      }
      #expect(error?.code == .readerUnavailable)
      #expect(ContinuousClock.now - start < .seconds(3))
    }

    /// A chip in LowVbat mode that has missed the first command after power-up, and answers no other one before.
    @Test func aChipThatMissesItsFirstWakeUpIsOpened() async throws {
      let chip = try StubbornChip(manner: .slowToWake)
      let reader = try await Reader.open(chip.connectionString)
      #expect(
        try await reader.firstTag(polling: .iso14443a, within: .seconds(3)).identifier
          == StubbornChip.uid)
      await reader.close()
    }

    @Test func aCancelledOpeningEnds() async throws {
      let chip = try StubbornChip(manner: .silent)
      let opening = Task { try await Reader.open(chip.connectionString) }
      try await Task.sleep(for: .milliseconds(200))
      opening.cancel()
      let start = ContinuousClock.now
      await #expect(throws: (any Error).self) { _ = try await opening.value }
      #expect(ContinuousClock.now - start < .seconds(3))
    }

    /// A chip that another program works with is not spoken to at any rate.
    @Test func aPortInUseIsLeftUnchanged() async throws {
      let field = VirtualField()
      field.place(.ntag213())
      let virtual = try VirtualReader(field)
      let name = "pn532_uart:\(virtual.path)"
      let reader = try await Reader.open(name)
      let before = virtual.statistics
      await #expect(throws: NFCError.self) { _ = try await Reader.open(name) }
      #expect(virtual.statistics == before)
      _ = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
      await reader.close()
    }
  }
}
