import SwiftNFCCore

extension VicinityModel {
  /// ST25TV02KC: 80 blocks of 4 bytes, the last 17 of which contain ST's signature.
  ///
  /// Source: data sheet ST25TV02KC/512C (DS13304) for the size; Proxmark3, cmdhf15.c, for the signature.
  /// It is not confirmed whether a chip's capability container includes the blocks of the signature.
  public static let st25tv02KC = VicinityModel(
    // Product 08 is ST25TV512C and 02KC; the UID is a real chip's, whose signature is published.
    "st25tv02kc", uid: [0xE0, 0x02, 0x08, 0x00, 0x0A, 0x22, 0x7A, 0xAA], blockCount: 80,
    reservedBlocks: ST25TV02KC.signatureBlocks.count, features: .readMultipleBlocks,
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands, icReference: 0x08, manufacturer: 0x02))
}

/// ST25TV02KC: one or two areas protected by passwords, and a signature in the memory.
///
/// Augmented NDEF, unique tap code, tamper loop, privacy and the protection of the AFI are not modeled.
public struct ST25TV02KC: VirtualChip, VicinityChip {
  /// The model: its name, size and UID.
  public let model: VicinityModel
  var core: VicinityCore
  var security: ST25TVCSecurity

  static let signatureBlocks = 63..<80

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own, with which it is genuine.
  ///   - formatted: whether it has a capability container and an empty message before its signature; if not, zeros.
  ///   - takesLongPassword: whether a password of 8 bytes is written as one; otherwise in two halves, as on an
  ///     ST25TV02K. It is not confirmed which of them a chip does.
  ///   - isConfigurationLocked: whether the configuration of the areas can no longer be changed.
  public init(
    uid: [UInt8]? = nil, formatted: Bool = true, takesLongPassword: Bool = false,
    isConfigurationLocked: Bool = false
  ) {
    self.init(
      .st25tv02KC, uid: uid, formatted: formatted, takesLongPassword: takesLongPassword,
      isConfigurationLocked: isConfigurationLocked)
    let text = Self.signatureText(uid: core.uid)
    let first = Self.signatureBlocks.lowerBound * core.blockSize
    core.blocks.replaceSubrange(first..<first + text.count, with: text)
  }

  /// Creates a chip of another model, without a signature.
  init(
    _ model: VicinityModel, uid: [UInt8]? = nil, formatted: Bool = true,
    takesLongPassword: Bool = false, isConfigurationLocked: Bool = false
  ) {
    self.model = model
    core = model.core(uid: uid, formatted: formatted)
    security = ST25TVCSecurity(
      uid: core.uid, lastBlock: core.blockCount - 1, takesLongPassword: takesLongPassword,
      isConfigurationLocked: isConfigurationLocked)
  }

  /// Returns the number of ST's key, and the signature in hexadecimal, as text.
  static func signatureText(uid: [UInt8]) -> [UInt8] {
    Array("K04S\(OriginalitySignature.signature(uid: uid).hexadecimal)".utf8)
  }

  // MARK: VicinityChip

  func readRefusal(_ block: Int) -> VicinityErrorCode? {
    security.allowsRead(block: block) ? nil : .readProtected
  }

  func writeRefusal(_ block: Int) -> VicinityErrorCode? {
    security.allowsWrite(block: block) ? nil : .locked
  }

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    security.execute(code, parameters)
  }

  mutating func endSession() { security.endSession() }
}

extension VirtualTag {
  /// Returns an ST25TV02KC, 320 bytes, with an empty NDEF message before its signature.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own, with which it is genuine.
  ///   - formatted: `false` for zeros before the signature.
  public static func st25tv02KC(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(ST25TV02KC(uid: uid, formatted: formatted))
  }
}
