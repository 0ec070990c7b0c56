import Foundation
import NFC

/// The commands of the edition of 2018: two-byte block numbers, and cryptography.
extension ISO15693TagObject {
  func extendedReadSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
  ) {
    exchange(
      flags, empty: Data(),
      { .extendedReadSingleBlock(try ISO15693Parameter.extended(blockNumber)) },
      decode: { try $0.block(flags) }, completionHandler: completionHandler)
  }

  func extendedWriteSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int, dataBlock: Data,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(
      flags,
      {
        .extendedWriteSingleBlock(
          try ISO15693Parameter.extended(blockNumber),
          data: try ISO15693Parameter.block(dataBlock))
      }, completionHandler: completionHandler)
  }

  func extendedLockBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(
      flags, { .extendedLockBlock(try ISO15693Parameter.extended(blockNumber)) },
      completionHandler: completionHandler)
  }

  func extendedReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
  ) {
    exchange(
      flags, empty: [],
      { .extendedReadMultipleBlocks(try ISO15693Parameter.extended(blockRange)) },
      decode: { try $0.blocks(blockRange.length, flags) }, completionHandler: completionHandler)
  }

  func extendedWriteMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(
      flags,
      {
        let blocks = try ISO15693Parameter.extended(blockRange)
        return .extendedWriteMultipleBlocks(
          blocks, data: try ISO15693Parameter.blocks(dataBlocks, for: blocks))
      }, completionHandler: completionHandler)
  }

  func extendedGetMultipleBlockSecurityStatus(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    resultHandler:
      @escaping @Sendable (Result<NFCISO15693MultipleBlockSecurityStatus, any Error>) -> Void
  ) {
    exchange(
      flags,
      { .extendedGetMultipleBlockSecurityStatus(try ISO15693Parameter.extended(blockRange)) },
      decode: { try $0.securityStatus(blockRange.length) }
    ) { result in
      resultHandler(
        result.map {
          NFCISO15693MultipleBlockSecurityStatus(blockSecurityStatus: $0.map { Int($0) })
        })
    }
  }

  func extendedFastReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
  ) {
    exchange(
      flags, { .extendedFastReadMultipleBlocks(try ISO15693Parameter.extended(blockRange)) },
      decode: { try $0.blocks(blockRange.length, flags) }, completion: resultHandler)
  }

  // MARK: Cryptography

  func authenticate(
    requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void
  ) {
    exchange(
      flags,
      {
        .authenticate(
          cryptoSuite: try ISO15693Parameter.byte(cryptoSuiteIdentifier), message: Array(message))
      }, decode: { $0.whole }, completion: resultHandler)
  }

  func keyUpdate(
    requestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void
  ) {
    exchange(
      flags,
      {
        .keyUpdate(
          keyIdentifier: try ISO15693Parameter.byte(keyIdentifier), message: Array(message))
      }, decode: { $0.whole }, completion: resultHandler)
  }

  func challenge(
    requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(
      flags,
      {
        .challenge(
          cryptoSuite: try ISO15693Parameter.byte(cryptoSuiteIdentifier), message: Array(message))
      }, completionHandler: completionHandler)
  }

  func readBuffer(
    requestFlags flags: NFCISO15693RequestFlag,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void
  ) {
    exchange(flags, { .readBuffer }, decode: { $0.whole }, completion: resultHandler)
  }

  // MARK: The maker's commands

  func customCommand(
    requestFlags flags: NFCISO15693RequestFlag, customCommandCode: Int,
    customRequestParameters: Data,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
  ) {
    exchange(
      flags, empty: Data(),
      { [vicinity] in
        .custom(
          code: try ISO15693Parameter.customCode(customCommandCode),
          manufacturer: vicinity.icManufacturerCode ?? 0, parameters: Array(customRequestParameters)
        )
      }, decode: { Data($0.payload) }, completionHandler: completionHandler)
  }

  /// The time limit for an unknown command: twice that of a write.
  private static let longestAnswer = Duration.milliseconds(200)

  func sendRequest(
    requestFlags flags: Int, commandCode: Int, data: Data?,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data?), any Error>) -> Void
  ) {
    guard !isLegacy else {
      return core.submit(resultHandler) { throw NFCReaderError(.readerErrorUnsupportedFeature) }
    }
    perform { [vicinity] in
      let head = [try ISO15693Parameter.byte(flags), try ISO15693Parameter.byte(commandCode)]
      let response = try ISO15693Response(
        decoding: await vicinity.transceive(
          head + Array(data ?? Data()), timeout: Self.longestAnswer))
      let payload = try response.checkedPayload()
      return (NFCISO15693ResponseFlag(response.flags), payload.isEmpty ? nil : Data(payload))
    } completion: {
      resultHandler($0)
    }
  }
}
