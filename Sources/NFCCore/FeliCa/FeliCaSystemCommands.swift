/// Request Service: FeliCa Card User's Manual, excerpted edition, 4.4.3.
struct FeliCaRequestService: FeliCaCommand, Hashable {
  var idm: [UInt8]
  /// Codes of areas and services, 1 to 32.
  var nodeCodes: [UInt16]

  var encoded: [UInt8] {
    [FeliCaCommandCode.requestService] + idm + FeliCaNodeCodes.encoded(nodeCodes)
  }

  func validate() throws { try FeliCaNodeCodes.validate(nodeCodes) }

  /// Returns the key version of each node; `nil` for a node that is not there.
  func answer(_ bytes: [UInt8]) throws -> [UInt16?] {
    var body = try FeliCaAnswer.body(of: bytes, to: FeliCaCommandCode.requestService, idm: idm)
    guard let count = body.popFirst() else { throw FeliCaAnswer.tooShort }
    guard Int(count) == nodeCodes.count else { throw FeliCaNodeCodes.otherNumber }
    return try FeliCaNodeCodes.versions(body, count: nodeCodes.count)
  }
}

/// Codes of areas and services in a command, and the versions of their keys in its answer.
enum FeliCaNodeCodes {
  private static let maximum = 32
  private static let notThere: UInt16 = 0xFFFF

  /// Their number, then each, least significant byte first.
  static func encoded(_ codes: [UInt16]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: codes.count)] + codes.flatMap(\.littleEndianBytes)
  }

  static func validate(_ codes: [UInt16]) throws {
    guard (1...maximum).contains(codes.count) else {
      throw NFCError(
        .invalidParameter, "a command requests 1 to \(maximum) nodes, not \(codes.count)")
    }
  }

  /// - Throws: `tagResponseError` for another number than expected.
  static func versions(_ body: ArraySlice<UInt8>, count: Int) throws -> [UInt16?] {
    let data = Array(body)
    guard data.count == 2 * count else { throw otherNumber }
    return stride(from: 0, to: data.count, by: 2).map {
      let version = UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8
      return version == notThere ? nil : version
    }
  }

  static var otherNumber: NFCError {
    NFCError(.tagResponseError, "the card reported a different number of nodes than requested")
  }
}

/// Request Response: FeliCa Card User's Manual, excerpted edition, 4.4.4.
struct FeliCaRequestResponse: FeliCaCommand, Hashable {
  var idm: [UInt8]

  var encoded: [UInt8] { [FeliCaCommandCode.requestResponse] + idm }

  /// Returns the mode that the card is in, 0 to 3.
  func answer(_ bytes: [UInt8]) throws -> UInt8 {
    var body = try FeliCaAnswer.body(of: bytes, to: FeliCaCommandCode.requestResponse, idm: idm)
    guard let mode = body.popFirst() else { throw FeliCaAnswer.tooShort }
    return mode
  }
}

/// Request System Code: FeliCa Card User's Manual, excerpted edition, 4.4.8.
struct FeliCaRequestSystemCode: FeliCaCommand, Hashable {
  var idm: [UInt8]

  var encoded: [UInt8] { [FeliCaCommandCode.requestSystemCode] + idm }

  /// Returns the codes of the card's systems, in their order.
  func answer(_ bytes: [UInt8]) throws -> [UInt16] {
    var body = try FeliCaAnswer.body(of: bytes, to: FeliCaCommandCode.requestSystemCode, idm: idm)
    guard let count = body.popFirst() else { throw FeliCaAnswer.tooShort }
    guard body.count == 2 * Int(count) else {
      throw NFCError(.tagResponseError, "the card's answer has a wrong length")
    }
    let data = Array(body)
    return stride(from: 0, to: data.count, by: 2).map {
      UInt16(data[$0]) << 8 | UInt16(data[$0 + 1])
    }
  }
}
