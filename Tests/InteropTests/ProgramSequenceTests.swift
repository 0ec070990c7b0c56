import NFC
import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// Programs that use one reader in turn: each finds the chip as the one before has left it.
  @Suite struct ProgramSequenceTests {
    enum Program: CaseIterable {
      case ours
      case libnfc
      case nfcpy
    }

    private static let identifier = "04e10cda993c80"

    /// Finds the tag, and a FeliCa card's block, with a program.
    private func use(_ program: Program, _ bench: InteropBench) async throws {
      switch program {
      case .ours:
        let reader = try await Reader.open(bench.reader.connectionString)
        var found: Set<String> = []
        for try await tag in reader.tags(polling: [.iso14443, .iso18092]) {
          found.insert(tag.identifier.hexadecimal.lowercased())
          if case .feliCa(let card) = tag {
            try await card.connect()
            // nfcpy leaves an RF time-out of 1.6 ms or less.
            let blocks = try await card.readBlocks(service: 0x090F, blocks: 0..<4)
            #expect(blocks.count == 4)
          }
          if found.count == 2 { break }
        }
        #expect(found.contains(Self.identifier))
        await reader.close()
      case .libnfc:
        let list = try await bench.run("nfc-list")
        list.expectSuccess()
        list.expectOutput("04  e1  0c  da  99  3c  80", "01  01  06  12  b4  1c  7d  2a")
      case .nfcpy:
        let script = "print(find('106A').identifier.hex()); print(find('212F').idm.hex())"
        #expect(
          try await bench.python(script).output == Self.identifier + "\n01010612b41c7d2a\n")
      }
    }

    @Test(arguments: Program.allCases, Program.allCases)
    func oneAfterTheOther(_ first: Program, _ second: Program) async throws {
      let bench = try InteropBench(.ntag213(), .suica())
      for program in [first, second, first] { try await use(program, bench) }
      #expect(!bench.field.isPowered)
    }

    /// The states in which others leave a reader that they are done with.
    @Test(
      arguments: Program.allCases,
      [VirtualPN532.Start.poweredUp, .libnfc, .nfcpy, .interruptedLibnfc])
    func whatOthersLeave(_ program: Program, _ start: VirtualPN532.Start) async throws {
      let bench = try InteropBench(.ntag213(), .suica(), chip: VirtualPN532(start: start))
      guard program != .nfcpy || start != .interruptedLibnfc else { return }
      try await use(program, bench)
    }

    /// libnfc's search for iCLASS sets ParityDisable in CIU_ManualRCV, and nfcpy 1.0.4 writes that register only for
    /// the dynamic commands of Type 1 tags (nfc/clf/pn532.py). So after a search that was broken off it finds a type
    /// A tag only where InListPassiveTarget itself clears the bit, or another program has.
    @Test(arguments: [false, true])
    func nfcpyAfterASearchThatWasBrokenOff(_ restores: Bool) async throws {
      var chip = VirtualPN532(start: .interruptedLibnfc)
      chip.searchRestoresReceiver = restores
      let bench = try InteropBench(.ntag213(), .suica(), chip: chip)
      guard !restores else { return try await use(.nfcpy, bench) }
      let search = try await bench.startPython("find('106A')").result()
      #expect(search.status == 1, "\(search.output)\(search.errors)")
      #expect(search.errors.contains("no target"), "\(search.errors)")
      // It has ended without closing the reader, whose baud rate is nfcpy's now.
      try await use(.ours, bench)
      try await use(.nfcpy, bench)
    }

    /// Both versions of the firmware, and both readings of what no source settles.
    @Test(arguments: Program.allCases, [false, true])
    func bothReadings(_ program: Program, _ restores: Bool) async throws {
      var chip = VirtualPN532(restores ? .pn532C104 : .pn532C106)
      chip.powerDownRestoresConfiguration = restores
      chip.searchRestoresReceiver = restores
      chip.haltedTagsFound = restores ? 0 : 3
      let bench = try InteropBench(.ntag213(), .suica(), chip: chip)
      for _ in 0..<2 { try await use(program, bench) }
    }
  }
}
