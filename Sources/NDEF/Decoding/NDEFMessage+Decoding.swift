extension NDEFMessage {
  /// Limits on the size of a message that decoding accepts.
  ///
  /// Decoding never allocates memory for a length that is only declared: a payload must be present
  /// before it is copied. The limits bound the cost of a message that *is* present.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of bytes in a message.
    public var messageLength: Int
    /// The maximum number of records in a message; a chunked record counts once.
    public var recordCount: Int
    /// The maximum number of bytes in a payload, after its chunks are joined.
    public var payloadLength: Int

    /// Creates limits.
    public init(messageLength: Int, recordCount: Int, payloadLength: Int) {
      self.messageLength = messageLength
      self.recordCount = recordCount
      self.payloadLength = payloadLength
    }

    /// 1 MiB for message and payload, 4096 records: more than any tag on the market holds.
    public static let `default` = Limits(
      messageLength: 1 << 20, recordCount: 4096, payloadLength: 1 << 20)

    /// No limit except the length of the bytes themselves.
    public static let unlimited = Limits(
      messageLength: .max, recordCount: .max, payloadLength: .max)
  }

  /// Decodes a message; every byte must be part of it.
  ///
  /// Chunked records are joined. A record of the reserved type name format 7 is read as unknown
  /// content (NDEF 1.0, 3.2.6). No bytes decode to the message without records.
  ///
  /// - Parameters:
  ///   - bytes: the message, and nothing else.
  ///   - limits: the limits of the message.
  /// - Throws: ``NDEFError`` with the first rule of NDEF 1.0 that the bytes break, and its offset.
  public init(
    decoding bytes: some Collection<UInt8>, limits: Limits = .default
  ) throws(NDEFError) {
    let parser = MessageParser(bytes, limits: limits, isLenient: false)
    if let error = parser.error { throw error }
    self.init(records: parser.records.map(\.record))
  }

  /// Decodes whatever can be read of a message.
  ///
  /// Wrong MB and ME flags and bytes after the end do not prevent records from being read. A record
  /// that breaks another rule is skipped. Reading ends where the bytes end, or at a record that does
  /// not fit them or the limits.
  ///
  /// - Returns: the valid records, and the first error; the error is `nil` if the strict form
  ///   accepts the bytes.
  public static func decodeLeniently(
    _ bytes: some Collection<UInt8>, limits: Limits = .default
  ) -> (message: NDEFMessage, error: NDEFError?) {
    let parser = MessageParser(bytes, limits: limits, isLenient: true)
    return (NDEFMessage(records: parser.records.map(\.record)), parser.error)
  }

  /// Returns whether a message has a record of the reserved type name format 7, which cannot be written back as it
  /// is.
  package static func hasReservedFormat(_ bytes: some Collection<UInt8>) -> Bool {
    MessageParser(bytes, limits: .default, isLenient: true).hasReservedFormat
  }
}
