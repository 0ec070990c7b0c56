import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// An ISO 15693 chip.
protocol ChangeableVicinityChip: ChangeableChip {}

extension ChangeableVicinityChip {
  static var answers: AnswerForm { .vicinity }
  static var polling: PollingOptions { .iso15693 }
}

extension ChangeableVicinityChip where Card == ICODETag {
  static func card(_ tag: DetectedTag) async throws -> Card { try await Card(vicinityTag(tag)) }
}

extension ChangeableVicinityChip where Card == ST25Tag {
  static func card(_ tag: DetectedTag) async throws -> Card { try await Card(vicinityTag(tag)) }
}

extension ICODESLIX: ChangeableVicinityChip {
  typealias Card = ICODETag
  var content: ICODEContent { ICODEContent(self) }
}

extension ICODESLIX2: ChangeableVicinityChip {
  typealias Card = ICODETag
  var content: ICODEContent { ICODEContent(self) }
  static func companion() -> VirtualTag? { .st25tv() }
}

extension ICODESLIXL: ChangeableVicinityChip {
  typealias Card = ICODETag
  var content: ICODEContent { ICODEContent(self) }
  static func companion() -> VirtualTag? { .st25tv() }
}

extension ICODESLIXS: ChangeableVicinityChip {
  typealias Card = ICODETag
  var content: ICODEContent { ICODEContent(self) }
  static func companion() -> VirtualTag? { .st25tv() }
}

extension ST25DV: ChangeableVicinityChip {
  typealias Card = ST25Tag
  var content: ST25DVContent { ST25DVContent(self) }
}

extension ST25TV: ChangeableVicinityChip {
  typealias Card = ST25Tag
  var content: ST25TVContent { ST25TVContent(self) }
}

extension ST25TV02KC: ChangeableVicinityChip {
  typealias Card = ST25Tag
  var content: ST25TVCContent { ST25TVCContent(self) }
}

private func vicinityTag(_ tag: DetectedTag) throws -> any ISO15693Tag {
  guard case .iso15693(let tag) = tag else { throw NFCError(.wrongTag, "no ISO 15693 tag") }
  return tag
}

/// Tests each change of an ISO 15693 chip's passwords, protection, article surveillance and locks with every
/// fault at every exchange, through PC/SC: libnfc has no ISO 15693. The answers have no MAC.
@Suite(.asking(.configurationLock, .identifierLock, .blockLock, .destruction))
struct VicinityChangeTests {
  private static let newBytes: [UInt8] = [0x11, 0x22, 0x33, 0x44]
  private static let new = SecretKey(newBytes)
  private static let longBytes: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]
  private static let long = SecretKey(longBytes)
  private static let oldLong = SecretKey([0x99, 0x88, 0x77, 0x66, 0x5A, 0x4B, 0x3C, 0x2D])

  private static func change<Chip: ChangeableChip>(
    _ name: String, _ chip: @escaping @autoclosure @Sendable () -> Chip, newKey: [UInt8]? = nil,
    isStepwise: Bool = false, reportsDoubt: Bool = true, isFinal: Bool = false,
    prepare: @escaping @Sendable (Chip.Card) async throws -> Void = { _ in },
    _ run: @escaping @Sendable (Chip.Card) async throws -> Void
  ) -> CardChange<Chip> {
    CardChange(
      name, chip(), newKey: newKey, isProtected: false, isStepwise: isStepwise,
      reportsDoubt: reportsDoubt, isFinal: isFinal, prepare: prepare, run)
  }

  /// Runs `body`, which was done in an earlier run if the tag refuses because of a lock.
  private static func unlessLocked(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as NFCError
      where error.recovery == nil
      && (error.code == .readOnly || error.cause == .iso15693(alreadyLocked)
        || error.cause == .iso15693(unknown))
    {
      // The lock is there.
    }
  }

  /// ISO/IEC 15693-3, table 8.
  private static let alreadyLocked: UInt8 = 0x11
  /// All that an ICODE says.
  private static let unknown: UInt8 = 0x0F

  /// The commands of the standard, which a program sends itself and which report nothing about an earlier
  /// run except that there is a lock.
  private static func locks<Chip: ChangeableChip>(
    _ chip: @escaping @autoclosure @Sendable () -> Chip, block: Int,
    _ tag: @escaping @Sendable (Chip.Card) -> any ISO15693Tag
  ) -> [CardChange<Chip>] {
    [
      change("lock of a block", chip()) { try await tag($0).lockBlock(block) },
      change("AFI", chip(), reportsDoubt: false) {
        _ = try await tag($0).sendCommand(.writeAFI(0x42))
      },
      change("lock of the AFI", chip(), reportsDoubt: false) { card in
        try await unlessLocked { _ = try await tag(card).sendCommand(.lockAFI) }
      },
      change("DSFID", chip(), reportsDoubt: false) {
        _ = try await tag($0).sendCommand(.writeDSFID(7))
      },
      change("lock of the DSFID", chip(), reportsDoubt: false) { card in
        try await unlessLocked { _ = try await tag(card).sendCommand(.lockDSFID) }
      },
    ]
  }

  // MARK: ICODE

  private static func ofPassword<Chip: ChangeableChip>(
    _ use: ICODETag.Password, _ chip: @escaping @autoclosure @Sendable () -> Chip
  ) -> [CardChange<Chip>] where Chip.Card == ICODETag {
    let old = ICODETag.factoryPassword(use)
    return [
      change("\(use) password", chip(), newKey: newBytes) { label in
        do {
          try await label.writePassword(use, from: old, to: new)
        } catch let error as NFCError
          where error.code == .authenticationFailed && error.recovery == nil
        {
          try await label.wake()
          try await label.authenticate(use, new)
        }
      },
      change("lock of the \(use) password", chip()) { label in
        try await label.lockPassword(use, current: old)
      },
    ]
  }

  private static let surveillancePassword = ICODETag.factoryPassword(.surveillance)

  private static func ofSurveillance<Chip: ChangeableChip>(
    _ chip: @escaping @autoclosure @Sendable () -> Chip
  ) -> [CardChange<Chip>] where Chip.Card == ICODETag {
    [
      change("surveillance", chip()) { try await $0.setSurveillance(true) },
      change("lock of the surveillance", chip()) { label in
        try await unlessLocked { try await label.lockSurveillance() }
      },
      change("password for the surveillance", chip()) {
        try await $0.protect(.surveillance, password: surveillancePassword)
      },
      change("password for the AFI", chip()) {
        try await $0.protect(.afi, password: surveillancePassword)
      },
      change(
        "surveillance with a password", chip(),
        prepare: { try await $0.protect(.surveillance, password: surveillancePassword) }
      ) { try await $0.setSurveillance(true, password: surveillancePassword) },
    ]
  }

  private static func protect(
    _ label: ICODETag, _ protection: ICODEProtection?, current: ICODEPasswords = .factory
  ) async throws {
    let plan = try await label.protectionPlan(protection, current: current)
    try await label.perform(plan, accepting: Set(plan.effects))
  }

  private static func ofProtection<Chip: ChangeableChip>(
    _ chip: @escaping @autoclosure @Sendable () -> Chip, from first: Int
  ) -> [CardChange<Chip>] where Chip.Card == ICODETag {
    @Sendable func protection(locks: Bool = false) -> ICODEProtection {
      ICODEProtection(
        passwords: ICODEPasswords(new), firstBlock: first, protectsReading: true,
        locksProtection: locks, needsBothPasswords: locks)
    }
    return [
      change("protection", chip(), newKey: newBytes, isStepwise: true) {
        try await protect($0, protection())
      },
      change("locked protection", chip(), newKey: newBytes, isStepwise: true) { label in
        do {
          try await protect(label, protection(locks: true))
        } catch let error as NFCError where error.code == .readOnly && error.recovery == nil {
          for use in [ICODETag.Password.read, .write] { try await label.authenticate(use, new) }
        }
      },
      change("opening", chip(), isStepwise: true, prepare: { try await protect($0, protection()) })
      {
        try await protect($0, nil, current: ICODEPasswords(new))
      },
    ]
  }

  private static let privacyPassword = ICODETag.factoryPassword(.privacy)

  /// A tag that is in privacy mode, or destroyed, answers no search: another tag is beside it.
  private static func ofPrivacy<Chip: ChangeableChip>(
    _ chip: @escaping @autoclosure @Sendable () -> Chip
  ) -> [CardChange<Chip>] where Chip.Card == ICODETag {
    [
      change("privacy mode", chip()) { try await $0.enablePrivacy(password: privacyPassword) },
      change(
        "end of privacy mode", chip(),
        prepare: { try await $0.enablePrivacy(password: privacyPassword) }
      ) { try await $0.leavePrivacy(password: privacyPassword) },
      change("destruction", chip(), isFinal: true) {
        try await $0.destroyPermanently(password: ICODETag.factoryPassword(.destroy))
      },
    ]
  }

  static let ofSLIXL =
    [ICODETag.Password.privacy, .destroy, .surveillance].flatMap { ofPassword($0, ICODESLIXL()) }
    + ofPrivacy(ICODESLIXL())

  static let ofSLIXS =
    ICODETag.Password.allCases.flatMap { ofPassword($0, ICODESLIXS()) } + ofPrivacy(ICODESLIXS())
    + ofProtection(ICODESLIXS(), from: 32)

  @Test(arguments: ofSLIXL) func slixL(_ change: CardChange<ICODESLIXL>) async throws {
    try await ChangeRun(.pcsc, change).everyFault()
  }

  @Test(arguments: ofSLIXS) func slixS(_ change: CardChange<ICODESLIXS>) async throws {
    try await ChangeRun(.pcsc, change).everyFault()
  }

  static let ofSLIX2 =
    ICODETag.Password.allCases.flatMap { ofPassword($0, ICODESLIX2()) }
    + ofPrivacy(ICODESLIX2()) + ofSurveillance(ICODESLIX2())
    + locks(ICODESLIX2(), block: 10) { $0.tag } + ofProtection(ICODESLIX2(), from: 8) + [
      change("identifier of the surveillance", ICODESLIX2()) {
        try await $0.writeSurveillanceIdentifier(0x1234)
      }
    ]

  static let ofSLIX =
    ofPassword(.surveillance, ICODESLIX()) + ofSurveillance(ICODESLIX())
    + locks(ICODESLIX(), block: 10) { $0.tag }

  @Test(arguments: ofSLIX2) func slix2(_ change: CardChange<ICODESLIX2>) async throws {
    try await ChangeRun(.pcsc, change).everyFault()
  }

  @Test(arguments: ofSLIX) func slix(_ change: CardChange<ICODESLIX>) async throws {
    try await ChangeRun(.pcsc, change).everyFault()
  }

  // MARK: ST25

  private static func protect(
    _ chip: ST25Tag, _ protection: ST25Protection?, current: SecretKey? = nil
  ) async throws {
    let plan = try await chip.protectionPlan(protection, current: current)
    try await chip.perform(plan, accepting: Set(plan.effects))
  }

  private static func ofST25<Chip: ChangeableChip>(
    _ chip: @escaping @autoclosure @Sendable () -> Chip, firstBlock: Int
  ) -> [CardChange<Chip>] where Chip.Card == ST25Tag {
    @Sendable func protection(_ password: SecretKey) -> ST25Protection {
      ST25Protection(password: password, firstBlock: firstBlock, protectsReading: true)
    }
    return [
      change("protection", chip(), newKey: longBytes, isStepwise: true) {
        try await protect($0, protection(long))
      },
      change(
        "another password", chip(), newKey: longBytes, isStepwise: true,
        prepare: { try await protect($0, protection(oldLong)) }
      ) { try await protect($0, protection(long), current: oldLong) },
      change(
        "opening", chip(), prepare: { try await protect($0, protection(oldLong)) }
      ) { try await protect($0, nil, current: oldLong) },
    ] + locks(chip(), block: 0) { $0.tag }
  }

  static let ofST25DV = ofST25(ST25DV(.st25dv04K), firstBlock: 32)

  static let ofST25TV =
    ofST25(ST25TV(), firstBlock: 0) + [
      change("second area", ST25TV(), newKey: newBytes, isStepwise: true) {
        try await protect($0, ST25Protection(password: new, firstBlock: 32))
      }
    ]

  @Test(arguments: ofST25DV) func st25dv(_ change: CardChange<ST25DV>) async throws {
    try await ChangeRun(.pcsc, change).everyFault()
  }

  @Test(arguments: ofST25TV) func st25tv(_ change: CardChange<ST25TV>) async throws {
    try await ChangeRun(.pcsc, change).everyFault()
  }

  static let ofST25TVC =
    ofST25(ST25TV02KC(), firstBlock: 0)
    + ofST25(ST25TV02KC(takesLongPassword: true), firstBlock: 0).prefix(2) + [
      change("second area", ST25TV02KC(), newKey: newBytes, isStepwise: true) {
        try await protect($0, ST25Protection(password: new, firstBlock: 40))
      }
    ]

  @Test(arguments: ofST25TVC) func st25tvc(_ change: CardChange<ST25TV02KC>) async throws {
    try await ChangeRun(.pcsc, change).everyFault()
  }
}
