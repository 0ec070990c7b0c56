import NFC
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests each change with a fault at each exchange, on a PN532 through the real libnfc and through PC/SC.
/// A change that is reported as done is done, and a repeated change completes it.
@Suite struct ChangeFaultTests {
  private static let new = SecretKey((0..<16).map { UInt8($0 * 3 + 1) })
  private static let newBytes = (0..<16).map { UInt8($0 * 3 + 1) }
  private static let password: [UInt8] = [0x5D, 0xA3, 0x91, 0x7C]
  private static let zeros = SecretKey([UInt8](repeating: 0, count: 16))
  private static let ones = SecretKey([UInt8](repeating: 0xFF, count: 16))
  private static let ultralightC = Array("IEMKAERB!NACUOYF".utf8)
  private static let block = (0..<16).map { UInt8($0 + 0x30) }

  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let tag: @Sendable () -> VirtualTag
    /// Performs the change on a newly connected tag.
    let run: @Sendable (DetectedTag) async throws -> Void
    /// Performs the change again with any key that the tag may have.
    let repeated: @Sendable (TagBench) async throws -> Void
    /// Throws, or records an issue, unless the change has been made.
    let check: @Sendable (TagBench) async throws -> Void
  }

  private static func miFare(_ tag: DetectedTag) throws -> any MiFareTag {
    guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "no MIFARE") }
    return tag
  }

  private static func commands(_ tag: DetectedTag) throws -> UltralightCommands {
    try #require(try miFare(tag).ultralight)
  }

  private static func card(_ tag: DetectedTag) throws -> MIFAREPlusCard {
    try MIFAREPlusCard(miFare(tag))
  }

  private static func ndefCard(_ tag: DetectedTag) async throws -> ST25TATag {
    guard case .iso7816(let card) = tag else { throw NFCError(.wrongTag, "no smart card") }
    return try await ST25TATag(card)
  }

  /// Runs `body` with each key that the tag may have, until one succeeds.
  private static func trying<Key: Sendable>(
    _ keys: [Key], _ body: (Key) async throws -> Void
  ) async throws {
    for key in keys.dropLast() where await failure(of: { try await body(key) }) == nil { return }
    if let last = keys.last { try await body(last) }
  }

  private static func protectC(_ tag: DetectedTag, _ key: [UInt8]?) async throws {
    let commands = try commands(tag)
    let plan = try await commands.protectionPlan(
      UltralightCProtection(key: newBytes, firstPage: 4), key: key)
    try await commands.protect(plan, accepting: [.forgetsKey], key: key)
  }

  private static func protectByPassword(_ tag: DetectedTag, _ old: [UInt8]?) async throws {
    let commands = try commands(tag)
    let plan = try await commands.protectionPlan(
      UltralightProtection(
        password: password, passwordAcknowledge: [1, 2], firstPage: 4, protectsReading: true),
      password: old)
    try await commands.protect(plan, accepting: [.forgetsPassword], password: old)
  }

  /// An NTAG or Ultralight EV1, whose password is four bytes.
  private static func password(
    _ name: String, _ tag: @escaping @Sendable () -> VirtualTag
  ) -> Change {
    Change(
      testDescription: name, tag: tag,
      run: { try await protectByPassword($0, nil) },
      repeated: { bench in
        try await trying([nil, password]) { try await protectByPassword(bench.found(), $0) }
      },
      check: { bench in
        let commands = try commands(await bench.found())
        #expect(await failure { try await commands.writePage(10, block.suffix(4)) } != nil)
        #expect(try await commands.authenticate(password: password) == [1, 2])
        try await commands.writePage(10, [1, 2, 3, 4])
      })
  }

  private static func protectAES(_ tag: DetectedTag, _ key: SecretKey?) async throws {
    let tag = try await UltralightAESTag(miFare(tag))
    let plan = try await tag.protectionPlan(
      UltralightAESProtection(key: new, firstPage: 4), key: key)
    try await tag.protect(plan, accepting: [.forgetsKey], key: key)
  }

  private static func protectFile(_ tag: DetectedTag, _ old: SecretKey) async throws {
    let card = try await ndefCard(tag)
    let plan = try await card.protectionPlan(ST25TAProtection(writePassword: new))
    try await card.protect(plan, accepting: [.forgetsPasswords], writePassword: old)
  }

  private static func changeKey(_ tag: DetectedTag, _ old: SecretKey) async throws {
    let card = try card(tag)
    try await card.authenticate(sector: 1, old)
    try await card.changeKey(try #require(MIFAREPlusKeyAddress(sector: 1)), to: new)
  }

  private static func writeBlock(_ tag: DetectedTag) async throws {
    let card = try card(tag)
    try await card.authenticate(sector: 1, ones)
    try await card.writeBlock(4, block)
  }

  private static func personalize(_ tag: DetectedTag) async throws {
    let card = try card(tag)
    // A card that was committed before is in level 3.
    guard try await card.securityLevel() == 0 else { return }
    for address in [MIFAREPlusKeyAddress.cardMaster, .cardConfiguration, .levelThreeSwitch] {
      try await card.personalize(address, new)
    }
    try await card.commitPersonalization()
  }

  static let changes = [
    password("NTAG213") { .ntag213() }, password("Ultralight EV1") { .ultralightEV1() },
    Change(
      testDescription: "Ultralight C", tag: { .ultralightC() },
      run: { try await protectC($0, nil) },
      repeated: { bench in
        try await trying([nil, ultralightC, newBytes]) { try await protectC(bench.found(), $0) }
      },
      check: { bench in
        let commands = try commands(await bench.found())
        #expect(await failure { try await commands.writePage(10, block.suffix(4)) } != nil)
        try await commands.authenticate(key: newBytes)
        try await commands.writePage(10, [1, 2, 3, 4])
      }),
    Change(
      testDescription: "Ultralight AES", tag: { .ultralightAES() },
      run: { try await protectAES($0, nil) },
      repeated: { bench in
        try await trying([nil, zeros, new]) { try await protectAES(bench.found(), $0) }
      },
      check: { bench in
        let tag = try await UltralightAESTag(bench.miFare())
        #expect(await failure { try await tag.commands.writePage(10, [0, 0, 0, 0]) } != nil)
        try await tag.authenticate(.dataProtection, new)
        try await tag.commands.writePage(10, [1, 2, 3, 4])
      }),
    Change(
      testDescription: "ST25TA", tag: { .st25ta() },
      run: { try await protectFile($0, ST25TATag.factoryPassword) },
      repeated: { bench in
        try await trying([ST25TATag.factoryPassword, new]) {
          try await protectFile(bench.found(), $0)
        }
      },
      check: { bench in
        let card = try await ndefCard(bench.found())
        #expect(try await card.access().write == .password)
        try await card.authenticate(read: nil, write: new)
        try await card.tag.writeNDEFBytes([], verify: false)
      }),
    Change(
      testDescription: "MIFARE Plus, a key", tag: { .miFarePlus() },
      run: { try await changeKey($0, ones) },
      repeated: { bench in try await trying([ones, new]) { try await changeKey(bench.found(), $0) }
      },
      check: { bench in try await card(await bench.found()).authenticate(sector: 1, new) }),
    Change(
      testDescription: "MIFARE Plus, a block", tag: { .miFarePlus() },
      run: { try await writeBlock($0) }, repeated: { try await writeBlock($0.found()) },
      check: { #expect(Array($0.placed.memory[64..<80]) == block) }),
    Change(
      testDescription: "MIFARE Plus, level 0", tag: { .miFarePlus(personalized: false) },
      run: { try await personalize($0) }, repeated: { try await personalize($0.found()) },
      check: { bench in
        let card = try card(await bench.found())
        #expect(try await card.securityLevel() == 3)
        try await card.authenticate(.cardMaster, new)
      }),
  ]

  @Test(arguments: changes, TagBench.Way.allCases)
  func everyFault(_ change: Change, _ way: TagBench.Way) async throws {
    var bench = try await TagBench(change.tag(), way)
    let first = try await bench.found()
    let count = try await bench.counting { try await change.run(first) }
    try await change.check(bench)
    #expect(count >= 3)
    for trouble in TagBench.Trouble.allCases {
      for moment in 0..<count {
        bench.replace(with: change.tag())
        let tag = try await bench.found()
        guard bench.setTrouble(trouble, at: moment) else { continue }
        let error = await failure { try await change.run(tag) }
        do {
          if error != nil { try await change.repeated(bench) }
          try await change.check(bench)
        } catch {
          Issue.record(error, "\(trouble) at \(moment)")
        }
      }
    }
    await bench.close()
  }
}
