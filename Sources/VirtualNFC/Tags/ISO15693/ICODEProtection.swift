import SwiftNFCSeededRandom
import SwiftNFCCore

/// The two pages of an ICODE SLIX2 with their access conditions.
///
/// Source: data sheet SL2S2602 rev. 4.2, 9.5.3.
struct ICODEProtection: Hashable, Sendable {
  /// The first block of the high page.
  var pointer = 0
  /// The protection conditions. Bits 0 and 1: the low page requires the read and the write password; bits
  /// 4 and 5: the high page.
  var conditions: UInt8 = 0
  var isLocked = false
  /// Whether every protected access requires both the read and the write password.
  var needsBothPasswords = false
  /// Whether the chip is quiet after each power-on.
  var isQuiet = false

  private static let readBit: UInt8 = 0x01
  private static let writeBit: UInt8 = 0x02
  private static let highShift: UInt8 = 4
  private static let conditionBits: UInt8 = 0x33

  private func bits(_ block: Int) -> UInt8 {
    block < pointer ? conditions : conditions >> Self.highShift
  }

  /// Returns whether a block can be read. The write password permits reading too.
  func allowsRead(_ block: Int, _ open: Set<ICODEPassword>) -> Bool {
    guard bits(block) & Self.readBit != 0 else { return true }
    return needsBothPasswords
      ? open.isSuperset(of: [.read, .write]) : open.contains(.read) || open.contains(.write)
  }

  /// Returns whether a block can be written. A block that requires a password for reading requires one
  /// for writing.
  func allowsWrite(_ block: Int, _ open: Set<ICODEPassword>) -> Bool {
    guard bits(block) & (Self.readBit | Self.writeBit) != 0 else { return true }
    return needsBothPasswords ? open.isSuperset(of: [.read, .write]) : open.contains(.write)
  }

  mutating func change(
    _ code: UInt8, _ parameters: [UInt8], open: Set<ICODEPassword>
  ) -> VicinityAnswer {
    switch code {
    case ICODECommand.protectPage:
      guard parameters.count == 2, Int(parameters[0]) < ICODESLIX2.counterBlock else {
        return .refusal(.commandNotRecognized)
      }
      guard open.isSuperset(of: [.read, .write]) else { return .refusal(.unknown) }
      guard !isLocked else { return .refusal(.locked) }
      pointer = Int(parameters[0])
      conditions = parameters[1] & Self.conditionBits
    case ICODECommand.lockPageProtection:
      guard parameters.count == 1 else { return .refusal(.commandNotRecognized) }
      guard open.isSuperset(of: [.read, .write]) else { return .refusal(.unknown) }
      isLocked = true
    case ICODECommand.protectBy64Bits:
      guard open.isSuperset(of: [.read, .write]) else { return .refusal(.unknown) }
      needsBothPasswords = true
    default: return .unknown
    }
    return .data([])
  }

  // MARK: Information

  /// The supported functions: pages, counter, EAS identifier, EAS and AFI passwords, inventory read and
  /// EAS in it; signature, persistent quiet, privacy, destroy.
  private static let features: [UInt8] = [0x7F, 0x35, 0x00, 0x00]

  func systemInformation(core: VicinityCore, security: ICODESecurity) -> [UInt8] {
    var locks: UInt8 = 0
    if core.isAFILocked { locks |= 0x01 }
    if security.isEASLocked { locks |= 0x02 }
    if core.isDSFIDLocked { locks |= 0x04 }
    if isLocked { locks |= 0x08 }
    return [UInt8(truncatingIfNeeded: pointer), conditions, locks] + Self.features
  }

  /// Returns one byte per block: bit 0 locked, bits 1 and 2 read and write protected, bit 3 protection
  /// locked. What lies beyond the last block is left out (NXP's reader library,
  /// `phalICode_GetMultipleBlockProtectionStatus`).
  func status(_ parameters: [UInt8], core: VicinityCore) -> VicinityAnswer {
    guard parameters.count == 2 else { return .refusal(.commandNotRecognized) }
    let first = Int(parameters[0])
    let end = min(first + Int(parameters[1]) + 1, core.blockCount)
    guard first < end else { return .refusal(.blockNotAvailable) }
    return .data(
      (first..<end).map { block in
        (core.locked[block] ? 1 : 0) | (bits(block) & 0x03) << 1 | (isLocked ? 0x08 : 0)
      })
  }
}

/// The originality signatures of ICODE chips over their UIDs.
///
/// NXP's private key is not public, so a virtual chip is genuine only with a UID whose signature has been
/// published. For every other UID, the signature is wrong.
enum ICODESignature {
  private static let published = [
    "E0040118009B5FEE": "32D9E7579CD77E6F1FA11419231E874826984C5F189FDE1421684563A9663377",
    "E00401082AD28E83": "CAE8183CB4823C765AFDEB78C9D66C959990FD52A5820E76E1D6E025D76EAD79",
  ]

  static func signature(uid: [UInt8]) -> [UInt8] {
    if let text = published[uid.hexadecimal], let bytes = [UInt8](hexadecimal: text) {
      return bytes
    }
    var generator = SplitMix64(seed: uid)
    // Both halves are below the curve's order, so that only the verification itself can fail.
    return generator.bytes(32).enumerated().map {
      $0.offset % 16 == 0 ? $0.element & 0x7F : $0.element
    }
  }
}
