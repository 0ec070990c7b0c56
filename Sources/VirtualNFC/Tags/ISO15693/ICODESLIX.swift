import NFCCore

/// ICODE SLIX: 28 blocks of 4 bytes; article surveillance and AFI behind a password.
///
/// Source: data sheet SL2S2002_SL2S2102 rev. 3.4.
public struct ICODESLIX: VirtualChip, VicinityChip {
  public static let blockCount = 28
  public static let blockSize = 4
  /// Bits 36 and 35 are 10 (data sheet, 8.3).
  public static let defaultUID: [UInt8] = [0xE0, 0x04, 0x01, 0x50, 0x2C, 0x3E, 0x71, 0x9A]

  static let content = Type5Content(
    memorySize: blockCount * blockSize, features: .readMultipleBlocks)
  static let profile = VicinityProfile(
    commands: VicinityProfile.usualCommands, icReference: 0x01, cutsSecurityStatus: true,
    manufacturer: 0x04)

  var core: VicinityCore
  var security: ICODESecurity

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first.
  ///   - formatted: with a capability container and an empty message; else all zero, as it leaves
  ///     the factory.
  public init(uid: [UInt8] = defaultUID, formatted: Bool = true) {
    self.init(uid: uid, content: formatted ? Self.content.empty : [])
  }

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first.
  ///   - ndef: The encoded message.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8] = defaultUID, ndef: [UInt8]) throws(VirtualTagError) {
    self.init(uid: uid, content: try Self.content.holding(ndef))
  }

  private init(uid: [UInt8], content: [UInt8]) {
    core = VicinityCore(
      uid: uid, blockCount: Self.blockCount, blockSize: Self.blockSize, content: content)
    security = ICODESecurity(passwords: [.eas], uid: uid)
  }

  public var name: String { "icode-slix" }

  // MARK: VicinityChip

  func hears(_ request: ISO15693Request) -> Bool { !security.isDeaf }

  func afiRefusal() -> ISO15693ErrorCode? {
    security.isAFIProtected && !security.open.contains(.eas) ? .unknown : nil
  }

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: ISO15693RequestFlags
  ) -> VicinityAnswer {
    security.execute(code, parameters, flags)
  }

  mutating func endSession() { security.endSession() }
}

extension VirtualTag {
  /// An ICODE SLIX, 112 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first.
  ///   - formatted: `false`: all zero, as it leaves the factory.
  public static func icodeSLIX(
    uid: [UInt8] = ICODESLIX.defaultUID, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(ICODESLIX(uid: uid, formatted: formatted))
  }

  /// An ICODE SLIX with an encoded NDEF message of up to 102 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func icodeSLIX(
    uid: [UInt8] = ICODESLIX.defaultUID, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ICODESLIX(uid: uid, ndef: ndef))
  }
}
