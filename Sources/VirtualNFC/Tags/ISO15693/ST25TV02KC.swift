import NFCCore

extension VicinityModel {
  /// ST25TV02KC: 80 blocks of 4 bytes, the last 17 of which contain ST's signature.
  ///
  /// Source: data sheet ST25TV02KC/512C (DS13304) for the size; Proxmark3, cmdhf15.c, for the signature.
  /// It is not confirmed whether a chip's capability container includes the blocks of the signature.
  /// Passwords, augmented NDEF, tamper loop, kill and untraceable mode are not modeled.
  public static let st25tv02KC = VicinityModel(
    // Product 08 is ST25TV512C and 02KC; the UID is a real chip's, whose signature is published.
    "st25tv02kc", uid: [0xE0, 0x02, 0x08, 0x00, 0x0A, 0x22, 0x7A, 0xAA], blockCount: 80,
    reservedBlocks: ST25TV02KC.signatureBlocks.count, features: .readMultipleBlocks,
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands, icReference: 0x08, manufacturer: 0x02))
}

/// ST25TV02KC: the standard's commands, and a signature in the memory.
enum ST25TV02KC {
  static let signatureBlocks = 63..<80

  /// Returns the number of ST's key, and the signature in hexadecimal, as text.
  static func signatureText(uid: [UInt8]) -> [UInt8] {
    Array("K04S\(OriginalitySignature.signature(uid: uid).hexadecimal)".utf8)
  }
}

extension VirtualTag {
  /// Returns an ST25TV02KC, 320 bytes, with an empty NDEF message before its signature.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own, with which it is genuine.
  ///   - formatted: `false` for zeros before the signature.
  public static func st25tv02KC(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    var chip = PlainVicinityChip(.st25tv02KC, uid: uid, formatted: formatted)
    let text = ST25TV02KC.signatureText(uid: chip.core.uid)
    let first = ST25TV02KC.signatureBlocks.lowerBound * chip.core.blockSize
    chip.core.blocks.replaceSubrange(first..<first + text.count, with: text)
    return VirtualTag(chip)
  }
}
