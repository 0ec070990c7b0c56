import SwiftNFCCore

/// ICODE SLIX-L: 8 blocks of 4 bytes; article surveillance and AFI with a password, privacy and destruction.
///
/// Blocks are read one at a time. Unknown commands are not answered: it is not confirmed that this chip refuses them as
/// SLI-S does, and readers must support both. Inventories that read, and an identifier of the article surveillance, are
/// not modelled. Sources: data sheet SL2S5002_SL2S5102 (size and functions); the passwords, as users of Proxmark3 and
/// Flipper Zero found them on such labels; the commands are those of SLIX-S (SL2S5302 data sheet rev. 3.2, 8.4.3).
public struct ICODESLIXL: VirtualChip, ICODEChip {
  static let model = VicinityModel(
    // Product 03; bits 36 and 35 are 10.
    "icode-slix-l", uid: [0xE0, 0x04, 0x03, 0x50, 0x1B, 0x7C, 0x42, 0x9D], blockCount: 8,
    profile: VicinityProfile(
      commands: VicinityProfile.basicCommands, icReference: 0x03, isSilentOnUnknown: true,
      truncatesReads: true, givesNoReasons: true, manufacturer: 0x04))

  var model: VicinityModel { Self.model }
  var core: VicinityCore
  var security: ICODESecurity

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
    security = ICODESecurity(passwords: [.privacy, .destroy, .eas], uid: core.uid)
  }

  // MARK: VicinityChip

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    code == ICODECommand.writeEASIdentifier
      ? .unknown : security.execute(code, parameters, flags)
  }
}

extension VirtualTag {
  /// Returns an ICODE SLIX-L, 32 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false` for a memory of zeros, as on delivery.
  public static func icodeSLIXL(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(ICODESLIXL(uid: uid, formatted: formatted))
  }

  /// Returns an ICODE SLIX-L with an NDEF message of up to 22 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func icodeSLIXL(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ICODESLIXL(uid: uid, ndef: ndef))
  }
}
