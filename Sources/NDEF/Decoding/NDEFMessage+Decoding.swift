extension NDEFMessage {
  /// How much a message may claim before decoding refuses it.
  ///
  /// Decoding never sets memory aside for a length that is only declared: a payload must be there
  /// before it is copied. The limits bound what a message that *is* there may cost.
  public struct Limits: Hashable, Sendable {
    /// The most bytes that a message may have.
    public var messageLength: Int
    /// The most records that a message may have, chunks of one record counted once.
    public var recordCount: Int
    /// The most bytes that a payload may have, after its chunks are joined.
    public var payloadLength: Int

    /// Limits of these sizes.
    public init(messageLength: Int, recordCount: Int, payloadLength: Int) {
      self.messageLength = messageLength
      self.recordCount = recordCount
      self.payloadLength = payloadLength
    }

    /// 1 MiB for message and payload, 4096 records: more than any tag on the market holds.
    public static let `default` = Limits(
      messageLength: 1 << 20, recordCount: 4096, payloadLength: 1 << 20)

    /// No limit but the length of the bytes themselves.
    public static let unlimited = Limits(
      messageLength: .max, recordCount: .max, payloadLength: .max)
  }

  /// Reads a message; every byte must be part of it.
  ///
  /// Chunked records are joined. No bytes give the message without records.
  ///
  /// - Parameters:
  ///   - bytes: the message, nothing else.
  ///   - limits: how much of it to accept.
  /// - Throws: ``NDEFError`` with the first rule of NDEF 1.0 that the bytes break and its offset.
  public init(
    decoding bytes: some Collection<UInt8>, limits: Limits = .default
  ) throws(NDEFError) {
    let parser = MessageParser(bytes, limits: limits, isLenient: false)
    if let error = parser.error { throw error }
    self.init(records: parser.records.map(\.record))
  }

  /// Reads what can be read of a message.
  ///
  /// Wrong MB and ME flags and bytes after the end do not keep records from being read; a record of
  /// the reserved type name format 7 is read as unknown content (NDEF 1.0, 3.2.6); a record that
  /// breaks another rule is left out and the next one read; reading ends where the bytes do, or at a
  /// record that does not fit them or the limits.
  ///
  /// - Returns: the good records, and the first error; `nil` if the strict form accepts the bytes.
  public static func decodeLeniently(
    _ bytes: some Collection<UInt8>, limits: Limits = .default
  ) -> (message: NDEFMessage, error: NDEFError?) {
    let parser = MessageParser(bytes, limits: limits, isLenient: true)
    return (NDEFMessage(records: parser.records.map(\.record)), parser.error)
  }
}
