import Foundation
import TestSupport
import Testing
import VirtualNFC

extension BusTests {
  /// Tests the searches that libnfc performs itself, on buses whose drivers report a missing answer as
  /// one of 0 bytes. libnfc then continues with the old content of its own buffer.
  @Suite struct SearchTests {
    struct Case: Sendable, CustomTestStringConvertible {
      let tag: String
      let technology: String
      var isIsolated = false

      var testDescription: String { tag + (isIsolated ? ", isolated" : "") }
    }

    static let cases = [
      Case(tag: "srix4k", technology: "iso14443b2sr"),
      Case(tag: "ask-ctx", technology: "iso14443b2ct"),
      Case(tag: "iclass", technology: "iclass"), Case(tag: "barcode", technology: "barcode"),
      Case(tag: "srix4k", technology: "iso14443b2sr", isIsolated: true),
    ]

    /// From a certain moment of a search on, nothing answers. Earlier results are not reported again, and
    /// the program continues.
    @Test(arguments: BusReader.Bus.allCases, cases)
    func aTagThatHasFallenSilent(_ bus: BusReader.Bus, _ item: Case) async throws {
      let tag = try VirtualTag.named(item.tag)
      let reader = try BusReader(bus, tag)
      let run = try await BusProgram.exercise(
        "search", item.technology, tag.identifier.hexadecimal, on: reader, [.silentFrom(10)],
        isIsolated: item.isIsolated)
      run.expectSuccess()
      #expect(run.output == "done\n", "\(run.output)\(run.errors)")
    }
  }
}
