/// The answer of a vicinity chip, without the check bytes (ISO/IEC 15693-3, 7.4).
enum VicinityResponse {
  static let errorFlag: UInt8 = 0x01

  static func success(_ payload: [UInt8]) -> [UInt8] { [0x00] + payload }
  static func refusal(_ code: VicinityErrorCode) -> [UInt8] { [errorFlag, code.rawValue] }
}

/// The flags of an answer to a cryptographic command (ISO/IEC 15693-3, edition of 2018, 7.4.1).
struct CryptographicFlags: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  /// The response buffer is valid.
  static let bufferIsValid = CryptographicFlags(rawValue: 0x02)
  /// The response is final.
  static let isFinal = CryptographicFlags(rawValue: 0x04)
}

/// The system information of a chip (ISO/IEC 15693-3, 10.4.12; edition of 2018, 10.4.28).
struct VicinityInformation {
  /// The UID, most significant byte first.
  let uid: [UInt8]
  let dsfid: UInt8?
  let afi: UInt8?
  let blockSize: Int
  let blockCount: Int
  let icReference: UInt8?
  /// Whether the ordinary command reports the size of the memory.
  let reportsMemorySize: Bool
  let commands: Set<UInt8>
  let hasCustomCommands: Bool
  /// The crypto suites as the extended form lists them; empty if there are none.
  let suites: [UInt8]

  // The information flags; bits 5 and 6 exist only in the extended form.
  private static let dsfidFlag: UInt8 = 0x01
  private static let afiFlag: UInt8 = 0x02
  private static let memoryFlag: UInt8 = 0x04
  private static let icReferenceFlag: UInt8 = 0x08
  private static let wideNumbersFlag: UInt8 = 0x10
  private static let commandListFlag: UInt8 = 0x20
  private static let suitesFlag: UInt8 = 0x40

  /// Returns the answer to Get System Information.
  ///
  /// - Parameter isWide: whether the number of blocks has two bytes (M24LR64-R data sheet, 26.12).
  func ordinary(isWide: Bool) -> [UInt8] {
    var (flags, fields) = (UInt8(0), [UInt8]())
    if let dsfid {
      flags |= Self.dsfidFlag
      fields.append(dsfid)
    }
    if let afi {
      flags |= Self.afiFlag
      fields.append(afi)
    }
    if reportsMemorySize {
      flags |= Self.memoryFlag
      fields += size(isWide: isWide)
    }
    if let icReference {
      flags |= Self.icReferenceFlag
      fields.append(icReference)
    }
    return [flags] + uid.reversed() + fields
  }

  /// Returns the answer to Extended Get System Information.
  ///
  /// - Parameter wanted: the requested fields, with the same bits as in the flags.
  func extended(wanted: UInt8) -> [UInt8] {
    var (flags, fields) = (UInt8(0), [UInt8]())
    func isWanted(_ flag: UInt8) -> Bool { wanted & flag != 0 }
    if let dsfid, isWanted(Self.dsfidFlag) {
      flags |= Self.dsfidFlag
      fields.append(dsfid)
    }
    if let afi, isWanted(Self.afiFlag) {
      flags |= Self.afiFlag
      fields.append(afi)
    }
    if isWanted(Self.memoryFlag) {
      flags |= Self.memoryFlag
      fields += size(isWide: true)
    }
    if let icReference, isWanted(Self.icReferenceFlag) {
      flags |= Self.icReferenceFlag
      fields.append(icReference)
    }
    if blockCount > 256, isWanted(Self.wideNumbersFlag) { flags |= Self.wideNumbersFlag }
    if isWanted(Self.commandListFlag) {
      flags |= Self.commandListFlag
      fields += commandList
    }
    if !suites.isEmpty, isWanted(Self.suitesFlag) {
      flags |= Self.suitesFlag
      fields += suites
    }
    return [flags] + uid.reversed() + fields
  }

  /// Returns the number of the last block, and that of the last byte in a block.
  private func size(isWide: Bool) -> [UInt8] {
    let last = blockCount - 1
    let low = UInt8(truncatingIfNeeded: last)
    let high = UInt8(truncatingIfNeeded: last >> 8)
    return (isWide ? [low, high] : [low]) + [UInt8(truncatingIfNeeded: blockSize - 1) & 0x1F]
  }

  /// The list of commands: four bytes with one bit per command, from the least significant bit of the
  /// first byte (RFAL, `rfal_nfcv.h`: `RFAL_NFCV_SYSINFO_…`). All custom commands have one bit.
  private var commandList: [UInt8] {
    typealias Code = VicinityCommandCode
    let first: [UInt8] = [
      Code.readSingleBlock, Code.writeSingleBlock, Code.lockBlock, Code.readMultipleBlocks,
      Code.writeMultipleBlocks, Code.select, Code.resetToReady,
      Code.getMultipleBlockSecurityStatus,
    ]
    // Bit 5 of the second byte stands for custom commands.
    let second: [UInt8?] = [
      Code.writeAFI, Code.lockAFI, Code.writeDSFID, Code.lockDSFID, Code.getSystemInformation, nil,
      Code.fastReadMultipleBlocks,
    ]
    let third: [UInt8] = [
      Code.extendedReadSingleBlock, Code.extendedWriteSingleBlock, Code.extendedLockBlock,
      Code.extendedReadMultipleBlocks, Code.extendedWriteMultipleBlocks,
      Code.extendedGetMultipleBlockSecurityStatus, Code.extendedFastReadMultipleBlocks,
    ]
    return [first, second, third].map { codes in
      codes.enumerated().reduce(UInt8(0)) {
        let isSupported = $1.element.map(commands.contains) ?? hasCustomCommands
        return $0 | (isSupported ? 1 << UInt8($1.offset) : 0)
      }
    } + [0]
  }
}

/// A reader's interpretation of the answer to Get System Information: the fields that its flags announce,
/// in their order.
struct VicinityDescription {
  private(set) var dsfid: UInt8?
  private(set) var afi: UInt8?
  private(set) var blockCount: Int?
  private(set) var blockSize: Int?
  private(set) var icReference: UInt8?

  /// - Parameter payload: the bytes after the answer's flags; `nil` if they are truncated.
  init?(_ payload: [UInt8]) {
    // The UID is between the information flags and the fields.
    guard let flags = payload.first, payload.count >= 9 else { return nil }
    var fields = payload.dropFirst(9)
    let announced = (0..<4).map { flags >> UInt8($0) & 1 != 0 }
    guard fields.count >= announced.filter({ $0 }).count + (announced[2] ? 1 : 0) else {
      return nil
    }
    if announced[0] { dsfid = fields.popFirst() }
    if announced[1] { afi = fields.popFirst() }
    if announced[2] {
      blockCount = fields.popFirst().map { Int($0) + 1 }
      blockSize = fields.popFirst().map { Int($0 & 0x1F) + 1 }
    }
    if announced[3] { icReference = fields.popFirst() }
  }
}
