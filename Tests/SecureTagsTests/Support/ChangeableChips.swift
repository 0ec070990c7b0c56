@testable import VirtualNFC

/// What a DESFire card keeps when it leaves the field.
struct DESFireContent: Equatable {
  private let card: DESFireApplication
  private let applications: [DESFireApplication]
  private let configuration: DESFireConfiguration
  private let delegation: DESFireDelegation

  init(_ chip: DESFire) {
    var picc = chip.picc
    // A transaction that is not committed is lost.
    picc.reset()
    (card, applications, configuration) = (picc.card, picc.applications, picc.configuration)
    delegation = picc.delegation
  }
}

/// What an NTAG 424 DNA keeps, except the numbers of reads and of wrong keys.
struct NTAG424Content: Equatable {
  private let secrets: [[UInt8]]
  private let files: [[UInt8]]
  private let usesLRP: Bool

  init(_ chip: NTAG424) {
    secrets = chip.keys + [chip.keyVersions]
    files = chip.fileSettings + [chip.memory]
    usesLRP = chip.usesLRP
  }
}

/// What a MIFARE Plus keeps.
struct MIFAREPlusContent: Equatable {
  private let blocks: [UInt8]
  private let keys: [UInt16: [UInt8]]
  private let level: Int

  init(_ chip: MIFAREPlus) {
    (blocks, keys, level) = (chip.blocks, chip.keys, chip.nextSecurityLevel)
  }
}

/// What an Ultralight chip keeps, except the number of wrong keys.
struct PageContent: Equatable {
  let pages: [UInt8]
  var counters: [UInt32] = []
}

/// What the NDEF file of an ST25TA keeps.
struct ST25TAContent: Equatable {
  private let file: [UInt8]
  private let access: [UInt8]
  private let passwords: [[UInt8]]

  init?(_ chip: ISO7816Card) {
    guard let file = chip.applets.first as? ST25TAApplication else { return nil }
    (self.file, access, passwords) = (file.content, file.access, file.passwords)
  }
}

extension ISO7816Card {
  /// An ST25TA02K as on delivery.
  static func st25ta() -> ISO7816Card {
    let uid: [UInt8] = [0x02, 0xE2, 0x00, 0x4B, 0x71, 0x90, 0x3D]
    return ISO7816Card(name: "st25ta", uid: uid, applets: [ST25TAApplication(uid: uid, ndef: [])])
  }
}

/// What every ISO 15693 chip keeps.
private struct VicinityContent: Equatable {
  private let blocks: [UInt8]
  private let locks: [Bool]
  private let identifiers: [UInt8]

  init(_ core: VicinityCore) {
    (blocks, locks) = (core.blocks, core.locked + [core.isAFILocked, core.isDSFIDLocked])
    identifiers = [core.afi, core.dsfid]
  }
}

/// What an ICODE keeps.
struct ICODEContent: Equatable {
  private let memory: VicinityContent
  private let passwords: [ICODEPassword: [UInt8]]
  private let lockedPasswords: Set<ICODEPassword>
  private let surveillance: [Bool]
  private let surveillanceIdentifier: [UInt8]
  private let protection: ICODEProtection?

  private let pages: ICODEPageProtection?
  private let isHidden: Bool

  init(_ chip: ICODESLIX) { self.init(chip.core, chip.security) }
  init(_ chip: ICODESLIXL) { self.init(chip.core, chip.security) }
  init(_ chip: ICODESLIXS) { self.init(chip.core, chip.security, pages: chip.pages) }
  init(_ chip: ICODESLIX2) { self.init(chip.core, chip.security, chip.protection) }

  private init(
    _ core: VicinityCore, _ security: ICODESecurity, _ protection: ICODEProtection? = nil,
    pages: ICODEPageProtection? = nil
  ) {
    (self.pages, isHidden) = (pages, security.isPrivate || security.isDestroyed)
    memory = VicinityContent(core)
    (passwords, lockedPasswords) = (security.passwords, security.lockedPasswords)
    surveillance = [
      security.isEASSet, security.isEASLocked, security.isEASProtected, security.isAFIProtected,
    ]
    surveillanceIdentifier = security.easIdentifier
    self.protection = protection
  }
}

/// What an ST25DV keeps.
struct ST25DVContent: Equatable {
  private let memory: VicinityContent
  private let security: ST25DVSecurity

  init(_ chip: ST25DV) {
    var security = chip.security
    security.endSession()
    (memory, self.security) = (VicinityContent(chip.core), security)
  }
}

/// What an ST25TV keeps.
struct ST25TVContent: Equatable {
  private let memory: VicinityContent
  private let registers: [UInt8]
  private let passwords: [[UInt8]]

  init(_ chip: ST25TV) {
    memory = VicinityContent(chip.core)
    (registers, passwords) = (chip.security.registers, chip.security.passwords)
  }
}

/// What an ST25TV02KC keeps.
struct ST25TVCContent: Equatable {
  private let memory: VicinityContent
  private let registers: [UInt8]
  private let passwords: [[UInt8]]

  init(_ chip: ST25TV02KC) {
    memory = VicinityContent(chip.core)
    (registers, passwords) = (chip.security.registers, chip.security.passwords)
  }
}
