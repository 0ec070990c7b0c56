import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCCore

/// A type A chip before a direct reader, which counts the exchanges that a procedure makes, and takes the chip away
/// at one of them.
final class ChipDriver: ReaderDriver {
  let name = "chip"
  let connectionString = "chip"
  let capabilities: ReaderCapabilities
  let abort: @Sendable () -> Void = {}

  private let tag: VirtualTag
  private let reader: DirectReader
  private let driver: any ReaderDriver
  private let target: Target
  /// The exchange at which the tag leaves.
  private let tear: Int?
  /// A command that the chip is to refuse, and the four bits that it answers.
  private let refused: UInt8?
  private let refusal: UInt8
  private(set) var exchanges = 0
  /// What procedures are asked by name to make final; anything else that they make final fails the test.
  var asked = PermittedChanges.kinds

  init(
    _ chip: any VirtualChip, tear: Int? = nil, refusing refused: UInt8? = nil,
    with refusal: UInt8 = 0
  ) {
    tag = VirtualTag(chip)
    reader = DirectReader(VirtualField())
    reader.field.place(tag)
    driver = reader.driver()
    capabilities = driver.capabilities
    self.tear = tear
    self.refused = refused
    self.refusal = refusal
    let found = try? driver.find(.iso14443a, excluding: [])
    target =
      found ?? .iso14443a(ISO14443ATarget(uid: chip.identifier, atqa: [0x00, 0x44], sak: 0x00))
  }

  /// The chip as it is now.
  var chip: any VirtualChip {
    get { tag.chip }
    set { tag.memory = newValue.memory }
  }

  var link: TagLink { TagLink(driver: self, target: target, operation: Reader.Operation()) }

  func begin() {}
  func end() {}
  func close() {}
  func resetField() throws {}
  func list(_ technology: TagTechnology) throws -> [Target] { [] }
  func select(_ target: Target) throws { try driver.select(target) }

  func exchange(
    _ command: [UInt8], framing: Framing, timeout: Duration
  ) throws -> [UInt8] {
    if exchanges == tear { reader.field.removeAll() }
    exchanges += 1
    if let refused, command.first == refused { return [refusal] }
    let before = chip.irreversibleState
    defer {
      PermittedChanges.check(
        chip.irreversibleState.changes(since: before), askedFor: asked,
        sourceLocation: #_sourceLocation)
    }
    return try driver.exchange(command, framing: framing, timeout: timeout)
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    try driver.authenticate(block: block, keyType: keyType, key: key, uid: uid)
  }
}
