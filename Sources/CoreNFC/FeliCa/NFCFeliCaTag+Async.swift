import Foundation

extension NFCFeliCaTag {
  /// ``polling(systemCode:requestCode:timeSlot:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func polling(
    systemCode: Data, requestCode: NFCFeliCaPollingRequestCode, timeSlot: NFCFeliCaPollingTimeSlot
  ) async throws -> (Data, Data) {
    try await withCheckedThrowingContinuation { continuation in
      polling(systemCode: systemCode, requestCode: requestCode, timeSlot: timeSlot) {
        continuation.resume(($0, $1), $2)
      }
    }
  }

  /// ``requestService(nodeCodeList:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func requestService(
    nodeCodeList: [Data]
  ) async throws -> [Data] {
    try await withCheckedThrowingContinuation { continuation in
      requestService(nodeCodeList: nodeCodeList) { continuation.resume($0, $1) }
    }
  }

  /// ``requestResponse(completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func requestResponse() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      requestResponse { continuation.resume($0, $1) }
    }
  }

  /// ``readWithoutEncryption(serviceCodeList:blockList:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func readWithoutEncryption(
    serviceCodeList: [Data], blockList: [Data]
  ) async throws -> (Int, Int, [Data]) {
    try await withCheckedThrowingContinuation { continuation in
      readWithoutEncryption(serviceCodeList: serviceCodeList, blockList: blockList) {
        continuation.resume(($0, $1, $2), $3)
      }
    }
  }

  /// ``writeWithoutEncryption(serviceCodeList:blockList:blockData:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func writeWithoutEncryption(
    serviceCodeList: [Data], blockList: [Data], blockData: [Data]
  ) async throws -> (Int, Int) {
    try await withCheckedThrowingContinuation { continuation in
      writeWithoutEncryption(
        serviceCodeList: serviceCodeList, blockList: blockList, blockData: blockData
      ) {
        continuation.resume(($0, $1), $2)
      }
    }
  }

  /// ``requestSystemCode(completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func requestSystemCode() async throws -> [Data] {
    try await withCheckedThrowingContinuation { continuation in
      requestSystemCode { continuation.resume($0, $1) }
    }
  }

  /// ``requestServiceV2(nodeCodeList:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func requestServiceV2(
    nodeCodeList: [Data]
  ) async throws -> (Int, Int, NFCFeliCaEncryptionId, [Data], [Data]) {
    try await withCheckedThrowingContinuation { continuation in
      requestServiceV2(nodeCodeList: nodeCodeList) {
        continuation.resume(($0, $1, $2, $3, $4), $5)
      }
    }
  }

  /// ``requestSpecificationVersion(completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func requestSpecificationVersion()
    async throws -> (Int, Int, Data, Data)
  {
    try await withCheckedThrowingContinuation { continuation in
      requestSpecificationVersion { continuation.resume(($0, $1, $2, $3), $4) }
    }
  }

  /// ``resetMode(completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func resetMode() async throws -> (Int, Int) {
    try await withCheckedThrowingContinuation { continuation in
      resetMode { continuation.resume(($0, $1), $2) }
    }
  }

  /// ``sendFeliCaCommand(commandPacket:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func sendFeliCaCommand(
    commandPacket: Data
  ) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      sendFeliCaCommand(commandPacket: commandPacket) { continuation.resume($0, $1) }
    }
  }
}
