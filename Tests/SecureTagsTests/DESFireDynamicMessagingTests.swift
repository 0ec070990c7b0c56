import NFC
import SwiftNFCCore
import SUNMessage
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests Secure Dynamic Messaging of a DESFire EV3: its settings, and messages that `SUNMessage` verifies.
@Suite(.replayed) struct DESFireDynamicMessagingTests {
  private static let way = Way(model: .ev3, generation: .ev3, method: .ev2First, kind: .aes)
  private static let rights = DESFireAccessRights(
    read: .everyone, write: .key(0), readWrite: .key(0), change: .key(0))

  private static func settings(
    _ rights: DESFireAccessRights = rights, size: Int = 256
  ) -> DESFireFileSettings {
    DESFireFileSettings(communication: .plain, rights: rights, content: .standardData(size: size))
  }

  private static func key(_ byte: UInt8) throws -> DESFireKey { try aes(byte) }

  /// A card with an NDEF application of five keys, 1 and 2 of which are others, and a file for messages.
  static func card() throws -> (VirtualCard, DESFireProcedure) {
    let card = VirtualCard(DESFire(way.model, formatted: false))
    var procedure = card.procedure(way.generation)
    try procedure.select(.card)
    try procedure.createApplication(
      DESFireApplicationDescription(
        Way.application, keyCount: 5, kind: .aes, isoIdentifier: 0xE110,
        name: hex("D2760000850101"), namesFiles: true))
    try procedure.select(Way.application)
    try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    for number in UInt8(1)...2 {
      try procedure.changeKey(number, from: .factory(.aes), to: key(number), isCard: false)
    }
    try procedure.createFile(
      2, settings(), isoIdentifier: 0xE104, allowsDynamicMessaging: true)
    return (card, procedure)
  }

  private static func enable(
    _ messaging: NTAG424DynamicMessaging?, _ procedure: inout DESFireProcedure
  ) throws {
    let old = try procedure.fileSettings(2)
    var new = old
    new.dynamicMessaging = messaging
    try procedure.changeFileSettings(2, from: old, to: new)
  }

  // MARK: Settings

  /// The answer of an EV3 card as AndroidCrypto's program shows it, with the command that set it.
  @Test func anAnswerOfACard() throws {
    let bytes = try hex("0040 00E0 000100 D1 F111 2A0000 4F0000 4F0000 200000 750000")
    let settings = try DESFireFileSettings(bytes)
    #expect(settings.size == 256 && settings.communication == .plain)
    #expect(settings.rights == Self.rights)
    let messaging = try #require(settings.dynamicMessaging)
    #expect(messaging.identity == .encrypted(key: 1, offset: 42, hasUID: true, hasCounter: true))
    #expect(
      messaging.authentication
        == .init(key: 1, inputOffset: 79, offset: 117, fileData: 79..<111))
    #expect(messaging.counterRetrieval == .key(1) && messaging.counterLimit == nil)
    #expect(
      try settings.encoded == hex("40 00E0 D1 F111 2A0000 4F0000 4F0000 200000 750000"))
    for count in 8..<bytes.count {
      #expect(throws: NFCError.self) { try DESFireFileSettings(Array(bytes.prefix(count))) }
    }
    // A file that was only created for it.
    let empty = try DESFireFileSettings(Array(bytes.prefix(7)))
    #expect(empty.dynamicMessaging == nil && empty.size == 256)
    let without = try DESFireFileSettings(hex("0040 00E0 000100 01 FFFF"))
    #expect(without.dynamicMessaging?.identity == NTAG424DynamicMessaging.Identity.none)
  }

  /// Additional rights and SDM, in either order; only the order of ChangeFileSettings is known.
  @Test func bothInAnAnswer() throws {
    let (rights, dynamic) = ("02 1F11 2F22", "C1 F121 200000 430000 430000")
    for order in ["\(rights) \(dynamic)", "\(dynamic) \(rights)"] {
      let bytes = try hex("00C0 00E0 000100 \(order)")
      let settings = try DESFireFileSettings(bytes)
      #expect(settings.additionalRights.map(\.bits) == [0x111F, 0x222F])
      #expect(settings.dynamicMessaging?.authentication?.offset == 67)
      #expect(try settings.encoded == hex("C0 00E0 \(rights) \(dynamic)"))
      for count in 8..<bytes.count where !(order.hasPrefix("02") && count == 12) {
        #expect(throws: NFCError.self, "\(count) bytes") {
          try DESFireFileSettings(Array(bytes.prefix(count)))
        }
      }
      // A file with additional rights that was only created for it.
      let prepared = try DESFireFileSettings(hex("00C0 00E0 000100 \(rights)"))
      #expect(prepared.additionalRights.count == 2 && prepared.dynamicMessaging == nil)
    }
  }

  /// The limit of transactions, which a change of a transaction MAC file's rights keeps (NXP's reader library).
  @Test func transactionLimit() throws {
    let bytes = try hex("0521 0FF1 02 07 10270000")
    let settings = try DESFireFileSettings(bytes)
    #expect(settings.content == .transactionMAC(keyVersion: 7))
    #expect(settings.transactionLimit == 10_000 && settings.communication == .authenticated)
    #expect(try settings.encoded == hex("21 0FF1 10270000"))
    for count in 1..<bytes.count {
      #expect(throws: NFCError.self) { try DESFireFileSettings(Array(bytes.prefix(count))) }
    }
    #expect(try DESFireFileSettings(hex("0501 0FF1 02 07")).transactionLimit == nil)
  }

  /// A change of rights keeps SDM, a change of SDM keeps everything else.
  @Test func nothingIsLost() throws {
    var (_, procedure) = try Self.card()
    let link = try NTAG424Link("https://a.example/?p={picc}&c={mac}") { $0.counterLimit = 90 }
    let sets = (1...7).map { DESFireAccessRights(UInt16(0xF0FF) | UInt16($0 % 3) << 8) }
    try procedure.changeFileSettings(
      2, communication: .plain, rights: Self.rights, additionalRights: sets)
    try Self.enable(link.dynamicMessaging, &procedure)
    let first = try procedure.fileSettings(2)
    #expect(first.dynamicMessaging == link.dynamicMessaging)
    #expect(first.additionalRights == sets && first.rights == Self.rights)
    var rights = Self.rights
    rights.write = .nobody
    try procedure.changeFileSettings(2, communication: .authenticated, rights: rights)
    let second = try procedure.fileSettings(2)
    #expect(second.dynamicMessaging == link.dynamicMessaging)
    #expect(second.additionalRights == sets && second.rights == rights)
    #expect(second.communication == .authenticated)
    try Self.enable(nil, &procedure)
    let third = try procedure.fileSettings(2)
    #expect(third.dynamicMessaging == nil && third.additionalRights == sets)
  }

  /// The settings are sent in all sessions, and in none if everyone may change them.
  @Test(arguments: [DESFireAuthentication.aes, .ev2First, nil])
  func everySession(_ method: DESFireAuthentication?) throws {
    var (_, procedure) = try Self.card()
    var rights = Self.rights
    rights.change = method == nil ? .everyone : .key(0)
    try procedure.changeFileSettings(2, communication: .plain, rights: rights)
    procedure.state.forget()
    try procedure.select(Way.application)
    if let method { try procedure.authenticate(0, .factory(.aes), by: method) }
    for text in ["https://a.example/?p={picc}&e={enc}&c={mac}", "http://a.example/{ctr}/{mac}"] {
      let link = try NTAG424Link(text)
      try Self.enable(link.dynamicMessaging, &procedure)
      #expect(try procedure.fileSettings(2).dynamicMessaging == link.dynamicMessaging)
    }
  }

  // MARK: Messages

  /// The message of an EV3 card of AndroidCrypto's author (UID, counter and file data as its server shows them), with
  /// the keys on delivery.
  @Test func aMessageOfACard() throws {
    let message = try SUNMessage(
      url: "https://sdm.nfcdeveloper.com/tag?picc_data=7611174D92F390458FF7E15ACFD2579F"
        + "&enc=F9FB7442DB2E0BE631CD4E3BCF74276E&cmac=69784EF122D0CB5F")
    let reading = try message.verified(metaReadKey: sunKey(0), fileReadKey: sunKey(0))
    #expect(reading.uid == (try hex("04514032501490")) && reading.readCounter == 82)
    #expect(reading.fileData == Array("0102030405060708".utf8))
  }

  struct Form: Sendable, CustomTestStringConvertible {
    let template: String
    var fileData = ""
    var testDescription: String { template }
  }

  /// Links that the virtual card signs when its file is read by a native command.
  @Test(arguments: [
    Form(template: "https://a.example/?p={picc}&c={mac}"),
    Form(template: "http://a.example/{uid}/{counter}/{mac}"),
    Form(template: "https://a.example/?p={picc}&e={enc}&c={mac}", fileData: "Good-morning"),
  ])
  func messages(_ form: Form) throws {
    var (card, procedure) = try Self.card()
    let link = try NTAG424Link(form.template) { $0.fileData = Array(form.fileData.utf8) }
    try procedure.writeData(2, offset: 0, link.file)
    try Self.enable(link.dynamicMessaging, &procedure)
    // In a session, the file is as it was written.
    #expect(try procedure.readData(2, offset: 0, count: link.file.count) == link.file)
    #expect(throws: NFCError.self) { try procedure.readCounter(2) }
    try procedure.authenticate(1, Self.key(1), by: .ev2First)
    #expect(try procedure.readCounter(2) == 0)
    for count in UInt32(1)...3 {
      card.restart()
      procedure.state.forget()
      try procedure.select(Way.application)
      let file = try procedure.readData(2, offset: 0, count: link.file.count)
      let message = try NDEFMessage(decoding: Array(file.dropFirst(2)))
      let text = try URIRecord(#require(message.records.first)).uri
      let read = try SUNMessage(url: text, template: link.template)
      let reading = try read.verified(metaReadKey: sunKey(2), fileReadKey: sunKey(1))
      #expect(reading.uid == DESFireModel.ev3.defaultUID && reading.readCounter == count)
      #expect(reading.fileData?.starts(with: form.fileData.utf8) ?? form.fileData.isEmpty)
      #expect(throws: SUNError.self) {
        try read.verified(metaReadKey: sunKey(2), fileReadKey: sunKey(3))
      }
    }
    try procedure.authenticate(1, Self.key(1), by: .ev2First)
    #expect(try procedure.readCounter(2) == 3)
  }

  @Test func limit() throws {
    var (card, procedure) = try Self.card()
    let link = try NTAG424Link("https://a.example/?p={picc}&c={mac}") { $0.counterLimit = 2 }
    try Self.enable(link.dynamicMessaging, &procedure)
    for count in 1...3 {
      card.restart()
      procedure.state.forget()
      try procedure.select(Way.application)
      if count < 3 {
        #expect(try procedure.readData(2, offset: 0, count: nil).count == 256)
      } else {
        #expect(throws: NFCError.self) { try procedure.readData(2, offset: 0, count: nil) }
      }
    }
  }

  // MARK: Refusals

  /// Other cards and files are refused before anything is sent; a file that was not created for it, by the card.
  @Test func refusals() throws {
    var (card, procedure) = try Self.card()
    let messaging = try NTAG424Link("https://a.example/?p={picc}&c={mac}").dynamicMessaging
    card.setFault()
    var dynamic = Self.settings()
    dynamic.dynamicMessaging = messaging
    for (settings, code) in [
      (dynamic, NFCError.Code.invalidParameter),
      (
        DESFireFileSettings(
          communication: .plain, rights: Self.rights, content: .backupData(size: 8)),
        .invalidParameter
      ),
    ] {
      let error = #expect(throws: NFCError.self) {
        try procedure.createFile(3, settings, isoIdentifier: nil, allowsDynamicMessaging: true)
      }
      #expect(error?.code == code)
    }
    for way in Way.all where way.model != .ev3 {
      var (_, procedure) = try ProcedureTests.application(way)
      let error = #expect(throws: NFCError.self) {
        try procedure.createFile(
          3, Self.settings(), isoIdentifier: nil, allowsDynamicMessaging: true)
      }
      #expect(error?.code == .unsupported)
    }
    #expect(card.count == 0)
    #expect(throws: NFCError.self) { try procedure.readCounter(2) }
    try procedure.createFile(3, Self.settings(), isoIdentifier: 0xE105)
    var new = Self.settings()
    new.dynamicMessaging = messaging
    let error = #expect(throws: NFCError.self) {
      try procedure.changeFileSettings(3, from: Self.settings(), to: new)
    }
    #expect(error?.cause == .desfireStatus(0x9D))
    // The refusal has ended the session; another key may not change the settings.
    try procedure.authenticate(1, Self.key(1), by: .ev2First)
    #expect(throws: NFCError.self) { try Self.enable(messaging, &procedure) }
    try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    try Self.enable(messaging, &procedure)
  }

  // MARK: Through libnfc

  /// The public calls, and a message that a program reads which knows only NFC Forum Type 4.
  @Test func throughLibNFC() async throws {
    let bench = try await TagBench(.desfire(.ev3, formatted: false))
    let card = try await DESFireCard(bench.found())
    try await card.createApplication(
      DESFireApplicationDescription(
        Way.application, keyCount: 5, kind: .aes, isoIdentifier: 0xE110,
        name: hex("D2760000850101"), namesFiles: true))
    let application = card.application(Way.application)
    try await application.authenticate(0, .factory(.aes))
    try await application.createFile(
      1,
      DESFireFileSettings(
        communication: .plain, rights: Self.rights, content: .standardData(size: 15)),
      isoIdentifier: 0xE103)
    try await application.writeData(
      file: 1, hex("000F20003B00340406E10401000000"))
    try await application.createFile(
      2, Self.settings(), isoIdentifier: 0xE104, allowsDynamicMessaging: true)
    let link = try NTAG424Link("https://a.example/?p={picc}&c={mac}")
    try await application.writeData(file: 2, link.file)
    try await application.setDynamicMessaging(link.dynamicMessaging, file: 2)
    #expect(
      try await application.fileSettings(2).dynamicMessaging == link.dynamicMessaging)
    var counters: [UInt32] = []
    for _ in 1...2 {
      let message = try await bench.found().ndef?.readNDEF()
      let text = try URIRecord(#require(message?.records.first)).uri
      let reading = try SUNMessage(url: text, template: link.template).verified(
        metaReadKey: sunKey(0), fileReadKey: sunKey(0))
      #expect(reading.uid == DESFireModel.ev3.defaultUID)
      counters.append(try #require(reading.readCounter))
    }
    #expect(counters[0] < counters[1])
    // The longest settings are more than a frame.
    let sets = [DESFireAccessRights](repeating: DESFireAccessRights(0x1FFF), count: 7)
    let largest = try NTAG424Link("https://a.example/?p={picc}&e={enc}&c={mac}") {
      $0.counterLimit = 1000
    }
    let again = try await DESFireCard(bench.found()).application(Way.application)
    try await again.authenticate(0, .factory(.aes))
    try await again.changeFileSettings(
      2, communication: .plain, rights: Self.rights, additionalRights: sets)
    try await again.setDynamicMessaging(largest.dynamicMessaging, file: 2)
    let settings = try await again.fileSettings(2)
    #expect(settings.dynamicMessaging == largest.dynamicMessaging)
    #expect(settings.additionalRights == sets)
    try await again.authenticate(1, .factory(.aes))
    #expect(try await again.readCounter(file: 2) == Int(counters[1]))
    let other = await failure { try await again.setDynamicMessaging(nil, file: 2) }
    #expect(other?.code == .notAuthenticated)
    try await again.authenticate(0, .factory(.aes))
    try await again.setDynamicMessaging(nil, file: 2)
    #expect(try await again.readData(file: 2, count: link.file.count) == link.file)
    let gone = await failure { _ = try await again.readCounter(file: 2) }
    #expect(gone?.code == .unsupported)
    await bench.close()
  }

  /// Locking the NDEF file keeps its messages; additional rights, which it would have to remove, it refuses.
  @Test(.asking(.accessRights)) func locking() async throws {
    let bench = try await TagBench(.desfire(.ev3, formatted: false))
    let card = try await DESFireCard(bench.found())
    try await card.createApplication(
      DESFireApplicationDescription(
        Way.application, keyCount: 5, kind: .aes, isoIdentifier: 0xE110,
        name: hex("D2760000850101"), namesFiles: true))
    let open = DESFireAccessRights(0xEEEE)
    let application = card.application(Way.application)
    try await application.authenticate(0, .factory(.aes))
    for (file, size, name) in [(1, 15, UInt16(0xE103)), (2, 256, 0xE104)] {
      try await application.createFile(
        file, Self.settings(open, size: size), isoIdentifier: name,
        allowsDynamicMessaging: file == 2)
    }
    try await application.writeData(
      file: 1, hex("000F20003B00340406E10401000000"))
    let link = try NTAG424Link("https://a.example/?p={picc}&c={mac}") { $0.counterLimit = 99 }
    try await application.writeData(file: 2, link.file)
    try await application.setDynamicMessaging(link.dynamicMessaging, file: 2)
    let sets = [DESFireAccessRights(0x10FF)]
    try await application.changeFileSettings(
      2, communication: .plain, rights: open, additionalRights: sets)
    let refused = await failure { try await bench.found().ndef?.makeReadOnly() }
    #expect(refused?.code == .unsupported)
    let before = try await DESFireCard(bench.found()).application(Way.application)
    #expect(try await before.fileSettings(2).rights == open)
    #expect(try await before.fileSettings(2).additionalRights == sets)
    try await before.changeFileSettings(
      2, communication: .plain, rights: open, additionalRights: [])
    try await bench.found().ndef?.makeReadOnly()
    let after = try await DESFireCard(bench.found()).application(Way.application)
    let settings = try await after.fileSettings(2)
    #expect(settings.rights == DESFireAccessRights(0xEFFF))
    #expect(settings.dynamicMessaging == link.dynamicMessaging)
    await bench.close()
  }
}
