import Foundation

/// The forms of iOS 14: the same commands, with the answer in a `Result`.
extension NFCFeliCaTag {
  /// ``polling(systemCode:requestCode:timeSlot:completionHandler:)`` with one result.
  @preconcurrency public func polling(
    systemCode: Data, requestCode: NFCFeliCaPollingRequestCode, timeSlot: NFCFeliCaPollingTimeSlot,
    resultHandler: @escaping @Sendable (Result<NFCFeliCaPollingResponse, any Error>) -> Void
  ) {
    polling(systemCode: systemCode, requestCode: requestCode, timeSlot: timeSlot) {
      let answer = NFCFeliCaPollingResponse(
        manufactureParameter: $0, requestData: $1.isEmpty ? nil : $1)
      resultHandler(Result(answer: answer, error: $2))
    }
  }

  /// ``requestService(nodeCodeList:completionHandler:)`` with one result.
  @preconcurrency public func requestService(
    nodeCodeList: [Data], resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
  ) {
    requestService(nodeCodeList: nodeCodeList) { resultHandler(Result(answer: $0, error: $1)) }
  }

  /// ``requestResponse(completionHandler:)`` with one result.
  @preconcurrency public func requestResponse(
    resultHandler: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {
    requestResponse { resultHandler(Result(answer: $0, error: $1)) }
  }

  /// ``readWithoutEncryption(serviceCodeList:blockList:completionHandler:)`` with one result.
  @preconcurrency public func readWithoutEncryption(
    serviceCodeList: [Data], blockList: [Data],
    resultHandler: @escaping @Sendable (Result<(NFCFeliCaStatusFlag, [Data]), any Error>) -> Void
  ) {
    readWithoutEncryption(serviceCodeList: serviceCodeList, blockList: blockList) {
      resultHandler(
        Result(answer: (NFCFeliCaStatusFlag(statusFlag1: $0, statusFlag2: $1), $2), error: $3))
    }
  }

  /// ``writeWithoutEncryption(serviceCodeList:blockList:blockData:completionHandler:)`` with one result.
  @preconcurrency public func writeWithoutEncryption(
    serviceCodeList: [Data], blockList: [Data], blockData: [Data],
    resultHandler: @escaping @Sendable (Result<NFCFeliCaStatusFlag, any Error>) -> Void
  ) {
    writeWithoutEncryption(
      serviceCodeList: serviceCodeList, blockList: blockList, blockData: blockData
    ) {
      resultHandler(
        Result(answer: NFCFeliCaStatusFlag(statusFlag1: $0, statusFlag2: $1), error: $2))
    }
  }

  /// ``requestSystemCode(completionHandler:)`` with one result.
  @preconcurrency public func requestSystemCode(
    resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
  ) {
    requestSystemCode { resultHandler(Result(answer: $0, error: $1)) }
  }

  /// ``requestServiceV2(nodeCodeList:completionHandler:)`` with one result.
  @preconcurrency public func requestServiceV2(
    nodeCodeList: [Data],
    resultHandler:
      @escaping @Sendable (Result<NFCFeliCaRequsetServiceV2Response, any Error>) -> Void
  ) {
    requestServiceV2(nodeCodeList: nodeCodeList) {
      let answer = NFCFeliCaRequsetServiceV2Response(
        statusFlag1: $0, statusFlag2: $1, encryptionIdentifier: $2,
        nodeKeyVersionListAES: $3.isEmpty ? nil : $3,
        nodeKeyVersionListDES: $4.isEmpty ? nil : $4)
      resultHandler(Result(answer: answer, error: $5))
    }
  }

  /// ``requestSpecificationVersion(completionHandler:)`` with one result.
  @preconcurrency public func requestSpecificationVersion(
    resultHandler:
      @escaping @Sendable (
        Result<NFCFeliCaRequestSpecificationVersionResponse, any Error>
      ) -> Void
  ) {
    requestSpecificationVersion {
      let answer = NFCFeliCaRequestSpecificationVersionResponse(
        statusFlag1: $0, statusFlag2: $1, basicVersion: $2.isEmpty ? nil : $2,
        optionVersion: $3.isEmpty ? nil : $3)
      resultHandler(Result(answer: answer, error: $4))
    }
  }

  /// ``resetMode(completionHandler:)`` with one result.
  @preconcurrency public func resetMode(
    resultHandler: @escaping @Sendable (Result<NFCFeliCaStatusFlag, any Error>) -> Void
  ) {
    resetMode {
      resultHandler(
        Result(answer: NFCFeliCaStatusFlag(statusFlag1: $0, statusFlag2: $1), error: $2))
    }
  }

  /// ``sendFeliCaCommand(commandPacket:completionHandler:)`` with one result.
  @preconcurrency public func sendFeliCaCommand(
    commandPacket: Data, resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) {
    sendFeliCaCommand(commandPacket: commandPacket) { resultHandler(Result(answer: $0, error: $1)) }
  }
}
