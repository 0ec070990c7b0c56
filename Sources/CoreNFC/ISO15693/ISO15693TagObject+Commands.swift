import Foundation
import NFC

/// The standard's commands with block numbers of one byte.
extension ISO15693TagObject {
  func stayQuiet(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    exchange([], { .stayQuiet }, completionHandler: completionHandler)
  }

  func select(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    // The standard has no other than an addressed one (ISO/IEC 15693-3, 10.4.6).
    exchange(flags.subtracting(.select), { .select }, completionHandler: completionHandler)
  }

  func resetToReady(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(flags, { .resetToReady }, completionHandler: completionHandler)
  }

  // MARK: Blocks

  func readSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
  ) {
    exchange(
      flags, empty: Data(), { .readSingleBlock(UInt16(blockNumber)) },
      decode: { try $0.block(flags) }, completionHandler: completionHandler)
  }

  func writeSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8, dataBlock: Data,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(
      flags,
      { .writeSingleBlock(UInt16(blockNumber), data: try ISO15693Parameter.block(dataBlock)) },
      completionHandler: completionHandler)
  }

  func lockBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(flags, { .lockBlock(UInt16(blockNumber)) }, completionHandler: completionHandler)
  }

  func readMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
  ) {
    exchange(
      flags, empty: [], { .readMultipleBlocks(try ISO15693Parameter.ordinary(blockRange)) },
      decode: { try $0.blocks(blockRange.length, flags) }, completionHandler: completionHandler)
  }

  func writeMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(
      flags,
      {
        let blocks = try ISO15693Parameter.ordinary(blockRange)
        return .writeMultipleBlocks(
          blocks, data: try ISO15693Parameter.blocks(dataBlocks, for: blocks))
      }, completionHandler: completionHandler)
  }

  func getMultipleBlockSecurityStatus(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    completionHandler: @escaping @Sendable ([NSNumber], (any Error)?) -> Void
  ) {
    exchange(
      flags, empty: [],
      { .getMultipleBlockSecurityStatus(try ISO15693Parameter.ordinary(blockRange)) },
      decode: { try $0.securityStatus(blockRange.length) }
    ) { status, error in
      completionHandler(status.map { NSNumber(value: $0) }, error)
    }
  }

  func fastReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
  ) {
    exchange(
      flags, { .fastReadMultipleBlocks(try ISO15693Parameter.ordinary(blockRange)) },
      decode: { try $0.blocks(blockRange.length, flags) }, completion: resultHandler)
  }

  // MARK: Identifiers and system information

  func writeAFI(
    requestFlags flags: NFCISO15693RequestFlag, afi: UInt8,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(flags, { .writeAFI(afi) }, completionHandler: completionHandler)
  }

  func lockAFI(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(flags, { .lockAFI }, completionHandler: completionHandler)
  }

  func writeDSFID(
    requestFlags flags: NFCISO15693RequestFlag, dsfid: UInt8,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(flags, { .writeDSFID(dsfid) }, completionHandler: completionHandler)
  }

  func lockDSFID(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(flags, { .lockDSFID }, completionHandler: completionHandler)
  }

  func getSystemInfo(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable (Int, Int, Int, Int, Int, (any Error)?) -> Void
  ) {
    let nothing = ISO15693SystemInformation(uid: [])
    exchange(
      flags, empty: nothing, { .getSystemInformation },
      decode: { try $0.systemInformation(flags) }
    ) { information, error in
      let info = NFCISO15693SystemInfo(information)
      completionHandler(
        info.dataStorageFormatIdentifier, info.applicationFamilyIdentifier, info.blockSize,
        info.totalBlocks, info.icReference, error)
    }
  }
}
