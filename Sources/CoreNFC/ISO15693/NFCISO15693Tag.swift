import Foundation

/// A vicinity tag: ISO/IEC 15693, NFC Forum Type 5.
///
/// Every method is one exchange over the air. The request contains the tag's UID and the flag
/// ``NFCISO15693RequestFlag/address``, unless you pass ``NFCISO15693RequestFlag/select``. Answers
/// are returned without their flags.
///
/// The session must have connected to the tag. Completion handlers run on the session's queue, with
/// an ``NFCReaderError`` if something has failed. `readerTransceiveErrorTagResponseError` reports a
/// tag that refuses, with the tag's code under ``NFCISO15693TagResponseErrorKey``, a tag that does
/// not answer, and an answer of the wrong length, with ``NFCTagResponseUnexpectedLengthErrorKey``.
/// `readerTransceiveErrorPacketTooLong` reports a command that exceeds the reader or a frame of 256
/// bytes. `readerErrorParameterOutOfBound`, `readerErrorInvalidParameterLength` and
/// `readerErrorInvalidParameter` are reported before anything is sent.
///
/// A mock does not have to implement the commands that are marked accordingly; they fail there with
/// `readerErrorUnsupportedFeature`.
public protocol NFCISO15693Tag: NFCNDEFTag, __NFCTag {
  /// The UID, 8 bytes, most significant (E0) first.
  var identifier: Data { get }
  /// The code of the chip's maker, the second byte of the UID (ISO/IEC 7816-6).
  var icManufacturerCode: Int { get }
  /// The last six bytes of the UID.
  var icSerialNumber: Data { get }

  // MARK: States

  /// Command 02: the tag accepts only addressed requests from now on. It does not answer.
  @preconcurrency func stayQuiet(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 25: the tag accepts requests with ``NFCISO15693RequestFlag/select`` from now on. The
  /// command is always addressed.
  @preconcurrency func select(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 26: the end of quiet and selected.
  @preconcurrency func resetToReady(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  // MARK: Blocks

  /// Command 20.
  ///
  /// With ``NFCISO15693RequestFlag/option``, a byte of security status precedes the data.
  @preconcurrency func readSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)

  /// Command 21.
  ///
  /// - Parameter dataBlock: 1 to 32 bytes, the size of the tag's blocks.
  @preconcurrency func writeSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8, dataBlock: Data,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 22: makes a block read-only permanently. **Cannot be undone.**
  @preconcurrency func lockBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 23: one element a block, empty on error.
  ///
  /// With ``NFCISO15693RequestFlag/option``, a byte of security status precedes each block's data.
  ///
  /// - Parameter blockRange: 1 to 256 blocks, numbers 0 to 255.
  @preconcurrency func readMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void)

  /// Command 24.
  ///
  /// - Parameters:
  ///   - blockRange: 1 to 256 blocks, numbers 0 to 255.
  ///   - dataBlocks: one for each number, all of the same size, 1 to 32 bytes.
  @preconcurrency func writeMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 2C: a byte a block, bit 0 set in a locked one; empty on error.
  ///
  /// - Parameter blockRange: 1 to 256 blocks, numbers 0 to 255.
  @preconcurrency func getMultipleBlockSecurityStatus(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    completionHandler: @escaping @Sendable ([NSNumber], (any Error)?) -> Void)

  /// Command 2D: command 23, answered at twice the data rate. A mock need not have it.
  @preconcurrency func fastReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void)

  // MARK: Identifiers and system information

  /// Command 27: writes the application family identifier.
  @preconcurrency func writeAFI(
    requestFlags flags: NFCISO15693RequestFlag, afi: UInt8,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 28: makes the AFI read-only permanently. **Cannot be undone.**
  @preconcurrency func lockAFI(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 29: writes the data storage format identifier.
  @preconcurrency func writeDSFID(
    requestFlags flags: NFCISO15693RequestFlag, dsfid: UInt8,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 2A: makes the DSFID read-only permanently. **Cannot be undone.**
  @preconcurrency func lockDSFID(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// ``lockDSFID(requestFlags:completionHandler:)`` as Apple misspelled it at first.
  @preconcurrency func lockDFSID(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 2B: DSFID, AFI, block size in bytes, number of blocks and IC reference, each -1 if the
  /// tag does not report it, and on error.
  @preconcurrency func getSystemInfo(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable (Int, Int, Int, Int, Int, (any Error)?) -> Void)

  // MARK: Extended commands

  /// Command 30; see ``readSingleBlock(requestFlags:blockNumber:completionHandler:)``.
  ///
  /// - Parameter blockNumber: 0 to 65535.
  @preconcurrency func extendedReadSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)

  /// Command 31.
  ///
  /// - Parameters:
  ///   - blockNumber: 0 to 65535.
  ///   - dataBlock: 1 to 32 bytes, the size of the tag's blocks.
  @preconcurrency func extendedWriteSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int, dataBlock: Data,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 32: makes a block read-only permanently. **Cannot be undone.**
  ///
  /// - Parameter blockNumber: 0 to 65535.
  @preconcurrency func extendedLockBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 33; see ``readMultipleBlocks(requestFlags:blockRange:completionHandler:)``.
  ///
  /// - Parameter blockRange: 1 to 65536 blocks, numbers 0 to 65535.
  @preconcurrency func extendedReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void)

  /// Command 34; see ``writeMultipleBlocks(requestFlags:blockRange:dataBlocks:completionHandler:)``. A
  /// mock need not have it.
  ///
  /// - Parameter blockRange: 1 to 65536 blocks, numbers 0 to 65535.
  @preconcurrency func extendedWriteMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 3C: a byte a block, bit 0 set in a locked one. A mock need not have it.
  ///
  /// - Parameter blockRange: 1 to 65536 blocks, numbers 0 to 65535.
  @preconcurrency func extendedGetMultipleBlockSecurityStatus(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    resultHandler:
      @escaping @Sendable (Result<NFCISO15693MultipleBlockSecurityStatus, any Error>) -> Void)

  /// Command 3D: command 33, answered at twice the data rate. A mock need not have it.
  ///
  /// - Parameter blockRange: 1 to 65536 blocks, numbers 0 to 65535.
  @preconcurrency func extendedFastReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void)

  // MARK: Cryptography (ISO/IEC 29167)

  /// Command 35. A mock need not have it.
  ///
  /// - Parameters:
  ///   - cryptoSuiteIdentifier: 0 to 255.
  ///   - message: as the suite has it.
  ///   - resultHandler: gets the flags and what follows them, as the tag has answered.
  @preconcurrency func authenticate(
    requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void)

  /// Command 36. A mock need not have it.
  ///
  /// - Parameters:
  ///   - keyIdentifier: 0 to 255.
  ///   - message: as the suite has it.
  ///   - resultHandler: gets the flags and what follows them, as the tag has answered.
  @preconcurrency func keyUpdate(
    requestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void)

  /// Command 39, which the tag does not answer; ``readBuffer(requestFlags:resultHandler:)`` reads
  /// its result. A mock does not have to implement it.
  ///
  /// - Parameters:
  ///   - cryptoSuiteIdentifier: 0 to 255.
  ///   - message: as the suite has it.
  @preconcurrency func challenge(
    requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Command 3A. A mock need not have it.
  ///
  /// - Parameter resultHandler: gets the flags and what follows them, as the tag has answered.
  @preconcurrency func readBuffer(
    requestFlags flags: NFCISO15693RequestFlag,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void)

  // MARK: The maker's commands

  /// Sends a custom command, with the code of the chip's maker.
  ///
  /// - Parameters:
  ///   - customCommandCode: A0 to DF.
  ///   - customRequestParameters: what follows the UID.
  @preconcurrency func customCommand(
    requestFlags flags: NFCISO15693RequestFlag, customCommandCode: Int,
    customRequestParameters: Data,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)

  /// Sends an unchanged request: flags, command, data. A mock does not have to implement it.
  ///
  /// - Parameters:
  ///   - flags: 0 to 255.
  ///   - commandCode: 0 to 255.
  ///   - data: the UID where the flags say so, and parameters.
  ///   - resultHandler: gets the flags and what follows them, `nil` if nothing does.
  @preconcurrency func sendRequest(
    requestFlags flags: Int, commandCode: Int, data: Data?,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data?), any Error>) -> Void)

  // MARK: The legacy session

  /// Sends a custom command to a tag of the legacy session; for all others, it fails with
  /// `readerErrorUnsupportedFeature`.
  ///
  /// Fails with `tagCommandConfigurationErrorInvalidParameters` for values out of range, and with
  /// `readerTransceiveErrorRetryExceeded` if all repetitions have failed.
  @preconcurrency func sendCustomCommand(
    commandConfiguration: NFCISO15693CustomCommandConfiguration,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)

  /// Reads blocks with as many commands as necessary, and returns them as one piece of data; for
  /// errors see ``sendCustomCommand(commandConfiguration:completionHandler:)``.
  @preconcurrency func readMultipleBlock(
    readConfiguration: NFCISO15693ReadMultipleBlocksConfiguration,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)
}
