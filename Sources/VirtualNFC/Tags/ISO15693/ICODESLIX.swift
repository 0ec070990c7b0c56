import SwiftNFCCore

/// ICODE SLIX: 28 blocks of 4 bytes; article surveillance and AFI with a password, and inventory read
/// commands.
///
/// Source: data sheet SL2S2002_SL2S2102 rev. 3.4.
public struct ICODESLIX: VirtualChip, ICODEInventoryChip {
  static let hasExtendedInventory = false
  static let model = VicinityModel(
    // Bits 36 and 35 are 10 (data sheet, 8.3).
    "icode-slix", uid: [0xE0, 0x04, 0x01, 0x50, 0x2C, 0x3E, 0x71, 0x9A], blockCount: 28,
    features: .readMultipleBlocks,
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands, icReference: 0x01, truncatesSecurityStatus: true,
      truncatesReads: true, givesNoReasons: true, manufacturer: 0x04))

  var model: VicinityModel { Self.model }
  var core: VicinityCore
  var security: ICODESecurity
  /// Always `false`: this chip has no such state.
  var isPersistentlyQuiet = false

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: whether it has a capability container and an empty message; if not, it is all zero,
  ///     as on delivery.
  public init(uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(Self.model.core(uid: uid, formatted: formatted))
  }

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8]? = nil, ndef: some TagMessage) throws(VirtualTagError) {
    self.init(try Self.model.core(uid: uid, ndef: ndef))
  }

  private init(_ core: VicinityCore) {
    self.core = core
    security = ICODESecurity(passwords: [.eas], uid: core.uid)
  }

  // MARK: VicinityChip

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    security.execute(code, parameters, flags)
  }
}

extension VirtualTag {
  /// Returns an ICODE SLIX, 112 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false` for a memory of zeros, as on delivery.
  public static func icodeSLIX(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(ICODESLIX(uid: uid, formatted: formatted))
  }

  /// Returns an ICODE SLIX with an NDEF message of up to 102 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func icodeSLIX(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ICODESLIX(uid: uid, ndef: ndef))
  }
}
