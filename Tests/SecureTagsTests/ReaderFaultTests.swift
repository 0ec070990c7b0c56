import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests each change through libnfc and PC/SC with a fault at each frame, or with each answer changed.
/// The card has either its old or its new content in the next session, and an answer that the card did
/// not send is refused.
@Suite(.asking(.configurationLock)) struct ReaderFaultTests {
  private static let applicationIdentifier = DESFireApplicationIdentifier(0x12_3456) ?? .card
  private static let rights = DESFireAccessRights(
    read: .key(1), write: .key(1), readWrite: .key(1), change: .key(0))
  private static let name = [UInt8](repeating: 6, count: 16)

  private static func key(_ byte: UInt8) throws -> DESFireKey {
    try DESFireKey(.aes, bytes: [UInt8](repeating: byte, count: 16), version: byte)
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let model: DESFireModel
    /// The key of the preceding authentication.
    let keyNumber: Int
    /// Whether the card signs its transactions.
    let isSigned: Bool
    /// The number of answers at the beginning that report that there is nothing to do, which no MAC
    /// protects.
    let unprotectedAnswers: Int
    let body: @Sendable (DESFireApplication) async throws -> Void

    init(
      _ testDescription: String, _ model: DESFireModel = .ev2, keyNumber: Int = 0,
      isSigned: Bool = true, unprotectedAnswers: Int = 0,
      _ body: @escaping @Sendable (DESFireApplication) async throws -> Void
    ) {
      self.testDescription = testDescription
      self.model = model
      self.keyNumber = keyNumber
      self.isSigned = isSigned
      self.unprotectedAnswers = unprotectedAnswers
      self.body = body
    }
  }

  private static func sign(_ application: DESFireApplication, isLRP: Bool) async throws {
    let receipt = try await application.signedTransaction(reader: name) {
      try await $0.changeValue(file: 3, .debit(7))
    }
    // With LRP, the session keys of codes are different, and no public source has an example.
    guard !isLRP else { return }
    #expect(try receipt.isValid(key: key(9), uid: DESFireModel.ev2.defaultUID))
  }

  static let changes = [
    Change("other key") { try await $0.changeKey(1, from: .factory(.aes), to: key(3)) },
    Change("own key") { try await $0.changeKey(0, to: key(3)) },
    Change("file settings") {
      try await $0.changeFileSettings(3, communication: .plain, rights: rights)
    },
    Change("value", keyNumber: 1, isSigned: false) { application in
      try await application.transaction { try await $0.changeValue(file: 3, .debit(7)) }
    },
    Change("signed transaction", keyNumber: 1, unprotectedAnswers: 1) {
      try await sign($0, isLRP: false)
    },
    Change("no transaction MAC") { try await $0.deleteFile(7) },
    Change("key set", .ev3) { application in
      try await application.initializeKeySet(1)
      for number in 0...1 {
        try await application.changeKey(number, ofSet: 1, from: .factory(.aes), to: key(3))
      }
      try await application.finalizeKeySet(1, version: 2)
      try await application.rollKeySet(1)
    },
    Change("other key by LRP", .light) {
      try await $0.changeKey(1, from: .factory(.aes), to: key(3))
    },
    Change("own key by LRP", .light) { try await $0.changeKey(0, to: key(3)) },
    Change("file settings by LRP", .light) {
      try await $0.changeFileSettings(3, communication: .plain, rights: rights)
    },
    Change("signed transaction by LRP", .light, keyNumber: 1, unprotectedAnswers: 1) {
      try await sign($0, isLRP: true)
    },
  ]

  // MARK: Faults

  @Test(arguments: ReaderBench.Kind.allCases, changes)
  func everyFrame(_ kind: ReaderBench.Kind, _ change: Change) async throws {
    var bench = try await CardBench(kind, change)
    let (before, after) = try await bench.contents()
    #expect(before != after)
    let count = bench.frames
    #expect(count >= 1)
    for trouble in ReaderBench.Trouble.allCases {
      for moment in 0..<count {
        let application = try await bench.opened()
        bench.reader.setTrouble(trouble, moment)
        let error = await failure { try await change.body(application) }
        let content = try await bench.content()
        let place: Comment = "\(trouble) at \(moment)"
        #expect(content == after || error != nil && content == before, place)
      }
    }
    await bench.reader.close()
  }

  @Test(arguments: ReaderBench.Kind.allCases, changes)
  func everyAnswer(_ kind: ReaderBench.Kind, _ change: Change) async throws {
    var bench = try await CardBench(kind, change)
    let (before, after) = try await bench.contents()
    // The check of a length does not depend on the reader.
    let changes: [TamperedCard<DESFire>.Change] =
      kind == .libnfc ? AnswerChange.allCases : [.replayed, .codeChanged]
    for tampering in changes {
      for moment in 0..<bench.answers {
        let application = try await bench.opened()
        bench.tamper(tampering, at: moment)
        let error = await failure { try await change.body(application) }
        let hasChanged = bench.hasChanged
        let content = try await bench.content()
        let place: Comment = "\(tampering) at \(moment): \(error.map { "\($0)" } ?? "nothing")"
        #expect(content == after || error != nil && content == before, place)
        #expect(hasChanged == (error != nil) || moment < change.unprotectedAnswers, place)
      }
    }
    await bench.reader.close()
  }

  /// A read returns the card's data or an error.
  @Test(arguments: ReaderBench.Kind.allCases, [DESFireModel.ev2, .light])
  func everyAnswerToReading(_ kind: ReaderBench.Kind, _ model: DESFireModel) async throws {
    var bench = try await CardBench(
      kind,
      Change("reading", model, keyNumber: 1) { application in
        let value = try await application.value(file: 3)
        // A transaction has changed the value of a DESFire Light.
        let isLight = model == .light
        let mac = try await application.transactionMAC(file: isLight ? 15 : 7)
        let version = try await application.keyVersion(1)
        #expect(value == 50 && mac.counter & 0xFFFF == (isLight ? 1 : 0) && version == 0)
      })
    let (before, after) = try await bench.contents()
    #expect(before == after && bench.answers >= 3)
    for tampering in TamperedCard<DESFire>.Change.allCases {
      for moment in 0..<bench.answers {
        let application = try await bench.opened()
        bench.tamper(tampering, at: moment)
        let error = await failure { try await bench.change.body(application) }
        let code: NFCError.Code = tampering == .refused ? .notAuthenticated : .tagResponseError
        #expect(bench.hasChanged && error?.code == code, "\(tampering) at \(moment)")
      }
    }
    await bench.reader.close()
  }

  // MARK: MIFARE Plus

  struct PlusChange: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: @Sendable (MIFAREPlusCard) async throws -> Void
  }

  static let plusChanges = [
    PlusChange(testDescription: "block") { try await $0.writeBlock(4, name) },
    PlusChange(testDescription: "block in plain") { try await $0.writeBlock(4, name, .plain) },
    PlusChange(testDescription: "value") { try await $0.changeValue(5, by: 11) },
    PlusChange(testDescription: "key") {
      try await $0.changeKey(
        try #require(MIFAREPlusKeyAddress(sector: 1, isB: true)), to: SecretKey(name))
    },
    PlusChange(testDescription: "reading") { card in
      let (blocks, value) = (try await card.readBlocks(4..<6), try await card.value(5))
      #expect(blocks.count == 32 && value == 100)
    },
  ]

  @Test(arguments: ReaderBench.Kind.allCases, plusChanges)
  func everyAnswerOfPlus(_ kind: ReaderBench.Kind, _ change: PlusChange) async throws {
    let tag = VirtualTag(TamperedCard(MIFAREPlus(), statusSize: 0))
    let bench = try await ReaderBench(kind, tag)
    func card() async throws -> MIFAREPlusCard {
      let found = try await bench.found()
      guard case .miFare(let miFare) = found else { throw NFCError(.wrongTag, "\(found)") }
      let card = try MIFAREPlusCard(miFare)
      try await card.authenticate(sector: 1, SecretKey([UInt8](repeating: 0xFF, count: 16)))
      return card
    }
    try await card().setValue(5, 100)
    let start = try bench.chip(TamperedCard<MIFAREPlus>.self)
    func set(_ tampering: TamperedCard<MIFAREPlus>.Change?, _ index: Int) {
      _ = tag.withChip(TamperedCard<MIFAREPlus>.self) { $0.set(tampering, at: index) }
    }
    let undisturbed = try await card()
    set(nil, 0)
    try await change.body(undisturbed)
    let count = try bench.chip(TamperedCard<MIFAREPlus>.self).count
    let after = tag.memory
    #expect(count >= 1)
    for tampering in TamperedCard<MIFAREPlus>.Change.allCases {
      for moment in 0..<count {
        bench.restore(start)
        let card = try await card()
        set(tampering, moment)
        let error = await failure { try await change.body(card) }
        let place: Comment = "\(tampering) at \(moment)"
        #expect(try bench.chip(TamperedCard<MIFAREPlus>.self).hasChanged, place)
        #expect(error != nil, place)
        #expect([start.memory, after].contains(tag.memory), place)
      }
    }
    await bench.close()
  }
}

extension ReaderFaultTests {
  /// A card on a reader, which is prepared again for each attempt of a change.
  private struct CardBench: Sendable {
    typealias Card = TamperedCard<DESFire>

    let reader: ReaderBench
    let change: Change
    let identifier: DESFireApplicationIdentifier
    private let start: Card
    private(set) var frames = 0
    private(set) var answers = 0

    init(_ kind: ReaderBench.Kind, _ change: Change) async throws {
      self.change = change
      identifier = change.model == .light ? .fixed : applicationIdentifier
      reader = try await ReaderBench(
        kind, VirtualTag(Card(DESFire(change.model, formatted: false), statusSize: 2)))
      let card = try await reader.card()
      if change.model == .light {
        try await Self.prepareFixed(card)
      } else {
        try await Self.prepare(card, change)
      }
      start = try reader.chip(Card.self)
    }

    private static func prepare(_ card: DESFireCard, _ change: Change) async throws {
      let hasSets = change.model == .ev3
      try await card.createApplication(
        DESFireApplicationDescription(
          applicationIdentifier, keyCount: 2, kind: .aes,
          keySets: hasSets ? DESFireKeySets(count: 2, version: 1) : nil))
      let application = card.application(applicationIdentifier)
      try await application.authenticate(0, .factory(.aes))
      try await application.createFile(
        3,
        DESFireFileSettings(
          communication: .encrypted, rights: rights,
          content: .value(
            DESFireValueSettings(lowerLimit: 0, upperLimit: 100, initialValue: 50))))
      guard change.isSigned else { return }
      try await application.createTransactionMACFile(
        7, communication: .authenticated,
        rights: DESFireAccessRights(
          read: .key(1), write: .nobody, readWrite: .key(1), change: .key(0)), key: key(9))
    }

    private static func prepareFixed(_ card: DESFireCard) async throws {
      let application = card.application(.fixed)
      try await application.authenticate(0, .factory(.aes))
      try await application.configureValueFile(
        3, DESFireValueSettings(lowerLimit: 0, upperLimit: 100))
      try await card.switchToLRPPermanently()
      try await application.authenticate(0, .factory(.aes))
      try await application.changeFileSettings(3, communication: .encrypted, rights: rights)
      try await application.authenticate(1, .factory(.aes))
      _ = try await application.signedTransaction(reader: name) {
        try await $0.changeValue(file: 3, .credit(50))
      }
    }

    /// Returns the content before and after the change, and counts frames and answers.
    mutating func contents() async throws -> (before: [String], after: [String]) {
      reader.restore(start)
      let before = try await content()
      let application = try await opened()
      reader.setTrouble(nil, 0)
      tamper(nil, at: 0)
      try await change.body(application)
      (frames, answers) = (reader.exchanges(), try reader.chip(Card.self).count)
      return (before, try await content())
    }

    /// Restores the card and authenticates.
    func opened() async throws -> DESFireApplication {
      reader.restore(start)
      let application = try await reader.card().application(identifier)
      try await application.authenticate(change.keyNumber, .factory(.aes))
      return application
    }

    func tamper(_ tampering: Card.Change?, at index: Int) {
      _ = reader.tag.withChip(Card.self) { $0.set(tampering, at: index) }
    }

    var hasChanged: Bool { reader.tag.withChip(Card.self) { $0.hasChanged } ?? false }

    /// Returns the content that a new session sees, with whichever keys are valid.
    func content() async throws -> [String] {
      reader.restore()
      tamper(nil, at: 0)
      let application = try await reader.card().application(identifier)
      var facts: [String] = []
      for number in [1, 0] {
        do {
          try await application.authenticate(number, .factory(.aes))
        } catch let error as NFCError where error.code == .authenticationFailed {
          try await application.authenticate(number, key(3))
          facts.append("another key \(number)")
        }
        // Key 1 can read, and key 0 can read the settings.
        if number == 1 {
          facts.append("\(try await application.value(file: 3))")
        } else {
          facts.append("\(try await application.files().sorted())")
          facts.append("\(try await application.fileSettings(3))")
        }
      }
      return facts
    }
  }
}
