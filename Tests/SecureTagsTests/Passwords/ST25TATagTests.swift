import NFC
import NDEF
import SecureTags
import TestSupport
import Testing
import VirtualNFC

/// Tests passwords of an NDEF file, through libnfc and a virtual PN532, and through PC/SC.
@Suite(.replayed) struct ST25TATagTests {
  private static let new = SecretKey((0..<16).map { UInt8($0 + 1) })
  private static let other = SecretKey((0..<16).map { UInt8(0xF0 - $0) })
  private static let message: [UInt8] = [0xD1, 0x01, 0x04, 0x54, 0x02, 0x65, 0x6E, 0x21]

  enum Way: CaseIterable, Sendable {
    case libnfc
    case pcsc
  }

  /// A card on a reader. `again` removes it and puts it back.
  private final class Bench {
    let field = VirtualField()
    let placed = VirtualTag.st25ta()
    let virtual: VirtualReader?
    let reader: Reader

    init(_ way: Way) async throws {
      field.place(placed)
      switch way {
      case .libnfc:
        let virtual = try VirtualReader(field)
        self.virtual = virtual
        ReplayedReaders.begin()
        reader = try await Reader.open(virtual.connectionString)
      case .pcsc:
        let virtual = VirtualPCSCReader(field)
        self.virtual = nil
        ReplayedReaders.begin()
        reader = try await Reader.open(over: { virtual.service() })
      }
    }

    func close() async {
      await reader.close()
      virtual?.close()
    }

    func again() async throws -> ST25TATag {
      virtual?.setFaults([])
      field.remove(placed)
      field.place(placed)
      for _ in 0..<20 {
        guard let found = try await reader.tagsInField().first else { continue }
        try await found.connect()
        guard case .iso7816(let card) = found else { throw NFCError(.wrongTag, "no smart card") }
        return try await ST25TATag(card)
      }
      throw NFCError(.noTag, "the card does not come back")
    }
  }

  private static func error(_ body: () async throws -> Void) async -> NFCError? {
    do {
      try await body()
      return nil
    } catch { return error as? NFCError }
  }

  private static func protect(_ tag: ST25TATag, reading: Bool) async throws {
    let plan = try await tag.protectionPlan(
      ST25TAProtection(writePassword: new, readPassword: reading ? other : nil))
    try await tag.perform(plan, accepting: [.forgetsPassword])
  }

  @Test(arguments: Way.allCases, [false, true])
  func theFileIsClosedAndOpened(_ way: Way, _ reading: Bool) async throws {
    let bench = try await Bench(way)
    var card = try await bench.again()
    #expect(card.product.name == "ST25TA02K")
    #expect(try await card.protectionPlan(nil).steps.isEmpty)
    try await Self.protect(card, reading: reading)
    card = try await bench.again()
    #expect(try await card.access().write == .password)
    #expect(try await card.access().read == (reading ? .password : .open))
    let refused = await Self.error {
      try await card.tag.writeNDEFBytes(Self.message, verify: false)
    }
    #expect(refused?.code == (reading ? .notAuthenticated : .readOnly))
    if reading {
      #expect(
        await Self.error { _ = try await card.tag.readNDEFBytes() }?.code == .notAuthenticated)
    }
    try await card.authenticate(read: Self.other, write: Self.new)
    try await card.tag.writeNDEFBytes(Self.message, verify: true)
    #expect(try await card.tag.readNDEFBytes() == Self.message)
    // The selection of another file ends the rights that a password gives.
    _ = try await card.access()
    #expect(try await card.tag.readNDEFBytes() == Self.message)
    card = try await bench.again()
    let plan = try await card.protectionPlan(nil, writePassword: Self.new)
    #expect(plan.effects.isEmpty)
    try await card.perform(plan)
    card = try await bench.again()
    try await card.tag.writeNDEFBytes([], verify: true)
    #expect(bench.placed.irreversibleChanges.isEmpty)
    await bench.close()
  }

  /// A wrong password uses one attempt, and the error contains the number of remaining attempts that the
  /// card reports.
  @Test(arguments: Way.allCases) func aWrongPasswordCostsOneAttempt(_ way: Way) async throws {
    let bench = try await Bench(way)
    let card = try await bench.again()
    try await Self.protect(card, reading: false)
    // The session of the application began with the call.
    let failed = await Self.error { try await card.authenticate(read: nil, write: Self.other) }
    #expect(failed?.code == .authenticationFailed)
    #expect(failed?.attempts == .left(2))
    #expect(failed?.description.contains("2 attempts are left") == true)
    let plan = try await card.protectionPlan(nil, writePassword: Self.other)
    let again = await Self.error { try await card.perform(plan) }
    #expect(again?.attempts == .left(2))
    #expect(try await card.access().write == .password)
    // They run out within one session.
    let left = try await card.tag.exclusively { link in
      try [
        "00A4040007D276000085010100", "00A4000C020001",
        "002000021000000000000000000000000000000000", "002000021000000000000000000000000000000000",
        "002000021000000000000000000000000000000000", "002000021000000000000000000000000000000000",
      ].map { try link.transceive([UInt8](hexadecimal: $0) ?? []) }
    }
    #expect(left.map(\.hexadecimal).suffix(4) == ["63C2", "63C1", "63C0", "6983"])
    await bench.close()
  }

  @Test func whatIsFinalIsAskedForByName() async throws {
    let bench = try await Bench(.libnfc)
    var card = try await bench.again()
    try await card.closePermanently(.write)
    #expect(bench.placed.irreversibleChanges.map(\.kind) == [.accessRights])
    card = try await bench.again()
    #expect(try await card.access().write == .closed)
    #expect(await Self.error { _ = try await card.protectionPlan(nil) }?.code == .readOnly)
    let plan = await Self.error {
      try await card.tag.writeNDEFBytes(Self.message, verify: false)
    }
    #expect(plan?.code == .readOnly)
    await bench.close()
  }

  /// A card that was removed at any exchange is open, or protected by the new passwords.
  @Test func aTornProtectionIsCompleted() async throws {
    let bench = try await Bench(.libnfc)
    var torn = 0
    for exchange in 0..<60 {
      var card = try await bench.again()
      bench.virtual?.setFaults([Fault(.tagLeaves, at: .exchange(exchange))])
      let failed = await Self.error { try await Self.protect(card, reading: true) }
      card = try await bench.again()
      // The old password is valid, or the new one if its step was reached.
      let protection = ST25TAProtection(writePassword: Self.new, readPassword: Self.other)
      for password in [ST25TATag.factoryPassword, Self.new] {
        let plan = try await card.protectionPlan(protection, writePassword: password)
        let error = await Self.error {
          try await card.perform(plan, accepting: [.forgetsPassword])
        }
        if error == nil { break }
        #expect(error?.code == .authenticationFailed)
        #expect(password != Self.new)
      }
      card = try await bench.again()
      try await card.authenticate(read: Self.other, write: Self.new)
      #expect(try await card.tag.readNDEFBytes() == nil)
      // Back to the factory's passwords for the next round.
      try await card.perform(
        try await card.protectionPlan(
          ST25TAProtection(writePassword: ST25TATag.factoryPassword), writePassword: Self.new),
        accepting: [.forgetsPassword])
      try await card.perform(try await card.protectionPlan(nil))
      guard failed != nil else { break }
      torn += 1
    }
    #expect(torn > 8)
    await bench.close()
  }
}
