import SwiftNFCCore
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests UpdateRecord. The layout of the command, number of the record, offset and length of three bytes each before
/// the data, is that of NXP's reader library (`phalMfdfEVx_UpdateRecord`) and of Proxmark3 (`desfirecore.c`).
@Suite struct RecordUpdateTests {
  private static let size = 80
  private static let ways = Way.all.filter { $0.generation >= .ev2 }
  private static let rights = DESFireAccessRights(
    read: .key(1), write: .key(2), readWrite: .key(0), change: .key(0))
  private static let linear: UInt8 = 4
  private static let cyclic: UInt8 = 5

  private static func record(_ number: UInt8) -> [UInt8] {
    (0..<size).map { UInt8($0) &* 3 &+ number }
  }

  /// An application with two files of records, authenticated with its master key; the cyclic file is full.
  private static func card(
    _ way: Way, _ communication: DESFireCommunication,
    _ rights: DESFireAccessRights = rights
  ) throws -> (VirtualCard, DESFireProcedure) {
    var (card, procedure) = try ProcedureTests.application(way)
    let records = DESFireRecordSettings(recordSize: size, maximumCount: 4)
    for (number, content) in [
      (linear, DESFireFileSettings.Content.linearRecords(records)),
      (cyclic, .cyclicRecords(records)),
    ] {
      try procedure.createFile(
        number,
        DESFireFileSettings(communication: communication, rights: rights, content: content),
        isoIdentifier: nil)
    }
    for number in UInt8(1)...4 {
      try procedure.writeRecord(linear, offset: 0, record(number))
      try procedure.writeRecord(cyclic, offset: 0, record(number))
      try procedure.commit()
    }
    card.setFault()
    return (card, procedure)
  }

  @Test(arguments: ways, DESFireCommunication.allCases)
  func changesOneRecord(_ way: Way, _ communication: DESFireCommunication) throws {
    var (_, procedure) = try Self.card(way, communication)
    for file in [Self.linear, Self.cyclic] {
      var expected = (UInt8(file == Self.linear ? 1 : 2)...4).map(Self.record)
      // The newest, one between, the oldest; one byte, several frames, a whole record.
      for (skip, offset, count) in [
        (0, 3, 2), (1, 79, 1), (expected.count - 1, 5, 70), (0, 0, Self.size),
      ] {
        let data = (0..<count).map { UInt8(0xC0 + $0 % 0x30) }
        try procedure.updateRecord(file, skip: skip, offset: offset, data)
        // The old one remains until the commit.
        #expect(try procedure.readRecords(file, skip: 0, count: nil) == expected)
        expected[expected.count - 1 - skip].replaceSubrange(offset..<offset + count, with: data)
        try procedure.commit()
        #expect(try procedure.readRecords(file, skip: 0, count: nil) == expected)
      }
      // Two parts of one record, in one transaction.
      try procedure.updateRecord(file, skip: 1, offset: 0, [1, 2])
      try procedure.updateRecord(file, skip: 1, offset: 78, [3, 4])
      try procedure.commit()
      expected[expected.count - 2].replaceSubrange(0..<2, with: [1, 2])
      expected[expected.count - 2].replaceSubrange(78..<80, with: [3, 4])
      #expect(try procedure.readRecords(file, skip: 0, count: nil) == expected)
      // What is discarded changes nothing, and there is nothing to commit then.
      try procedure.updateRecord(file, skip: 0, offset: 0, [9])
      try procedure.abort()
      let nothing = #expect(throws: NFCError.self) { try procedure.commit() }
      #expect(nothing?.cause == DESFireProcedure.nothingToCommit)
      try procedure.authenticate(0, .factory(way.kind), by: way.method)
      try procedure.updateRecord(file, skip: 0, offset: 7, [])
      #expect(try procedure.readRecords(file, skip: 0, count: nil) == expected)
    }
  }

  /// The header is not encrypted; of an EV2 session, the MAC covers it.
  @Test func bytesOnTheAir() throws {
    let way = try #require(Self.ways.last)
    let header = try hex("DB04020000040000030000")
    for (communication, count) in [
      (DESFireCommunication.plain, 3), (.authenticated, 3 + 8), (.encrypted, 16 + 8),
    ] {
      var (card, procedure) = try Self.card(way, communication)
      _ = try procedure.fileSettings(Self.linear)
      card.setFault()
      try procedure.updateRecord(Self.linear, skip: 2, offset: 4, [0xAA, 0xBB, 0xCC])
      #expect(card.sent.count == 1)
      let sent = try #require(card.sent.first)
      #expect(sent.starts(with: header) && sent.count == header.count + count)
      #expect(Array(sent.dropFirst(header.count)).starts(with: [0xAA, 0xBB, 0xCC]) == (count < 16))
      _ = card
    }
  }

  /// DESFire Light has the code that leaves the chaining to ISO/IEC 14443-4.
  @Test func light() throws {
    let card = VirtualCard(DESFire(.light, formatted: false))
    let transport = DESFireTransport(longestFrame: 59) { code, parameters in
      let answer = try card.exchange([code] + parameters)
      return (DESFireStatus(code: answer.first ?? 0x1C), Array(answer.dropFirst()))
    } selectName: {
      card.select($0) == [0x90, 0x00]
    }
    var procedure = DESFireProcedure(
      transport: transport, generation: .fixed, state: .unknown, random: RandomNumbers.system)
    try procedure.select(.fixed)
    try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    // The terminal, which is named in every transaction, has key 1.
    try procedure.changeFileSettings(
      1, communication: .encrypted,
      rights: DESFireAccessRights(
        read: .key(1), write: .key(1), readWrite: .key(1), change: .key(0)))
    try procedure.authenticate(1, .factory(.aes), by: .ev2First)
    let reader = [UInt8](repeating: 0x5C, count: 16)
    try procedure.beginSigning()
    try procedure.writeRecord(1, offset: 0, [1, 2, 3])
    _ = try procedure.commitSigned(reader: reader)
    try procedure.beginSigning()
    try procedure.updateRecord(1, skip: 0, offset: 1, [9])
    #expect(card.sent.last?.starts(with: [0xBA, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0]) ?? false)
    let receipt = try procedure.commitSigned(reader: reader)
    #expect(try receipt.isValid(key: .factory(.aes), uid: DESFireModel.light.defaultUID))
    #expect(try procedure.readRecords(1, skip: 0, count: nil).first?.prefix(3) == [1, 9, 3])
  }

  // MARK: The failing side

  /// An EV1 does not have the command; a card of an unknown generation is asked.
  @Test(arguments: Way.all.filter { $0.generation < .ev2 }) fileprivate func before(
    _ way: Way
  ) throws {
    var (card, procedure) = try Self.card(way, .plain)
    let error = #expect(throws: NFCError.self) {
      try procedure.updateRecord(Self.linear, skip: 0, offset: 0, [1])
    }
    #expect(error?.code == .unsupported && error?.cause == nil)
    #expect(card.count == 0)
    // The session goes on.
    #expect(try procedure.readRecords(Self.linear, skip: 0, count: nil).count == 4)
    var asking = card.procedure(nil)
    asking.state = procedure.state
    let refusal = #expect(throws: NFCError.self) {
      try asking.updateRecord(Self.linear, skip: 0, offset: 0, [1])
    }
    #expect(refusal?.code == .unsupported && refusal?.cause == .desfireStatus(0x1C))
    try asking.authenticate(0, .factory(way.kind), by: way.method)
    #expect(
      try asking.readRecords(Self.linear, skip: 0, count: nil) == (1...4).map(Self.record))
  }

  @Test(arguments: ways) fileprivate func refusals(_ way: Way) throws {
    var (card, procedure) = try Self.card(way, .encrypted)
    let expected = (UInt8(1)...4).map(Self.record)
    // Beyond the record or the file: nothing is sent.
    _ = try procedure.fileSettings(Self.linear)
    card.setFault()
    for (skip, offset, count) in [
      (0, 79, 2), (0, 80, 1), (0, -1, 1), (-1, 0, 1), (4, 0, 1), (.max, 0, 1), (0, .max, 1),
    ] {
      let error = #expect(throws: NFCError.self) {
        try procedure.updateRecord(
          Self.linear, skip: skip, offset: offset, [UInt8](repeating: 1, count: count))
      }
      #expect(error?.code == .invalidParameter)
    }
    #expect(card.count == 0)
    // A full cyclic file has one record less than its maximum.
    let none = #expect(throws: NFCError.self) {
      try procedure.updateRecord(Self.cyclic, skip: 3, offset: 0, [1])
    }
    #expect(none?.cause == .desfireStatus(0xBE) && procedure.state.session == nil)
    try procedure.authenticate(0, .factory(way.kind), by: way.method)
    // A file of another kind, and one that is not there.
    try procedure.createFile(
      1,
      DESFireFileSettings(
        communication: .plain, rights: Self.rights, content: .standardData(size: 80)),
      isoIdentifier: nil)
    let data = #expect(throws: NFCError.self) {
      try procedure.updateRecord(1, skip: 0, offset: 0, [1])
    }
    #expect(data?.code == .invalidParameter)
    let missing = #expect(throws: NFCError.self) {
      try procedure.updateRecord(9, skip: 0, offset: 0, [1])
    }
    #expect(missing?.cause == .desfireStatus(0xF0))
    // Keys that may read only, or write only: the refusal ends the session.
    for key in UInt8(1)...2 {
      try procedure.authenticate(key, .factory(way.kind), by: way.method)
      let error = #expect(throws: NFCError.self) {
        try procedure.updateRecord(Self.linear, skip: 0, offset: 0, [1])
      }
      #expect(error?.code == .notAuthenticated && procedure.state.session == nil)
    }
    try procedure.authenticate(0, .factory(way.kind), by: way.method)
    #expect(try procedure.readRecords(Self.linear, skip: 0, count: nil) == expected)
  }

  /// Without a commit, and after the records were cleared, or another one changed or added in the same transaction.
  @Test(arguments: ways) fileprivate func transactions(_ way: Way) throws {
    var (card, procedure) = try Self.card(way, .authenticated)
    let expected = (UInt8(2)...4).map(Self.record)
    for (body, status) in [
      ({ try $0.updateRecord(Self.cyclic, skip: 1, offset: 0, [1]) }, 0xBE),
      ({ try $0.writeRecord(Self.cyclic, offset: 0, [1]) }, 0xBE),
      ({ try $0.clearRecords(Self.cyclic) }, 0x9D),
    ] as [((inout DESFireProcedure) throws -> Void, UInt8)] {
      try body(&procedure)
      let error = #expect(throws: NFCError.self) {
        try procedure.updateRecord(Self.cyclic, skip: 0, offset: 0, [2])
      }
      #expect(error?.cause == .desfireStatus(status))
      card.restart()
      procedure.state = .unknown
      try procedure.select(Way.application)
      try procedure.authenticate(0, .factory(way.kind), by: way.method)
      #expect(try procedure.readRecords(Self.cyclic, skip: 0, count: nil) == expected)
    }
    try procedure.updateRecord(Self.cyclic, skip: 0, offset: 0, [1])
    let error = #expect(throws: NFCError.self) {
      try procedure.writeRecord(Self.cyclic, offset: 0, [2])
    }
    #expect(error?.cause == .desfireStatus(0xBE))
  }

  /// At each exchange of an update, the record is the old one or the new one, and nothing but an error is reported.
  @Test(arguments: VirtualCard.Fault.allCases) func faults(_ fault: VirtualCard.Fault) throws {
    let way = try #require(Self.ways.last)
    for index in 0..<3 {
      var (card, procedure) = try Self.card(way, .encrypted)
      _ = try procedure.fileSettings(Self.linear)
      card.setFault((index, fault))
      let data = [UInt8](repeating: 0xEE, count: 70)
      var failed = false
      do {
        try procedure.updateRecord(Self.linear, skip: 1, offset: 2, data)
        try procedure.commit()
      } catch {
        #expect(error is NFCError)
        failed = true
      }
      card.setFault()
      card.restart()
      procedure.state = .unknown
      try procedure.select(Way.application)
      try procedure.authenticate(0, .factory(way.kind), by: way.method)
      var changed = (UInt8(1)...4).map(Self.record)
      changed[2].replaceSubrange(2..<72, with: data)
      let now = try procedure.readRecords(Self.linear, skip: 0, count: nil)
      #expect(now == changed || (failed && now == (1...4).map(Self.record)))
    }
  }

  // MARK: Transaction MACs

  /// The command with its header in the first block, and the data (NXP's reader library).
  @Test(arguments: Way.all.filter { $0.method == .ev2First })
  fileprivate func signed(_ way: Way) throws {
    var (_, procedure) = try Self.card(way, .encrypted)
    let key = try DESFireKey(.aes, bytes: (1...16).map { UInt8($0 * 9) }, version: 4)
    try procedure.createTransactionMACFile(
      7, .authenticated,
      DESFireAccessRights(read: .key(1), write: .nobody, readWrite: .key(0), change: .key(0)), key)
    try procedure.beginSigning()
    try procedure.updateRecord(Self.linear, skip: 2, offset: 4, [0xAA, 0xBB, 0xCC])
    let receipt = try procedure.commitSigned(reader: [UInt8](repeating: 0x5C, count: 16))
    #expect(try receipt.isValid(key: key, uid: way.model.defaultUID))
    let expected = try hex("DB04020000040000030000" + "0000000000" + "AABBCC")
    #expect(receipt.input.starts(with: expected))
  }
}
