import SwiftNFCCore

extension VicinityModel {
  /// ST25TV02K: 64 blocks of 4 bytes.
  ///
  /// Source: data sheet ST25TV512/02K (DS12074); not confirmed in detail.
  public static let st25tv02K = VicinityModel(
    // Product 23 is ST25TV512 and 02K.
    "st25tv", uid: [0xE0, 0x02, 0x23, 0x00, 0x1F, 0x90, 0x4A, 0x38], blockCount: 64,
    features: .readMultipleBlocks,
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands, icReference: 0x23, manufacturer: 0x02))
}

/// ST25TV02K: one or two areas protected by passwords.
///
/// Kill, untraceable mode, counter, tamper loop and article surveillance are not modeled.
public struct ST25TV: VirtualChip, VicinityChip {
  /// The model: its name, size and UID.
  public let model: VicinityModel
  var core: VicinityCore
  var security: ST25TVSecurity

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the model's own.
  ///   - formatted: whether it has a capability container and an empty message; if not, it is all zero.
  ///   - isDivided: whether the memory has two areas. The state on delivery is not confirmed.
  public init(
    _ model: VicinityModel = .st25tv02K, uid: [UInt8]? = nil, formatted: Bool = true,
    isDivided: Bool = false
  ) {
    self.init(model, model.core(uid: uid, formatted: formatted), isDivided)
  }

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the model's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(
    _ model: VicinityModel = .st25tv02K, uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) {
    self.init(model, try model.core(uid: uid, ndef: ndef), false)
  }

  private init(_ model: VicinityModel, _ core: VicinityCore, _ isDivided: Bool) {
    self.model = model
    self.core = core
    security = ST25TVSecurity(uid: core.uid, isDivided: isDivided)
  }

  // MARK: VicinityChip

  func readRefusal(_ block: Int) -> VicinityErrorCode? {
    security.allowsRead(isSecondHalf: isSecondHalf(block)) ? nil : .readProtected
  }

  func writeRefusal(_ block: Int) -> VicinityErrorCode? {
    security.allowsWrite(isSecondHalf: isSecondHalf(block)) ? nil : .locked
  }

  private func isSecondHalf(_ block: Int) -> Bool { block >= core.blockCount / 2 }

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    security.execute(code, parameters)
  }

  mutating func endSession() { security.endSession() }
}

extension VirtualTag {
  /// Returns an ST25TV02K, 256 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false` for a memory of zeros, as on delivery.
  ///   - isDivided: whether the memory has two areas.
  public static func st25tv(
    uid: [UInt8]? = nil, formatted: Bool = true, isDivided: Bool = false
  ) -> VirtualTag {
    VirtualTag(ST25TV(uid: uid, formatted: formatted, isDivided: isDivided))
  }

  /// Returns an ST25TV02K with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func st25tv(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ST25TV(uid: uid, ndef: ndef))
  }
}
