import Foundation
import TestSupport
import Testing
import VirtualNFC

extension BusTests {
  /// A sample of the faults that the suites on a serial line go through, behind libnfc's drivers for I²C and SPI: a
  /// command ends in time with the right message or an error, and the next one works.
  @Suite struct FaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let effect: Fault.Effect
      var isOnAir = false

      func fault(at index: Int) -> Fault {
        Fault(effect, at: isOnAir ? .exchange(index) : .command(index))
      }
    }

    static let cases = [
      Case(testDescription: "tag leaves", effect: .tagLeaves, isOnAir: true),
      Case(testDescription: "answer broken", effect: .answerBroken, isOnAir: true),
      Case(testDescription: "reply lost", effect: .replyLost),
      Case(testDescription: "byte lost", effect: .replyByteLost(7)),
      Case(testDescription: "ACK late", effect: .acknowledgeLate(.milliseconds(700))),
      Case(testDescription: "chip silent", effect: .chipFallsSilent),
      Case(testDescription: "brown-out", effect: .supplyFails),
    ]

    /// A moment of `nfc read`, while the tag is found or read.
    @Test(arguments: BusReader.Bus.allCases, cases)
    func aReadEnds(_ bus: BusReader.Bus, _ item: Case) async throws {
      let (reader, tag) = try CommandTests.reader(bus)
      let index = item.isOnAir ? 6 : 14
      reader.reader.setFaults([item.fault(at: index)])
      let start = ContinuousClock.now
      let read = try await BusProgram.nfc("read", "--timeout", "4", on: reader)
      let place: Comment = "\(item.testDescription) at \(index): \(read.output)\(read.errors)"
      #expect(ContinuousClock.now - start < .seconds(20), place)
      if read.status == 0 {
        #expect(read.output.contains("example.org"), place)
      } else {
        #expect([66, 69, 74].contains(read.status) && read.errors.hasPrefix("nfc: "), place)
      }
      reader.reader.setFaults([])
      reader.field.place(tag)
      let again = try await BusProgram.nfcAgain("read", on: reader)
      #expect(again.status == 0 && again.output.contains("example.org"), place)
    }
  }
}
