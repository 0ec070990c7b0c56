import NFC
import Testing
import TestSupport
import VirtualNFC

@testable import SecureTags

/// Every command of the family through libnfc and through PC/SC.
@Suite(.replayed) struct EveryReaderTests {
  private static let application = DESFireApplicationIdentifier(0x12_3456) ?? .card
  private static let rights = DESFireAccessRights(
    read: .key(1), write: .key(1), readWrite: .key(0), change: .key(0))

  private static func key(_ byte: UInt8) throws -> DESFireKey {
    try DESFireKey(.aes, bytes: [UInt8](repeating: byte, count: 16), version: byte)
  }

  private static func file(
    _ content: DESFireFileSettings.Content, _ communication: DESFireCommunication = .encrypted
  ) -> DESFireFileSettings {
    DESFireFileSettings(communication: communication, rights: rights, content: content)
  }

  private static let value = DESFireValueSettings(
    lowerLimit: 0, upperLimit: 100, initialValue: 50, allowsLimitedCredit: true)

  // MARK: Commands

  @Test(
    .asking(.accessRights), arguments: ReaderBench.Kind.allCases, [DESFireModel.ev1, .ev2, .ev3])
  func everyCommand(_ kind: ReaderBench.Kind, _ model: DESFireModel) async throws {
    let bench = try await ReaderBench(kind, VirtualTag(DESFire(model, formatted: false)))
    let card = try await bench.card()
    #expect(try await card.version().uid == model.defaultUID)
    #expect(try await card.freeMemory() == model.freeMemory)
    try await card.root.authenticate(0, .factory(.des))
    #expect(try await card.cardUID() == model.defaultUID)
    try await card.setDefaultKey(.factory(.aes))
    try await card.createApplication(
      DESFireApplicationDescription(
        Self.application, keyCount: 3, kind: .aes, isoIdentifier: 0xDF01, name: [0xA0, 0x01],
        namesFiles: true))
    #expect(try await card.applications() == [Self.application])
    try await card.endSession()
    #expect(try await card.applicationNames().map(\.isoIdentifier) == [0xDF01])
    let application = card.application(Self.application)
    try await application.authenticate(0, .factory(.aes))
    for (number, content) in [
      (1, DESFireFileSettings.Content.standardData(size: 300)), (2, .backupData(size: 40)),
      (4, .linearRecords(DESFireRecordSettings(recordSize: 10, maximumCount: 3))),
      (5, .cyclicRecords(DESFireRecordSettings(recordSize: 10, maximumCount: 3))),
    ] {
      try await application.createFile(
        number, Self.file(content), isoIdentifier: UInt16(0xEF00 + number))
    }
    try await application.createFile(3, Self.file(.value(Self.value), .authenticated))
    #expect(try await application.files() == [1, 2, 4, 5, 3])
    let data = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    try await application.writeData(file: 1, data)
    #expect(try await application.readData(file: 1) == data)
    try await application.transaction {
      try await $0.writeData(file: 2, offset: 5, [1, 2, 3])
      try await $0.changeValue(file: 3, .debit(8))
      try await $0.changeValue(file: 3, .credit(2))
      try await $0.writeRecord(file: 4, [4])
      try await $0.writeRecord(file: 5, offset: 1, [5])
    }
    #expect(try await application.readData(file: 2, offset: 5, count: 3) == [1, 2, 3])
    #expect(try await application.value(file: 3) == 44)
    try await application.changeValue(file: 3, .limitedCredit(8))
    try await application.abort()
    #expect(try await application.value(file: 3) == 44)
    #expect(try await application.readRecords(file: 4).count == 1)
    #expect(try await application.readRecords(file: 5).first?.prefix(2) == [0, 5])
    try await application.transaction { try await $0.clearRecords(file: 4) }
    #expect(try await application.readRecords(file: 4).isEmpty)
    try await application.changeFileSettings(1, communication: .plain, rights: Self.rights)
    #expect(try await application.fileSettings(1).communication == .plain)
    if model != .ev1 {
      try await application.createTransactionMACFile(
        7,
        rights: DESFireAccessRights(
          read: .key(0), write: .nobody, readWrite: .key(0), change: .key(0)),
        key: Self.key(9))
      let receipt = try await application.signedTransaction(
        reader: [UInt8](repeating: 6, count: 16)
      ) { try await $0.changeValue(file: 3, .debit(1)) }
      #expect(try receipt.isValid(key: Self.key(9), uid: model.defaultUID))
      #expect(try await application.transactionMAC(file: 7) == receipt.mac)
      try await application.deleteFile(7)
    }
    try await application.changeKey(1, from: .factory(.aes), to: Self.key(3))
    #expect(try await application.keyVersion(1) == 3)
    #expect(try await application.keySummary().keyCount == 3)
    try await application.changeKeySettings(DESFireKeySettings(listsFreely: false))
    try await application.deleteFile(4)
    // Wrong keys, and commands in the wrong order.
    let wrong = await #expect(throws: NFCError.self) {
      try await application.authenticate(1, .factory(.aes))
    }
    #expect(wrong?.code == .authenticationFailed)
    let order = await #expect(throws: NFCError.self) { try await application.files() }
    #expect(order?.code == .notAuthenticated)
    try await card.root.authenticate(0, .factory(.des))
    try await card.deleteApplication(Self.application)
    try await card.formatPermanently()
    #expect(try await card.applications().isEmpty)
    try await card.endSession()
    await bench.close()
  }

  /// The chips with fixed files: DESFire Light, with AES and LRP, and NTAG 413 DNA.
  @Test(
    .asking(.configurationLock), arguments: ReaderBench.Kind.allCases,
    [DESFireModel.light, .ntag413])
  func fixedFiles(_ kind: ReaderBench.Kind, _ model: DESFireModel) async throws {
    let bench = try await ReaderBench(kind, VirtualTag(DESFire(model, formatted: false)))
    let card = try await bench.card()
    let application = card.application(.fixed)
    #expect(card.generation == .fixed && card.hasLRP == (model == .light))
    #expect(try await card.version().uid == model.defaultUID)
    #expect(
      try await application.files().sorted() == (model == .light ? [0, 1, 3, 4, 15, 31] : [1, 2]))
    for mode in model == .light ? ["AES", "LRP"] : ["AES"] {
      try await application.authenticate(0, .factory(.aes))
      if mode == "LRP" {
        try await card.switchToLRPPermanently()
        try await application.authenticate(0, .factory(.aes))
      }
      #expect(try await card.cardUID() == model.defaultUID)
      let file = model == .light ? 0 : 2
      let rights = DESFireAccessRights(
        read: .key(1), write: .key(2), readWrite: .key(0), change: .key(0))
      try await application.changeFileSettings(file, communication: .encrypted, rights: rights)
      #expect(try await application.fileSettings(file).rights == rights)
      let data = (0..<100).map { UInt8($0) }
      try await application.writeData(file: file, offset: 7, data)
      #expect(try await application.readData(file: file, offset: 7, count: 100) == data)
      let new = try Self.key(mode == "LRP" ? 5 : 4)
      try await application.changeKey(
        2, from: mode == "LRP" ? Self.key(4) : .factory(.aes), to: new)
      try await application.authenticate(2, new)
      #expect(try await application.keyVersion(2) == new.version)
      try await application.authenticate(2, new, by: mode == "LRP" ? .lrpNonFirst : .ev2NonFirst)
      try await application.writeData(file: file, [8])
      let wrong = await #expect(throws: NFCError.self) {
        try await application.authenticate(1, new)
      }
      #expect(wrong?.code == .authenticationFailed)
      guard model == .light else {
        let none = await #expect(throws: NFCError.self) { try await card.switchToLRPPermanently() }
        #expect(none?.code == .unsupported)
        continue
      }
      // A DESFire Light signs transactions on delivery; key 1 identifies the terminal and writes records.
      try await application.authenticate(0, .factory(.aes))
      if mode == "AES" {
        try await application.configureValueFile(
          3, DESFireValueSettings(lowerLimit: 0, upperLimit: 70, allowsLimitedCredit: true))
        #expect(
          try await application.fileSettings(3).content
            == .value(
              DESFireValueSettings(lowerLimit: 0, upperLimit: 70, allowsLimitedCredit: true)))
        for file in [1, 3] {
          try await application.changeFileSettings(
            file, communication: .encrypted,
            rights: DESFireAccessRights(
              read: .key(1), write: .key(1), readWrite: .key(1), change: .key(0)))
        }
      }
      try await application.authenticate(1, .factory(.aes))
      let receipt = try await application.signedTransaction(
        reader: [UInt8](repeating: 1, count: 16)
      ) {
        try await $0.writeRecord(file: 1, [UInt8](repeating: 3, count: 16))
        try await $0.changeValue(file: 3, .credit(30))
      }
      #expect(try receipt.isValid(key: .factory(.aes), uid: model.defaultUID))
      #expect(try await application.transactionMAC(file: 15) == receipt.mac)
      // With LRP, the counter has two halves.
      let count = Int(receipt.mac.counter & 0xFFFF)
      #expect(try await application.readRecords(file: 1).count == count)
      #expect(try await application.value(file: 3) == 30 * count)
    }
    await bench.close()
  }
}
