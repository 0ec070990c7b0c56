import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

extension NTAG424: ChangeableChip {
  var content: NTAG424Content { NTAG424Content(self) }
  static var statusSize: Int { 2 }
  static var unprotectedAnswers: Int { 1 }
  static func card(_ tag: DetectedTag) async throws -> DESFireApplication {
    try await DESFireCard(tag).application(.fixed)
  }
}

extension MIFAREPlus: ChangeableChip {
  var content: MIFAREPlusContent { MIFAREPlusContent(self) }
  static var statusSize: Int { 0 }
  static var unprotectedAnswers: Int { 0 }
  static func card(_ tag: DetectedTag) async throws -> MIFAREPlusCard {
    guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "no MIFARE") }
    return try MIFAREPlusCard(tag)
  }
}

/// Tests each change of an NTAG 424 DNA with every fault at every exchange, through libnfc and PC/SC.
@Suite struct NTAG424ChangeTests {
  typealias Change = CardChange<NTAG424>

  private static let newBytes = (1...16).map { UInt8($0 * 6 + 4) }
  private static var new: DESFireKey {
    get throws { try DESFireKey(.aes, bytes: newBytes, version: 5) }
  }

  /// Authenticates with key 0, whether or not it was changed.
  private static func change(
    _ name: String, newKey: [UInt8]? = nil, isStepwise: Bool = false,
    _ run: @escaping @Sendable (DESFireApplication) async throws -> Void
  ) -> Change {
    Change(name, NTAG424(), newKey: newKey, isStepwise: isStepwise) { tag in
      try await tag.authenticate(0, .factory(.aes))
      try await run(tag)
    }
  }

  private static func setup() throws -> NTAG424Setup {
    NTAG424Setup(
      link: try NTAG424Link("https://a.example/?p={picc}&c={mac}"),
      newKeys: [0: try aes(9, version: 7), 2: try aes(2)])
  }

  static let changes = [
    change("other key", newKey: newBytes) { tag in
      do {
        try await tag.changeKey(1, from: .factory(.aes), to: new)
      } catch let error as NFCError where error.group == .refusal {
        try await tag.authenticate(1, new)
      }
    },
    Change("own key", NTAG424(), newKey: newBytes) { tag in
      do {
        try await tag.authenticate(0, .factory(.aes))
        try await tag.changeKey(0, from: nil, to: new)
      } catch let error as NFCError where error.code == .authenticationFailed {
        try await tag.authenticate(0, new)
      }
    },
    change("file settings") { tag in
      var settings = try await tag.fileSettings(2)
      settings.rights.write = .key(0)
      try await tag.changeFileSettings(
        2, communication: settings.communication, rights: settings.rights)
    },
    change("data of one exchange") { tag in
      try await tag.writeData(file: 2, offset: 2, newBytes)
    },
    change("switch to LRP") { tag in
      guard !tag.card.usesLRP else { return }
      try await tag.card.switchToLRPPermanently()
    },
    // What is on the tag before is read without a MAC.
    Change("a link and keys", NTAG424(), isProtected: false, isStepwise: true) {
      try await $0.setUp(setup())
    },
  ]

  @Test(.asking(.configurationLock), arguments: ReaderBench.Kind.allCases, changes)
  func everyFault(_ kind: ReaderBench.Kind, _ change: Change) async throws {
    try await ChangeRun(kind, change).everyFault()
  }
}

/// Tests each change of a MIFARE Plus in level 3 and level 0 with every fault at every exchange, through
/// libnfc and PC/SC.
@Suite struct MIFAREPlusChangeTests {
  typealias Change = CardChange<MIFAREPlus>

  private static let factory = SecretKey([UInt8](repeating: 0xFF, count: 16))
  private static let newBytes = (1...16).map { UInt8($0 * 6 + 4) }
  private static let new = SecretKey(newBytes)

  private static func change(
    _ name: String, newKey: [UInt8]? = nil,
    _ run: @escaping @Sendable (MIFAREPlusCard) async throws -> Void
  ) -> Change {
    Change(
      name, MIFAREPlus(), newKey: newKey,
      prepare: { card in
        try await card.authenticate(sector: 1, factory)
        try await card.setValue(5, 100)
      },
      { card in
        try await card.authenticate(sector: 1, factory)
        try await run(card)
      })
  }

  /// A key that `address` names, which is changed with the key `opening`.
  private static func keyChange(
    _ name: String, _ address: @escaping @Sendable () throws -> MIFAREPlusKeyAddress,
    with opening: @escaping @Sendable () throws -> MIFAREPlusKeyAddress
  ) -> Change {
    Change(name, MIFAREPlus(), newKey: newBytes) { card in
      do {
        try await card.authenticate(opening(), factory)
        try await card.changeKey(address(), to: new)
      } catch let error as NFCError where error.code == .authenticationFailed {
        try await card.authenticate(address(), new)
      }
    }
  }

  static let changes = [
    change("block") { try await $0.writeBlock(4, newBytes) },
    change("block in plain") { try await $0.writeBlock(4, newBytes, .plain) },
    change("a new value") { try await $0.setValue(6, 7) },
    change("value") { card in
      guard try await card.value(5) == 100 else { return }
      try await card.changeValue(5, by: -11)
    },
    change("a copied value") { try await $0.copyValue(5, to: 6) },
    keyChange(
      "own key", { try #require(MIFAREPlusKeyAddress(sector: 1)) },
      with: { try #require(MIFAREPlusKeyAddress(sector: 1)) }),
    keyChange(
      "other key", { try #require(MIFAREPlusKeyAddress(sector: 1, isB: true)) },
      with: { try #require(MIFAREPlusKeyAddress(sector: 1)) }),
    keyChange("master key", { .cardMaster }, with: { .cardMaster }),
    keyChange("configuration key", { .cardConfiguration }, with: { .cardMaster }),
    Change(
      "level 0", MIFAREPlus(personalized: false), isProtected: false, isStepwise: true
    ) { card in
      guard try await card.securityLevel() == 0 else { return }
      for address in [MIFAREPlusKeyAddress.cardMaster, .cardConfiguration, .levelThreeSwitch] {
        try await card.personalize(address, new)
      }
      try await card.personalize(block: 4, newBytes)
      try await card.commitPersonalization()
    },
  ]

  @Test(arguments: ReaderBench.Kind.allCases, changes)
  func everyFault(_ kind: ReaderBench.Kind, _ change: Change) async throws {
    try await ChangeRun(kind, change).everyFault()
  }
}
