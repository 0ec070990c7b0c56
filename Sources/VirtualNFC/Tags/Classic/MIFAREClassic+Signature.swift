import SwiftNFCCore

/// The signature of a MIFARE Classic EV1 of 1K: two blocks of a sector beyond the memory, which key B reads and nothing
/// writes.
///
/// No data sheet describes it. The blocks and keys are those of Proxmark3 (`mifaredefault.h`, `mifarehost.c`) and of
/// "Talk to your Mifare Classic card". What key A may do is not known; here, it reads nothing.
extension MIFAREClassic {
  enum Signature {
    static let sector = 17
    static let blocks = 69...70
    static let size = 32
    static let keyA: [UInt8] = [0x75, 0xCC, 0xB5, 0x9C, 0x9B, 0xED]
    static let keyB: [UInt8] = [0x4B, 0x79, 0x1B, 0xEA, 0x7B, 0xCC]
  }

  /// Whether a block belongs to the sector of the signature.
  func isOfSignature(_ block: Int) -> Bool {
    signature != nil && product == .oneK && Product.sector(ofBlock: block) == Signature.sector
  }

  /// Returns a block of the signature; `nil` for other blocks, and for key A.
  func signatureBlock(_ block: Int, with key: Key) -> [UInt8]? {
    guard isOfSignature(block), key == .b, Signature.blocks.contains(block), let signature,
      signature.count == Signature.size
    else { return nil }
    let first = (block - Signature.blocks.lowerBound) * Product.blockSize
    return Array(signature[first..<first + Product.blockSize])
  }
}
