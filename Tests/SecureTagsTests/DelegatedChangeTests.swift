import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests each change about delegated applications with every fault at every exchange, through libnfc and
/// PC/SC.
@Suite struct DelegatedChangeTests {
  typealias Change = CardChange<DESFire>
  typealias Issue = DelegatedApplicationTests.Issue

  private static let number = DESFireApplicationIdentifier(0x12_3456) ?? .card
  private static let other = DESFireApplicationIdentifier(0x65_4321) ?? .card
  private static let newKeyBytes = (1...16).map { UInt8($0 * 6 + 4) }

  private static func plan(
    _ identifier: DESFireApplicationIdentifier = number, version: UInt8 = 0
  ) -> DESFireDelegatedApplicationDescription {
    DelegatedApplicationTests.plan(identifier, slot: 3, version: version)
  }

  private static func authenticate(_ card: DESFireCard, _ issue: Issue) async throws {
    try await card.root.authenticate(0, .factory(issue.kind))
  }

  /// A change on a card whose issuer has set its keys for delegation.
  private static func change(
    _ name: String, _ issue: Issue, newKey: [UInt8]? = nil,
    prepare: @escaping @Sendable (DESFireCard, Issue) async throws -> Void = { _, _ in },
    _ run: @escaping @Sendable (DESFireCard, Issue) async throws -> Void
  ) -> Change {
    Change(
      "\(name), \(issue.testDescription)", DESFire(issue.model, formatted: false), newKey: newKey,
      prepare: { card in
        try await card.root.authenticate(0, .factory(.des))
        try await card.root.changeKey(0, to: .factory(issue.kind))
        try await authenticate(card, issue)
        for number in DESFireDelegationKey.allCases {
          try await card.changeDelegationKey(
            number, from: .factory(issue.kind), to: issue.key(number))
        }
        try await prepare(card, issue)
        try await card.endSession()
      }, { try await run($0, issue) })
  }

  /// Creates an application, unless an earlier run has done so.
  private static func create(
    _ card: DESFireCard, _ issue: Issue, _ plan: DESFireDelegatedApplicationDescription,
    replacing old: DESFireApplicationIdentifier? = nil
  ) async throws {
    do {
      try await card.createDelegatedApplication(
        issue.permission(plan), authenticationKey: issue.key(.authentication),
        replacingPermanently: old)
    } catch let error as NFCError where error.code == .tagRefused && error.cause == nil {
      guard
        try await card.delegatedSlot(plan.slot)?.application == plan.application.identifier
      else { throw error }
    }
  }

  /// Runs `body`, which has been done before if there is no such application.
  private static func delete(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as NFCError where error.cause == .desfireStatus(0xA0) {
      // It was done in an earlier run.
    }
  }

  private static func changes(_ issue: Issue) -> [Change] {
    [
      change("created", issue) { try await create($0, $1, plan()) },
      change(
        "replaced", issue, prepare: { try await create($0, $1, plan()) }
      ) { try await create($0, $1, plan(other, version: 1), replacing: number) },
      change("deleted", issue, prepare: { try await create($0, $1, plan()) }) {
        card, issue in
        try await delete {
          try await card.deleteDelegatedApplication(
            DESFireDelegatedDeletionAuthorization(number, macKey: issue.key(.mac)),
            authenticationKey: issue.key(.authentication))
        }
      },
      change(
        "deleted by its owner", issue,
        prepare: { try await create($0, $1, plan()) }
      ) { card, _ in
        try await delete {
          let application = card.application(number)
          try await application.authenticate(0, DelegatedApplicationTests.first)
          try await application.deletePermanently()
        }
      },
    ]
  }

  private static func keyChange(_ issue: Issue) -> Change {
    change("key", issue, newKey: newKeyBytes) { card, issue in
      let new = try DESFireKey(
        issue.kind, bytes: newKeyBytes, version: issue.kind == .aes ? 0x42 : nil)
      try await authenticate(card, issue)
      do {
        try await card.changeDelegationKey(.mac, from: issue.key(.mac), to: new)
      } catch let error as NFCError where error.group == .refusal {
        // It was done in an earlier run if the new key is the current one.
        try await authenticate(card, issue)
        try await card.changeDelegationKey(.mac, from: new, to: new)
      }
    }
  }

  @Test(
    arguments: ReaderBench.Kind.allCases,
    [Issue.all[0], Issue.all[2]].flatMap { changes($0) + [keyChange($0)] })
  func everyFault(_ kind: ReaderBench.Kind, _ change: Change) async throws {
    try await ChangeRun(kind, change).everyFault()
  }

  /// One card from the issuer to the provider of an application and its users, with a new session each
  /// time.
  @Test(arguments: ReaderBench.Kind.allCases, Issue.all)
  func inTheField(_ kind: ReaderBench.Kind, _ issue: Issue) async throws {
    let reader = try await ReaderBench(kind, VirtualTag(DESFire(issue.model, formatted: false)))
    var card = try await reader.card()
    try await card.root.authenticate(0, .factory(.des))
    try await card.root.changeKey(0, to: .factory(issue.kind))
    try await Self.authenticate(card, issue)
    for number in DESFireDelegationKey.allCases {
      try await card.changeDelegationKey(number, from: .factory(issue.kind), to: issue.key(number))
    }
    reader.restore()
    card = try await reader.card()
    #expect(try await card.delegatedSlot(3) == nil)
    let permission = try issue.permission(Self.plan())
    let wrong = await failure {
      try await card.createDelegatedApplication(permission, authenticationKey: issue.key(9))
    }
    #expect(wrong?.code == .authenticationFailed)
    try await card.createDelegatedApplication(
      permission, authenticationKey: issue.key(.authentication))
    let application = card.application(Self.number)
    try await application.authenticate(0, DelegatedApplicationTests.first)
    let rights = DESFireAccessRights(
      read: .key(1), write: .key(0), readWrite: .key(0), change: .key(0))
    try await application.createFile(
      1,
      DESFireFileSettings(
        communication: .encrypted, rights: rights, content: .standardData(size: 32)))
    try await application.writeData(file: 1, [1, 2, 3])
    try await application.changeKey(0, to: DESFireKey(.aes, bytes: Self.newKeyBytes))
    reader.restore()
    card = try await reader.card()
    let users = card.application(Self.number)
    try await users.authenticate(1, DelegatedApplicationTests.first)
    #expect(try await users.readData(file: 1).prefix(3) == [1, 2, 3])
    #expect(
      try await card.delegatedSlot(3)
        == DESFireDelegatedSlot(
          number: 3, version: 0, quota: 8, freeBlocks: 6, application: Self.number))
    await reader.close()
  }
}
