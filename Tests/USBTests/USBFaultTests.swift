import TestSupport
import Testing
import VirtualNFC

/// Tests a sample of the faults in the suites for a serial line, with libnfc's two drivers for USB.
@Suite(.serialized)
struct USBFaultTests {
  static let faults = [
    ReadFault("tag leaves", .tagLeaves, isOnAir: true),
    ReadFault("frame lost", .frameLost, isOnAir: true),
    ReadFault("answer lost", .answerLost, isOnAir: true),
    ReadFault("answer broken", .answerBroken, isOnAir: true),
    ReadFault("parity broken", .answerParityBroken, isOnAir: true),
    ReadFault("reply lost", .replyLost),
    ReadFault("reply held", .replyHeld),
    ReadFault("ACK late", .acknowledgeLate(.milliseconds(700))),
    ReadFault("chip silent", .chipFallsSilent),
    ReadFault("brown-out", .supplyFails),
  ]

  /// The fault occurs while `nfc read` opens the reader, finds the tag, or reads it. The tests of the
  /// models run in parallel.
  @Test(arguments: faults) func aReadEnds(_ fault: ReadFault) async throws {
    try await withThrowingTaskGroup { group in
      for model in USBReader.Model.allCases {
        group.addTask {
          let tag = try VirtualTag.ntag216(ndef: ReadFault.message)
          let reader = try USBReader(model, tag)
          for index in fault.isOnAir ? [0, 3, 6] : [3, 12, 16] {
            try await fault.expectEnd(
              at: index, of: reader.reader, in: reader.field, tag: tag,
              read: { try await USBProgram.nfc(["read"] + $0, on: reader) },
              readAgain: { try await USBProgram.nfcAgain("read", on: reader) })
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
