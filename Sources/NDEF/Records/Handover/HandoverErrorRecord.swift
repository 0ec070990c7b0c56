/// The reason why a handover request was not answered completely: the local type `err`.
///
/// It has a meaning only inside a ``HandoverSelectRecord``. Source: NFC Forum Connection Handover
/// 1.5, "Error Record".
public struct HandoverErrorRecord: NDEFTolerantRecord {
  /// The reason with its data.
  public enum Reason: Hashable, Sendable {
    /// Too little memory at the moment; the request may be repeated after this number of
    /// milliseconds.
    case temporarilyOutOfMemory(retryAfterMilliseconds: UInt8)
    /// Too little memory; the request may be repeated with at most this number of bytes.
    case permanentlyOutOfMemory(maximumLength: UInt32)
    /// The carrier's own error; the request may be repeated after this number of milliseconds.
    case carrierSpecific(retryAfterMilliseconds: UInt8)
    /// A reserved reason, 4 to 255, with its data.
    case reserved(code: UInt8, data: [UInt8])

    fileprivate static let temporaryCode: UInt8 = 0x01
    fileprivate static let permanentCode: UInt8 = 0x02
    fileprivate static let carrierCode: UInt8 = 0x03
  }

  /// The reason.
  public var reason: Reason
  public var identifier: [UInt8]

  /// Creates the record of a reason.
  public init(_ reason: Reason, identifier: [UInt8] = []) {
    self.reason = reason
    self.identifier = identifier
  }

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "err")
  }

  /// Reads the reason; leniently also a reserved one, with its data.
  ///
  /// - Throws: ``NDEFError`` for a reserved reason, or data whose length is wrong for the reason.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    let reason: Reason
    switch try reader.readByte("error reason") {
    case 0:
      throw NDEFError(.invalidValue, offset: 0, reason: "the error reason 0 is reserved")
    case Reason.temporaryCode:
      reason = .temporarilyOutOfMemory(retryAfterMilliseconds: try reader.readByte("error data"))
    case Reason.permanentCode:
      reason = .permanentlyOutOfMemory(maximumLength: try reader.readBigEndian32("error data"))
    case Reason.carrierCode:
      reason = .carrierSpecific(retryAfterMilliseconds: try reader.readByte("error data"))
    case let code:
      reason = .reserved(code: code, data: Array(reader.readRest()))
      try tolerance.report(.reserved("the error reason", "\(code)", offset: 0))
    }
    try reader.expectEnd("error data")
    self.init(reason, identifier: record.identifier)
  }

  public var record: NDEFRecord {
    var payload: [UInt8]
    switch reason {
    case .temporarilyOutOfMemory(let milliseconds):
      payload = [Reason.temporaryCode, milliseconds]
    case .permanentlyOutOfMemory(let length):
      payload = [Reason.permanentCode]
      payload.appendBigEndian(length)
    case .carrierSpecific(let milliseconds):
      payload = [Reason.carrierCode, milliseconds]
    case .reserved(let code, let data):
      payload = [code] + data
    }
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "err", identifier: identifier, payload: payload)
  }

  public var description: String {
    switch reason {
    case .temporarilyOutOfMemory(let milliseconds):
      "temporarily out of memory, retry after \(milliseconds) ms"
    case .permanentlyOutOfMemory(let length):
      "permanently out of memory, retry with at most \(length) bytes"
    case .carrierSpecific(let milliseconds):
      "carrier error, retry after \(milliseconds) ms"
    case .reserved(let code, let data):
      "error \(code), \(data.byteCountDescription)"
    }
  }
}
