import NFC
import TestSupport
import Testing

@testable import SwiftNFCCore
@testable import SecureTags
@testable import VirtualNFC

/// Tests privacy mode and destruction of an NTAG 5 link with AES keys, and its passwords.
@Suite(.replayed) struct NTAG5PurposeTests {
  private static let bytes = (0..<16).map { UInt8($0) }
  private static let key = SecretKey(bytes)
  private static let other = SecretKey([UInt8](repeating: 0x5B, count: 16))
  private static let password = SecretKey([0x12, 0x34, 0x56, 0x78])

  /// Key 0 may hide and destroy, key 1 may read.
  private static func link() -> VirtualTag {
    .ntag5Link(keys: [
      0: NTAG5Link.Key(bytes, privileges: 0x0C), 1: NTAG5Link.Key(bytes, privileges: 0x01),
    ])
  }

  // MARK: Over the air

  /// Computed with Python's `cryptography` from table 163: the key is 00 to 0F, the challenges are 10 to 19 and A0 to
  /// A9, as in the mutual authentication without a purpose.
  @Test(
    arguments: [
      (0x0, "0610992462E08F11E69D1BE5103447787D"), (0x8, "06E3BE347F2AE189AB331D4DCC996A5754"),
      (0x9, "062AEBA15DF85DA14A50FF8DB143EF389B"), (0xA, "06CC9FA52EAF54B9232ABC8C4200E48FA6"),
      (0xB, "0601C252C42B0EE914956AFDABBEB9910C"),
    ] as [(UInt8, String)])
  func secondMessages(_ purpose: UInt8, _ message: String) throws {
    let challenge = (0x10..<0x1A).map { UInt8($0) }
    let own = (0xA0..<0xAA).map { UInt8($0) }
    let bytes = try #require([UInt8](hexadecimal: message))
    // The first purpose of privacy mode is the only one that the driver does not have.
    if let purpose = ICODEMutualProof.Purpose(rawValue: purpose) {
      #expect(
        try ICODEMutualProof.secondMessage(challenge, own, Self.key, for: purpose) == bytes)
    } else {
      #expect(purpose == 0x8)
    }
    // The chip carries it out.
    var chip = NTAG5Link(keys: [0: NTAG5Link.Key(Self.bytes, privileges: 0x0C)])
    chip.powerOn()
    chip.nextRandomNumbers = [own]
    let first = chip.receive(.iso15693([0x02, 0x35, 0x00, 0x02, 0x00] + challenge.reversed()))
    // "Done" is set in every answer (table 157).
    #expect(first?.checkedPayload?.prefix(2) == [0x06, 0xA7])
    let second = chip.receive(.iso15693([0x02, 0x35, 0x00] + bytes))
    #expect(second?.checkedPayload == [0x06, 0xA7])
    #expect(chip.security.isPrivate == (purpose == 0x9))
    #expect(chip.security.isDestroyed == (purpose == 0xB))
    #expect(chip.isPrivacySuspended == (purpose == 0x8))
  }

  // MARK: Privacy

  @Test func hiddenAndBack() async throws {
    let bench = try await VicinityBench(Self.link())
    let tag = try await ICODETag(bench.tag())
    bench.virtual.setFaults([])
    try await tag.enablePrivacy(withKey: 0, Self.key)
    #expect(bench.virtual.statistics.exchanges == 2)
    let hidden = try await ICODETag(bench.again())
    #expect(hidden.isInPrivacyMode && hidden.tag.identifier == ISO15693Chip.privateUID)
    #expect(hidden.product.name == "ICODE DNA or NTAG 5 in privacy mode")
    #expect(await failure { _ = try await hidden.tag.readBlocks(0..<1) } != nil)
    #expect(
      await failure { try await hidden.leavePrivacyPermanently(withKey: 0, Self.other) }?.code
        == .authenticationFailed)
    let again = try await ICODETag(bench.again())
    #expect(again.isInPrivacyMode)
    // A key without the privilege.
    #expect(
      await failure { try await again.leavePrivacyPermanently(withKey: 1, Self.key) }?.code
        == .tagRefused)
    try await again.leavePrivacyPermanently(withKey: 0, Self.key)
    let last = try await ICODETag(bench.again())
    #expect(!last.isInPrivacyMode && last.product.name == "NTAG 5 link or boost")
    #expect(bench.placed.irreversibleChanges.isEmpty)
  }

  @Test(arguments: [
    VirtualPCSCReader.Fault.Effect.frameLost, .answerLost, .answerBroken, .tagLeaves,
  ])
  func everyFaultOfHiding(_ effect: VirtualPCSCReader.Fault.Effect) async throws {
    for exchange in 0...1 {
      let bench = try await VicinityBench(Self.link())
      let tag = try await ICODETag(bench.tag())
      bench.virtual.setFaults([VirtualPCSCReader.Fault(effect, at: exchange)])
      let error = await failure { try await tag.enablePrivacy(withKey: 0, Self.key) }
      #expect(error?.group == .connection)
      // Only the second message can have hidden it.
      #expect((error?.recovery != nil) == (exchange == 1))
      let again = try await ICODETag(bench.again())
      if !again.isInPrivacyMode { try await again.enablePrivacy(withKey: 0, Self.key) }
      #expect(try await ICODETag(bench.again()).isInPrivacyMode)
    }
  }

  // MARK: Destruction

  @Test(.asking(.destruction)) func destruction() async throws {
    let bench = try await VicinityBench(Self.link())
    let tag = try await ICODETag(bench.tag())
    for (number, key, code) in [
      (0, Self.other, NFCError.Code.authenticationFailed), (1, Self.key, .tagRefused),
      (2, Self.key, .tagRefused), (4, Self.key, .invalidParameter),
    ] {
      let error = await failure { try await tag.destroyPermanently(withKey: number, key) }
      #expect(error?.code == code && error?.recovery == nil)
    }
    #expect(bench.placed.irreversibleChanges.isEmpty)
    bench.placed.allowedChanges = [.destruction]
    try await tag.destroyPermanently(withKey: 0, Self.key)
    #expect(bench.placed.irreversibleChanges.map(\.kind) == [.destruction])
    #expect(try await bench.reader.tagsInField().isEmpty)
  }

  // MARK: Passwords

  /// Those of a SLIX2: the same calls, with a division at a block of one byte.
  @Test func passwordsOfTheMemory() async throws {
    let bench = try await VicinityBench(.ntag5Link())
    let tag = try await ICODETag(bench.tag())
    #expect(tag.passwords == Set(ICODETag.Password.allCases))
    let protection = ICODEProtection(
      passwords: ICODEPasswords(Self.password), firstBlock: 16, protectsReading: true)
    let plan = try await tag.protectionPlan(protection)
    try await tag.perform(plan, accepting: [.forgetsPassword])
    let again = try await ICODETag(bench.again())
    let state = try await again.memoryProtection()
    #expect("\(state)" == "to read and write from block 16 on")
    #expect(await failure { _ = try await again.tag.readBlocks(16..<17) } != nil)
    #expect(try await again.tag.readBlocks(511..<512).count == 1)
    try await again.authenticate(.read, Self.password)
    try await again.authenticate(.write, Self.password)
    #expect(try await again.tag.readBlocks(16..<512).count == 496)
    let removal = try await again.protectionPlan(
      nil, current: ICODEPasswords(Self.password))
    try await again.perform(removal)
    let last = try await ICODETag(bench.again())
    #expect(try await last.memoryProtection().isOpen)
    let far = ICODEProtection(passwords: ICODEPasswords(Self.password), firstBlock: 256)
    #expect(await failure { _ = try await last.protectionPlan(far) }?.code == .invalidParameter)
  }

  @Test(.asking(.destruction)) func privacyAndDestructionByPassword() async throws {
    let bench = try await VicinityBench(.ntag5Link())
    let tag = try await ICODETag(bench.tag())
    try await tag.enablePrivacy(password: ICODETag.factoryPassword(.privacy))
    let hidden = try await ICODETag(bench.again())
    #expect(hidden.isInPrivacyMode && hidden.passwords == [.privacy])
    try await hidden.leavePrivacy(password: ICODETag.factoryPassword(.privacy))
    let back = try await ICODETag(bench.again())
    #expect(!back.isInPrivacyMode)
    bench.placed.allowedChanges = [.destruction]
    try await back.destroyPermanently(password: ICODETag.factoryPassword(.destroy))
    #expect(bench.placed.irreversibleChanges.map(\.kind) == [.destruction])
  }
}
