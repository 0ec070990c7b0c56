import Testing
import TestSupport
import VirtualNFC

/// All tests with readers on buses. They run one by one, so that no program waits for a processor longer
/// than its own time-outs allow.
@Suite(.serialized) enum BusTests {}

extension BusTests {
  /// Tests libnfc's own programs on an I²C or SPI bus: the requirements that every program has for the
  /// rig.
  @Suite struct RigTests {
    private static let identifier = "04  db  0b  da  99  3c  80"

    @Test(arguments: BusReader.Bus.allCases)
    func findsTags(_ bus: BusReader.Bus) async throws {
      let reader = try BusReader(bus, .ntag215(), .suica())
      let list = try await BusProgram.other("nfc-list", on: reader)
      list.expectSuccess()
      #expect(list.output.contains(Self.identifier))
      #expect(list.output.contains("ID (NFCID2): 01  01  06  12  b4  1c  7d  2a"))
      #expect(!reader.field.isPowered)
    }

    @Test(arguments: BusReader.Bus.allCases)
    func readsAWholeTag(_ bus: BusReader.Bus) async throws {
      let reader = try BusReader(bus, .ntag215())
      let read = try await BusProgram.other("nfc-mfultralight", "r", "/dev/null", on: reader)
      read.expectSuccess()
      #expect(read.output.contains("135 of 135 pages read"))
    }

    @Test(
      arguments: BusReader.Bus.allCases,
      [BusReader.Condition.absent, .absentAndLow, .unplugged(5)])
    func cannotBeOpened(
      _ bus: BusReader.Bus, _ condition: BusReader.Condition
    ) async throws {
      let reader = try BusReader(bus, .ntag215())
      let list = try await BusProgram.other("nfc-list", on: reader, [condition])
      #expect(!list.output.contains(Self.identifier))
      #expect(list.errors.contains("Unable to open NFC device"), "\(list.errors)")
    }
  }
}
