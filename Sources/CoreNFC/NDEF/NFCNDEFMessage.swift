import Foundation
import NDEF

/// An NDEF message: a list of records.
///
/// A message has at most 128 KiB; no tag holds a larger one. The message and its records can be
/// changed by one thread at a time: the state at the time of a write request is written.
open class NFCNDEFMessage: NSObject, NSSecureCoding {
  /// The largest message in bytes, as Apple has it.
  static let maximumLength = 128 << 10

  /// The records, in their order.
  open var records: [NFCNDEFPayload]

  /// Creates a message of these records; without records, the message with one empty record, which
  /// means that there is no message.
  public init(records: [NFCNDEFPayload]) {
    self.records = records
    super.init()
  }

  /// Decodes a message; every byte must be part of it.
  ///
  /// Chunked records are joined.
  ///
  /// - Returns: `nil` unless the bytes are one complete message according to NDEF 1.0, of at most
  ///   128 KiB.
  public convenience init?(data: Data) {
    guard (1...Self.maximumLength).contains(data.count),
      let message = try? NDEFMessage(decoding: data)
    else { return nil }
    self.init(message)
  }

  convenience init(_ native: NDEFMessage) {
    self.init(records: native.records.map(NFCNDEFPayload.init))
  }

  /// The number of bytes that the message occupies on a tag.
  open var length: Int { encoded.count }

  var native: NDEFMessage { NDEFMessage(records: records.map(\.native)) }

  /// The message as it is written to a tag; see ``validEncoding()``.
  var encoded: [UInt8] {
    records.isEmpty
      ? NDEFMessage.ofEmptyRecord.encoded() : native.encoded(chunkSizes: records.map(\.chunkSize))
  }

  /// Returns the message as it is written to a tag.
  ///
  /// - Throws: `readerErrorInvalidParameter` for a record that NDEF 1.0 forbids: a field that is
  ///   too long, a forbidden or missing type, the format unchanged.
  func validEncoding() throws -> [UInt8] {
    do {
      try native.validate()
    } catch {
      throw NFCReaderError(
        .readerErrorInvalidParameter,
        userInfo: [
          NSUnderlyingErrorKey: error, NSLocalizedFailureReasonErrorKey: error.description,
        ])
    }
    return encoded
  }

  // MARK: NSSecureCoding

  private static let recordsKey = "records"

  /// Whether the message can be coded securely: always.
  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(records as NSArray, forKey: Self.recordsKey)
  }

  public required init?(coder: NSCoder) {
    guard
      let records = coder.decodeObject(
        of: [NSArray.self, NFCNDEFPayload.self], forKey: Self.recordsKey) as? [NFCNDEFPayload]
    else { return nil }
    self.records = records
    super.init()
  }

  // MARK: NSObject

  /// The records for a person, one a line.
  open override var description: String { native.description }
}
