/// A command to a vicinity tag (ISO/IEC 15693-3, 10), without its addressing.
///
/// Block numbers always have 16 bits here. An ordinary command sends one byte of them, or two with
/// the flag ``ISO15693RequestFlags/protocolExtension``; an extended one always sends two.
@nonexhaustive
public enum ISO15693Command: Hashable, Sendable {
  /// Searches for tags: those of an application family if `afi` is given, and those whose UID ends
  /// with the mask.
  case inventory(afi: UInt8?, mask: ISO15693InventoryMask)
  /// Makes the addressed tag ignore every command that is not addressed to it. There is no answer.
  case stayQuiet
  /// Reads a block.
  case readSingleBlock(UInt16)
  /// Writes a block.
  case writeSingleBlock(UInt16, data: [UInt8])
  /// Locks a block. **Cannot be undone.**
  case lockBlock(UInt16)
  /// Reads consecutive blocks.
  case readMultipleBlocks(ISO15693BlockRange)
  /// Writes consecutive blocks: the data of all blocks, one after the other.
  case writeMultipleBlocks(ISO15693BlockRange, data: [UInt8])
  /// Selects the addressed tag, so that it accepts commands with the flag
  /// ``ISO15693RequestFlags/select``.
  case select
  /// Ends the states Quiet and Selected of the tag.
  case resetToReady
  /// Writes the application family identifier.
  case writeAFI(UInt8)
  /// Locks the application family identifier. **Cannot be undone.**
  case lockAFI
  /// Writes the data storage format identifier.
  case writeDSFID(UInt8)
  /// Locks the data storage format identifier. **Cannot be undone.**
  case lockDSFID
  /// Reads UID, DSFID, AFI, memory size and IC reference.
  case getSystemInformation
  /// Reads the security status of consecutive blocks, one byte each.
  case getMultipleBlockSecurityStatus(ISO15693BlockRange)
  /// Reads consecutive blocks; the tag answers at the higher rate of its maker.
  case fastReadMultipleBlocks(ISO15693BlockRange)
  /// Reads a block with a two-byte number.
  case extendedReadSingleBlock(UInt16)
  /// Writes a block with a two-byte number.
  case extendedWriteSingleBlock(UInt16, data: [UInt8])
  /// Locks a block with a two-byte number. **Cannot be undone.**
  case extendedLockBlock(UInt16)
  /// Reads consecutive blocks with two-byte numbers.
  case extendedReadMultipleBlocks(ISO15693BlockRange)
  /// Writes consecutive blocks with two-byte numbers: the data of all blocks, one after the other.
  case extendedWriteMultipleBlocks(ISO15693BlockRange, data: [UInt8])
  /// Reads the fields that the parameter selects.
  case extendedGetSystemInformation(ISO15693SystemInformationFields)
  /// Reads the security status of consecutive blocks with two-byte numbers.
  case extendedGetMultipleBlockSecurityStatus(ISO15693BlockRange)
  /// Reads consecutive blocks with two-byte numbers; the tag answers at the higher rate of its
  /// maker.
  case extendedFastReadMultipleBlocks(ISO15693BlockRange)
  /// Authenticates according to ISO/IEC 29167 with a cryptographic suite.
  case authenticate(cryptoSuite: UInt8, message: [UInt8])
  /// Changes a key (edition of 2018); the cryptographic suite defines the message.
  case keyUpdate(keyIdentifier: UInt8, message: [UInt8])
  /// Sends a challenge to all tags (edition of 2018), which store their answers. There is no
  /// answer.
  case challenge(cryptoSuite: UInt8, message: [UInt8])
  /// Reads the result of a cryptographic command from the tag's buffer (edition of 2018).
  case readBuffer
  /// A command of the maker, A0 to DF, with the maker's code of ISO/IEC 7816-6.
  case custom(code: UInt8, manufacturer: UInt8, parameters: [UInt8])
  /// A command E0 to FF, or any other that the standard leaves open.
  case other(code: UInt8, parameters: [UInt8])

  /// The command byte.
  public var code: UInt8 {
    switch self {
    case .inventory: ISO15693CommandCode.inventory
    case .stayQuiet: ISO15693CommandCode.stayQuiet
    case .readSingleBlock: ISO15693CommandCode.readSingleBlock
    case .writeSingleBlock: ISO15693CommandCode.writeSingleBlock
    case .lockBlock: ISO15693CommandCode.lockBlock
    case .readMultipleBlocks: ISO15693CommandCode.readMultipleBlocks
    case .writeMultipleBlocks: ISO15693CommandCode.writeMultipleBlocks
    case .select: ISO15693CommandCode.select
    case .resetToReady: ISO15693CommandCode.resetToReady
    case .writeAFI: ISO15693CommandCode.writeAFI
    case .lockAFI: ISO15693CommandCode.lockAFI
    case .writeDSFID: ISO15693CommandCode.writeDSFID
    case .lockDSFID: ISO15693CommandCode.lockDSFID
    case .getSystemInformation: ISO15693CommandCode.getSystemInformation
    case .getMultipleBlockSecurityStatus: ISO15693CommandCode.getMultipleBlockSecurityStatus
    case .fastReadMultipleBlocks: ISO15693CommandCode.fastReadMultipleBlocks
    case .extendedReadSingleBlock: ISO15693CommandCode.extendedReadSingleBlock
    case .extendedWriteSingleBlock: ISO15693CommandCode.extendedWriteSingleBlock
    case .extendedLockBlock: ISO15693CommandCode.extendedLockBlock
    case .extendedReadMultipleBlocks: ISO15693CommandCode.extendedReadMultipleBlocks
    case .extendedWriteMultipleBlocks: ISO15693CommandCode.extendedWriteMultipleBlocks
    case .extendedGetSystemInformation: ISO15693CommandCode.extendedGetSystemInformation
    case .extendedGetMultipleBlockSecurityStatus:
      ISO15693CommandCode.extendedGetMultipleBlockSecurityStatus
    case .extendedFastReadMultipleBlocks: ISO15693CommandCode.extendedFastReadMultipleBlocks
    case .authenticate: ISO15693CommandCode.authenticate
    case .keyUpdate: ISO15693CommandCode.keyUpdate
    case .challenge: ISO15693CommandCode.challenge
    case .readBuffer: ISO15693CommandCode.readBuffer
    case .custom(let code, _, _), .other(let code, _): code
    }
  }

  /// Whether the command addresses all tags, to find their UIDs.
  var isInventory: Bool {
    if case .inventory = self { true } else { false }
  }

  /// Whether the tag changes its memory: this may take 20 ms, and with the option flag the tag
  /// waits for another end of frame before it answers (ISO/IEC 15693-3, 10.4.2).
  package var isWriteAlike: Bool {
    switch self {
    case .writeSingleBlock, .lockBlock, .writeMultipleBlocks, .writeAFI, .lockAFI, .writeDSFID,
      .lockDSFID, .extendedWriteSingleBlock, .extendedLockBlock, .extendedWriteMultipleBlocks,
      .keyUpdate:
      true
    default: false
    }
  }

  /// Whether the tag stays silent on it by design (ISO/IEC 15693-3, 10.3.2; 2018: 10.5.3).
  var hasNoAnswer: Bool {
    switch self {
    case .stayQuiet, .challenge: true
    default: false
    }
  }
}

/// The tags that an inventory addresses: those whose UID ends in these bits (ISO/IEC 15693-3, 8.1).
public struct ISO15693InventoryMask: Hashable, Sendable {
  /// The number of bits, from the UID's least significant one: 0 to 64.
  public let length: Int
  /// The bits, as a number.
  public let value: UInt64

  /// Creates a mask. Bits of `value` beyond `length` are ignored; a length outside 0 to 64 is
  /// adjusted.
  public init(length: Int = 0, value: UInt64 = 0) {
    let length = min(max(length, 0), 64)
    self.length = length
    self.value = length == 64 ? value : value & (1 << UInt64(length) - 1)
  }

  /// Every tag.
  public static let none = ISO15693InventoryMask()
}

/// A range of blocks: the first one, and their number, at least 1.
///
/// The number minus one is sent over the air.
public struct ISO15693BlockRange: Hashable, Sendable {
  /// The number of the first block.
  public let first: UInt16
  /// The number of blocks, 1 to 65536.
  public let count: Int

  /// Creates a range; `nil` if it is empty or exceeds number 65535.
  public init?(first: Int, count: Int) {
    guard let start = UInt16(exactly: first), count >= 1, count <= 0x1_0000 - first
    else { return nil }
    self.first = start
    self.count = count
  }

  /// Creates the range in a frame. It may exceed the existing numbers.
  init(first: UInt16, countLessOne: UInt16) {
    self.first = first
    count = Int(countLessOne) + 1
  }

  /// The numbers of the blocks; in a request from outside, they may exceed 65535.
  public var numbers: Range<Int> { Int(first)..<(Int(first) + count) }
}

/// The fields that extended get system information requests (edition of 2018, 10.4.28).
public struct ISO15693SystemInformationFields: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The DSFID.
  public static let dsfid = ISO15693SystemInformationFields(rawValue: 0x01)
  /// The AFI.
  public static let afi = ISO15693SystemInformationFields(rawValue: 0x02)
  /// The number of blocks and their size.
  public static let memorySize = ISO15693SystemInformationFields(rawValue: 0x04)
  /// The IC reference.
  public static let icReference = ISO15693SystemInformationFields(rawValue: 0x08)
  /// Whether two-byte block numbers are needed.
  public static let addressing = ISO15693SystemInformationFields(rawValue: 0x10)
  /// The commands that the tag supports.
  public static let commandList = ISO15693SystemInformationFields(rawValue: 0x20)
  /// The cryptographic suites that the tag supports.
  public static let cryptoSuites = ISO15693SystemInformationFields(rawValue: 0x40)
  /// All fields except the cryptographic suites.
  public static let standard = ISO15693SystemInformationFields(rawValue: 0x3F)
}
