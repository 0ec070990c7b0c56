import TestSupport
import Testing
import VirtualNFC

extension BusTests {
  /// Tests a sample of the faults in the suites for a serial line, with libnfc's drivers for I²C and SPI.
  @Suite struct FaultTests {
    static let faults = [
      ReadFault("tag leaves", .tagLeaves, isOnAir: true),
      ReadFault("answer broken", .answerBroken, isOnAir: true),
      ReadFault("reply lost", .replyLost),
      ReadFault("byte lost", .replyByteLost(7)),
      ReadFault("ACK late", .acknowledgeLate(.milliseconds(700))),
      ReadFault("chip silent", .chipFallsSilent),
      ReadFault("brown-out", .supplyFails),
    ]

    /// The fault occurs while `nfc read` finds or reads the tag. The tests of the buses run in parallel.
    @Test(arguments: faults) func aReadEnds(_ fault: ReadFault) async throws {
      try await withThrowingTaskGroup { group in
        for bus in BusReader.Bus.allCases {
          group.addTask {
            let (reader, tag) = try CommandTests.reader(bus)
            try await fault.expectEnd(
              at: fault.isOnAir ? 6 : 14, of: reader.reader, in: reader.field, tag: tag,
              read: { try await BusProgram.nfc(["read"] + $0, on: reader) },
              readAgain: { try await BusProgram.nfcAgain("read", on: reader) })
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
