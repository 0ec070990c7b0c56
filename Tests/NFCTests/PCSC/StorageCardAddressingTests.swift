import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// What P1 and P2 of `FF B0` are is found out from the tag that is there, or not used.
@Suite(.replayed) struct StorageCardAddressingTests {
  typealias Addressing = StorageCardBlocks.Addressing

  /// Tags whose content shows the unit: formatted ones, and blank ones of a size that the UID shows.
  private static let tags: [@Sendable () throws -> VirtualTag] = [
    { .icodeSLIX() }, { .icodeSLIX2() }, { .st25tv() }, { .mb89r118() },
    { try VirtualTag.named("blank-icode-slix") }, { try VirtualTag.named("blank-icode-slix2") },
    { try VirtualTag.named("blank-tag-it") }, { .st25dv() },
  ]

  private static let readers: [(VirtualPCSCReader.Dialect, Addressing)] = [
    (.storageCard, .number), (.storageCardNumberInP1, .numberInP1),
    (.storageCardByteOffset, .byteOffset), (.storageCardNumberInP2, .numberInP2),
  ]

  /// A reader whose name says nothing about it.
  private static func virtual(
    _ tag: VirtualTag, _ dialect: VirtualPCSCReader.Dialect
  ) -> VirtualPCSCReader {
    let field = VirtualField()
    field.place(tag)
    return VirtualPCSCReader(field, dialect: dialect, name: "Some Reader 00 00")
  }

  /// - Parameter silence: what the reader says of a tag that does not answer.
  private static func find(
    _ virtual: VirtualPCSCReader, _ uid: [UInt8], silence: [UInt8] = [0x64, 0x01]
  ) throws -> Addressing? {
    let service = virtual.service()
    try service.connect(to: virtual.name)
    return try Addressing.find(for: uid) {
      let answer = try service.transmit($0, atMost: .seconds(1))
      return answer == [0x64, 0x01] ? silence : answer
    }
  }

  @Test(arguments: 0..<tags.count, readers)
  func isReportedByTheTag(_ index: Int, _ reader: (VirtualPCSCReader.Dialect, Addressing)) throws {
    let tag = try Self.tags[index]()
    let before = tag.memory
    // A reader that counts in bytes asks the tag for the size of its memory, which not all report; and
    // whether P1 or P2 is left out of account does not show where all blocks are alike.
    let isOpen =
      reader.1 == .byteOffset && tag.name == "st25dv"
      || reader.1 == .numberInP2 && tag.memory.allSatisfy { $0 == 0 }
    let found = try Self.find(Self.virtual(tag, reader.0), tag.identifier)
    #expect(found == (isOpen ? nil : reader.1))
    #expect(tag.memory == before)
  }

  /// A chip that no table knows, and whose blocks are all alike, leaves it open: then nothing is
  /// read, and nothing written.
  @Test(arguments: readers.filter { $0.1 != .numberInP1 })
  func isLeftUnchangedWhereNothingIndicatesIt(
    _ reader: (dialect: VirtualPCSCReader.Dialect, Addressing)
  ) async throws {
    let tag = try VirtualTag.named("blank-st25dv")
    let virtual = Self.virtual(tag, reader.dialect)
    ReplayedReaders.begin()
    let opened = try await Reader.open(over: { virtual.service() })
    let found = try #require(try await opened.tagsInField().first)
    #expect(found.identifier == tag.identifier)
    try await found.connect()
    guard case .iso15693(let vicinity) = found else { throw NFCError(.wrongTag, "no vicinity tag") }
    let attempts: [() async throws -> Void] = [
      { _ = try await vicinity.readBlocks(0..<1) },
      { try await vicinity.writeBlocks(at: 4, [1, 2, 3, 4]) },
    ]
    for attempt in attempts {
      let error = await #expect(throws: NFCError.self) { try await attempt() }
      #expect(error?.code == .unsupported)
      #expect(error?.reason.contains("numbers blocks") == true)
    }
    #expect(tag.memory.allSatisfy { $0 == 0 })
  }

  /// A frame that is lost is no refusal, whatever the reader says of it.
  @Test(arguments: readers, [[0x64, 0x01], [0x63, 0x00], [0x6A, 0x82]] as [[UInt8]])
  func toleratesALostFrame(
    _ reader: (dialect: VirtualPCSCReader.Dialect, addressing: Addressing), _ silence: [UInt8]
  ) throws {
    for name in ["icode-slix2", "icode-slix", "blank-icode-slix2", "blank-icode-slix"] {
      let tag = try VirtualTag.named(name)
      for exchange in 0..<16 {
        let virtual = Self.virtual(tag, reader.dialect)
        virtual.setFaults([.init(.frameLost, at: exchange)])
        let found = try Self.find(virtual, tag.identifier, silence: silence)
        let isOpen = reader.addressing == .numberInP2 && name.hasPrefix("blank")
        #expect(found == (isOpen ? nil : reader.addressing), "exchange \(exchange) of \(name)")
      }
    }
  }

  @Test(arguments: readers)
  func isNotReportedByATagThatGoes(
    _ reader: (dialect: VirtualPCSCReader.Dialect, Addressing)
  ) throws {
    for exchange in 0..<3 {
      let tag = VirtualTag.icodeSLIX2()
      let virtual = Self.virtual(tag, reader.dialect)
      virtual.setFaults([.init(.tagLeaves, at: exchange)])
      #expect(throws: SmartCardFailure.self) { try Self.find(virtual, tag.identifier) }
    }
  }
}
