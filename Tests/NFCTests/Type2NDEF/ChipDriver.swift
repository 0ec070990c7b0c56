import VirtualNFC

@testable import NFCCore

/// A type A chip with a reader's antenna right at it: no libnfc, no thread, so that thousands of
/// writes take no time.
final class ChipDriver: ReaderDriver {
  let name = "chip"
  let connectionString = "chip"
  let capabilities = ReaderCapabilities(
    technologies: [.iso14443a], bitRates: [.iso14443a: [106]], maximumCommandLength: 262,
    maximumResponseLength: 262)
  let abort: @Sendable () -> Void = {}

  var chip: any VirtualChip
  /// The exchange at which the tag leaves.
  private let tear: Int?
  /// A command that the chip is to refuse as one that it does not know.
  private let refused: UInt8?
  private(set) var exchanges = 0
  private var isGone = false

  init(_ chip: any VirtualChip, tear: Int? = nil, refusing refused: UInt8? = nil) {
    self.chip = chip
    self.refused = refused
    self.tear = tear
    activate()
  }

  var link: TagLink {
    let target = ISO14443ATarget(uid: chip.identifier, atqa: [0x00, 0x44], sak: 0x00)
    return TagLink(driver: self, target: .iso14443a(target), work: Reader.Work())
  }

  private func activate() {
    chip.powerOff()
    chip.powerOn()
    _ = chip.receive(.typeA(bare: [0x26], bitsInLastByte: 7))
    for code: UInt8 in [0x93, 0x95] {
      guard let part = chip.receive(.typeA(bare: [code, 0x20])) else { return }
      _ = chip.receive(.typeA([code, 0x70] + part.bytes))
    }
  }

  func begin() {}
  func end() {}
  func close() {}
  func resetField() throws {}
  func list(_ technology: TagTechnology) throws -> [Target] { [] }

  func select(_ target: Target) throws {
    guard !isGone else { throw NFCError(.tagConnectionLost, "the tag has left the field") }
    activate()
  }

  func exchange(
    _ command: [UInt8], framing: Framing, timeout: Duration
  ) throws -> [UInt8] {
    if exchanges == tear { isGone = true }
    exchanges += 1
    if let refused, command.first == refused { return [0x00] }
    let frame = framing == .bare ? RadioFrame.typeA(bare: command) : .typeA(command)
    guard !isGone, let answer = chip.receive(frame) else {
      throw NFCError(.tagResponseError, "the tag has not answered", cause: .noAnswer)
    }
    // The check is the reader's own affair then; four bits of a refusal have none.
    guard framing != .bare, answer.bytes.count > 2 else { return answer.bytes }
    return Array(answer.bytes.dropLast(2))
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    throw NFCError(.unsupported, "not a MIFARE Classic")
  }
}
