/// The versions of the keys of some nodes, as Request Service v2 reports them.
public struct FeliCaServiceKeys: Hashable, Sendable {
  /// The card's encryption identifier: 4F for AES, 41 for AES and DES.
  public var encryptionIdentifier: UInt8
  /// The version of each node's AES key; `nil` for a node that does not exist or has none.
  public var aes: [UInt16?]
  /// The version of each node's DES key; empty for a card with AES only.
  public var des: [UInt16?]

  /// Creates the key versions of some nodes, in the order in which the nodes were requested.
  public init(encryptionIdentifier: UInt8, aes: [UInt16?], des: [UInt16?]) {
    self.encryptionIdentifier = encryptionIdentifier
    self.aes = aes
    self.des = des
  }
}

/// Request Service v2: FeliCa Card User's Manual, excerpted edition, 4.4.10.
struct FeliCaRequestServiceV2: FeliCaCommand, Hashable {
  var idm: [UInt8]
  /// Codes of areas and services, 1 to 32.
  var nodeCodes: [UInt16]

  private static let aesAndDES: UInt8 = 0x41

  var encoded: [UInt8] {
    [FeliCaCommandCode.requestServiceV2] + idm + FeliCaNodeCodes.encoded(nodeCodes)
  }

  func validate() throws { try FeliCaNodeCodes.validate(nodeCodes) }

  func answer(_ bytes: [UInt8]) throws -> FeliCaServiceKeys {
    var body = try FeliCaAnswer.body(of: bytes, to: FeliCaCommandCode.requestServiceV2, idm: idm)
    try FeliCaAnswer.takeStatus(from: &body)
    guard let identifier = body.popFirst(), let count = body.popFirst() else {
      throw FeliCaAnswer.tooShort
    }
    let lists = identifier == Self.aesAndDES ? 2 : 1
    guard Int(count) == nodeCodes.count else { throw FeliCaNodeCodes.otherNumber }
    let versions = try FeliCaNodeCodes.versions(body, count: lists * nodeCodes.count)
    return FeliCaServiceKeys(
      encryptionIdentifier: identifier, aes: Array(versions.prefix(nodeCodes.count)),
      des: Array(versions.dropFirst(nodeCodes.count)))
  }
}

/// An area or a service, as Search Service Code lists them.
public enum FeliCaNode: Hashable, Sendable {
  /// An area, by its code and the last service code that may be in it.
  case area(UInt16, last: UInt16)
  /// A service, by its code.
  case service(UInt16)
}

/// Search Service Code, which returns the nodes one by one. Not in the excerpted manual; from JIS X
/// 6319-4 and the cards themselves.
struct FeliCaSearchServiceCode: FeliCaCommand, Hashable {
  var idm: [UInt8]
  /// From 0.
  var index: UInt16

  private static let end: UInt16 = 0xFFFF

  var encoded: [UInt8] {
    [FeliCaCommandCode.searchServiceCode] + idm + index.littleEndianBytes
  }

  /// `nil` after the last.
  func answer(_ bytes: [UInt8]) throws -> FeliCaNode? {
    let data = Array(
      try FeliCaAnswer.body(of: bytes, to: FeliCaCommandCode.searchServiceCode, idm: idm))
    guard data.count == 2 || data.count == 4 else {
      throw NFCError(.tagResponseError, "the card's answer has a wrong length")
    }
    let code = UInt16(data[0]) | UInt16(data[1]) << 8
    if data.count == 4 { return .area(code, last: UInt16(data[2]) | UInt16(data[3]) << 8) }
    return code == Self.end ? nil : .service(code)
  }
}

/// The versions of a card's operating system. Versions have three digits: 0500 (hexadecimal) is
/// 5.0.0.
public struct FeliCaSpecificationVersion: Hashable, Sendable {
  /// The version of the basic specification.
  public var basic: UInt16
  /// The options: DES first, then those that the manual names.
  public var options: [UInt16]

  /// Creates a card's versions.
  public init(basic: UInt16, options: [UInt16]) {
    self.basic = basic
    self.options = options
  }
}

/// Request Specification Version: FeliCa Card User's Manual, excerpted edition, 4.4.13.
struct FeliCaRequestSpecificationVersion: FeliCaCommand, Hashable {
  var idm: [UInt8]

  /// The only format that exists.
  private static let format: UInt8 = 0x00
  private static let reserved: [UInt8] = [0x00, 0x00]

  var encoded: [UInt8] {
    [FeliCaCommandCode.requestSpecificationVersion] + idm + Self.reserved
  }

  func answer(_ bytes: [UInt8]) throws -> FeliCaSpecificationVersion {
    var body = try FeliCaAnswer.body(
      of: bytes, to: FeliCaCommandCode.requestSpecificationVersion, idm: idm)
    try FeliCaAnswer.takeStatus(from: &body)
    let data = Array(body)
    guard data.count >= 4, data[0] == Self.format, data.count == 4 + 2 * Int(data[3]) else {
      throw NFCError(.tagResponseError, "the card's answer has a wrong length or format")
    }
    return FeliCaSpecificationVersion(
      basic: UInt16(data[1]) | UInt16(data[2]) << 8,
      options: stride(from: 4, to: data.count, by: 2).map {
        UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8
      })
  }
}

/// Reset Mode: FeliCa Card User's Manual, excerpted edition, 4.4.14.
struct FeliCaResetMode: FeliCaCommand, Hashable {
  var idm: [UInt8]

  private static let reserved: [UInt8] = [0x00, 0x00]

  var encoded: [UInt8] { [FeliCaCommandCode.resetMode] + idm + Self.reserved }

  func answer(_ bytes: [UInt8]) throws {
    var body = try FeliCaAnswer.body(of: bytes, to: FeliCaCommandCode.resetMode, idm: idm)
    try FeliCaAnswer.takeStatus(from: &body)
  }
}
