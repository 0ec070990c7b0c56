import SwiftNFCCore

extension VicinityModel {
  /// ST25DV04K: 128 blocks of 4 bytes.
  public static let st25dv04K = st25dv(
    "st25dv04k", uid: [0xE0, 0x02, 0x24, 0x00, 0x2F, 0x71, 0x08, 0x5B], blockCount: 128)

  /// ST25DV16K: 512 blocks of 4 bytes.
  public static let st25dv16K = st25dv(
    "st25dv16k", uid: [0xE0, 0x02, 0x26, 0x00, 0x59, 0x0E, 0x83, 0x16], blockCount: 512)

  /// ST25DV64K: 2048 blocks of 4 bytes.
  public static let st25dv64K = st25dv(
    "st25dv", uid: [0xE0, 0x02, 0x26, 0x00, 0x6B, 0x5D, 0x14, 0xC7], blockCount: 2048)

  /// Returns a model. Block numbers above 255 require extended commands; on chips with such numbers, only
  /// the extended system information reports the size. The product in the UID is the IC reference: 24 for
  /// 04K, 26 for the other two.
  ///
  /// Source: data sheet ST25DV04K/16K/64K (DS10925), 6 and 7. A single block beyond the end is error 10,
  /// several blocks 0F. The limits of a read are not confirmed.
  private static func st25dv(_ name: String, uid: [UInt8], blockCount: Int) -> VicinityModel {
    let isWide = blockCount > 256
    return VicinityModel(
      name, uid: uid, blockCount: blockCount, isWide: isWide, features: .readMultipleBlocks,
      profile: VicinityProfile(
        commands: VicinityProfile.usualCommands.union(VicinityProfile.extendedCommands)
          .union([VicinityCommandCode.writeMultipleBlocks]),
        readLimit: blockCount, writeLimit: 4, icReference: uid[2], reportsMemorySize: !isWide,
        rangeError: .unknown, manufacturer: 0x02))
  }
}

/// ST25DV04K, 16K and 64K with areas protected by passwords.
///
/// There is nothing on the I²C side, and no supply: the mailbox cannot be enabled, and its commands are refused. It is
/// not confirmed on a chip that the error is 0F.
public struct ST25DV: VirtualChip, VicinityChip {
  /// The size of the memory and its format.
  public let model: VicinityModel
  var core: VicinityCore
  var security: ST25DVSecurity

  /// - Parameters:
  ///   - model: one of ST25DV's.
  ///   - uid: 8 bytes, most significant first; `nil` for the model's own.
  ///   - formatted: whether it has a capability container and an empty message; if not, it is all zero.
  public init(_ model: VicinityModel, uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(model, model.core(uid: uid, formatted: formatted))
  }

  /// - Parameters:
  ///   - model: one of ST25DV's.
  ///   - uid: 8 bytes, most significant first; `nil` for the model's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(
    _ model: VicinityModel, uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) {
    self.init(model, try model.core(uid: uid, ndef: ndef))
  }

  private init(_ model: VicinityModel, _ core: VicinityCore) {
    self.model = model
    self.core = core
    security = ST25DVSecurity(memorySize: model.blockCount * model.blockSize)
  }

  // MARK: VicinityChip

  func readRefusal(_ block: Int) -> VicinityErrorCode? {
    security.allowsRead(byte: block * core.blockSize) ? nil : .readProtected
  }

  /// Returns the reason why a block cannot be locked. LOCK_CCFILE has bits only for blocks 0 and 1 (ST's
  /// drivers, st25dv_reg.h). It is not confirmed that other blocks are refused with this code.
  func lockRefusal(_ block: Int) -> VicinityErrorCode? { block > 1 ? .blockNotAvailable : nil }

  func writeRefusal(_ block: Int) -> VicinityErrorCode? {
    security.allowsWrite(byte: block * core.blockSize) ? nil : .locked
  }

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    guard let plain = ST25DVCommand.fastReads[code] else {
      return security.execute(code, parameters)
    }
    // The same request without the maker's code, to this tag in any state.
    let asked = flags.subtracting([.address, .select])
    guard let request = VicinityRequest([asked.rawValue, plain] + parameters) else {
      return .refusal(.commandNotRecognized)
    }
    return performMemory(request.command, hasOption: flags.contains(.option))
  }

  func answersFast(_ code: UInt8) -> Bool { ST25DVCommand.fast.contains(code) }

  var frozenSettings: IrreversibleState {
    var state = IrreversibleState()
    if security.isConfigurationLocked { state.add(.configurationLock, place: 0x0F) }
    return state
  }

  mutating func endSession() { security.endSession() }
}

extension VirtualTag {
  /// Returns an ST25DV64K, 8192 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false` for a memory of zeros.
  public static func st25dv(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(ST25DV(.st25dv64K, uid: uid, formatted: formatted))
  }

  /// Returns an ST25DV64K with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func st25dv(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ST25DV(.st25dv64K, uid: uid, ndef: ndef))
  }

  /// Returns an ST25DV16K, 2048 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false` for a memory of zeros.
  public static func st25dv16K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(ST25DV(.st25dv16K, uid: uid, formatted: formatted))
  }

  /// Returns an ST25DV16K with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func st25dv16K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ST25DV(.st25dv16K, uid: uid, ndef: ndef))
  }

  /// Returns an ST25DV04K, 512 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false` for a memory of zeros.
  public static func st25dv04K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(ST25DV(.st25dv04K, uid: uid, formatted: formatted))
  }

  /// Returns an ST25DV04K with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func st25dv04K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ST25DV(.st25dv04K, uid: uid, ndef: ndef))
  }
}
