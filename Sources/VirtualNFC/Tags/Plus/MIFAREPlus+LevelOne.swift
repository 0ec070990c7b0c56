import SwiftNFCCore

/// Security level 1: a MIFARE Classic with additional AES authentication.
///
/// After the selection, AUTH opens sectors by CRYPTO1, RATS begins ISO/IEC 14443-4, and an authentication
/// with the AES key of level 1 requires neither.
///
/// Sources: MF1PLUSx0y1 and MF1P(H)x1y1 short data sheets (level 1 is on the layer of MIFARE Classic;
/// additional AES is optional); NXP's reader library and liblogicalaccess for the commands; Proxmark3
/// (`hf mfp acl`) for the content of the trailers in level 3. None of them specifies with which keys the
/// card can be authenticated without ISO/IEC 14443-4 (here only its key of level 1).
extension MIFAREPlus {
  /// The current protocol of the card.
  enum Side: Hashable, Sendable {
    /// Neither protocol; the card is at most selected.
    case neither
    /// ISO/IEC 14443-4.
    case blocks
    /// CRYPTO1.
    case sectors
  }

  /// RATS: ISO/IEC 14443-4, 5.1.
  private static let requestForAnswerToSelect: UInt8 = 0xE0
  /// NAK for an invalid operation (MF1S50YYX/V1 data sheet, table 10).
  private static let refusal: UInt8 = 0x04

  /// Returns the sectors as a Classic, whose memory is the card's.
  func makeClassic() -> MIFAREClassic {
    let whole = MIFAREClassic.Product.fourK
    let rest = whole.blockCount * MIFAREClassic.Product.blockSize - blocks.count
    var classic = MIFAREClassic(
      whole, uid: identifier, image: blocks + [UInt8](repeating: 0, count: rest))
    classic.blockLimit = product.blockCount
    classic.closedSectors = Set(sectorLevels.filter { $0.value == .three }.keys)
    if let activation = interface.typeA { classic.activation = activation }
    return classic
  }

  mutating func receiveAtLevelOne(_ frame: RadioFrame) -> RadioFrame? {
    if side == .neither, var activation = interface.typeA {
      let before = activation
      switch activation.receive(frame) {
      case .handled(let answer):
        interface.typeA = activation
        if !activation.isActive { reset() }
        return answer
      case .command(let command) where command.first == Self.requestForAnswerToSelect:
        side = .blocks
        reset()
        return receive(frame)
      case .command(let command) where Self.isBelowBlocks(command):
        if let answer = processBelowBlocks(command) { return .typeA(answer) }
        interface.typeA?.stopResponding()
        return .typeA(bare: [Self.refusal], bitsInLastByte: 4)
      case .command, .other:
        interface.typeA = before
        side = .sectors
      }
    }
    return receiveByClassic(frame)
  }

  private mutating func receiveByClassic(_ frame: RadioFrame) -> RadioFrame? {
    guard var classic, let activation = interface.typeA else { return nil }
    challenge = nil
    classic.activation = activation
    let answer = classic.receive(frame)
    interface.typeA = classic.activation
    if !classic.activation.isActive { side = .neither }
    blocks = Array(classic.memory.prefix(blocks.count))
    self.classic = classic
    return answer
  }

  /// Replaces the trailers for level 3: the keys of CRYPTO1 are removed, and the last byte of key A
  /// determines which data may be sent in plain.
  mutating func replaceClassicKeys() {
    replaceClassicKeys(in: (0..<product.sectorCount).filter { sectorLevels[$0] != .three })
  }

  mutating func replaceClassicKeys(in sectors: [Int]) {
    let none = [UInt8](repeating: 0, count: 6)
    for sector in sectors {
      let trailer = MIFAREClassic.Product.trailer(ofSector: sector) * 16
      blocks.replaceSubrange(trailer..<trailer + 6, with: none)
      blocks.replaceSubrange(trailer + 10..<trailer + 16, with: none)
      blocks[trailer + 5] = Self.plainCommunication
    }
  }
}
