import Testing

@testable import SwiftNFCCore
@testable import VirtualNFC

/// Tests commands that are sent unchanged; see ``ISO15693Access/send(_:adding:)``.
@Suite struct ISO15693ExchangeTests {
  /// A command for the selected tag has no UID (ISO/IEC 15693-3, 7.3.1).
  @Test func selectedTagsAreNotAddressed() throws {
    let reader = ISO15693AccessTests.filled(ICODESLIX2())
    let access = reader.access
    #expect(throws: NFCError.self) {
      try access.send(.readSingleBlock(1), adding: .select)
    }
    _ = try access.send(.select)
    let answer = try access.send(.readSingleBlock(1), adding: .select)
    #expect(answer.payload.count == 4)
    #expect(answer.flags == [])
    #expect(reader.requests.last == [0x12, 0x20, 0x01])
    #expect(throws: NFCError.self) {
      try access.send(.readSingleBlock(1), adding: [.select, .address])
    }
  }

  /// 241 bytes hold 60 blocks of 4 bytes, 48 with their security status.
  @Test(arguments: [(60, false, true), (61, false, false), (48, true, true), (49, true, false)])
  func whatDoesNotFitIsNotSent(count: Int, hasStatus: Bool, fits: Bool) throws {
    let reader = ISO15693AccessTests.filled(ICODESLIX2())
    let access = reader.access
    let range = try #require(ISO15693BlockRange(first: 0, count: count))
    let length = fits ? count * (hasStatus ? 5 : 4) : nil
    let answer = try? access.send(.readMultipleBlocks(range), adding: hasStatus ? .option : [])
    #expect(answer?.payload.count == length)
    #expect(reader.exchanges == (fits ? 1 : 0))
  }

  @Test func tooManySecurityStatusBytes() throws {
    let reader = ISO15693AccessTests.filled(PlainVicinityChip(.st25dv64K))
    let access = reader.access
    let range = try #require(ISO15693BlockRange(first: 0, count: 241))
    do {
      _ = try access.send(.extendedGetMultipleBlockSecurityStatus(range))
      Issue.record("no error")
    } catch let error as NFCError {
      #expect(error.code == .commandTooLong)
    }
    #expect(reader.exchanges == 0)
  }
}
