import Foundation

extension Result where Failure == any Error {
  /// The answer of a mock to a command that it does not implement.
  fileprivate static var unsupported: Self {
    .failure(NFCReaderError(.readerErrorUnsupportedFeature))
  }
}

/// The methods with results, from iOS 14; see the forms with completion handlers.
extension NFCISO15693Tag {
  /// ``readSingleBlock(requestFlags:blockNumber:completionHandler:)`` with one result.
  @preconcurrency public func readSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
    resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) {
    readSingleBlock(requestFlags: flags, blockNumber: blockNumber) { data, error in
      resultHandler(Result(answer: data, error: error))
    }
  }

  /// ``readMultipleBlocks(requestFlags:blockRange:completionHandler:)`` with one result.
  @preconcurrency public func readMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
  ) {
    readMultipleBlocks(requestFlags: flags, blockRange: blockRange) { blocks, error in
      resultHandler(Result(answer: blocks, error: error))
    }
  }

  /// ``extendedReadSingleBlock(requestFlags:blockNumber:completionHandler:)`` with one result.
  @preconcurrency public func extendedReadSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
    resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) {
    extendedReadSingleBlock(requestFlags: flags, blockNumber: blockNumber) { data, error in
      resultHandler(Result(answer: data, error: error))
    }
  }

  /// ``customCommand(requestFlags:customCommandCode:customRequestParameters:completionHandler:)`` with one result.
  @preconcurrency public func customCommand(
    requestFlags flags: NFCISO15693RequestFlag, customCommandCode: Int,
    customRequestParameters: Data,
    resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) {
    customCommand(
      requestFlags: flags, customCommandCode: customCommandCode,
      customRequestParameters: customRequestParameters
    ) { data, error in
      resultHandler(Result(answer: data, error: error))
    }
  }

  /// Command 2B, with the UID of the tag.
  @preconcurrency public func getSystemInfo(
    requestFlags flags: NFCISO15693RequestFlag,
    resultHandler: @escaping @Sendable (Result<NFCISO15693SystemInfo, any Error>) -> Void
  ) {
    let uid = Data(identifier.reversed())
    getSystemInfo(requestFlags: flags) { dsfid, afi, blockSize, blockCount, icReference, error in
      let info = NFCISO15693SystemInfo(
        uniqueIdentifier: uid, dataStorageFormatIdentifier: dsfid,
        applicationFamilyIdentifier: afi, blockSize: blockSize, totalBlocks: blockCount,
        icReference: icReference)
      resultHandler(Result(answer: info, error: error))
    }
  }
}

/// Default implementations, so that a mock implements only the commands that it needs.
extension NFCISO15693Tag {
  /// Calls ``lockDSFID(requestFlags:completionHandler:)``: the misspelled name is Apple's.
  @preconcurrency public func lockDFSID(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    lockDSFID(requestFlags: flags, completionHandler: completionHandler)
  }

  /// Fails: a mock that supports the command implements it.
  @preconcurrency public func fastReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
  ) {
    resultHandler(.unsupported)
  }

  /// Fails: a mock that supports the command implements it.
  @preconcurrency public func extendedWriteMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(Result<Void, any Error>.unsupported.failure)
  }

  /// Fails: a mock that supports the command implements it.
  @preconcurrency public func extendedGetMultipleBlockSecurityStatus(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    resultHandler:
      @escaping @Sendable (Result<NFCISO15693MultipleBlockSecurityStatus, any Error>) -> Void
  ) {
    resultHandler(.unsupported)
  }

  /// Fails: a mock that supports the command implements it.
  @preconcurrency public func extendedFastReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
  ) {
    resultHandler(.unsupported)
  }

  /// Fails: a mock that supports the command implements it.
  @preconcurrency public func authenticate(
    requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void
  ) {
    resultHandler(.unsupported)
  }

  /// Fails: a mock that supports the command implements it.
  @preconcurrency public func keyUpdate(
    requestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void
  ) {
    resultHandler(.unsupported)
  }

  /// Fails: a mock that supports the command implements it.
  @preconcurrency public func challenge(
    requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(Result<Void, any Error>.unsupported.failure)
  }

  /// Fails: a mock that supports the command implements it.
  @preconcurrency public func readBuffer(
    requestFlags flags: NFCISO15693RequestFlag,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void
  ) {
    resultHandler(.unsupported)
  }

  /// Fails: a mock that supports the command implements it.
  @preconcurrency public func sendRequest(
    requestFlags flags: Int, commandCode: Int, data: Data?,
    resultHandler:
      @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data?), any Error>) -> Void
  ) {
    resultHandler(.unsupported)
  }
}
