import TestSupport
import Testing
import VirtualNFC

extension BusTests {
  /// A sample of the faults that the suites on a serial line go through, with libnfc's drivers for I²C and SPI.
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

    /// A moment of `nfc read`, while the tag is found or read. The buses wait at the same time.
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
