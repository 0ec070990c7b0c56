import Foundation
import NFCCore
import Testing
import TestSupport
import VirtualNFC

/// A sample of the faults that the suites on a serial line go through, behind libnfc's two drivers for USB: a
/// command ends in time with the right message or an error, and the next one works.
@Suite(.serialized)
struct USBFaultTests {
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
    Case(testDescription: "frame lost", effect: .frameLost, isOnAir: true),
    Case(testDescription: "answer lost", effect: .answerLost, isOnAir: true),
    Case(testDescription: "answer broken", effect: .answerBroken, isOnAir: true),
    Case(testDescription: "parity broken", effect: .answerParityBroken, isOnAir: true),
    Case(testDescription: "reply lost", effect: .replyLost),
    Case(testDescription: "reply held", effect: .replyHeld),
    Case(testDescription: "ACK late", effect: .acknowledgeLate(.milliseconds(700))),
    Case(testDescription: "chip silent", effect: .chipFallsSilent),
    Case(testDescription: "brown-out", effect: .supplyFails),
  ]

  private static let message: [UInt8] = [
    0xD1, 0x01, 0x0C, 0x55, 0x01, 0x65, 0x78, 0x61, 0x6D, 0x70, 0x6C, 0x65, 0x2E, 0x6F, 0x72, 0x67,
  ]

  /// Moments of `nfc read`: while it is opened, found and read.
  @Test(arguments: USBReader.Model.allCases, cases)
  func aReadEnds(_ model: USBReader.Model, _ item: Case) async throws {
    let tag = try VirtualTag.ntag216(ndef: Self.message)
    let reader = try USBReader(model)
    reader.field.place(tag)
    for index in item.isOnAir ? [0, 3, 6] : [3, 12, 16] {
      reader.reader.setFaults([item.fault(at: index)])
      let start = ContinuousClock.now
      let read = try await USBProgram.nfc("read", "--timeout", "4", on: reader)
      let place: Comment = "\(item.testDescription) at \(index): \(read.output)\(read.errors)"
      #expect(ContinuousClock.now - start < .seconds(20), place)
      if read.status == 0 {
        #expect(read.output.contains("example.org"), place)
      } else {
        #expect([66, 69, 74].contains(read.status) && read.errors.hasPrefix("nfc: "), place)
      }
      reader.reader.setFaults([])
      reader.field.place(tag)
      let again = try await USBProgram.nfcAgain("read", on: reader)
      #expect(again.status == 0 && again.output.contains("example.org"), place)
    }
  }
}
