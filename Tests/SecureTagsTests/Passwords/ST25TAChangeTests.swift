import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

extension ISO7816Card: ChangeableChip {
  var content: ST25TAContent? { ST25TAContent(self) }
  static var answers: AnswerForm { .statusWords }
  static func card(_ tag: DetectedTag) async throws -> ST25TATag {
    guard case .iso7816(let card) = tag else { throw NFCError(.wrongTag, "no smart card") }
    return try await ST25TATag(card)
  }
}

/// Tests each change of the passwords and rights of an ST25TA with every fault at every exchange, through
/// libnfc and PC/SC. Its answers have no MAC.
@Suite(.asking(.accessRights)) struct ST25TAChangeTests {
  typealias Change = CardChange<ISO7816Card>

  private static let newBytes = (0..<16).map { UInt8($0 * 3 + 1) }
  private static let new = SecretKey(newBytes)
  private static let old = SecretKey((0..<16).map { UInt8(0xF0 - $0) })
  private static let factory = ST25TATag.factoryPassword

  private static func protect(
    _ card: ST25TATag, _ protection: ST25TAProtection?, _ password: SecretKey
  ) async throws {
    let plan = try await card.protectionPlan(protection, writePassword: password)
    try await card.perform(plan, accepting: Set(plan.effects))
  }

  private static func change(
    _ name: String, isClosed: Bool = false, newKey: [UInt8]? = nil, isStepwise: Bool = true,
    _ run: @escaping @Sendable (ST25TATag) async throws -> Void
  ) -> Change {
    Change(
      name, .st25ta(), newKey: newKey, isProtected: false, isStepwise: isStepwise,
      prepare: { card in
        guard isClosed else { return }
        try await protect(card, ST25TAProtection(writePassword: old, readPassword: old), factory)
      }, run)
  }

  static let changes = [
    change("write password", newKey: newBytes) { card in
      try await trying([factory, new]) {
        try await protect(card, ST25TAProtection(writePassword: new), $0)
      }
    },
    change("both passwords", newKey: newBytes) { card in
      try await trying([factory, new]) {
        try await protect(card, ST25TAProtection(writePassword: new, readPassword: new), $0)
      }
    },
    change("other passwords", isClosed: true, newKey: newBytes) { card in
      try await trying([old, new]) {
        try await protect(card, ST25TAProtection(writePassword: new, readPassword: new), $0)
      }
    },
    change("opening", isClosed: true) { try await protect($0, nil, old) },
    change("never written", isStepwise: false) { try await $0.closePermanently(.write) },
    change("never read", isStepwise: false) { try await $0.closePermanently(.read) },
    change("a protected file never written", isClosed: true, isStepwise: false) {
      try await $0.closePermanently(.write, writePassword: old)
    },
  ]

  @Test(arguments: ReaderBench.Kind.allCases, changes)
  func everyFault(_ kind: ReaderBench.Kind, _ change: Change) async throws {
    try await ChangeRun(kind, change).everyFault()
  }
}
