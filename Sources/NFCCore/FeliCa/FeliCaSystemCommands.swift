/// Request Service: FeliCa Card User's Manual, excerpted edition, 4.4.3.
struct FeliCaRequestService: FeliCaCommand, Hashable {
  var idm: [UInt8]
  /// Codes of areas and services, 1 to 32.
  var nodeCodes: [UInt16]

  private static let maximumNodes = 32

  var encoded: [UInt8] {
    var bytes = [FeliCaCommandCode.requestService] + idm
    bytes.append(UInt8(truncatingIfNeeded: nodeCodes.count))
    for code in nodeCodes { bytes += [UInt8(code & 0xFF), UInt8(code >> 8)] }
    return bytes
  }

  func validate() throws {
    guard (1...Self.maximumNodes).contains(nodeCodes.count) else {
      throw NFCError(
        .invalidParameter,
        "a command asks for 1 to \(Self.maximumNodes) nodes, not \(nodeCodes.count)")
    }
  }

  /// The key version of each node; `nil` for a node that is not there (FFFF).
  func answer(_ bytes: [UInt8]) throws -> [UInt16?] {
    var body = try FeliCaAnswer.body(of: bytes, to: FeliCaCommandCode.requestService, idm: idm)
    guard let count = body.popFirst() else { throw FeliCaAnswer.tooShort }
    guard Int(count) == nodeCodes.count, body.count == 2 * Int(count) else {
      throw NFCError(
        .tagResponseError, "the card has told of another number of nodes than asked for")
    }
    let data = Array(body)
    return stride(from: 0, to: data.count, by: 2).map {
      let version = UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8
      return version == 0xFFFF ? nil : version
    }
  }
}

/// Request Response: FeliCa Card User's Manual, excerpted edition, 4.4.4.
struct FeliCaRequestResponse: FeliCaCommand, Hashable {
  var idm: [UInt8]

  var encoded: [UInt8] { [FeliCaCommandCode.requestResponse] + idm }

  /// The mode that the card is in, 0 to 3.
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

  /// The codes of the card's systems, in their order.
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
