import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests delegated applications: the issuer's part without a card, and the commands with the virtual
/// cards.
@Suite(.replayed) struct DelegatedApplicationTests {
  /// A card whose issuer has set its keys for delegation, which are of the kind of its master key.
  struct Issue: Sendable, CustomTestStringConvertible {
    let model: DESFireModel
    let kind: DESFireKey.Kind
    /// Whether the driver knows the card's generation. Otherwise it uses EV1's secure messaging.
    var isKnown = true

    var testDescription: String {
      "\(model.name), \(kind.name)\(isKnown ? "" : ", unknown generation")"
    }

    static let all = [
      Issue(model: .ev2, kind: .aes), Issue(model: .ev3, kind: .aes),
      Issue(model: .ev3, kind: .des), Issue(model: .ev2, kind: .threeKeyTripleDES),
      Issue(model: .ev3, kind: .aes, isKnown: false),
    ]

    var generation: DESFireGeneration? { isKnown ? model == .ev2 ? .ev2 : .ev3 : nil }

    /// The number of bytes that the session adds to a command.
    var codeSize: Int { isKnown && kind == .aes ? 8 : 0 }

    func key(_ byte: UInt8) throws -> DESFireKey {
      let size = kind == .threeKeyTripleDES ? 24 : 16
      return try DESFireKey(
        kind, bytes: (0..<size).map { byte &+ UInt8($0) << 1 }, version: kind == .aes ? byte : nil)
    }

    func key(_ number: DESFireDelegationKey) throws -> DESFireKey { try key(number.rawValue) }

    /// A card with these keys, after another command than a session's.
    func card() throws -> (VirtualCard, DESFireProcedure) {
      let card = VirtualCard(DESFire(model, formatted: false))
      var procedure = card.procedure(generation)
      try procedure.select(.card)
      try procedure.authenticate(0, .factory(.des), by: .iso)
      try procedure.changeKey(0, from: nil, to: .factory(kind), isCard: true)
      try authenticate(&procedure)
      for number in DESFireDelegationKey.allCases {
        try procedure.changeDelegationKey(number, from: .factory(kind), to: key(number))
      }
      card.restart()
      procedure = card.procedure(generation)
      try procedure.select(.card)
      card.setFault()
      return (card, procedure)
    }

    /// Authenticates with the card's master key.
    func authenticate(_ procedure: inout DESFireProcedure) throws {
      try procedure.select(.card)
      try procedure.authenticate(
        0, .factory(kind), by: DESFireAuthentication(kind, generation))
    }

    func permission(
      _ plan: DESFireDelegatedApplicationDescription,
      first: DESFireKey = DelegatedApplicationTests.first
    ) throws -> DESFireDelegatedApplicationAuthorization {
      try DESFireDelegatedApplicationAuthorization(
        plan, firstKey: first, encryptionKey: key(.encryption), macKey: key(.mac))
    }

    func create(
      _ procedure: inout DESFireProcedure, _ plan: DESFireDelegatedApplicationDescription,
      replacing old: DESFireApplicationIdentifier? = nil
    ) throws {
      try procedure.createDelegatedApplication(
        permission(plan), key(.authentication), replacing: old)
    }
  }

  private static let number = DESFireApplicationIdentifier(0x12_3456) ?? .card
  private static let other = DESFireApplicationIdentifier(0x65_4321) ?? .card
  static let first =
    (try? DESFireKey(.aes, bytes: (1...16).map { UInt8($0 * 5) }, version: 0x31)) ?? .factory(.aes)
  private static let issue = Issue.all[1]

  static func plan(
    _ identifier: DESFireApplicationIdentifier = number, slot: UInt16 = 0x0203,
    version: UInt8 = 0, quota: Int = 8
  ) -> DESFireDelegatedApplicationDescription {
    DESFireDelegatedApplicationDescription(
      DESFireApplicationDescription(
        identifier, keyCount: 2, kind: .aes, isoIdentifier: identifier == number ? 0xDF07 : nil,
        name: identifier == number ? [0xA0, 0x01] : []),
      slot: slot, slotVersion: version, quota: quota)
  }

  private static func error(_ body: () throws -> Void) -> NFCError? {
    do {
      try body()
      return nil
    } catch { return error as? NFCError }
  }

  // MARK: The issuer

  /// The example of NXP AN12696 (MIFARE SAM AV3 for MIFARE DESFire): the random bytes, keys 22 and 11,
  /// application 563412 with settings EF and one key, slot 0 with 64 blocks. The first key is zeros.
  private enum Example {
    static let random = "F5E876FEE27560"
    static let encryptedKey = "9232C82A913FA1CFCDC7ED5EC63AB45CE991C06A1F485156DB8C3CDCB689BD27"
    static let mac = "5D941683B901612B"
    static let identifier = DESFireApplicationIdentifier(0x56_3412) ?? .card

    static var plan: DESFireDelegatedApplicationDescription {
      DESFireDelegatedApplicationDescription(
        DESFireApplicationDescription(
          identifier, keyCount: 1, kind: .aes, settings: DESFireKeySettings(byte: 0xEF)),
        slot: 0, quota: 0x40)
    }

    static func key(_ byte: UInt8) throws -> DESFireKey {
      try DESFireKey(.aes, bytes: [UInt8](repeating: byte, count: 16))
    }
  }

  @Test func publishedExample() throws {
    let random = try hex(Example.random)
    let permission = try DESFireDelegatedApplicationAuthorization(
      Example.plan, firstKey: .factory(.aes), encryptionKey: Example.key(0x22),
      macKey: Example.key(0x11)
    ) { count in Array(random.prefix(count)) }
    #expect(permission.encryptedKey.hexadecimal == Example.encryptedKey)
    #expect(permission.mac.hexadecimal == Example.mac)
    // The code of a deletion is not in the example; OpenSSL computes the same for DA and the identifier.
    let deletion = try DESFireDelegatedDeletionAuthorization(
      Example.identifier, macKey: Example.key(0x11))
    #expect(deletion.mac.hexadecimal == "DCD2F30E702C9370")
  }

  /// The virtual card accepts the published bytes, and the first key is the published one.
  @Test func publishedExampleOnACard() throws {
    let issue = Self.issue
    var (_, procedure) = try issue.card()
    try issue.authenticate(&procedure)
    for (number, byte) in [(DESFireDelegationKey.mac, UInt8(0x11)), (.encryption, 0x22)] {
      try procedure.changeDelegationKey(
        number, from: issue.key(number), to: Example.key(byte))
    }
    try procedure.createDelegatedApplication(
      DESFireDelegatedApplicationAuthorization(
        Example.plan, encryptedKey: hex(Example.encryptedKey), mac: hex(Example.mac)),
      issue.key(.authentication), replacing: nil)
    try procedure.select(Example.identifier)
    try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    #expect(try procedure.keySummary().settings.byte == 0xEF)
  }

  @Test func parameters() throws {
    var plan = DESFireDelegatedApplicationDescription(
      DESFireApplicationDescription(
        Self.number, keyCount: 3, kind: .aes, isoIdentifier: 0xDF05, name: [0xA1],
        keySets: DESFireKeySets(count: 4, version: 9, rollKey: 2)),
      slot: 0x0102, slotVersion: 7, quota: 0x0304)
    // Identifier, slot, its version, quota; then as in CreateApplication.
    #expect(
      plan.parameters.hexadecimal
        == "563412" + "0201" + "07" + "0403" + "0F" + "93" + "0109041002" + "05DFA1")
    for quota in [0, -1, 0x1_0000] {
      plan.quota = quota
      #expect(Self.error { try plan.validate() }?.code == .invalidParameter)
    }
    plan.quota = 1
    let kind = Self.error {
      _ = try DESFireDelegatedApplicationAuthorization(
        plan, firstKey: .factory(.des), encryptionKey: Self.first, macKey: Self.first)
    }
    #expect(kind?.code == .invalidParameter)
    for (key, mac) in [(31, 8), (33, 8), (32, 7), (32, 9)] {
      let error = Self.error {
        _ = try DESFireDelegatedApplicationAuthorization(
          plan, encryptedKey: [UInt8](repeating: 0, count: key),
          mac: [UInt8](repeating: 0, count: mac))
      }
      #expect(error?.code == .invalidParameter)
    }
    for (identifier, size) in [(DESFireApplicationIdentifier.card, 8), (Self.number, 7)] {
      let error = Self.error {
        _ = try DESFireDelegatedDeletionAuthorization(
          identifier, mac: [UInt8](repeating: 0, count: size))
      }
      #expect(error?.code == .invalidParameter)
    }
  }

  /// A permission that was sent as bytes is the same; another one for the same plan has another
  /// encrypted key.
  @Test func permissions() throws {
    let permission = try Self.issue.permission(Self.plan())
    #expect(
      try DESFireDelegatedApplicationAuthorization(
        Self.plan(), encryptedKey: permission.encryptedKey, mac: permission.mac) == permission)
    #expect(
      try Self.issue.permission(Self.plan()).encryptedKey != permission.encryptedKey)
    #expect(
      !String(reflecting: permission).contains(try Self.issue.key(.mac).secret.hexadecimalForTest))
  }

  // MARK: Slots

  @Test(arguments: Issue.all) func lifeOfASlot(_ issue: Issue) throws {
    var (card, procedure) = try issue.card()
    let free = try procedure.freeMemory()
    #expect(try procedure.delegatedSlot(0x0203) == nil)
    card.setFault()
    try issue.create(&procedure, Self.plan())
    #expect(card.count == 5)
    #expect(procedure.state.session?.keyNumber == 0x10)
    // The last two frames: the description, then EncK, DAMMAC, and the MAC of EV2's session.
    let frames = card.sent.suffix(2)
    #expect(frames.first?.first == 0xC9 && frames.first?.count == 1 + 14)
    #expect(
      frames.last?.first == 0xAF && frames.last?.count == 1 + 40 + issue.codeSize)
    var slot = DESFireDelegatedSlot(
      number: 0x0203, version: 0, quota: 8, freeBlocks: 7, application: Self.number)
    #expect(try procedure.delegatedSlot(0x0203) == slot)
    #expect(try procedure.applications() == [Self.number])
    #expect(try procedure.freeMemory() == free - 8 * DESFireDelegatedSlot.blockSize)
    try Self.use(&procedure)
    try procedure.select(.card)
    slot.freeBlocks = 0
    #expect(try procedure.delegatedSlot(0x0203) == slot)
    // Its owner deletes it; the slot keeps its memory.
    try procedure.select(Self.number)
    try procedure.authenticate(0, Self.first, by: .ev2First)
    try procedure.deleteApplication(Self.number, isSelected: true)
    try procedure.select(.card)
    (slot.freeBlocks, slot.application) = (8, nil)
    #expect(try procedure.delegatedSlot(0x0203) == slot)
    #expect(try procedure.freeMemory() == free - 8 * DESFireDelegatedSlot.blockSize)
    // The old permission does not create it again.
    let again = Self.error { try issue.create(&procedure, Self.plan()) }
    #expect(again?.code == .tagRefused && again?.cause == .desfireStatus(0x9E))
    try issue.create(&procedure, Self.plan(version: 1))
    // The issuer permits the deletion.
    card.setFault()
    try procedure.deleteDelegatedApplication(
      DESFireDelegatedDeletionAuthorization(Self.number, macKey: issue.key(.mac)),
      issue.key(.authentication))
    #expect(card.count == 3)
    #expect(try procedure.applications() == [])
    slot.version = 1
    #expect(try procedure.delegatedSlot(0x0203) == slot)
  }

  /// Uses both keys of the new application, and all memory of its slot.
  private static func use(_ procedure: inout DESFireProcedure) throws {
    try procedure.select(number)
    for key in UInt8(0)...1 {
      try procedure.authenticate(key, first, by: .ev2First)
      #expect(try procedure.keyVersion(key) == first.version)
    }
    try procedure.authenticate(0, first, by: .ev2First)
    let data = (0..<200).map { UInt8($0) }
    let rights = DESFireAccessRights(
      read: .key(1), write: .key(0), readWrite: .key(0), change: .key(0))
    func file(_ size: Int) -> DESFireFileSettings {
      DESFireFileSettings(
        communication: .encrypted, rights: rights, content: .standardData(size: size))
    }
    try procedure.createFile(1, file(6 * 32), isoIdentifier: nil)
    try procedure.writeData(1, offset: 0, Array(data.prefix(6 * 32)))
    #expect(try procedure.readData(1, offset: 0, count: nil) == Array(data.prefix(6 * 32)))
    // The card has more memory, but the slot has one block.
    let full = error { try procedure.createFile(2, file(33), isoIdentifier: nil) }
    #expect(full?.code == .capacityExceeded)
    try procedure.authenticate(0, first, by: .ev2First)
    try procedure.createFile(2, file(32), isoIdentifier: nil)
    let signed = error {
      try procedure.createTransactionMACFile(
        7, .plain,
        DESFireAccessRights(
          read: .key(1), write: .nobody, readWrite: .key(1), change: .key(0)), first)
    }
    #expect(signed?.code == .capacityExceeded)
  }

  /// Another application in a slot is replaced only if it was named.
  @Test(arguments: Issue.all) func replaced(_ issue: Issue) throws {
    var (card, procedure) = try issue.card()
    try issue.create(&procedure, Self.plan())
    for old in [nil, Self.other] {
      card.setFault()
      let error = Self.error {
        try issue.create(&procedure, Self.plan(Self.other, version: 1), replacing: old)
      }
      #expect(error?.code == .tagRefused && error?.cause == nil)
      #expect(error?.reason.contains("123456") == true)
      // Only its slot was read.
      #expect(card.count == 1)
    }
    // The same application, after an answer that was lost.
    for old in [nil, Self.number] {
      let error = Self.error { try issue.create(&procedure, Self.plan(), replacing: old) }
      #expect(error?.code == .tagRefused && error?.reason.contains("already") == true)
    }
    // The card accepts only a higher version.
    let same = Self.error {
      try issue.create(&procedure, Self.plan(Self.other), replacing: Self.number)
    }
    #expect(same?.cause == .desfireStatus(0xDE))
    try issue.create(&procedure, Self.plan(Self.other, version: 1), replacing: Self.number)
    #expect(try procedure.applications() == [Self.other])
    #expect(try procedure.delegatedSlot(0x0203)?.application == Self.other)
    // An application may be replaced by a new one of the same identifier.
    try issue.create(&procedure, Self.plan(Self.other, version: 2), replacing: Self.other)
    #expect(try procedure.delegatedSlot(0x0203)?.version == 2)
    _ = card
  }

  /// A card that lists nothing without a key is asked again with the key for delegation.
  @Test(arguments: Issue.all) func closedList(_ issue: Issue) throws {
    var (card, procedure) = try issue.card()
    try issue.authenticate(&procedure)
    try procedure.changeKeySettings(DESFireKeySettings(listsFreely: false))
    for (version, exchanges) in [(UInt8(0), 8), (1, 6)] {
      card.restart()
      procedure = card.procedure(issue.generation)
      try procedure.select(.card)
      card.setFault()
      try issue.create(
        &procedure, Self.plan(version: version), replacing: version == 0 ? nil : Self.number)
      // A slot that does not exist ends the session, and the key is needed once more.
      #expect(card.count == exchanges)
    }
  }

  @Test func withKeySets() throws {
    var (_, procedure) = try Self.issue.card()
    var plan = Self.plan()
    plan.application.keySets = DESFireKeySets(count: 2)
    try Self.issue.create(&procedure, plan)
    try procedure.select(Self.number)
    try procedure.authenticate(0, Self.first, by: .ev2First)
    try procedure.initializeKeySet(1)
  }

  // MARK: Refusals

  @Test(arguments: Issue.all) func wrongKeys(_ issue: Issue) throws {
    let plan = Self.plan()
    func refusal(
      first: DESFireKey = Self.first, encryption: UInt8 = 0x12, mac: UInt8 = 0x11,
      authentication: UInt8 = 0x10,
      changed: (DESFireDelegatedApplicationAuthorization) throws ->
        DESFireDelegatedApplicationAuthorization = { $0 }
    ) throws -> (NFCError?, DESFireProcedure, VirtualCard) {
      var (card, procedure) = try issue.card()
      let permission = try changed(
        DESFireDelegatedApplicationAuthorization(
          plan, firstKey: first, encryptionKey: issue.key(encryption), macKey: issue.key(mac)))
      let error = Self.error {
        try procedure.createDelegatedApplication(
          permission, issue.key(authentication), replacing: nil)
      }
      let (applications, slot) = (try procedure.applications(), try procedure.delegatedSlot(0x0203))
      #expect(applications.isEmpty == (error != nil) && (slot == nil) == (error != nil))
      return (error, procedure, card)
    }
    let authentication = try refusal(authentication: 0x20).0
    #expect(authentication?.code == .authenticationFailed)
    let mac = try refusal(mac: 0x20).0
    #expect(mac?.code == .tagRefused && mac?.cause == .desfireStatus(0x1E))
    #expect(mac?.reason.contains("issuer's code") == true)
    // A plan, a key or a code other than what the issuer has permitted.
    for change in 0..<3 {
      let error = try refusal(changed: {
        var (plan, key, mac) = ($0.plan, $0.encryptedKey, $0.mac)
        switch change {
        case 0: plan.quota += 1
        case 1: key[20] ^= 1
        default: mac[7] ^= 1
        }
        return try DESFireDelegatedApplicationAuthorization(plan, encryptedKey: key, mac: mac)
      }).0
      #expect(error?.cause == .desfireStatus(0x1E))
    }
    // The card cannot tell a wrong key from a right one: only its use shows that.
    var (error, procedure, _) = try refusal(encryption: 0x20)
    #expect(error == nil)
    try procedure.select(Self.number)
    let wrong = Self.error { try procedure.authenticate(0, Self.first, by: .ev2First) }
    #expect(wrong?.code == .authenticationFailed)
    try procedure.select(.card)
    try procedure.deleteDelegatedApplication(
      DESFireDelegatedDeletionAuthorization(Self.number, macKey: issue.key(.mac)),
      issue.key(.authentication))
    error = nil
    #expect(try procedure.applications() == [])
  }

  @Test(arguments: Issue.all) func memory(_ issue: Issue) throws {
    var (_, procedure) = try issue.card()
    let free = try procedure.freeMemory() / DESFireDelegatedSlot.blockSize
    let large = Self.error { try issue.create(&procedure, Self.plan(quota: free + 1)) }
    #expect(large?.code == .capacityExceeded)
    #expect(try procedure.delegatedSlot(0x0203) == nil)
    try issue.create(&procedure, Self.plan(quota: free))
    #expect(try procedure.freeMemory() == 0)
    try issue.authenticate(&procedure)
    let full = Self.error {
      try procedure.createApplication(
        DESFireApplicationDescription(Self.other, keyCount: 1, kind: .aes))
    }
    #expect(full?.code == .capacityExceeded)
    // The identifier is taken by an application of the card's own.
    (_, procedure) = try issue.card()
    try issue.authenticate(&procedure)
    try procedure.createApplication(
      DESFireApplicationDescription(Self.number, keyCount: 1, kind: .aes))
    let taken = Self.error { try issue.create(&procedure, Self.plan()) }
    #expect(taken?.code == .tagRefused && taken?.cause == .desfireStatus(0xDE))
    // It is not a delegated one.
    let deletion = Self.error {
      try procedure.deleteDelegatedApplication(
        DESFireDelegatedDeletionAuthorization(Self.number, macKey: issue.key(.mac)),
        issue.key(.authentication))
    }
    #expect(deletion?.code == .notAuthenticated)
    #expect(try procedure.applications() == [Self.number])
  }

  @Test func wrongDeletion() throws {
    var (_, procedure) = try Self.issue.card()
    try Self.issue.create(&procedure, Self.plan())
    func error(
      _ identifier: DESFireApplicationIdentifier, mac: UInt8 = 0x11, key: UInt8 = 0x10
    ) throws -> NFCError? {
      let permission = try DESFireDelegatedDeletionAuthorization(
        identifier, macKey: Self.issue.key(mac))
      return Self.error {
        try procedure.deleteDelegatedApplication(permission, Self.issue.key(key))
      }
    }
    #expect(try error(Self.number, key: 0x20)?.code == .authenticationFailed)
    let mac = try error(Self.number, mac: 0x20)
    #expect(mac?.code == .tagRefused && mac?.reason.contains("issuer's code") == true)
    #expect(try error(Self.other)?.cause == .desfireStatus(0xA0))
    // In this session, the card requires a permission.
    try procedure.authenticate(
      0x10, Self.issue.key(.authentication), by: .ev2First)
    let bare = Self.error { try procedure.deleteApplication(Self.number) }
    #expect(bare?.cause == .desfireStatus(0x7E))
    #expect(try procedure.applications() == [Self.number])
  }

  /// Cards whose keys were not set, or that have no delegated applications, are not changed.
  @Test func cardsWithout() throws {
    for generation in [DESFireGeneration.ev2, .ev3] {
      let model = generation == .ev2 ? DESFireModel.ev2 : .ev3
      let card = VirtualCard(DESFire(model, formatted: false))
      var procedure = card.procedure(generation)
      try procedure.select(.card)
      let error = Self.error { try Self.issue.create(&procedure, Self.plan()) }
      #expect(error?.code == .tagRefused && error?.cause == .desfireStatus(0x9D))
      #expect(error?.reason.contains("issuer has not set") == true)
      let deletion = Self.error {
        try procedure.deleteDelegatedApplication(
          DESFireDelegatedDeletionAuthorization(Self.number, macKey: Self.first), Self.first)
      }
      #expect(deletion?.reason.contains("issuer has not set") == true)
      #expect(try procedure.applications() == [])
    }
    let card = VirtualCard(DESFire(.ev1, formatted: false))
    var procedure = card.procedure(.ev1)
    try procedure.select(.card)
    card.setFault()
    let error = Self.error { try Self.issue.create(&procedure, Self.plan()) }
    #expect(error?.code == .unsupported && card.count == 1)
    try procedure.authenticate(0, .factory(.des), by: .iso)
    let key = Self.error {
      try procedure.changeDelegationKey(
        .authentication, from: .factory(.des),
        to: DESFireKey(.des, bytes: [1, 2, 3, 4, 5, 6, 7, 8]))
    }
    #expect(key?.code == .tagRefused && key?.cause == .desfireStatus(0x40))
  }

  /// Until all keys were set, the card permits nothing.
  @Test func keysOneByOne() throws {
    let issue = Self.issue
    let card = VirtualCard(DESFire(issue.model, formatted: false))
    var procedure = card.procedure(issue.generation)
    try procedure.select(.card)
    try procedure.authenticate(0, .factory(.des), by: .iso)
    try procedure.changeKey(0, from: nil, to: .factory(.aes), isCard: true)
    for (number, code) in [
      (DESFireDelegationKey.authentication, UInt8(0x9D)), (.mac, 0x9D), (.encryption, 0),
    ] {
      let early = Self.error {
        try procedure.changeDelegationKey(number, from: .factory(.aes), to: issue.key(number))
      }
      #expect(early?.code == .notAuthenticated)
      try issue.authenticate(&procedure)
      let wrong = Self.error {
        try procedure.changeDelegationKey(number, from: Self.first, to: issue.key(number))
      }
      #expect(wrong?.cause == .desfireStatus(0x1E))
      try issue.authenticate(&procedure)
      card.setFault()
      try procedure.changeDelegationKey(number, from: .factory(.aes), to: issue.key(number))
      #expect(card.count == 1 && card.sent.first?.prefix(2) == [0xC4, number.rawValue])
      let error = Self.error { try issue.create(&procedure, Self.plan()) }
      #expect(error?.cause == (code == 0 ? nil : .desfireStatus(code)), "\(number)")
    }
    #expect(try procedure.applications() == [Self.number])
  }

  /// Commands that this package does not send: the card refuses them at their last frame, as an EV3 did
  /// (libhcinfc), or at once.
  @Test func wrongOrder() throws {
    let issue = Self.issue
    let permission = try issue.permission(Self.plan())
    let rest = permission.encryptedKey + permission.mac
    // Without a session, and with that of another key.
    for hasSession in [false, true] {
      var (_, procedure) = try issue.card()
      if hasSession { try issue.authenticate(&procedure) }
      let error = Self.error {
        _ = try procedure.send(
          DESFireCommand(
            code: .createDelegatedApplication, header: permission.plan.parameters, data: rest,
            headerHasOwnFrame: true))
      }
      #expect(error?.cause == .desfireStatus(0xAE))
      #expect(try procedure.applications() == [])
    }
    // In one frame, in three, and with something in between.
    for sizes in [[55], [15, 16, 24]] {
      let (_, procedure) = try issue.card()
      var bytes = (permission.plan.parameters + rest)[...]
      var answers: [UInt8] = []
      for (index, size) in sizes.enumerated() {
        let answer = try procedure.transport.exchange(
          index == 0 ? .createDelegatedApplication : .additionalFrame, Array(bytes.prefix(size)))
        bytes = bytes.dropFirst(size)
        answers.append(answer.status.code)
      }
      #expect(answers == (sizes.count == 1 ? [0xAF] : [0xAF, 0x7E, 0x1C]))
    }
    var (_, procedure) = try issue.card()
    _ = try procedure.transport.exchange(.createDelegatedApplication, permission.plan.parameters)
    #expect(try procedure.transport.exchange(.freeMemory, []).status.code == 0xCA)
    // An application does not have the commands.
    try issue.create(&procedure, Self.plan())
    try procedure.select(Self.number)
    let inside = Self.error { _ = try procedure.delegatedSlot(0x0203) }
    #expect(inside?.cause == .desfireStatus(0x9D))
  }

  // MARK: Faults

  /// At each exchange, the application is complete or absent afterward, and the error says where to look
  /// when that is in doubt.
  @Test(arguments: Issue.all) func faults(_ issue: Issue) throws {
    let last = 4
    var seen: Set<Bool> = []
    for index in 0...last {
      for fault in VirtualCard.Fault.allCases {
        var (card, procedure) = try issue.card()
        card.setFault((index, fault))
        let error = Self.error { try issue.create(&procedure, Self.plan()) }
        card.setFault()
        card.restart()
        procedure = card.procedure(issue.generation)
        try procedure.select(.card)
        let slot = try procedure.delegatedSlot(0x0203)
        let exists = try procedure.applications() == [Self.number]
        #expect(slot?.application == (exists ? Self.number : nil), "\(fault) at \(index)")
        #expect(error != nil || exists, "\(fault) at \(index)")
        if fault.losesTag {
          #expect(exists == (index == last && fault == .answerLost), "\(fault) at \(index)")
        }
        if exists, error != nil, fault.losesTag { #expect(error?.recovery != nil) }
        seen.insert(exists)
        guard exists else { continue }
        // It is complete: its first key opens it.
        try procedure.select(Self.number)
        try procedure.authenticate(1, Self.first, by: .ev2First)
      }
    }
    #expect(seen == [true, false])
  }
}

extension SecretKey {
  fileprivate var hexadecimalForTest: String { withUnsafeBytes { Array($0) }.hexadecimal }
}
