import SwiftNFCCore
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests every command in every generation's secure messaging, with the virtual card.
@Suite struct ProcedureTests {
  private static let rights = DESFireAccessRights(
    read: .key(1), write: .key(2), readWrite: .key(0), change: .key(0))
  private static let data = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }

  /// An application with three keys, selected and authenticated with its master key.
  static func application(_ way: Way) throws -> (VirtualCard, DESFireProcedure) {
    let card = VirtualCard(DESFire(way.model, formatted: false))
    var procedure = card.procedure(way.generation)
    try procedure.select(.card)
    try procedure.createApplication(
      DESFireApplicationDescription(Way.application, keyCount: 3, kind: way.kind))
    try procedure.select(Way.application)
    try procedure.authenticate(0, .factory(way.kind), by: way.method)
    return (card, procedure)
  }

  static func file(
    _ content: DESFireFileSettings.Content, _ communication: DESFireCommunication
  ) -> DESFireFileSettings {
    DESFireFileSettings(communication: communication, rights: rights, content: content)
  }

  @Test(arguments: Way.all, DESFireCommunication.allCases)
  func data(_ way: Way, _ communication: DESFireCommunication) throws {
    var (_, procedure) = try Self.application(way)
    try procedure.createFile(
      1, Self.file(.standardData(size: 300), communication), isoIdentifier: nil)
    try procedure.createFile(
      2, Self.file(.backupData(size: 40), communication), isoIdentifier: nil)
    try procedure.writeData(1, offset: 0, Self.data)
    #expect(try procedure.readData(1, offset: 0, count: nil) == Self.data)
    for (offset, count) in [(0, 1), (59, 60), (255, 45), (300, 0), (7, 200)] {
      #expect(
        try procedure.readData(1, offset: offset, count: count)
          == Array(Self.data[offset..<(offset + count)]))
    }
    // A backup file returns the committed content.
    let zeros = [UInt8](repeating: 0, count: 40)
    try procedure.writeData(2, offset: 10, [1, 2, 3])
    #expect(try procedure.readData(2, offset: 0, count: nil) == zeros)
    try procedure.commit()
    #expect(try procedure.readData(2, offset: 10, count: 3) == [1, 2, 3])
    try procedure.writeData(2, offset: 10, [4])
    _ = try procedure.send(DESFireCommand(code: .abortTransaction))
    #expect(throws: NFCError.self) { try procedure.commit() }
    // A commit without changes may have ended the session.
    try procedure.authenticate(0, .factory(way.kind), by: way.method)
    #expect(try procedure.readData(2, offset: 10, count: 3) == [1, 2, 3])
    // Key 1 reads but cannot write; the refusal ends the session.
    try procedure.authenticate(1, .factory(way.kind), by: way.method)
    #expect(try procedure.readData(1, offset: 0, count: nil) == Self.data)
    let error = #expect(throws: NFCError.self) { try procedure.writeData(1, offset: 0, [1]) }
    #expect(error?.code == .notAuthenticated)
    #expect(procedure.state.session == nil)
    // A session of the first generation outlives a refusal on the card, which then answers in plain as before.
    if way.method == .legacy, communication == .plain {
      #expect(try procedure.readData(1, offset: 0, count: 1) == Array(Self.data[..<1]))
    } else {
      #expect(throws: NFCError.self) { try procedure.readData(1, offset: 0, count: 1) }
    }
    #expect(throws: NFCError.self) { try procedure.readData(1, offset: 301, count: nil) }
  }

  @Test(arguments: Way.all, DESFireCommunication.allCases)
  func valuesAndRecords(_ way: Way, _ communication: DESFireCommunication) throws {
    var (_, procedure) = try Self.application(way)
    let value = DESFireValueSettings(
      lowerLimit: -50, upperLimit: 1000, initialValue: 100, allowsLimitedCredit: true)
    try procedure.createFile(3, Self.file(.value(value), communication), isoIdentifier: nil)
    #expect(try procedure.value(3) == 100)
    try procedure.changeValue(3, .credit(20))
    #expect(try procedure.value(3) == 100)
    try procedure.commit()
    #expect(try procedure.value(3) == 120)
    try procedure.changeValue(3, .debit(150))
    try procedure.changeValue(3, .credit(5))
    try procedure.commit()
    #expect(try procedure.value(3) == -25)
    try procedure.changeValue(3, .limitedCredit(150))
    try procedure.commit()
    #expect(try procedure.value(3) == 125)
    // The limited credit has been used up.
    #expect(throws: NFCError.self) { try procedure.changeValue(3, .limitedCredit(1)) }
    try procedure.authenticate(0, .factory(way.kind), by: way.method)
    let error = #expect(throws: NFCError.self) { try procedure.changeValue(3, .credit(900)) }
    #expect(error?.cause == .desfireStatus(0xBE))
    try procedure.authenticate(0, .factory(way.kind), by: way.method)

    let records = DESFireRecordSettings(recordSize: 10, maximumCount: 3)
    try procedure.createFile(
      4, Self.file(.linearRecords(records), communication), isoIdentifier: nil)
    try procedure.createFile(
      5, Self.file(.cyclicRecords(records), communication), isoIdentifier: nil)
    #expect(try procedure.readRecords(4, skip: 0, count: nil) == [])
    func record(_ number: UInt8) -> [UInt8] { [number] + [UInt8](repeating: 0, count: 9) }
    for number in UInt8(1)...3 {
      try procedure.writeRecord(4, offset: 0, [number])
      try procedure.writeRecord(5, offset: 0, [number])
      try procedure.commit()
    }
    #expect(
      try procedure.readRecords(4, skip: 0, count: nil) == [record(1), record(2), record(3)])
    #expect(try procedure.readRecords(4, skip: 1, count: 1) == [record(2)])
    #expect(try procedure.readRecords(5, skip: 0, count: nil) == [record(2), record(3)])
    _ = try procedure.send(DESFireCommand(code: .clearRecordFile, header: [4]))
    try procedure.commit()
    #expect(try procedure.fileSettings(4).records?.count == 0)
    #expect(throws: NFCError.self) { try procedure.writeRecord(4, offset: 8, [1, 2, 3]) }
  }

  /// Further sets of rights open a file to other keys; an EV1 does not have them.
  @Test(arguments: Way.all) func additionalRights(_ way: Way) throws {
    var (_, procedure) = try Self.application(way)
    try procedure.createFile(1, Self.file(.standardData(size: 8), .plain), isoIdentifier: nil)
    let owner = DESFireAccessRights(
      read: .key(0), write: .nobody, readWrite: .nobody, change: .key(0))
    let sets = [
      DESFireAccessRights(read: .key(1), write: .nobody, readWrite: .nobody, change: .nobody),
      DESFireAccessRights(read: .nobody, write: .nobody, readWrite: .key(2), change: .nobody),
    ]
    guard way.model == .ev2 || way.model == .ev3 else {
      #expect(throws: NFCError.self) {
        try procedure.changeFileSettings(
          1, communication: .encrypted, rights: owner, additionalRights: sets)
      }
      return
    }
    try procedure.changeFileSettings(
      1, communication: .encrypted, rights: owner, additionalRights: sets)
    let settings = try procedure.fileSettings(1)
    #expect(settings.rights == owner && settings.additionalRights == sets)
    #expect(settings.holders(of: \.read, \.readWrite).contains(.key(2)))
    // A change that does not name them leaves them.
    try procedure.changeFileSettings(1, communication: .authenticated, rights: owner)
    #expect(try procedure.fileSettings(1).additionalRights == sets)
    for key in UInt8(0)...2 {
      try procedure.authenticate(key, .factory(way.kind), by: way.method)
      #expect(try procedure.readData(1, offset: 0, count: nil).count == 8)
      if key == 2 {
        try procedure.writeData(1, offset: 0, [1])
      } else {
        #expect(throws: NFCError.self) { try procedure.writeData(1, offset: 0, [1]) }
      }
    }
    try procedure.authenticate(0, .factory(way.kind), by: way.method)
    try procedure.changeFileSettings(
      1, communication: .plain, rights: owner, additionalRights: [])
    #expect(try procedure.fileSettings(1).additionalRights.isEmpty)
    try procedure.authenticate(1, .factory(way.kind), by: way.method)
    #expect(throws: NFCError.self) { try procedure.readData(1, offset: 0, count: nil) }
  }

  /// GetVersion's answer of a DESFire EV3 (flipperzero-firmware, pull request 4439; another UID), whose week is none.
  @Test func versionWithoutAWeek() throws {
    var answer: [UInt8] = [
      0x04, 0x01, 0x01, 0x33, 0x00, 0x16, 0x05, 0x04, 0x01, 0x01, 0x03, 0x00, 0x16, 0x05,
      0x04, 0x61, 0x3A, 0x52, 0x8C, 0x70, 0x90, 0x21, 0x20, 0x71, 0x30, 0x30, 0x83, 0x25,
    ]
    let version = try DESFireVersionInformation(answer)
    #expect(version.productionWeek == nil && version.productionYear == 2025)
    #expect(version.batch == [0x21, 0x20, 0x71, 0x30, 0x30])
    let weeks: [(UInt8, Int?)] = [(0x53, 53), (0x01, 1), (0x54, nil), (0x00, nil), (0x0A, nil)]
    for (byte, week) in weeks {
      answer[26] = byte
      #expect(try DESFireVersionInformation(answer).productionWeek == week)
    }
  }

  /// GetFileSettings' answer as liblogicalaccess and Flipper Zero read it, and answers that are cut.
  @Test func additionalRightsInAnAnswer() throws {
    let answer: [UInt8] = [0x00, 0x80, 0xFF, 0x0F, 0x10, 0, 0, 0x02, 0x1F, 0x11, 0x2F, 0x22]
    let settings = try DESFireFileSettings(answer)
    #expect(settings.communication == .plain && settings.size == 16)
    #expect(settings.additionalRights.map(\.bits) == [0x111F, 0x222F])
    for count in 7..<answer.count {
      #expect(throws: NFCError.self) { try DESFireFileSettings(Array(answer.prefix(count))) }
    }
    var without = answer
    without[1] = 0x00
    #expect(try DESFireFileSettings(without).additionalRights.isEmpty)
  }

  @Test(arguments: Way.all)
  func settingsAndKeys(_ way: Way) throws {
    var (card, procedure) = try Self.application(way)
    try procedure.createFile(1, Self.file(.standardData(size: 8), .plain), isoIdentifier: nil)
    #expect(try procedure.files() == [1])
    var rights = Self.rights
    rights.read = .everyone
    try procedure.changeFileSettings(1, communication: .encrypted, rights: rights)
    let settings = try procedure.fileSettings(1)
    #expect(settings.communication == .encrypted && settings.rights == rights)
    #expect(try procedure.cardUID() == way.model.defaultUID)
    #expect(try procedure.version().uid == way.model.defaultUID)
    #expect(try procedure.freeMemory() > 0)
    let summary = try procedure.keySummary()
    #expect(summary.keyCount == 3 && summary.kind == way.kind && summary.settings == .factory)
    var changed = summary.settings
    changed.listsFreely = false
    changed.createsFreely = false
    try procedure.changeKeySettings(changed)
    #expect(try procedure.keySummary().settings == changed)

    let size = way.kind == .threeKeyTripleDES ? 24 : 16
    let new = try DESFireKey(
      way.kind, bytes: (0..<size).map { UInt8($0 * 3 + 4) }, version: 0x42)
    try procedure.changeKey(1, from: .factory(way.kind), to: new, isCard: false)
    #expect(try procedure.keyVersion(1) == 0x42)
    try procedure.changeKey(0, from: nil, to: new, isCard: false)
    #expect(procedure.state.session == nil)
    try procedure.authenticate(0, new, by: way.method)
    try procedure.authenticate(1, new, by: way.method)
    let error = #expect(throws: NFCError.self) {
      try procedure.authenticate(0, .factory(way.kind), by: way.method)
    }
    #expect(error?.code == .authenticationFailed && error?.cause == .desfireStatus(0xAE))
    // Lists and files now require the master key.
    #expect(throws: NFCError.self) { try procedure.files() }
    try procedure.authenticate(0, new, by: way.method)
    #expect(try procedure.files() == [1])
    try procedure.deleteFile(1)
    #expect(try procedure.files() == [])
    #expect(card.memory == [])
  }

  /// EV2's second authentication continues the transaction and its counter.
  @Test func nonFirst() throws {
    var (_, procedure) = try Self.application(Way.all[5])
    let first = try #require(procedure.state.session?.messaging as? EV2Messaging)
    _ = try procedure.keySummary()
    try procedure.authenticate(1, .factory(.aes), by: .ev2NonFirst)
    let second = try #require(procedure.state.session?.messaging as? EV2Messaging)
    #expect(second.transactionIdentifier == first.transactionIdentifier)
    #expect(second.commandCounter == 1)
    #expect(try procedure.cardUID() == DESFireModel.ev2.defaultUID)
    procedure.state.session = nil
    #expect(throws: NFCError.self) {
      try procedure.authenticate(1, .factory(.aes), by: .ev2NonFirst)
    }
  }

  /// The card's own key, which can change its kind, and the configuration with it.
  @Test(arguments: [DESFireAuthentication.legacy, .iso])
  func cardLevel(_ method: DESFireAuthentication) throws {
    let card = VirtualCard(DESFire(.ev1, formatted: false))
    var procedure = card.procedure()
    try procedure.select(.card)
    try procedure.authenticate(0, .factory(.des), by: method)
    let key = try DESFireKey(.aes, bytes: (0..<16).map { UInt8($0) }, version: 7)
    try procedure.changeKey(0, from: nil, to: key, isCard: true)
    try procedure.authenticate(0, key, by: .aes)
    #expect(try procedure.keySummary().kind == .aes)
    try procedure.setDefaultKey(
      try DESFireKey(.aes, bytes: [UInt8](repeating: 9, count: 16), version: 3))
    try procedure.createApplication(
      DESFireApplicationDescription(
        Way.application, keyCount: 1, kind: .aes, isoIdentifier: 0xDF42, name: Array("name".utf8),
        namesFiles: true))
    #expect(try procedure.applications() == [Way.application])
    try procedure.configure([.showsRandomUID, .disablesFormatting])
    let error = #expect(throws: NFCError.self) { try procedure.format() }
    #expect(error?.cause == .desfireStatus(0x9D))
    card.restart()
    procedure = card.procedure()
    #expect(try procedure.version().uid == [UInt8](repeating: 0, count: 7))
    #expect(throws: NFCError.self) { try procedure.cardUID() }
    #expect(
      try procedure.applicationNames()
        == [
          DESFireApplicationName(
            identifier: Way.application, isoIdentifier: 0xDF42, name: Array("name".utf8))
        ])
    try procedure.select(Way.application)
    try procedure.authenticate(
      0, DESFireKey(.aes, bytes: [UInt8](repeating: 9, count: 16)), by: .aes)
    #expect(try procedure.keyVersion(0) == 3)
    #expect(try procedure.cardUID() == DESFireModel.ev1.defaultUID)
    try procedure.createFile(
      1, Self.file(.standardData(size: 8), .plain).with(rights: .keyZero), isoIdentifier: 0x0001)
    try procedure.select(.card)
    try procedure.authenticate(0, key, by: .aes)
    try procedure.deleteApplication(Way.application)
    #expect(try procedure.applications() == [])
    // The application's own key deletes it from within.
    try procedure.createApplication(
      DESFireApplicationDescription(Way.application, keyCount: 1, kind: .des))
    try procedure.setDefaultKey(.factory(.des))
    try procedure.createApplication(
      DESFireApplicationDescription(.fixed, keyCount: 1, kind: .des))
    try procedure.select(.fixed)
    try procedure.authenticate(0, .factory(.des), by: method)
    try procedure.deleteApplication(.fixed, isSelected: true)
    #expect(procedure.state.session == nil && procedure.state.selection == nil)
    try procedure.select(.card)
    #expect(try procedure.applications() == [Way.application])
    #expect(throws: NFCError.self) { try procedure.deleteApplication(Way.application) }
  }

  /// Parameters that no card accepts are refused before anything is sent.
  @Test func wrongArguments() throws {
    let card = VirtualCard(DESFire(.ev1, formatted: false))
    var procedure = card.procedure()
    try procedure.select(.card)
    card.setFault()
    func refuses(_ body: (inout DESFireProcedure) throws -> Void) {
      let error = #expect(throws: NFCError.self) { try body(&procedure) }
      #expect([.invalidParameter, .notAuthenticated].contains(error?.code))
    }
    refuses { try $0.authenticate(0, .factory(.aes), by: .legacy) }
    refuses { try $0.authenticate(0, .factory(.des), by: .ev2First) }
    refuses { try $0.authenticate(0, .factory(.threeKeyTripleDES), by: .legacy) }
    refuses { try $0.changeKey(0, from: nil, to: .factory(.aes), isCard: true) }
    refuses { _ = try $0.cardUID() }
    refuses { try $0.deleteApplication(.card) }
    refuses { try $0.changeValue(1, .credit(-1)) }
    refuses {
      try $0.createFile(
        1, Self.file(.standardData(size: 0), .plain), isoIdentifier: nil)
    }
    refuses {
      try $0.createFile(
        1, Self.file(.value(DESFireValueSettings(lowerLimit: 5, upperLimit: 4)), .plain),
        isoIdentifier: nil)
    }
    #expect(card.count == 0)
    #expect(DESFireApplicationIdentifier(0x100_0000) == nil)
    for plan in [
      DESFireApplicationDescription(.card, keyCount: 1, kind: .aes),
      DESFireApplicationDescription(Way.application, keyCount: 0, kind: .aes),
      DESFireApplicationDescription(Way.application, keyCount: 15, kind: .aes),
      DESFireApplicationDescription(Way.application, keyCount: 1, kind: .aes, name: [1]),
    ] {
      #expect(throws: NFCError.self) { try plan.validate() }
    }
  }
}

extension DESFireFileSettings {
  fileprivate func with(rights: DESFireAccessRights) -> DESFireFileSettings {
    var settings = self
    settings.rights = rights
    return settings
  }
}

extension DESFireAccessRights {
  fileprivate static let keyZero = DESFireAccessRights(
    read: .key(0), write: .key(0), readWrite: .key(0), change: .key(0))
}
