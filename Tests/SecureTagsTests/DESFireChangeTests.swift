import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

extension DESFire: ChangeableChip {
  var content: DESFireContent { DESFireContent(self) }
  static var statusSize: Int { 2 }
  static var unprotectedAnswers: Int { 2 }
  static func card(_ tag: DetectedTag) async throws -> DESFireCard { try await DESFireCard(tag) }
}

/// Tests each change of a DESFire with every fault at every exchange, through libnfc and PC/SC; those that
/// `ReaderFaultTests` has are left out.
@Suite struct DESFireChangeTests {
  typealias Change = CardChange<DESFire>

  /// A way to authenticate, and the card that supports it.
  struct Method: Sendable {
    let name: String
    let model: DESFireModel
    let kind: DESFireKey.Kind
    let command: DESFireAuthentication?

    static let legacy = Method(name: "legacy", model: .ev1, kind: .des, command: .legacy)
    static let iso = Method(name: "ISO", model: .ev1, kind: .des, command: .iso)
    static let three = Method(name: "3K3DES", model: .ev1, kind: .threeKeyTripleDES, command: nil)
    static let aes = Method(name: "AES", model: .ev1, kind: .aes, command: nil)
    static let ev2 = Method(name: "EV2", model: .ev2, kind: .aes, command: nil)
    static let ev3 = Method(name: "EV2 of EV3", model: .ev3, kind: .aes, command: nil)

    var factory: DESFireKey { .factory(kind) }
    var newBytes: [UInt8] {
      (1...(kind == .threeKeyTripleDES ? 24 : 16)).map { UInt8($0 * 6 + 4) }
    }
    var new: DESFireKey {
      get throws { try DESFireKey(kind, bytes: newBytes, version: kind == .aes ? 0x42 : nil) }
    }
  }

  private static let number = DESFireApplicationIdentifier(0x12_3456) ?? .card
  private static let rights = DESFireAccessRights(
    read: .key(0), write: .key(0), readWrite: .key(0), change: .key(0))
  private static let cardKeyBytes = (1...16).map { UInt8($0 * 7 + 9) }
  private static let data = (0..<90).map { UInt8($0 + 0x30) }

  private static func file(
    _ content: DESFireFileSettings.Content,
    _ communication: DESFireCommunication = .encrypted
  ) -> DESFireFileSettings {
    DESFireFileSettings(communication: communication, rights: rights, content: content)
  }

  private static let value = DESFireFileSettings.Content.value(
    DESFireValueSettings(
      lowerLimit: 0, upperLimit: 100, initialValue: 50, allowsLimitedCredit: true))
  private static let records = DESFireRecordSettings(recordSize: 20, maximumCount: 3)
  private static let messaging = NTAG424DynamicMessaging(
    identity: .encrypted(key: 1, offset: 0, hasUID: true, hasCounter: true),
    authentication: .init(key: 2, inputOffset: 40, offset: 40))

  // MARK: Programs that can be repeated

  /// Runs `body`, which has been done before if the card answers with this status.
  private static func unless(_ status: UInt8, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as NFCError where error.cause == .desfireStatus(status) {
      // It was done in an earlier run.
    }
  }

  /// The number of exchanges that select an application and authenticate.
  private static let authentication = 3
  private static let duplicate: UInt8 = 0xDE
  private static let noApplication: UInt8 = 0xA0
  private static let noFile: UInt8 = 0xF0

  private static func opened(_ card: DESFireCard, _ method: Method) async throws
    -> DESFireApplication
  {
    let application = card.application(number)
    try await application.authenticate(0, method.factory, by: method.command)
    return application
  }

  private static func root(_ card: DESFireCard) async throws -> DESFireApplication {
    try await card.root.authenticate(0, .factory(.des))
    return card.root
  }

  /// A change in an application with these files.
  private static func change(
    _ name: String, _ method: Method, files: [Int: DESFireFileSettings] = [:],
    newKey: [UInt8]? = nil, isInterruptible: Bool = false,
    _ run: @escaping @Sendable (DESFireApplication) async throws -> Void
  ) -> Change {
    Change(
      "\(name), \(method.name)", DESFire(method.model, formatted: false), newKey: newKey,
      isProtected: method.command != .legacy, isInterruptible: isInterruptible,
      first: newKey == nil ? authentication : 0,
      prepare: { card in
        try await card.createApplication(
          DESFireApplicationDescription(number, keyCount: 3, kind: method.kind, namesFiles: false))
        let application = try await opened(card, method)
        for (file, settings) in files.sorted(by: { $0.key < $1.key }) {
          try await application.createFile(file, settings)
        }
      }, { try await run(opened($0, method)) })
  }

  /// A change of the card itself, which has an application.
  private static func cardChange(
    _ name: String, _ model: DESFireModel = .ev1, newKey: [UInt8]? = nil,
    _ run: @escaping @Sendable (DESFireCard) async throws -> Void
  ) -> Change {
    Change(
      name, DESFire(model, formatted: false), newKey: newKey,
      first: newKey == nil ? authentication : 0,
      prepare: { card in
        try await card.createApplication(
          DESFireApplicationDescription(number, keyCount: 1, kind: .aes))
        // An application that is created before the default key is set has another key.
        try await card.endSession()
      }, run)
  }

  // MARK: Changes

  static let ofCard = [
    cardChange("application created") { card in
      _ = try await root(card)
      try await unless(duplicate) {
        try await card.createApplication(
          DESFireApplicationDescription(
            DESFireApplicationIdentifier(7) ?? .card, keyCount: 2, kind: .threeKeyTripleDES,
            isoIdentifier: 0xDF01, name: [0xA0, 1, 2, 3, 4], namesFiles: true))
      }
    },
    cardChange("application with key sets created", .ev3) { card in
      _ = try await root(card)
      try await unless(duplicate) {
        try await card.createApplication(
          DESFireApplicationDescription(
            DESFireApplicationIdentifier(7) ?? .card, keyCount: 2, kind: .aes,
            keySets: DESFireKeySets(count: 2)))
      }
    },
    cardChange("application deleted") { card in
      _ = try await root(card)
      try await unless(noApplication) { try await card.deleteApplication(number) }
    },
    cardChange("application deleted with its own key", .ev2) { card in
      let application = card.application(number)
      try await unless(noApplication) {
        try await application.authenticate(0, .factory(.aes))
        try await application.deletePermanently()
      }
    },
    cardChange("formatted") { card in
      _ = try await root(card)
      try await card.formatPermanently()
    },
    cardChange("default key", newKey: cardKeyBytes) { card in
      _ = try await root(card)
      try await card.setDefaultKey(DESFireKey(.aes, bytes: cardKeyBytes, version: 3))
    },
    cardChange("random UID", .ev2) { card in
      _ = try await root(card)
      try await card.perform(
        try card.configurationPlan([.showsRandomUID]), accepting: [.showsRandomUID])
    },
    cardChange("never formatted", .ev3) { card in
      _ = try await root(card)
      try await card.perform(
        try card.configurationPlan([.disablesFormatting]), accepting: [.disablesFormatting])
    },
    cardChange("card's key settings") {
      try await root($0).changeKeySettings(DESFireKeySettings(listsFreely: false))
    },
    cardChange("card's key of another kind", newKey: cardKeyBytes) { card in
      let new = try DESFireKey(.aes, bytes: cardKeyBytes, version: 3)
      do {
        try await root(card).changeKey(0, to: new)
      } catch let error as NFCError where error.code == .authenticationFailed {
        try await card.root.authenticate(0, new)
      }
    },
  ]

  static let ofKeys = [Method.legacy, .iso, .three, .aes, .ev3].flatMap { method in
    [
      change("own key", method, newKey: method.newBytes) { application in
        try await application.changeKey(0, to: method.new)
      }.repeated { card in
        try await card.application(number).authenticate(0, method.new, by: method.command)
      },
      change("other key", method, newKey: method.newBytes) { application in
        do {
          try await application.changeKey(1, from: method.factory, to: method.new)
        } catch let error as NFCError where error.group == .refusal {
          try await application.authenticate(1, method.new, by: method.command)
        }
      },
    ]
  }

  static let ofApplication = [
    change("key settings", .three) {
      try await $0.changeKeySettings(DESFireKeySettings(createsFreely: false))
    },
    change("key settings", .ev2) {
      try await $0.changeKeySettings(DESFireKeySettings(keyChange: .sameKey))
    },
    change("key settings, legacy", .legacy) {
      try await $0.changeKeySettings(DESFireKeySettings(createsFreely: false))
    },
    change("file settings", .three, files: [1: file(.standardData(size: 90))]) {
      try await $0.changeFileSettings(1, communication: .plain, rights: rights)
    },
    change("file settings", .legacy, files: [1: file(.standardData(size: 90))]) {
      try await $0.changeFileSettings(1, communication: .plain, rights: rights)
    },
    change("dynamic messages", .ev3) {
      try await $0.setDynamicMessaging(messaging, file: 2)
    }.prepared { card in
      try await opened(card, .ev3).createFile(
        2, file(.standardData(size: 90)), allowsDynamicMessaging: true)
    },
    change("file for dynamic messages created", .ev3) { application in
      try await unless(duplicate) {
        try await application.createFile(
          9, file(.standardData(size: 90)), allowsDynamicMessaging: true)
      }
    },
    created("standard file", .standardData(size: 90), .aes),
    created("backup file", .backupData(size: 20), .legacy),
    created("value file", value, .ev2),
    created("list", .linearRecords(records), .three),
    created("cyclic records", .cyclicRecords(records), .ev3),
    change("transaction MAC file", .ev2) { application in
      try await unless(duplicate) {
        try await application.createTransactionMACFile(
          9,
          rights: DESFireAccessRights(
            read: .key(0), write: .nobody, readWrite: .key(0), change: .key(0)),
          key: Method.ev2.new)
      }
    },
    change(
      "file deleted", .legacy, files: [1: file(.standardData(size: 90))]
    ) { application in
      try await unless(noFile) { try await application.deleteFile(1) }
    },
    change(
      "file deleted", .ev2, files: [1: file(.standardData(size: 90))]
    ) { application in
      try await unless(noFile) { try await application.deleteFile(1) }
    },
  ]

  private static func created(
    _ name: String, _ content: DESFireFileSettings.Content, _ method: Method
  ) -> Change {
    change("\(name) created", method) { application in
      try await unless(duplicate) { try await application.createFile(9, file(content)) }
    }
  }

  static let ofFiles =
    [
      (Method.legacy, DESFireCommunication.encrypted), (.legacy, .authenticated), (.iso, .plain),
      (.three, .encrypted), (.aes, .authenticated), (.ev2, .encrypted), (.ev3, .authenticated),
    ].map { method, communication in
      change(
        "data \(communication)", method,
        files: [1: file(.standardData(size: 90), communication)], isInterruptible: true
      ) { try await $0.writeData(file: 1, data) }
    } + [
      change("backup data", .legacy, files: [2: file(.backupData(size: 90))]) { application in
        try await application.transaction { try await $0.writeData(file: 2, data) }
      },
      change("backup data", .three, files: [2: file(.backupData(size: 90))]) { application in
        try await application.transaction { try await $0.writeData(file: 2, data) }
      },
      change("credit", .aes, files: [3: file(value)]) { application in
        guard try await application.value(file: 3) == 50 else { return }
        try await application.transaction { try await $0.changeValue(file: 3, .credit(9)) }
      },
      change("debit", .legacy, files: [3: file(value)]) { application in
        guard try await application.value(file: 3) == 50 else { return }
        try await application.transaction { try await $0.changeValue(file: 3, .debit(9)) }
      },
      change("record", .three, files: [4: file(.linearRecords(records))]) { application in
        guard try await application.readRecords(file: 4).isEmpty else { return }
        try await application.transaction { try await $0.writeRecord(file: 4, [1, 2, 3]) }
      },
      change("record", .ev2, files: [5: file(.cyclicRecords(records))]) { application in
        guard try await application.readRecords(file: 5).isEmpty else { return }
        try await application.transaction { try await $0.writeRecord(file: 5, [1, 2, 3]) }
      },
    ]

  /// Limited credit and clearing, for which something has to be there.
  static let ofFilled = [
    change("limited credit", .iso, files: [3: file(value)]) { application in
      guard try await application.value(file: 3) == 40 else { return }
      try await application.transaction { try await $0.changeValue(file: 3, .limitedCredit(4)) }
    }.prepared { card in
      let application = try await opened(card, .iso)
      try await application.transaction { try await $0.changeValue(file: 3, .debit(10)) }
    },
    change("record changed", .ev2, files: [4: file(.linearRecords(records))]) { application in
      guard try await application.readRecords(file: 4).first?.first == 1 else { return }
      try await application.transaction { try await $0.updateRecord(file: 4, [7, 8]) }
    }.prepared { card in
      let application = try await opened(card, .ev2)
      try await application.transaction { try await $0.writeRecord(file: 4, [1, 2, 3]) }
    },
    change("records cleared", .aes, files: [4: file(.linearRecords(records))]) { application in
      guard try await !application.readRecords(file: 4).isEmpty else { return }
      try await application.transaction { try await $0.clearRecords(file: 4) }
    }.prepared { card in
      let application = try await opened(card, .aes)
      try await application.transaction { try await $0.writeRecord(file: 4, [1, 2, 3]) }
    },
  ]

  /// The chips whose files are fixed.
  static let ofFixed = [
    Change("switch to LRP", DESFire(.light, formatted: false)) { card in
      try await card.application(.fixed).authenticate(0, .factory(.aes))
      do {
        try await card.switchToLRPPermanently()
      } catch let error as NFCError where error.code == .invalidParameter {
        // The authentication has shown that it was done.
      }
    },
    Change("limits of a value", DESFire(.light, formatted: false)) { card in
      let application = card.application(.fixed)
      try await application.authenticate(0, .factory(.aes))
      try await application.configureValueFile(
        3, DESFireValueSettings(lowerLimit: 0, upperLimit: 70, initialValue: 5))
    },
    Change("file of an NTAG 413", DESFire(.ntag413, formatted: false)) { card in
      let application = card.application(.fixed)
      try await application.authenticate(0, .factory(.aes))
      try await application.changeFileSettings(2, communication: .authenticated, rights: rights)
    },
    Change(
      "key of an NTAG 413", DESFire(.ntag413, formatted: false), newKey: Method.ev2.newBytes
    ) { card in
      let application = card.application(.fixed)
      do {
        try await application.authenticate(0, .factory(.aes))
        try await application.changeKey(0, to: Method.ev2.new)
      } catch let error as NFCError where error.code == .authenticationFailed {
        try await application.authenticate(0, Method.ev2.new)
      }
    },
  ]

  // MARK: Refusals

  /// A refusal has no MAC. If it replaces an answer, it is an error, the authentication is lost, and no
  /// further command is sent as if there were one. A success without a MAC is refused, too.
  @Test(
    arguments: ReaderBench.Kind.allCases,
    [Method.iso, .three, .aes, .ev2, .ev3]
      .flatMap { method in [TamperedCard<DESFire>.Change.refused, .bare].map { (method, $0) } })
  func aFalseStatusEndsTheSession(
    _ kind: ReaderBench.Kind, _ row: (method: Method, change: TamperedCard<DESFire>.Change)
  ) async throws {
    let tag = VirtualTag(
      TamperedCard(DESFire(row.method.model, formatted: false), statusSize: DESFire.statusSize))
    let reader = try await ReaderBench(kind, tag)
    let card = try await reader.card()
    try await card.createApplication(
      DESFireApplicationDescription(Self.number, keyCount: 3, kind: row.method.kind))
    let application = try await Self.opened(card, row.method)
    tag.withChip(TamperedCard<DESFire>.self) { $0.set(row.change, at: 0) }
    let error = await failure {
      try await application.changeKey(1, from: row.method.factory, to: row.method.new)
    }
    #expect(error?.code == (row.change == .refused ? .notAuthenticated : .tagResponseError))
    reader.setTrouble(nil, 0)
    let next = await failure {
      try await application.changeKey(2, from: row.method.factory, to: row.method.new)
    }
    #expect(next?.code == .notAuthenticated && reader.exchanges() <= 1)
    // The card has done what it seemed to refuse.
    try await application.authenticate(1, row.method.new, by: row.method.command)
    await reader.close()
  }

  // MARK: Tests

  @Test(.asking(.configurationLock), arguments: ReaderBench.Kind.allCases, ofCard + ofFixed)
  func cards(_ kind: ReaderBench.Kind, _ change: Change) async throws {
    try await ChangeRun(kind, change).everyFault()
  }

  @Test(arguments: ReaderBench.Kind.allCases, ofKeys)
  func keys(_ kind: ReaderBench.Kind, _ change: Change) async throws {
    try await ChangeRun(kind, change).everyFault()
  }

  @Test(arguments: ReaderBench.Kind.allCases, ofApplication)
  func applications(_ kind: ReaderBench.Kind, _ change: Change) async throws {
    try await ChangeRun(kind, change).everyFault()
  }

  @Test(arguments: ReaderBench.Kind.allCases, ofFiles + ofFilled)
  func files(_ kind: ReaderBench.Kind, _ change: Change) async throws {
    try await ChangeRun(kind, change).everyFault()
  }
}

extension CardChange<DESFire> {
  /// The same change, which was done if a wrong key is reported and `check` succeeds.
  fileprivate func repeated(
    _ check: @escaping @Sendable (DESFireCard) async throws -> Void
  ) -> CardChange {
    let run = run
    return CardChange(
      testDescription, chip(), newKey: newKey, isProtected: isProtected, isStepwise: isStepwise,
      first: first,
      prepare: prepare,
      { card in
        do {
          try await run(card)
        } catch let error as NFCError where error.code == .authenticationFailed {
          try await check(card)
        }
      })
  }

  /// The same change on a card for which more was done before.
  fileprivate func prepared(
    _ more: @escaping @Sendable (DESFireCard) async throws -> Void
  ) -> CardChange {
    let prepare = prepare
    return CardChange(
      testDescription, chip(), newKey: newKey, isProtected: isProtected, isStepwise: isStepwise,
      first: first,
      prepare: { card in
        try await prepare(card)
        try await more(card)
      }, run)
  }
}
