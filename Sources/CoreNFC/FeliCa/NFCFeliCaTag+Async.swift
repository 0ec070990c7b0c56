import Foundation

extension NFCFeliCaTag {
  public nonisolated(nonsending) func polling(
    systemCode: Data, requestCode: NFCFeliCaPollingRequestCode, timeSlot: NFCFeliCaPollingTimeSlot
  ) async throws -> (Data, Data) {
    try await withCheckedThrowingContinuation { continuation in
      polling(systemCode: systemCode, requestCode: requestCode, timeSlot: timeSlot) {
        continuation.resume(($0, $1), $2)
      }
    }
  }

  public nonisolated(nonsending) func requestService(
    nodeCodeList: [Data]
  ) async throws -> [Data] {
    try await withCheckedThrowingContinuation { continuation in
      requestService(nodeCodeList: nodeCodeList) { continuation.resume($0, $1) }
    }
  }

  public nonisolated(nonsending) func requestResponse() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      requestResponse { continuation.resume($0, $1) }
    }
  }

  public nonisolated(nonsending) func readWithoutEncryption(
    serviceCodeList: [Data], blockList: [Data]
  ) async throws -> (Int, Int, [Data]) {
    try await withCheckedThrowingContinuation { continuation in
      readWithoutEncryption(serviceCodeList: serviceCodeList, blockList: blockList) {
        continuation.resume(($0, $1, $2), $3)
      }
    }
  }

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

  public nonisolated(nonsending) func requestSystemCode() async throws -> [Data] {
    try await withCheckedThrowingContinuation { continuation in
      requestSystemCode { continuation.resume($0, $1) }
    }
  }

  public nonisolated(nonsending) func requestServiceV2(
    nodeCodeList: [Data]
  ) async throws -> (Int, Int, NFCFeliCaEncryptionId, [Data], [Data]) {
    try await withCheckedThrowingContinuation { continuation in
      requestServiceV2(nodeCodeList: nodeCodeList) {
        continuation.resume(($0, $1, $2, $3, $4), $5)
      }
    }
  }

  public nonisolated(nonsending) func requestSpecificationVersion()
    async throws -> (Int, Int, Data, Data)
  {
    try await withCheckedThrowingContinuation { continuation in
      requestSpecificationVersion { continuation.resume(($0, $1, $2, $3), $4) }
    }
  }

  public nonisolated(nonsending) func resetMode() async throws -> (Int, Int) {
    try await withCheckedThrowingContinuation { continuation in
      resetMode { continuation.resume(($0, $1), $2) }
    }
  }

  public nonisolated(nonsending) func sendFeliCaCommand(
    commandPacket: Data
  ) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      sendFeliCaCommand(commandPacket: commandPacket) { continuation.resume($0, $1) }
    }
  }
}
