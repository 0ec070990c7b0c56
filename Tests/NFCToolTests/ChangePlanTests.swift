import Foundation
import NFC
import SUNMessage
import SecureTags
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// Plans of every family: what cannot be undone has to be accepted by name, effect by effect, and is shown by `--plan`
/// in text and in JSON.
@Suite struct ChangePlanTests {
  /// A change of a virtual tag.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let effects: Set<IrreversibleEffect>
    let tag: @Sendable () throws -> VirtualTag
    let plan: @Sendable (DetectedTag) async throws -> ChangePlan

    init(
      _ testDescription: String, _ effects: Set<IrreversibleEffect>,
      _ tag: @escaping @autoclosure @Sendable () throws -> VirtualTag,
      _ plan: @escaping @Sendable (DetectedTag) async throws -> ChangePlan
    ) {
      self.testDescription = testDescription
      self.effects = effects
      self.tag = tag
      self.plan = plan
    }
  }

  private static let bytes = (0..<16).map { UInt8(0xA0 + $0) }
  private static let key = SecretKey(bytes)
  private static let short = SecretKey([0xA1, 0xA2, 0xA3, 0xA4])
  /// How secrets would look.
  private static let secrets = ["A0A1A2", "A1A2A3", "160, 161", "161, 162"]

  private static func ultralight(_ tag: DetectedTag) throws -> UltralightCommands {
    guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "no MIFARE") }
    return try #require(tag.ultralight)
  }

  private static func classic(_ tag: DetectedTag) throws -> MiFareClassicCommands {
    guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "no MIFARE") }
    return try #require(tag.classic)
  }

  private static let ultralights = [
    Row("lock of an NTAG", [.locksMemory], .ntag213()) { tag in
      let ndef = try #require(tag.ndef)
      return try await ndef.readOnlyPlan()
    },
    Row(
      "password of an NTAG", [.locksConfiguration, .mayClosePermanently, .forgetsPassword],
      .ntag213()
    ) {
      try await ultralight($0).protectionPlan(
        UltralightProtection(
          password: [0xA1, 0xA2, 0xA3, 0xA4], passwordAcknowledge: [0xA5, 0xA6], firstPage: 4,
          attemptLimit: 3, locksConfiguration: true))
    },
    Row("key of an Ultralight C", [.forgetsKey], .ultralightC()) {
      try await ultralight($0).protectionPlan(
        UltralightCProtection(key: bytes, firstPage: 4), key: nil)
    },
    Row(
      "key of an Ultralight AES", [.locksConfiguration, .mayClosePermanently, .forgetsKey],
      .ultralightAES()
    ) {
      try await UltralightAESTag($0).protectionPlan(
        UltralightAESProtection(
          key: key, firstPage: 4, attemptLimit: 3, locksConfiguration: true), key: nil)
    },
    Row(
      "image of an NTAG",
      [.locksMemory, .locksConfiguration, .mayClosePermanently, .forgetsPassword], .ntag213()
    ) { tag in
      let commands = try ultralight(tag)
      var image = try await commands.dump().bytes
      image[10] = 0xF0
      image[42 * 4] = 0x43
      image.replaceSubrange(43 * 4..<45 * 4, with: [0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0, 0])
      return try await commands.restorePlan(
        image, extras: [.locks, .configuration, .password])
    },
    Row("image of a Classic", [.locksMemory], .classic1K(formatted: false)) { tag in
      let commands = try classic(tag)
      var image = try await commands.dump(findsBothKeys: true).bytes
      image.replaceSubrange(7 * 16..<7 * 16 + 6, with: bytes.prefix(6))
      image.replaceSubrange(7 * 16 + 6..<7 * 16 + 10, with: [0x07, 0x8F, 0x0F, 0x43])
      return try await commands.restorePlan(image, locksPermanently: true)
    },
    Row(
      "configuration of a FeliCa Lite-S",
      [.locksMemory, .restrictsReading, .restrictsWriting, .requiresCodes, .closesSystemBlocks],
      .feliCaLiteS()
    ) { tag in
      guard case .feliCa(let card) = tag else { throw NFCError(.wrongTag, "no FeliCa") }
      let lite = try #require(card.lite)
      var configuration = try await lite.memoryConfiguration()
      configuration.writableBlocks.remove(3)
      configuration.readRestrictedBlocks = [5]
      configuration.writeRestrictedBlocks = [5]
      configuration.stateIsWrittenWithMAC = true
      configuration.systemBlocksAreWritable = false
      return try await lite.memoryConfigurationPlan(configuration)
    },
  ]

  private static let vicinity = [
    Row(
      "passwords of an ICODE", [.locksConfiguration, .requiresBothPasswords, .forgetsPassword],
      .icodeSLIX2()
    ) {
      try await ICODETag($0).protectionPlan(
        ICODEProtection(
          passwords: ICODEPasswords(short), firstBlock: 8, locksProtection: true,
          needsBothPasswords: true))
    },
    Row("pages of an ICODE", [.locksConfiguration, .forgetsPassword], .icodeSLIXS()) {
      try await ICODETag($0).protectionPlan(
        ICODEProtection(passwords: ICODEPasswords(short), firstBlock: 8, locksProtection: true))
    },
    Row("surveillance of an ICODE", [.locksSurveillance], .icodeSLIX2()) {
      try await ICODETag($0).surveillancePlan(true, locksSetting: true)
    },
    Row("a password of an ICODE", [.forgetsPassword], .icodeSLIX2()) {
      try await ICODETag($0).passwordPlan(
        .privacy, from: ICODETag.factoryPassword(.privacy), to: short)
    },
    Row("destruction of an ICODE", [.destroysTag], .icodeSLIX2()) {
      try await ICODETag($0).destructionPlan(password: ICODETag.factoryPassword(.destroy))
    },
    Row("a block", [.locksMemory], .icodeSLIX2()) { tag in
      guard case .iso15693(let tag) = tag else { throw NFCError(.wrongTag, "no label") }
      return tag.lockPlan(4..<5)
    },
    Row("passwords of an NTAG 5", [.hidesPasswords], .ntag5Link()) {
      try await ICODETag($0).hidingPlan(current: .factory)
    },
    Row(
      "keys of an NTAG 5", [.locksKeys, .disablesKeys],
      .ntag5Link(keys: [0: NTAG5Link.Key(bytes, privileges: 0xFF)])
    ) {
      try await ICODETag($0).keyPlan(
        NTAG5KeySetup(
          keys: [
            0: .init(key, privileges: NTAG5Privileges(rawValue: 0xFF)),
            1: .init(key, privileges: .read),
          ], disablesOtherKeys: true))
    },
    Row(
      "protection of an NTAG 5", [.enforcesProtection, .locksKeys],
      .ntag5Link(keys: [0: NTAG5Link.Key(bytes, privileges: 0xFF)])
    ) {
      try await ICODETag($0).enforcementPlan(.locked, provenBy: 0, key)
    },
    Row("password of an ST25DV", [.forgetsPassword], .st25dv()) {
      try await ST25Tag($0).protectionPlan(
        ST25Protection(password: SecretKey(bytes.prefix(8))))
    },
    Row("password of an ST25TV", [.forgetsPassword], .st25tv()) {
      try await ST25Tag($0).protectionPlan(
        ST25Protection(password: SecretKey(bytes.prefix(8))))
    },
  ]

  private static func identifier() throws -> DESFireApplicationIdentifier {
    try #require(DESFireApplicationIdentifier(0xF00001))
  }

  private static let cards = [
    Row("password of an ST25TA", [.forgetsPassword], .st25ta()) { tag in
      guard case .iso7816(let card) = tag else { throw NFCError(.wrongTag, "no card") }
      return try await ST25TATag(card).protectionPlan(ST25TAProtection(writePassword: key))
    },
    Row(
      "level of a Plus", [.leavesSecurityLevel, .closesClassicKeys],
      .miFarePlus(.x2K, hasLevelOne: true)
    ) { tag in
      guard case .miFare(let card) = tag else { throw NFCError(.wrongTag, "no MIFARE") }
      return try await MIFAREPlusLevelOneCard(card).levelThreePlan(key: key)
    },
    Row("keys of a Plus", [.leavesSecurityLevel], try .named("blank-mifare-plus")) { tag in
      guard case .miFare(let card) = tag else { throw NFCError(.wrongTag, "no MIFARE") }
      return try MIFAREPlusCard(card).personalizationPlan(
        [(.cardMaster, key)], leavesLevelZero: true)
    },
    Row("a DESFire", [.deletesContent], try .named("desfire")) {
      try await DESFireCard($0).formatPlan()
    },
    Row("an application of a DESFire", [.deletesContent], try .named("desfire")) {
      let card = try await DESFireCard($0)
      return card.deletionPlan(try identifier())
    },
    Row("a file of a DESFire", [.deletesContent], try .named("desfire")) {
      let card = try await DESFireCard($0)
      return card.application(try identifier()).deletionPlan(ofFile: 1)
    },
    Row(
      "configuration of a DESFire", [.showsRandomUID, .disablesFormatting], try .named("desfire")
    ) {
      try await DESFireCard($0).configurationPlan([.showsRandomUID, .disablesFormatting])
    },
    Row("LRP", [.usesLRP], .ntag424()) { try await DESFireCard($0).lrpPlan() },
    Row("link of an NTAG 424", [.locksConfiguration], .ntag424()) {
      let link = try NTAG424Link(SUNTemplate("https://a.example/?p={picc}&c={mac}"))
      return try await DESFireCard($0).application(.fixed).plan(
        NTAG424Setup(
          link: link, newKeys: [1: DESFireKey(.aes, key, version: 1)],
          rights: DESFireAccessRights(
            read: .everyone, write: .key(0), readWrite: .key(0), change: .nobody)))
    },
    Row("a key of a DESFire", [], try .named("blank-desfire")) {
      try await DESFireCard($0).root.keyChangePlan(
        DESFireKeyChange(
          0, to: key, kind: .aes, current: [0: SecretKey([UInt8](repeating: 0, count: 8))]))
    },
  ]

  static let all = ultralights + vicinity + cards

  @Test(arguments: all) func everyEffectIsAcceptedByNameAndShown(_ row: Row) async throws {
    let field = VirtualField()
    let placed = try row.tag()
    field.place(placed)
    let direct = DirectReader(field)
    let reader = try await direct.open()
    let tag = try await reader.firstTag(within: .seconds(20))
    let plan = try await row.plan(tag)
    #expect(Set(plan.effects) == row.effects)
    #expect(!plan.steps.isEmpty && !plan.recovery.isEmpty)

    // Without one of them, nothing is changed.
    let before = placed.memory
    for effect in plan.effects {
      let others = Set(IrreversibleEffect.allCases).subtracting([effect])
      let error = await #expect(throws: NFCError.self) {
        try await tag.perform(plan, accepting: others)
      }
      #expect(error?.code == .invalidParameter)
      #expect(error?.reason == "this cannot be undone and was not accepted: \(effect)")
    }
    #expect(placed.memory == before && placed.irreversibleChanges.isEmpty)

    // Both forms show each, and no secret.
    let (text, json) = (PlanOutput.lines(plan, json: false), PlanOutput.lines(plan, json: true))
    #expect(
      text.count == json.count
        && text.count == plan.steps.count + plan.omissions.count + plan.effects.count)
    #expect(text.suffix(plan.effects.count) == plan.effects.map { "cannot be undone: \($0)" }[...])
    for (effect, line) in zip(plan.effects, json.suffix(plan.effects.count)) {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["effect"] as? String == effect.rawValue)
      #expect(object?["cannotBeUndone"] as? String == effect.description)
    }
    let shown = (text + json).joined() + "\(plan)" + String(reflecting: plan)
    for secret in Self.secrets { #expect(!shown.contains(secret), "\(shown)") }
    await reader.close()
  }

  /// An effect that no plan has would be one that nobody can accept.
  @Test func noEffectIsMissing() {
    let covered = Self.all.reduce(into: Set<IrreversibleEffect>()) { $0.formUnion($1.effects) }
    #expect(covered == Set(IrreversibleEffect.allCases))
  }

  @Test func anotherTagIsRefused() async throws {
    var tags: [(Reader, DetectedTag)] = []
    for _ in 0..<2 {
      let field = VirtualField()
      field.place(.ntag213())
      let reader = try await DirectReader(field).open()
      tags.append((reader, try await reader.firstTag(within: .seconds(20))))
    }
    let ndef = try #require(tags[0].1.ndef)
    let plan = try await ndef.readOnlyPlan()
    let error = await #expect(throws: NFCError.self) {
      try await tags[1].1.perform(plan, accepting: [.locksMemory])
    }
    #expect(error?.reason == "the plan was made for another tag")
    for (reader, _) in tags { await reader.close() }
  }
}
