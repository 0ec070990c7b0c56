/// A tag's answer: flags and what follows (ISO/IEC 15693-3, 7.4).
public struct ISO15693Response: Hashable, Sendable {
  /// The first byte of the answer.
  public var flags: ISO15693ResponseFlags
  /// The bytes after the flags; the error code if the error flag is set.
  public var payload: [UInt8]

  /// Creates an answer.
  public init(flags: ISO15693ResponseFlags = [], payload: [UInt8] = []) {
    self.flags = flags
    self.payload = payload
  }

  /// Creates a refusal.
  package init(_ code: ISO15693ErrorCode) {
    self.init(flags: .error, payload: [code.rawValue])
  }

  /// Parses a frame without its check bytes.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError`` for an empty frame.
  public init(decoding frame: [UInt8]) throws {
    guard let first = frame.first else {
      throw NFCError(.tagResponseError, "the tag's answer has no bytes")
    }
    self.init(flags: ISO15693ResponseFlags(rawValue: first), payload: Array(frame.dropFirst()))
  }

  package var encoded: [UInt8] { [flags.rawValue] + payload }

  /// The code of a refusal; `nil` if the tag has carried out the command. A refusal without a code
  /// counts as unknown.
  public var errorCode: ISO15693ErrorCode? {
    guard flags.contains(.error) else { return nil }
    return payload.first.map(ISO15693ErrorCode.init(rawValue:)) ?? .unknown
  }

  /// Returns the payload of an answer that is not a refusal.
  ///
  /// - Throws: the refusal as ``NFCError``, with the cause `iso15693` and `place`.
  public func checkedPayload(place: NFCError.Place? = nil) throws -> [UInt8] {
    if let errorCode { throw NFCError(errorCode, place: place) }
    return payload
  }
}

/// A block that was read.
public struct ISO15693Block: Hashable, Sendable {
  /// The content of the block.
  public var data: [UInt8]
  /// The security status if it was requested; bit 0 is set in a locked block.
  public var securityStatus: UInt8?

  /// Creates a block.
  public init(data: [UInt8], securityStatus: UInt8? = nil) {
    self.data = data
    self.securityStatus = securityStatus
  }

  /// Whether the block is locked permanently; `nil` if the status was not requested.
  public var isLocked: Bool? { securityStatus.map { $0 & Self.lockedBit != 0 } }

  static let lockedBit: UInt8 = 0x01

  /// Splits the answer to a read.
  ///
  /// - Parameters:
  ///   - payload: what follows the flags.
  ///   - count: the number of requested blocks.
  ///   - hasSecurityStatus: the request had the option flag.
  /// - Throws: `tagResponseError` if the bytes are not `count` blocks of 1 to 32 bytes.
  package static func decode(
    _ payload: [UInt8], count: Int, hasSecurityStatus: Bool
  ) throws -> [ISO15693Block] {
    let overhead = hasSecurityStatus ? 1 : 0
    guard count > 0, payload.count.isMultiple(of: count),
      (1...maximumSize).contains(payload.count / count - overhead)
    else {
      throw NFCError(
        .tagResponseError, "the tag has answered \(payload.count) bytes for \(count) blocks")
    }
    let size = payload.count / count
    return stride(from: 0, to: payload.count, by: size).map { start in
      ISO15693Block(
        data: Array(payload[(start + overhead)..<(start + size)]),
        securityStatus: hasSecurityStatus ? payload[start] : nil)
    }
  }

  /// The longest block that the standard allows (ISO/IEC 15693-3, 4.2).
  static let maximumSize = 32
}

/// The answer to an inventory (ISO/IEC 15693-3, 10.3.1).
package struct ISO15693InventoryAnswer: Hashable, Sendable {
  package var dsfid: UInt8
  /// Most significant byte first.
  package var uid: [UInt8]

  package init(dsfid: UInt8, uid: [UInt8]) {
    self.dsfid = dsfid
    self.uid = uid
  }

  /// - Throws: `tagResponseError` if the payload has not nine bytes.
  package init(decoding payload: [UInt8]) throws {
    guard payload.count == 1 + ISO15693Request.uidLength, let dsfid = payload.first else {
      throw NFCError(
        .tagResponseError, "an inventory is answered with nine bytes, not \(payload.count)")
    }
    self.init(dsfid: dsfid, uid: payload.dropFirst().reversed())
  }
}
