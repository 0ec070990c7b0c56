import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests the scope in which an application is selected once for several commands.
@Suite(.replayed) struct DESFireSelectionTests {
  private static let identifier = Way.application
  private static let rights = DESFireAccessRights(
    read: .everyone, write: .everyone, readWrite: .everyone, change: .key(0))

  /// A card with an application that has a file of each kind.
  private static func bench(_ kind: ReaderBench.Kind) async throws -> (ReaderBench, DESFireCard) {
    let bench = try await ReaderBench(kind, .desfire(.ev1, formatted: false))
    let card = try await bench.card()
    let application = card.application(identifier)
    try await card.createApplication(
      DESFireApplicationDescription(identifier, keyCount: 2, kind: .aes))
    let records = DESFireRecordSettings(recordSize: 4, maximumCount: 3)
    let contents: [DESFireFileSettings.Content] = [
      .standardData(size: 100), .backupData(size: 8),
      .value(DESFireValueSettings(lowerLimit: 0, upperLimit: 50, initialValue: 7)),
      .linearRecords(records),
    ]
    for (number, content) in contents.enumerated() {
      try await application.createFile(
        number,
        DESFireFileSettings(communication: .plain, rights: rights, content: content))
    }
    bench.setTrouble(nil, 0)
    return (bench, card)
  }

  @Test(arguments: ReaderBench.Kind.allCases)
  func selectsOnce(_ kind: ReaderBench.Kind) async throws {
    let (bench, card) = try await Self.bench(kind)
    let application = card.application(Self.identifier)
    let before = bench.exchanges()
    let data = (0..<40).map { UInt8($0) }
    let result = try await application.exclusively { selection in
      #expect(try selection.keySummary().keyCount == 2)
      #expect(try selection.keyVersion(1) == 0)
      let files = try selection.files()
      for file in files { _ = try selection.fileSettings(file) }
      try selection.writeData(file: 0, offset: 60, data)
      try selection.writeData(file: 1, [1, 2, 3])
      try selection.changeValue(file: 2, .credit(5))
      try selection.writeRecord(file: 3, [9, 8, 7, 6])
      try selection.commit()
      return (
        files.sorted(), try selection.readData(file: 0, offset: 60),
        try selection.readData(file: 1, count: 3), try selection.value(file: 2),
        try selection.readRecords(file: 3)
      )
    }
    #expect(result.0 == [0, 1, 2, 3])
    #expect(result.1 == data)
    #expect(result.2 == [1, 2, 3])
    #expect(result.3 == 12)
    #expect(result.4 == [[9, 8, 7, 6]])
    // The selection; what the keys are for, the version of one, the list, four files' settings; four
    // writes and the commit; four reads, and the settings with the number of records.
    #expect(bench.exchanges() - before == 1 + 3 + 4 + 4 + 1 + 4 + 1)
    // Without the scope, each call selects the application.
    let outside = bench.exchanges()
    _ = try await application.keySummary()
    _ = try await application.keyVersion(1)
    #expect(bench.exchanges() - outside == 4)
    await bench.close()
  }

  /// A refusal ends neither the scope nor the selection.
  @Test(arguments: ReaderBench.Kind.allCases)
  func goesOnAfterARefusal(_ kind: ReaderBench.Kind) async throws {
    let (bench, card) = try await Self.bench(kind)
    let before = bench.exchanges()
    let value = try await card.application(Self.identifier).exclusively { selection in
      let refusal = #expect(throws: NFCError.self) { _ = try selection.fileSettings(9) }
      #expect(refusal?.code == .tagRefused)
      let number = #expect(throws: NFCError.self) { _ = try selection.readData(file: 32) }
      #expect(number?.code == .invalidParameter)
      try selection.changeValue(file: 2, .credit(5))
      try selection.abort()
      return try selection.value(file: 2)
    }
    #expect(value == 7)
    // The selection, the refused command, the settings, credit, abort, and the value.
    #expect(bench.exchanges() - before == 6)
    let missing = await #expect(throws: NFCError.self) {
      try await card.application(try #require(DESFireApplicationIdentifier(0x77))).exclusively {
        _ in
      }
    }
    #expect(missing?.code == .wrongTag)
    await bench.close()
  }

  /// A session continues in the scope and after it.
  @Test(arguments: ReaderBench.Kind.allCases)
  func keepsASession(_ kind: ReaderBench.Kind) async throws {
    let (bench, card) = try await Self.bench(kind)
    let application = card.application(Self.identifier)
    try await application.authenticate(0, .factory(.aes))
    let before = bench.exchanges()
    try await application.exclusively { selection in
      try selection.clearRecords(file: 3)
      try selection.commit()
      // The session's secrets are not part of what the value shows.
      var shown = ""
      dump(selection, to: &shown)
      #expect(!shown.contains("session"))
    }
    try await application.changeKeySettings(.factory)
    #expect(bench.exchanges() - before == 3)
    await bench.close()
  }

  /// A card that has no commands with chaining by ISO/IEC 14443-4, although its version says so, is read and
  /// written with the others. In a session, the refusal is an error.
  @Test func commandsThatAnImitationLacks() throws {
    let card = VirtualCard(DESFire(.ev1))
    var procedure = card.procedure(.ev2)
    try procedure.select(.fixed)
    card.setFault()
    let data = (0..<100).map { UInt8($0) }
    try procedure.writeData(2, offset: 200, data)
    #expect(try procedure.readData(2, offset: 200, count: 100) == data)
    let codes = card.sent.map { $0[0] }
    // GetFileSettings, the command that the card lacks, and then only the others in two frames each.
    #expect(codes == [0xF5, 0x8D, 0x3D, 0xAF, 0xBD, 0xAF])

    let other = VirtualCard(DESFire(.ev1, formatted: false))
    procedure = other.procedure(.ev2)
    try procedure.select(.card)
    try procedure.createApplication(
      DESFireApplicationDescription(Self.identifier, keyCount: 1, kind: .aes))
    try procedure.select(Self.identifier)
    try procedure.authenticate(0, .factory(.aes), by: .aes)
    try procedure.createFile(
      0,
      DESFireFileSettings(
        communication: .plain,
        rights: DESFireAccessRights(
          read: .key(0), write: .key(0), readWrite: .key(0), change: .key(0)),
        content: .standardData(size: 20)), isoIdentifier: nil)
    let error = #expect(throws: NFCError.self) {
      _ = try procedure.readData(0, offset: 0, count: 4)
    }
    #expect(error?.cause == .desfireStatus(0x1C))
  }
}
