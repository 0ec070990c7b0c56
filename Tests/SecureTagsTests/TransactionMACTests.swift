import SwiftNFCCore
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests transactions with a MAC (MF2DL(H)x0 data sheet, 10.3; NXP AN12343).
@Suite struct TransactionMACTests {
  private static let reader = [UInt8](repeating: 0x5C, count: 16)

  /// AN12343, table 32: a record, the terminal's name, the commit and its code. The key is that of table
  /// 51, the UID that of table 7; the table decrypts the previous terminal's name with a session key,
  /// although it was encrypted with another key.
  @Test func publishedTransaction() throws {
    let card = try RecordedCard(
      """
      8B01000000100000721590E8D0C26E9F3394F33A131553788226661ABC3A6910AC3C7230ADF4D105\
      B5D409E07A0532F3 00DB552FD9D33408EF
      C828BF1982BE086FBC60A22DAEB66613EEA706434973471F1E \
      00A1963F1BB9FC916A8B15B2DC58002531B11FF6023DF464E0
      C701E516751A0725A624 000400000094A3205E41588BA9F4697772DA9DDB82
      """, challenges: [])
    var procedure = card.procedure(.fixed)
    let messaging = try EV2Messaging(
      encryptionKey: SecretKey(hex("78240CC5596B751D90023827B0B7E73D")),
      codeKey: SecretKey(hex("6F64B98D7241EA993137DF880BEE1B89")),
      transactionIdentifier: hex("2D0611EC"))
    procedure.state.session = DESFireSession(keyNumber: 1, messaging: messaging)
    procedure.state.transactionInput = DESFireTransactionInput()
    _ = try procedure.send(
      DESFireCommand(
        code: .writeRecordChained, header: DESFireProcedure.span(1, 0, 16),
        data: hex("11223344556677889900112233445566"), protection: .encrypted))
    let name = try hex("28BF1982BE086FBC60A22DAEB66613EE")
    let receipt = try procedure.commitSigned(reader: name)
    #expect(card.deviations == [] && card.remaining == 0)
    #expect(receipt.mac.counter == 4)
    #expect(try receipt.mac.code == hex("94A3205E41588BA9"))
    let key = try DESFireKey(.aes, bytes: hex("F7D23E0C44AFADE542BFDF2DC5C6AE02"))
    let uid = try hex("04DE5F1EACC040")
    #expect(try receipt.isValid(key: key, uid: uid))
    // The terminal is the same as in the previous transaction.
    #expect(try receipt.previousReader(key: key, uid: uid) == name)
    #expect(try !receipt.isValid(key: .factory(.aes), uid: uid))
    #expect(try !receipt.isValid(key: key, uid: hex("04DE5F1EACC041")))
    #expect(throws: NFCError.self) { try receipt.isValid(key: .factory(.des), uid: uid) }
    #expect(throws: NFCError.self) { try receipt.isValid(key: key, uid: [1, 2, 3, 4]) }
    let forged = DESFireTransactionReceipt(
      mac: receipt.mac, input: receipt.input.dropLast() + [0x77], encryptedPreviousReader: nil)
    #expect(try !forged.isValid(key: key, uid: uid))
    #expect(throws: NFCError.self) { try DESFireTransactionMAC([1, 2, 3]) }
  }

  // MARK: With the virtual cards

  private static func card(
    _ way: Way, readWrite: DESFireAccess = .key(1)
  ) throws -> (VirtualCard, DESFireProcedure, DESFireKey) {
    var (card, procedure) = try ProcedureTests.application(way)
    for (number, content) in [
      (UInt8(1), DESFireFileSettings.Content.standardData(size: 40)), (2, .backupData(size: 40)),
      (3, .value(DESFireValueSettings(lowerLimit: 0, upperLimit: 100, initialValue: 50))),
      (4, .cyclicRecords(DESFireRecordSettings(recordSize: 20, maximumCount: 3))),
    ] {
      try procedure.createFile(number, file(content), isoIdentifier: nil)
    }
    let key = try DESFireKey(.aes, bytes: (1...16).map { UInt8($0 * 9) }, version: 4)
    try procedure.createTransactionMACFile(
      7, .authenticated,
      DESFireAccessRights(read: .key(1), write: .nobody, readWrite: readWrite, change: .key(0)), key
    )
    card.setFault()
    return (card, procedure, key)
  }

  private static func file(_ content: DESFireFileSettings.Content) -> DESFireFileSettings {
    DESFireFileSettings(
      communication: .encrypted,
      rights: DESFireAccessRights(
        read: .key(1), write: .key(1), readWrite: .key(1), change: .key(0)), content: content)
  }

  private static let ways = Way.all.filter { $0.method == .ev2First }

  private static func work(_ procedure: inout DESFireProcedure) throws {
    _ = try procedure.readData(1, offset: 3, count: 20)
    try procedure.writeData(1, offset: 0, [UInt8](repeating: 6, count: 17))
    try procedure.writeData(2, offset: 5, [1, 2, 3])
    _ = try procedure.value(3)
    try procedure.changeValue(3, .debit(8))
    try procedure.changeValue(3, .credit(2))
    try procedure.writeRecord(4, offset: 2, [9, 8, 7])
  }

  @Test(arguments: ways) fileprivate func signed(_ way: Way) throws {
    var (card, procedure, key) = try Self.card(way)
    let settings = try procedure.fileSettings(7)
    #expect(settings.content == .transactionMAC(keyVersion: 4))
    let second = #expect(throws: NFCError.self) {
      try procedure.createTransactionMACFile(
        8, .plain, DESFireAccessRights(0x1F10), key)
    }
    #expect(second?.cause == .desfireStatus(0xDE))
    var previous = [UInt8](repeating: 0, count: 16)
    for count in UInt32(1)...3 {
      try procedure.authenticate(1, .factory(.aes), by: .ev2First)
      // Earlier reads are not part of it.
      _ = try procedure.value(3)
      try procedure.beginSigning()
      try Self.work(&procedure)
      let name = Array(Self.reader.dropLast()) + [UInt8(count)]
      let receipt = try procedure.commitSigned(reader: name)
      #expect(receipt.mac.counter == count)
      #expect(try receipt.isValid(key: key, uid: way.model.defaultUID))
      #expect(try receipt.previousReader(key: key, uid: way.model.defaultUID) == previous)
      #expect(try procedure.transactionMAC(7) == receipt.mac)
      previous = name
    }
    #expect(try procedure.value(3) == 50 - 3 * 6)
    #expect(try procedure.readRecords(4, skip: 0, count: nil).count == 2)
    // Without the terminal's name, it is not counted.
    try procedure.beginSigning()
    try procedure.changeValue(3, .debit(1))
    let error = #expect(throws: NFCError.self) { try procedure.commitSigned(reader: nil) }
    #expect(error?.code == .notAuthenticated)
    try procedure.authenticate(1, .factory(.aes), by: .ev2First)
    _ = card
  }

  /// A card that has nothing to discard may end the session when it receives the command for it.
  @Test(arguments: ways) fileprivate func discardsOnlyWhatThereIs(_ way: Way) throws {
    var (card, procedure, key) = try Self.card(way)
    try procedure.authenticate(1, .factory(.aes), by: .ev2First)
    _ = try procedure.fileSettings(3)
    card.setFault()
    try procedure.beginSigning()
    #expect(card.count == 0 && procedure.authenticationInTransaction == nil)
    try procedure.changeValue(3, .debit(4))
    // Another key continues the transaction.
    let method = try #require(procedure.authenticationInTransaction)
    #expect(method == .ev2NonFirst)
    try procedure.authenticate(1, .factory(.aes), by: method)
    card.setFault()
    try procedure.beginSigning()
    #expect(card.sent.map(\.first) == [0xA7])
    try procedure.changeValue(3, .debit(5))
    let receipt = try procedure.commitSigned(reader: Self.reader)
    #expect(try receipt.isValid(key: key, uid: way.model.defaultUID))
    #expect(try procedure.value(3) == 45)
  }

  /// AuthenticateEV2First begins a transaction, so that what was not committed before is lost.
  @Test(arguments: ways) fileprivate func firstAuthenticationDiscards(_ way: Way) throws {
    var (card, procedure, _) = try Self.card(way)
    try procedure.authenticate(1, .factory(.aes), by: .ev2First)
    try procedure.changeValue(3, .debit(4))
    try procedure.authenticate(1, .factory(.aes), by: .ev2First)
    #expect(throws: NFCError.self) { try procedure.commit() }
    try procedure.authenticate(1, .factory(.aes), by: .ev2First)
    #expect(try procedure.value(3) == 50)
    _ = card
  }

  @Test func withoutTerminal() throws {
    var (card, procedure, key) = try Self.card(Self.ways[0], readWrite: .nobody)
    try procedure.authenticate(1, .factory(.aes), by: .ev2First)
    try procedure.beginSigning()
    try procedure.changeValue(3, .debit(5))
    let receipt = try procedure.commitSigned(reader: nil)
    #expect(receipt.encryptedPreviousReader == nil)
    #expect(try receipt.isValid(key: key, uid: Self.ways[0].model.defaultUID))
    try procedure.beginSigning()
    try procedure.changeValue(3, .debit(5))
    #expect(throws: NFCError.self) { try procedure.commitSigned(reader: Self.reader) }
    _ = card
  }

  /// At each exchange of a signed transaction, no receipt is wrong, and the value is the old or the new
  /// one.
  @Test func faults() throws {
    let way = Self.ways[0]
    var (model, procedure, key) = try Self.card(way)
    func transaction(_ procedure: inout DESFireProcedure) throws -> DESFireTransactionReceipt {
      try procedure.beginSigning()
      try procedure.changeValue(3, .debit(8))
      return try procedure.commitSigned(reader: Self.reader)
    }
    try procedure.authenticate(1, .factory(.aes), by: .ev2First)
    model.setFault()
    _ = try transaction(&procedure)
    let count = model.count
    #expect(count >= 4)
    for index in 0..<count {
      for fault in VirtualCard.Fault.allCases {
        (model, procedure, key) = try Self.card(way)
        try procedure.authenticate(1, .factory(.aes), by: .ev2First)
        model.setFault((index, fault))
        let receipt = try? transaction(&procedure)
        let place = "\(fault) at \(index)"
        if let receipt {
          #expect(try receipt.isValid(key: key, uid: way.model.defaultUID), "\(place)")
        }
        model.setFault()
        model.restart()
        procedure = model.procedure(way.generation)
        try procedure.select(Way.application)
        try procedure.authenticate(1, .factory(.aes), by: .ev2First)
        let value = try procedure.value(3)
        let number = try procedure.transactionMAC(7).counter
        #expect((value, number) == (50, 0) || (value, number) == (42, 1), "\(place)")
        #expect(receipt == nil || value == 42, "\(place)")
      }
    }
  }

  @Test func wrongArguments() throws {
    var (card, procedure, key) = try Self.card(Self.ways[0])
    let rights = DESFireAccessRights(0x1F10)
    func refuses(_ body: (inout DESFireProcedure) throws -> Void) {
      card.setFault()
      #expect(throws: NFCError.self) { try body(&procedure) }
      #expect(card.count == 0)
    }
    refuses { try $0.createTransactionMACFile(8, .plain, rights, .factory(.des)) }
    refuses { try $0.createTransactionMACFile(8, .plain, DESFireAccessRights(0x1110), key) }
    refuses { _ = try $0.commitSigned(reader: nil) }
    procedure.state.session = nil
    refuses { try $0.createTransactionMACFile(8, .plain, rights, key) }
    card.setFault()
    #expect(throws: NFCError.self) { try procedure.transactionMAC(1) }
    (card, procedure, key) = try Self.card(Self.ways[0])
    try procedure.deleteFile(7)
    try procedure.authenticate(1, .factory(.aes), by: .ev2First)
    try procedure.beginSigning()
    try procedure.changeValue(3, .debit(5))
    #expect(throws: NFCError.self) { try procedure.commitSigned(reader: Self.reader) }
  }
}
