import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

extension MIFAREUltralightC: ChangeableChip {
  var content: PageContent { PageContent(pages: Array(memory)) }
  static var answers: AnswerForm { .pages }
  static func card(_ tag: DetectedTag) async throws -> UltralightCommands { try commands(of: tag) }
}

extension MIFAREUltralightEV1: ChangeableChip {
  var content: PageContent { PageContent(pages: Array(memory), counters: counters) }
  static var answers: AnswerForm { .pages }
  static func card(_ tag: DetectedTag) async throws -> UltralightCommands { try commands(of: tag) }
}

extension NTAG21x: ChangeableChip {
  var content: PageContent { PageContent(pages: Array(memory)) }
  static var answers: AnswerForm { .pages }
  static func card(_ tag: DetectedTag) async throws -> UltralightCommands { try commands(of: tag) }
}

extension MIFAREUltralightAES: ChangeableChip {
  var content: PageContent { PageContent(pages: Array(memory), counters: counters) }
  static var answers: AnswerForm { .pages }
  static func card(_ tag: DetectedTag) async throws -> UltralightAESTag {
    guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "no MIFARE") }
    return try await UltralightAESTag(tag)
  }
}

private func commands(of tag: DetectedTag) throws -> UltralightCommands {
  guard case .miFare(let tag) = tag, let commands = tag.ultralight else {
    throw NFCError(.wrongTag, "no Ultralight")
  }
  return commands
}

/// Tests each change of the keys, passwords, settings and counters of Ultralight and NTAG chips with every
/// fault at every exchange, through libnfc and PC/SC. Except the answers of an Ultralight AES, nothing has a
/// MAC, so that an altered answer may only lead to an error.
@Suite(.asking(.counter, .configurationLock)) struct UltralightChangeTests {
  private static let newBytes = (0..<16).map { UInt8($0 * 3 + 1) }

  // MARK: Ultralight C

  private static let factoryKey = Array("IEMKAERB!NACUOYF".utf8)
  private static let closedFrom = 8

  /// - Parameter isClosed: whether writing requires the factory's key.
  private static func ultralightC(isClosed: Bool = true) -> MIFAREUltralightC {
    var chip = MIFAREUltralightC()
    if isClosed { chip.memory[0x2A * 4] = UInt8(closedFrom) }
    return chip
  }

  private static func protect(
    _ tag: UltralightCommands, _ protection: UltralightCProtection?, _ key: [UInt8]?
  ) async throws {
    let plan = try await tag.protectionPlan(protection, key: key)
    try await tag.perform(plan, accepting: Set(plan.effects))
  }

  private static func changeC(
    _ name: String, isClosed: Bool = true, newKey: [UInt8]? = nil, isStepwise: Bool = false,
    reportsDoubt: Bool = true, first: Int = 0,
    _ run: @escaping @Sendable (UltralightCommands) async throws -> Void
  ) -> CardChange<MIFAREUltralightC> {
    CardChange(
      name, ultralightC(isClosed: isClosed), newKey: newKey, isProtected: false,
      isStepwise: isStepwise, reportsDoubt: reportsDoubt, first: first, run)
  }

  /// The number of exchanges that find the chip and read its settings: "protection" has a fault at each.
  private static let planning = 8

  static let ofUltralightC = [
    changeC("key", isClosed: false, newKey: newBytes, isStepwise: true) {
      try await $0.changeKey(newBytes)
    },
    changeC("key of protected pages", newKey: newBytes, isStepwise: true) { tag in
      try await trying([factoryKey, newBytes, nil]) { key in
        if let key { try await tag.authenticate(key: key) }
        let page = try await tag.readPage(0x2A)
        try await tag.changeKey(newBytes)
        // A run that was interrupted has left the pages open.
        guard page.first != UInt8(closedFrom) else { return }
        try await protect(
          tag, UltralightCProtection(key: nil, firstPage: closedFrom, protectsReading: true),
          newBytes)
      }
    },
    changeC("protection", isClosed: false, newKey: newBytes, isStepwise: true) { tag in
      try await trying([nil, newBytes, factoryKey]) {
        try await protect(tag, UltralightCProtection(key: newBytes, firstPage: 4), $0)
      }
    },
    changeC(
      "protection with another key", newKey: newBytes, isStepwise: true, first: planning
    ) { tag in
      try await trying([factoryKey, newBytes, nil]) {
        try await protect(
          tag, UltralightCProtection(key: newBytes, firstPage: 4, protectsReading: true), $0)
      }
    },
    changeC("opening", first: planning) {
      try await protect($0, nil as UltralightCProtection?, factoryKey)
    },
    changeC("counter", isClosed: false, reportsDoubt: false) { tag in
      guard try await tag.readPage(0x29) != [7, 0, 0, 0] else { return }
      try await tag.writePage(0x29, [7, 0, 0, 0])
    },
  ]

  @Test(arguments: ReaderBench.Kind.allCases, ofUltralightC)
  func ultralightC(_ kind: ReaderBench.Kind, _ change: CardChange<MIFAREUltralightC>) async throws {
    try await ChangeRun(kind, change).everyFault()
  }

  /// A reader that verifies check bytes returns a refusal as one byte, after which the tag has to be woken.
  @Test(arguments: ReaderBench.Kind.allCases)
  func theChipIsFoundAfterAnAuthentication(_ kind: ReaderBench.Kind) async throws {
    let bench = try await ReaderBench(kind, VirtualTag(Self.ultralightC()))
    guard case .miFare(let tag) = try await bench.found() else { return }
    let commands = try #require(tag.ultralight)
    try await commands.authenticate(key: Self.factoryKey)
    try await commands.changeKey(Self.newBytes)
    try await Self.protect(commands, nil as UltralightCProtection?, Self.newBytes)
    try await commands.writePage(12, [1, 2, 3, 4])
    await bench.close()
  }

  // MARK: Passwords

  private static let password: [UInt8] = [0x5D, 0xA3, 0x91, 0x7C]
  private static let oldPassword: [UInt8] = [0x11, 0x22, 0x33, 0x44]

  private static func protection(
    _ password: [UInt8], reads: Bool = false, locks: Bool = false
  ) throws -> UltralightProtection {
    try UltralightProtection(
      password: password, passwordAcknowledge: [1, 2], firstPage: 6, protectsReading: reads,
      locksConfiguration: locks)
  }

  private static func protect(
    _ tag: UltralightCommands, _ protection: UltralightProtection?, password: [UInt8]?
  ) async throws {
    let plan = try await tag.protectionPlan(protection, password: password)
    try await tag.perform(plan, accepting: Set(plan.effects))
  }

  private static func ofPassword<Chip: ChangeableChip>(
    _ chip: @escaping @autoclosure @Sendable () -> Chip
  ) -> [CardChange<Chip>] where Chip.Card == UltralightCommands {
    func change(
      _ name: String, isClosed: Bool, newKey: [UInt8]? = password, isStepwise: Bool = true,
      _ run: @escaping @Sendable (UltralightCommands) async throws -> Void
    ) -> CardChange<Chip> {
      CardChange(
        name, chip(), newKey: newKey, isProtected: false, isStepwise: isStepwise,
        prepare: { tag in
          if isClosed { try await protect(tag, protection(oldPassword), password: nil) }
        }, run)
    }
    return [
      change("another password", isClosed: true) { tag in
        try await trying([oldPassword, password, nil]) {
          try await protect(tag, protection(password), password: $0)
        }
      },
      change("locked protection", isClosed: false) { tag in
        do {
          try await trying([nil, password]) {
            try await protect(tag, protection(password, reads: true, locks: true), password: $0)
          }
        } catch let error as NFCError where error.code == .readOnly && error.recovery == nil {
          // It was locked in an earlier run.
          try await tag.authenticate(password: password)
        }
      },
      change("opening", isClosed: true, newKey: nil) { tag in
        try await trying([oldPassword]) {
          try await protect(tag, nil as UltralightProtection?, password: $0)
        }
      },
    ]
  }

  static let ofNTAG = ofPassword(NTAG21x(.ntag213))

  static let ofEV1 =
    ofPassword(MIFAREUltralightEV1(.mf0ul11)) + [
      CardChange(
        "counter", MIFAREUltralightEV1(.mf0ul11), isProtected: false
      ) { tag in
        guard try await tag.readCounter(1) != 3 else { return }
        try await tag.incrementCounter(1, by: 3)
      }
    ]

  @Test(arguments: ReaderBench.Kind.allCases, ofNTAG)
  func ntag(_ kind: ReaderBench.Kind, _ change: CardChange<NTAG21x>) async throws {
    try await ChangeRun(kind, change).everyFault()
  }

  @Test(arguments: ReaderBench.Kind.allCases, ofEV1)
  func ultralightEV1(
    _ kind: ReaderBench.Kind, _ change: CardChange<MIFAREUltralightEV1>
  ) async throws {
    try await ChangeRun(kind, change).everyFault()
  }

  // MARK: Ultralight AES

  private static let new = SecretKey(newBytes)
  private static let zeros = UltralightAESBench.factoryKey

  /// - Parameters:
  ///   - isClosed: whether writing requires the first key.
  ///   - hasCodes: whether answers have MACs after an authentication.
  private static func ultralightAES(isClosed: Bool, hasCodes: Bool) -> MIFAREUltralightAES {
    var chip = MIFAREUltralightAES()
    if hasCodes { chip.memory[0x29 * 4] = 0x02 }
    if isClosed { chip.memory[0x29 * 4 + 3] = UInt8(closedFrom) }
    return chip
  }

  private static func protect(
    _ tag: UltralightAESTag, _ protection: UltralightAESProtection?, _ key: SecretKey?
  ) async throws {
    let plan = try await tag.protectionPlan(protection, key: key)
    try await tag.perform(plan, accepting: Set(plan.effects))
  }

  private static func changeAES(
    _ name: String, isClosed: Bool = true, hasCodes: Bool = false, newKey: [UInt8]? = nil,
    isStepwise: Bool = true, first: Int = 0,
    _ run: @escaping @Sendable (UltralightAESTag) async throws -> Void
  ) -> CardChange<MIFAREUltralightAES> {
    // What reads the product and the settings is not protected.
    CardChange(
      hasCodes ? "\(name), with MACs" : name,
      ultralightAES(isClosed: isClosed, hasCodes: hasCodes), newKey: newKey, isProtected: false,
      isStepwise: isStepwise, first: first, run)
  }

  private static func countAES(hasCodes: Bool) -> CardChange<MIFAREUltralightAES> {
    changeAES("counter", hasCodes: hasCodes, isStepwise: false) { tag in
      try await tag.authenticate(.dataProtection, zeros)
      guard try await tag.commands.readCounter(2) != 3 else { return }
      try await tag.commands.incrementCounter(2, by: 3)
    }
  }

  static let ofUltralightAES = [
    countAES(hasCodes: false), countAES(hasCodes: true),
    changeAES("opening", hasCodes: true, isStepwise: false, first: planning) {
      try await protect($0, nil, zeros)
    },
    changeAES("another key", hasCodes: true, newKey: newBytes, first: planning) { tag in
      try await trying([zeros, new, nil]) {
        try await protect(tag, UltralightAESProtection(key: new, firstPage: 4), $0)
      }
    },
    changeAES("locked protection", isClosed: false, newKey: newBytes) { tag in
      do {
        try await trying([nil, new, zeros]) {
          try await protect(
            tag,
            UltralightAESProtection(
              key: new, identifierKey: new, firstPage: 4, protectsReading: true,
              securesMessages: true, locksConfiguration: true), $0)
        }
      } catch let error as NFCError where error.group == .refusal && error.recovery == nil {
        // It was locked in an earlier run.
        try await tag.authenticate(.dataProtection, new)
        guard try await tag.configuration().isLocked else { throw error }
      }
    },
  ]

  @Test(arguments: ReaderBench.Kind.allCases, ofUltralightAES)
  func ultralightAES(
    _ kind: ReaderBench.Kind, _ change: CardChange<MIFAREUltralightAES>
  ) async throws {
    try await ChangeRun(kind, change).everyFault()
  }
}
