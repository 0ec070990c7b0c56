import Foundation
import TestSupport
import Testing
import VirtualNFC

extension BusTests {
  /// The searches that libnfc makes by hand, on buses whose drivers report an answer that has not come as one of 0
  /// bytes: libnfc then goes on with what stands in a buffer of its own.
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

    /// Nobody answers any more, from some moment of a search on: what earlier ones have found is not found again, and
    /// the program goes on.
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
