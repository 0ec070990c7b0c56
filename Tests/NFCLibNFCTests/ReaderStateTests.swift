import NFC
import Testing

extension LibNFCTests {
  /// Nothing that another program, a search or an earlier command has left in the chip is relied on.
  @Suite struct ReaderStateTests {
    /// As nfcpy, an interrupted program and a search for iCLASS leave a chip.
    private static let leftovers: [UInt16: UInt8] = [
      StubbornChip.manualRCV: 0x10, StubbornChip.rxMode: 0x0B, 0x6302: 0x03, 0x6338: 0x08,
      0x633D: 0x07,
    ]
    private static let leftConfiguration: [UInt8: [UInt8]] = [
      // 1.6 ms, as nfcpy sets it for each exchange.
      0x02: [0x0A, 0x0B, 0x05], 0x04: [0x05], 0x05: [0xFF, 0xFF, 0xFF], 0x0C: [0xFF, 0x04, 0x85],
    ]

    @Test func whatAnotherProgramHasLeftIsWrittenOver() async throws {
      let chip = try StubbornChip(
        registers: Self.leftovers, configuration: Self.leftConfiguration)
      let reader = try await Reader.open(chip.connectionString)
      let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
      #expect(tag.identifier == StubbornChip.uid)
      let now = chip.now
      #expect(now.registers[StubbornChip.manualRCV] == 0)
      #expect(now.registers[StubbornChip.rxMode] == 0x80)
      #expect((now.registers[0x633D] ?? 0) & 0x07 == 0)
      #expect((now.registers[0x6338] ?? 0) & 0x08 == 0)
      // One attempt for the first look.
      #expect(now.configuration[0x05]?.last == 0x00)
      // What only commands to a tag need is written before the first.
      #expect(now.configuration[0x02] == Self.leftConfiguration[0x02])
      guard case .miFare(let tag) = tag else { return }
      _ = try await tag.sendMiFareCommand([0x30, 0x00], timeout: .milliseconds(60))
      #expect(chip.now.configuration[0x02] == [0x00, 0x0B, 0x0A])
      #expect(chip.now.configuration[0x04] == [0x00])
      // What only type B needs is written before the first search for it.
      #expect(now.configuration[0x0C] == Self.leftConfiguration[0x0C])
      _ = try? await reader.firstTag(polling: .iso14443b, within: .zero)
      #expect(chip.now.configuration[0x0C] == [0xFF, 0x17, 0x85])
      await reader.close()
    }

    @Test func aTagAnswersAfterEachSearchThatLibnfcMakesByHand() async throws {
      let chip = try StubbornChip()
      let reader = try await Reader.open(chip.connectionString)
      for search: PollingOptions in [
        .iClass, .barcode, .iso14443b2sr, .iso14443b2ct, .iso14443bPrime, .other, .all,
      ] {
        _ = try? await reader.firstTag(polling: search, within: .zero)
        let tag = try await reader.firstTag(polling: .iso14443a, within: .zero)
        guard case .miFare(let tag) = tag else { continue }
        #expect(try await tag.sendMiFareCommand([0x30, 0x00]).count == 16)
      }
      await reader.close()
    }

    /// Type B cards do not hear frames in type A's modulation.
    @Test(arguments: [
      PollingOptions.iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .iClass, .other,
    ])
    func searchesInTypeBModulationClearForce100ASK(_ search: PollingOptions) async throws {
      let chip = try StubbornChip()
      let reader = try await Reader.open(chip.connectionString)
      _ = try await reader.firstTag(polling: .iso14443a, within: .zero)
      #expect(chip.now.registers[StubbornChip.txAuto] == 0x43)
      _ = try? await reader.firstTag(polling: search, within: .zero)
      #expect((chip.now.registers[StubbornChip.txAuto] ?? 0xFF) & StubbornChip.force100ASK == 0)
      await reader.close()
    }

    @Test func theChipWaitsAsLongAsACommandMayTake() async throws {
      let chip = try StubbornChip()
      let reader = try await Reader.open(chip.connectionString)
      guard
        case .miFare(let tag) = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
      else { return }
      _ = try await tag.sendMiFareCommand([0x30, 0x00], timeout: .milliseconds(60))
      #expect(chip.now.configuration[0x02] == [0x00, 0x0B, 0x0A])
      _ = try await tag.sendMiFareCommand([0x30, 0x00], timeout: .seconds(1))
      // 819 ms, the longest that is not longer.
      #expect(chip.now.configuration[0x02]?.last == 0x0E)
      // A search by the chip itself has its own; one by hand waits for 12.8 ms, which is enough for all of them.
      _ = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
      #expect(chip.now.configuration[0x02]?.last == 0x0E)
      _ = try? await reader.firstTag(polling: .iso14443b2sr, within: .zero)
      #expect(chip.now.configuration[0x02]?.last == 0x08)
      await reader.close()
    }

    /// The next program finds the values at power-up, or libnfc's.
    @Test(arguments: [PollingOptions.iso14443a, .iClass, .barcode, .all])
    func closingPutsBackWhatSearchesHaveSet(_ search: PollingOptions) async throws {
      let chip = try StubbornChip()
      let reader = try await Reader.open(chip.connectionString)
      for _ in 0..<2 {
        _ = try? await reader.firstTag(polling: search, within: .zero) { _ in false }
      }
      let usesChip = !search.isDisjoint(with: [.iso14443a])
      #expect(chip.now.configuration[0x05]?.last == (usesChip ? 0x01 : 0x00))
      await reader.close()
      let now = chip.now
      #expect(now.configuration[0x05]?.last == 0x02)
      #expect([nil, 0x0A].contains(now.configuration[0x02]?.last))
      #expect((now.registers[StubbornChip.manualRCV] ?? 0) & StubbornChip.parityDisable == 0)
      #expect((now.registers[StubbornChip.rxMode] ?? 0) & StubbornChip.rxNoError == 0)
    }

    @Test func theCostOfOpeningAndReading() async throws {
      let chip = try StubbornChip()
      let reader = try await Reader.open(chip.connectionString)
      let opening = chip.now.commands
      chip.forgetCommands()
      guard
        case .miFare(let tag) = try await reader.firstTag(polling: .iso14443a, within: .seconds(3))
      else { return }
      _ = try await tag.sendMiFareCommand([0x30, 0x00])
      let reading = chip.now.commands.count
      chip.forgetCommands()
      _ = try? await reader.firstTag(polling: .all, within: .zero) { _ in false }
      let round = chip.now.commands.count

      #expect(opening.count <= 14, "\(opening)")
      #expect(reading <= 5)
      // Two cycles, and what is left of the rare searches; before, one round had 75.
      #expect(round <= 60, "\(round)")
      await reader.close()
    }
  }
}
