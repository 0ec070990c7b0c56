import Foundation
import NFC

/// The answer to a command whose answer begins with status flags.
private struct Flagged<Answer: Sendable>: Sendable {
  let flag1: Int
  let flag2: Int
  /// `nil` if the card has refused.
  let answer: Answer?
}

extension FeliCaTagObject {
  /// Runs a command whose refusal is no error.
  private func performFlagged<Answer: Sendable>(
    _ operation: @escaping @Sendable (any FeliCaTag) async throws -> Answer,
    completion: @escaping @Sendable (Int, Int, Answer?, (any Error)?) -> Void
  ) {
    perform { [self] in
      do {
        return Flagged(flag1: 0, flag2: 0, answer: try await operation(selectedCard()))
      } catch let error as NFCError {
        guard case .statusFlags(let flag1, let flag2)? = error.cause else { throw error }
        return Flagged(flag1: Int(flag1), flag2: Int(flag2), answer: nil)
      }
    } completion: { result in
      switch result {
      case .success(let flagged): completion(flagged.flag1, flagged.flag2, flagged.answer, nil)
      case .failure(let error): completion(0, 0, nil, error)
      }
    }
  }

  func requestService(
    nodeCodeList: [Data], completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
  ) {
    perform { [self] in
      let codes = try FeliCaParameter.nodeCodes(nodeCodeList)
      return try await selectedCard().requestService(nodeCodes: codes).map { Data(feliCa: $0) }
    } completion: { result in
      let (versions, error) = result.answer(or: [])
      completionHandler(versions, error)
    }
  }

  func requestResponse(completionHandler: @escaping @Sendable (Int, (any Error)?) -> Void) {
    perform { [self] in
      Int(try await selectedCard().requestResponse())
    } completion: { result in
      let (mode, error) = result.answer(or: 0)
      completionHandler(mode, error)
    }
  }

  func readWithoutEncryption(
    serviceCodeList: [Data], blockList: [Data],
    completionHandler: @escaping @Sendable (Int, Int, [Data], (any Error)?) -> Void
  ) {
    performFlagged { card in
      let services = try FeliCaParameter.serviceCodes(serviceCodeList)
      let blocks = try FeliCaParameter.blocks(blockList, services: services.count)
      return try await card.readWithoutEncryption(serviceCodes: services, blocks: blocks)
    } completion: { flag1, flag2, blocks, error in
      completionHandler(flag1, flag2, (blocks ?? []).map { (bytes: [UInt8]) in Data(bytes) }, error)
    }
  }

  func writeWithoutEncryption(
    serviceCodeList: [Data], blockList: [Data], blockData: [Data],
    completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void
  ) {
    performFlagged { card in
      let services = try FeliCaParameter.serviceCodes(serviceCodeList)
      let blocks = try FeliCaParameter.blocks(blockList, services: services.count)
      let data = try FeliCaParameter.blockData(blockData, for: blocks)
      try await card.writeWithoutEncryption(serviceCodes: services, blocks: blocks, data: data)
    } completion: { flag1, flag2, _, error in
      completionHandler(flag1, flag2, error)
    }
  }

  func requestSystemCode(
    completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
  ) {
    perform { [self] in
      try await selectedCard().requestSystemCode().map { Data($0.bigEndianBytes) }
    } completion: { result in
      let (codes, error) = result.answer(or: [])
      completionHandler(codes, error)
    }
  }

  func requestServiceV2(
    nodeCodeList: [Data],
    completionHandler:
      @escaping @Sendable (
        Int, Int, NFCFeliCaEncryptionId, [Data], [Data], (any Error)?
      ) -> Void
  ) {
    performFlagged { card in
      let codes = try FeliCaParameter.nodeCodes(nodeCodeList)
      let keys = try await card.requestServiceV2(nodeCodes: codes)
      guard let id = NFCFeliCaEncryptionId(rawValue: Int(keys.encryptionIdentifier)) else {
        throw NFCError(.tagResponseError, "the card has keys for an unknown cipher")
      }
      return (id, keys.aes.map { Data(feliCa: $0) }, keys.des.map { Data(feliCa: $0) })
    } completion: { flag1, flag2, keys, error in
      let (id, aes, des) = keys ?? (.AES, [], [])
      completionHandler(flag1, flag2, id, aes, des, error)
    }
  }

  func requestSpecificationVersion(
    completionHandler: @escaping @Sendable (Int, Int, Data, Data, (any Error)?) -> Void
  ) {
    performFlagged { card in
      let version = try await card.requestSpecificationVersion()
      return (Data(feliCa: version.basic), Data(version.options.flatMap { Data(feliCa: $0) }))
    } completion: { flag1, flag2, version, error in
      let (basic, options) = version ?? (Data(), Data())
      completionHandler(flag1, flag2, basic, options, error)
    }
  }

  func resetMode(completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void) {
    performFlagged { card in
      try await card.resetMode()
    } completion: { flag1, flag2, _, error in
      completionHandler(flag1, flag2, error)
    }
  }

  func sendFeliCaCommand(
    commandPacket: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
  ) {
    perform { [self] in
      guard !commandPacket.isEmpty else {
        throw NFCReaderError(.readerErrorInvalidParameterLength)
      }
      let answer = try await card.sendFeliCaCommand(Array(commandPacket))
      // The native answer does not include its length byte, which counts itself.
      return Data([UInt8(truncatingIfNeeded: answer.count + 1)] + answer)
    } completion: { result in
      let (answer, error) = result.answer(or: Data())
      completionHandler(answer, error)
    }
  }
}
