@testable import CoreNFC
import NFC
import Testing

extension SessionSuites {
  /// A session searches for the technologies that can serve it, and for no other: each costs a part of every cycle.
  @Suite struct SearchedTechnologyTests {
    private func technologies(_ purpose: SessionCore.Purpose) throws -> Set<TagTechnology> {
      _ = try SessionBench()
      return Set(try SessionRequest(purpose, .current).polling.technologies)
    }

    @Test(arguments: [true, false]) func ofMessages(_ endsAfterFirst: Bool) throws {
      #expect(
        try technologies(.messages(invalidateAfterFirstRead: endsAfterFirst)) == [
          .iso14443a, .iso14443b, .feliCa, .jewel, .iso15693,
        ])
    }

    @Test(
      arguments: [
        (.iso14443, [.iso14443a, .iso14443b]), (.iso15693, [.iso15693]), (.iso18092, [.feliCa]),
        ([.iso14443, .iso18092], [.iso14443a, .iso14443b, .feliCa]),
      ] as [(NFCTagReaderSession.PollingOption, Set<TagTechnology>)])
    func ofTags(
      _ option: NFCTagReaderSession.PollingOption, _ expected: Set<TagTechnology>
    ) throws {
      #expect(try technologies(.tags(.init(pollingOption: option))) == expected)
    }
  }
}
