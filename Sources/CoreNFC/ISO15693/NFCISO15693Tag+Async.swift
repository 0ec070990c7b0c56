import Foundation

/// Waits for a completion handler that receives an error or nothing.
private nonisolated(nonsending) func done(
  _ start: (@escaping @Sendable ((any Error)?) -> Void) -> Void
) async throws {
  try await withCheckedThrowingContinuation { continuation in
    start { error in continuation.resume((), error) }
  }
}

/// Waits for a completion handler that receives a value and possibly an error.
private nonisolated(nonsending) func value<Value: Sendable>(
  _ start: (@escaping @Sendable (Value, (any Error)?) -> Void) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    start { value, error in continuation.resume(value, error) }
  }
}

/// Waits for a result handler.
private nonisolated(nonsending) func result<Value>(
  _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    start { result in
      // The caller of the handler keeps nothing of what it passes.
      nonisolated(unsafe) let result = result
      continuation.resume(with: result)
    }
  }
}

/// The methods in the form that the compiler derives from Apple's; see the forms with handlers.
extension NFCISO15693Tag {
  /// ``stayQuiet(completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func stayQuiet() async throws {
    try await done { stayQuiet(completionHandler: $0) }
  }

  /// ``readSingleBlock(requestFlags:blockNumber:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func readSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8
  ) async throws -> Data {
    try await value {
      readSingleBlock(requestFlags: flags, blockNumber: blockNumber, completionHandler: $0)
    }
  }

  /// ``writeSingleBlock(requestFlags:blockNumber:dataBlock:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func writeSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8, dataBlock: Data
  ) async throws {
    try await done {
      writeSingleBlock(
        requestFlags: flags, blockNumber: blockNumber, dataBlock: dataBlock, completionHandler: $0)
    }
  }

  /// ``lockBlock(requestFlags:blockNumber:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func lockBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8
  ) async throws {
    try await done {
      lockBlock(requestFlags: flags, blockNumber: blockNumber, completionHandler: $0)
    }
  }

  /// ``readMultipleBlocks(requestFlags:blockRange:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func readMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
  ) async throws -> [Data] {
    try await value {
      readMultipleBlocks(requestFlags: flags, blockRange: blockRange, completionHandler: $0)
    }
  }

  /// ``writeMultipleBlocks(requestFlags:blockRange:dataBlocks:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func writeMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data]
  ) async throws {
    try await done {
      writeMultipleBlocks(
        requestFlags: flags, blockRange: blockRange, dataBlocks: dataBlocks, completionHandler: $0)
    }
  }

  /// ``select(requestFlags:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func select(requestFlags flags: NFCISO15693RequestFlag)
    async throws
  {
    try await done { select(requestFlags: flags, completionHandler: $0) }
  }

  /// ``resetToReady(requestFlags:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func resetToReady(requestFlags flags: NFCISO15693RequestFlag)
    async throws
  {
    try await done { resetToReady(requestFlags: flags, completionHandler: $0) }
  }

  /// ``writeAFI(requestFlags:afi:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func writeAFI(
    requestFlags flags: NFCISO15693RequestFlag, afi: UInt8
  ) async throws {
    try await done { writeAFI(requestFlags: flags, afi: afi, completionHandler: $0) }
  }

  /// ``lockAFI(requestFlags:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func lockAFI(requestFlags flags: NFCISO15693RequestFlag)
    async throws
  {
    try await done { lockAFI(requestFlags: flags, completionHandler: $0) }
  }

  /// ``writeDSFID(requestFlags:dsfid:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func writeDSFID(
    requestFlags flags: NFCISO15693RequestFlag, dsfid: UInt8
  ) async throws {
    try await done { writeDSFID(requestFlags: flags, dsfid: dsfid, completionHandler: $0) }
  }

  /// ``lockDSFID(requestFlags:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func lockDSFID(requestFlags flags: NFCISO15693RequestFlag)
    async throws
  {
    try await done { lockDSFID(requestFlags: flags, completionHandler: $0) }
  }

  /// Returns the information that the tag reports about itself.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func systemInfo(requestFlags flags: NFCISO15693RequestFlag)
    async throws -> NFCISO15693SystemInfo
  {
    try await result { getSystemInfo(requestFlags: flags, resultHandler: $0) }
  }

  /// ``getMultipleBlockSecurityStatus(requestFlags:blockRange:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func getMultipleBlockSecurityStatus(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
  ) async throws -> [NSNumber] {
    try await value {
      getMultipleBlockSecurityStatus(
        requestFlags: flags, blockRange: blockRange, completionHandler: $0)
    }
  }

  /// Reads consecutive blocks; the tag answers at a higher rate.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func fastReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
  ) async throws -> [Data] {
    try await result {
      fastReadMultipleBlocks(requestFlags: flags, blockRange: blockRange, resultHandler: $0)
    }
  }

  /// ``customCommand(requestFlags:customCommandCode:customRequestParameters:completionHandler:)`` as an
  /// asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func customCommand(
    requestFlags flags: NFCISO15693RequestFlag, customCommandCode: Int,
    customRequestParameters: Data
  ) async throws -> Data {
    try await value {
      customCommand(
        requestFlags: flags, customCommandCode: customCommandCode,
        customRequestParameters: customRequestParameters, completionHandler: $0)
    }
  }

  /// ``extendedReadSingleBlock(requestFlags:blockNumber:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func extendedReadSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int
  ) async throws -> Data {
    try await value {
      extendedReadSingleBlock(requestFlags: flags, blockNumber: blockNumber, completionHandler: $0)
    }
  }

  /// ``extendedWriteSingleBlock(requestFlags:blockNumber:dataBlock:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func extendedWriteSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int, dataBlock: Data
  ) async throws {
    try await done {
      extendedWriteSingleBlock(
        requestFlags: flags, blockNumber: blockNumber, dataBlock: dataBlock, completionHandler: $0)
    }
  }

  /// ``extendedLockBlock(requestFlags:blockNumber:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func extendedLockBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int
  ) async throws {
    try await done {
      extendedLockBlock(requestFlags: flags, blockNumber: blockNumber, completionHandler: $0)
    }
  }

  /// ``extendedReadMultipleBlocks(requestFlags:blockRange:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func extendedReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
  ) async throws -> [Data] {
    try await value {
      extendedReadMultipleBlocks(requestFlags: flags, blockRange: blockRange, completionHandler: $0)
    }
  }

  /// Writes consecutive blocks with two-byte numbers.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func extendedWriteMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data]
  ) async throws {
    try await done {
      extendedWriteMultipleBlocks(
        requestFlags: flags, blockRange: blockRange, dataBlocks: dataBlocks, completionHandler: $0)
    }
  }

  /// Sends AUTHENTICATE of a cryptographic suite.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func authenticate(
    requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data
  ) async throws -> (NFCISO15693ResponseFlag, Data) {
    try await result {
      authenticate(
        requestFlags: flags, cryptoSuiteIdentifier: cryptoSuiteIdentifier, message: message,
        resultHandler: $0)
    }
  }

  /// Sends KEYUPDATE of a cryptographic suite.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func keyUpdate(
    requestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data
  ) async throws -> (NFCISO15693ResponseFlag, Data) {
    try await result {
      keyUpdate(
        requestFlags: flags, keyIdentifier: keyIdentifier, message: message, resultHandler: $0)
    }
  }

  /// Sends CHALLENGE of a cryptographic suite, which tags do not answer.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func challenge(
    requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data
  ) async throws {
    try await done {
      challenge(
        requestFlags: flags, cryptoSuiteIdentifier: cryptoSuiteIdentifier, message: message,
        completionHandler: $0)
    }
  }

  /// Reads the result of a cryptographic command from the tag's buffer.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func readBuffer(requestFlags flags: NFCISO15693RequestFlag)
    async throws -> (NFCISO15693ResponseFlag, Data)
  {
    try await result { readBuffer(requestFlags: flags, resultHandler: $0) }
  }

  /// Reads the security status of consecutive blocks with two-byte numbers.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func extendedGetMultipleBlockSecurityStatus(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
  ) async throws -> NFCISO15693MultipleBlockSecurityStatus {
    try await result {
      extendedGetMultipleBlockSecurityStatus(
        requestFlags: flags, blockRange: blockRange, resultHandler: $0)
    }
  }

  /// Reads consecutive blocks with two-byte numbers; the tag answers at a higher rate.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func extendedFastReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
  ) async throws -> [Data] {
    try await result {
      extendedFastReadMultipleBlocks(requestFlags: flags, blockRange: blockRange, resultHandler: $0)
    }
  }

  /// Sends a request with any command code.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func sendRequest(
    requestFlags flags: Int, commandCode: Int, data: Data?
  ) async throws -> (NFCISO15693ResponseFlag, Data?) {
    try await result {
      sendRequest(requestFlags: flags, commandCode: commandCode, data: data, resultHandler: $0)
    }
  }
}
