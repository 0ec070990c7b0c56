import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

/// Tests the state of a tag after a session, for the next program.
@Suite(.replayed) struct SessionEndTests {
  /// A wrapped GetCardUID, which requires a session; it is sent without the driver.
  private static let askForUID: [UInt8] = [0x90, 0x51, 0x00, 0x00, 0x00]
  private static let getVersion: [UInt8] = [0x90, 0x60, 0x00, 0x00, 0x00]
  private static let noSession: [UInt8] = [0x91, 0xAE]

  private nonisolated(nonsending) static func withTag(
    _ tag: VirtualTag,
    _ body: nonisolated(nonsending) (DetectedTag) async throws -> Void
  ) async throws {
    let field = VirtualField()
    field.place(tag)
    let virtual = try VirtualReader(field)
    ReplayedReaders.begin()
    let reader = try await Reader.open(virtual.connectionString)
    for try await found in reader.tags(polling: .iso14443) {
      try await found.connect()
      try await body(found)
      break
    }
    await reader.close()
    virtual.close()
  }

  @Test(arguments: [DESFireModel.ev1, .ev2, .ev3]) func ofACard(_ model: DESFireModel) async throws
  {
    let tag = VirtualTag(DESFire(model, formatted: false))
    try await Self.withTag(tag) { found in
      let card = try await DESFireCard(found)
      try await card.root.authenticate(0, .factory(.des))
      #expect(try await card.cardUID() == model.defaultUID)
      #expect(tag.withChip(DESFire.self) { $0.process(Self.askForUID) } != Self.noSession)
      try await card.root.authenticate(0, .factory(.des))
      try await card.endSession()
      #expect(tag.withChip(DESFire.self) { $0.process(Self.askForUID) } == Self.noSession)
      let error = await #expect(throws: NFCError.self) { try await card.cardUID() }
      #expect(error?.code == .notAuthenticated)
      // Nothing is sent without a session, and the card can be used as before.
      try await card.endSession()
      #expect(try await card.applications() == [])
    }
  }

  /// Whether a card is still there is asked in a way that its session outlasts.
  @Test(arguments: [DESFireModel.ev1, .ev2, .ev3]) func notByPresenceChecks(
    _ model: DESFireModel
  ) async throws {
    try await Self.withTag(VirtualTag(DESFire(model, formatted: false))) { found in
      let card = try await DESFireCard(found)
      try await card.root.authenticate(0, .factory(.des))
      for _ in 0..<15 { #expect(try await found.isPresent()) }
      #expect(try await card.cardUID() == model.defaultUID)
    }
  }

  /// A task that is cancelled ends its session.
  @Test func ofACancelledTask() async throws {
    let tag = VirtualTag(DESFire(.ev2, formatted: false))
    try await Self.withTag(tag) { found in
      let card = try await DESFireCard(found)
      try await card.root.authenticate(0, .factory(.des))
      let end = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await card.endSession()
      }
      try await end.value
      #expect(tag.withChip(DESFire.self) { $0.process(Self.askForUID) } == Self.noSession)
    }
  }

  private static let application = DESFireApplicationIdentifier(0x12_3456) ?? .card
  private struct Refused: Error {}
  private static let owner = DESFireAccessRights(
    read: .key(0), write: .key(0), readWrite: .key(0), change: .key(0))

  /// Returns a new application with a session of its key.
  private static func application(on card: DESFireCard) async throws -> DESFireApplication {
    try await card.root.authenticate(0, .factory(.des))
    try await card.createApplication(
      DESFireApplicationDescription(Self.application, keyCount: 1, kind: .aes))
    let application = card.application(Self.application)
    try await application.authenticate(0, .factory(.aes))
    return application
  }

  /// A transaction that fails or is cancelled leaves nothing that a later one would commit.
  @Test(arguments: [DESFireModel.ev1, .ev2], [true, false])
  func ofATransaction(_ model: DESFireModel, _ isCancelled: Bool) async throws {
    let tag = VirtualTag(DESFire(model, formatted: false))
    try await Self.withTag(tag) { found in
      let card = try await DESFireCard(found)
      let application = try await Self.application(on: card)
      let value = DESFireValueSettings(
        lowerLimit: 0, upperLimit: 100, initialValue: 50, allowsLimitedCredit: false)
      try await application.createFile(
        3,
        DESFireFileSettings(
          communication: .encrypted, rights: Self.owner, content: .value(value)))
      let abandoned = Task {
        try await application.transaction {
          try await $0.changeValue(file: 3, .debit(5))
          guard isCancelled else { throw Refused() }
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      await #expect(throws: (any Error).self) { try await abandoned.value }
      #expect(try await application.value(file: 3) == 50)
      try await application.transaction { try await $0.changeValue(file: 3, .debit(5)) }
      #expect(try await application.value(file: 3) == 45)
    }
  }

  /// A transaction can be written in an actor's code, with the actor's variables.
  @MainActor @Test func ofATransactionOfAnActor() async throws {
    let tag = VirtualTag(DESFire(.ev1, formatted: false))
    var isRunning = false
    try await Self.withTag(tag) { found in
      let card = try await DESFireCard(found)
      try? await card.root.transaction { _ in isRunning = true }
    }
    #expect(isRunning)
  }

  @Test func ofAnNTAG424() async throws {
    let tag = VirtualTag.ntag424()
    try await Self.withTag(tag) { found in
      let chip = try await DESFireCard(found).application(.fixed)
      try await chip.authenticate(0, .factory(.aes))
      #expect(try await chip.card.cardUID() == tag.identifier)
      // In a session, the chip refuses commands without a MAC, so it cannot be identified.
      #expect(tag.withChip(NTAG424.self) { $0.process(Self.getVersion).suffix(1) } != [0xAF])
      try await chip.authenticate(0, .factory(.aes))
      try await chip.card.endSession()
      #expect(tag.withChip(NTAG424.self) { $0.process(Self.getVersion).suffix(1) } == [0xAF])
    }
  }
}
