@testable import VirtualNFC

/// What a DESFire card keeps when it leaves the field.
struct DESFireContent: Equatable {
  private let card: DESFireApplication
  private let applications: [DESFireApplication]
  private let configuration: DESFireConfiguration

  init(_ chip: DESFire) {
    var picc = chip.picc
    // A transaction that is not committed is lost.
    picc.reset()
    (card, applications, configuration) = (picc.card, picc.applications, picc.configuration)
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
