/// The first byte of a request (ISO/IEC 15693-3, 7.3.1).
///
/// Two bits have another meaning in an inventory: ``inventoryAFI`` and ``inventoryOneSlot`` are at
/// the place of ``select`` and ``address``.
public struct ISO15693RequestFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The tag answers on two subcarriers instead of one.
  public static let dualSubCarriers = ISO15693RequestFlags(rawValue: 0x01)
  /// The tag answers at the high data rate.
  public static let highDataRate = ISO15693RequestFlags(rawValue: 0x02)
  /// The command is an inventory.
  public static let inventory = ISO15693RequestFlags(rawValue: 0x04)
  /// The format is extended. Chips of ST accept two-byte block numbers in ordinary commands with
  /// this flag (M24LR64-R data sheet, 26).
  public static let protocolExtension = ISO15693RequestFlags(rawValue: 0x08)
  /// Only the tag in the state Selected accepts the command. Not in an inventory.
  public static let select = ISO15693RequestFlags(rawValue: 0x10)
  /// Only the tag whose UID is in the request accepts the command. Not in an inventory.
  public static let address = ISO15693RequestFlags(rawValue: 0x20)
  /// The option of the command: security status with a read, an answer only after another end of
  /// frame with a write.
  public static let option = ISO15693RequestFlags(rawValue: 0x40)
  /// Reserved by the standard; some commands use it.
  public static let commandSpecific = ISO15693RequestFlags(rawValue: 0x80)

  /// The inventory contains an AFI. The same bit as ``select``.
  public static let inventoryAFI = ISO15693RequestFlags(rawValue: 0x10)
  /// The inventory has one slot instead of 16. The same bit as ``address``.
  public static let inventoryOneSlot = ISO15693RequestFlags(rawValue: 0x20)
}

/// The first byte of an answer (ISO/IEC 15693-3, 7.4.1; the names of the edition of 2018).
public struct ISO15693ResponseFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The tag refuses the command; the error code follows.
  public static let error = ISO15693ResponseFlags(rawValue: 0x01)
  /// A cryptographic result can be read from the tag's buffer.
  public static let responseBufferValid = ISO15693ResponseFlags(rawValue: 0x02)
  /// This answer is the last one to the command.
  public static let finalResponse = ISO15693ResponseFlags(rawValue: 0x04)
  /// The format is extended.
  public static let protocolExtension = ISO15693ResponseFlags(rawValue: 0x08)
  /// Bit 5 of the security status of the block.
  public static let blockSecurityStatusBit5 = ISO15693ResponseFlags(rawValue: 0x10)
  /// Bit 6 of the security status of the block.
  public static let blockSecurityStatusBit6 = ISO15693ResponseFlags(rawValue: 0x20)
  /// The tag needs more time.
  public static let waitTimeExtension = ISO15693ResponseFlags(rawValue: 0x40)
}
