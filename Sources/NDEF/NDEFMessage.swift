/// An NDEF message: a list of records.
///
/// ```swift
/// let message = NDEFMessage(.uri("https://example.com"), .text("Hello", language: "en"))
/// let bytes = message.encoded()
/// let same = try NDEFMessage(decoding: bytes)
/// ```
///
/// ## No records, no bytes
///
/// A message has at least one record (NDEF 1.0, 2.2). The value without records represents *no
/// message*: it encodes to no bytes, and no bytes decode to it. It is the content of a tag whose
/// length field is zero, and writing it erases the tag. ``ofEmptyRecord`` is something else: the
/// message with one empty record, the bytes `D0 00 00`.
///
/// Source: NFC Forum NDEF 1.0.
public struct NDEFMessage: Hashable, Sendable {
  /// The records, in the order of the message.
  public var records: [NDEFRecord]

  /// Creates a message of these records.
  public init(records: [NDEFRecord]) {
    self.records = records
  }

  /// Creates a message of these records.
  public init(_ records: NDEFRecord...) {
    self.records = records
  }

  /// The message with one empty record, `D0 00 00`.
  public static let ofEmptyRecord = NDEFMessage(.empty)

  /// Checks that every record can be encoded, and decodes to the same record.
  ///
  /// Use it for records from outside before you write them to a tag.
  ///
  /// - Throws: ``NDEFError`` with the first rule that a record breaks; the offset is that of the
  ///   record in ``encoded()``.
  public func validate() throws(NDEFError) {
    var offset = 0
    for record in records {
      do {
        try record.validate()
      } catch {
        throw error.shifted(by: offset)
      }
      offset += record.encodedLength
    }
  }
}

// MARK: - Encoding

extension NDEFMessage {
  /// The number of bytes in ``encoded()``.
  public var encodedLength: Int {
    records.reduce(0) { $0 + $1.encodedLength }
  }

  /// Returns the message as bytes, in the one canonical form.
  ///
  /// Records are short if possible, an empty identifier has no length byte, MB is on the first and
  /// ME on the last record, and nothing is chunked. A message that ``validate()`` accepts decodes
  /// to the same message. In a record that it does not accept, fields that the type name format
  /// does not have are left out, and types and identifiers are cut off at 255 bytes; the other
  /// records stay intact.
  public func encoded() -> [UInt8] {
    encoded(chunkSizes: [])
  }

  /// Returns the message as bytes, with records in chunks.
  ///
  /// - Parameter chunkSizes: for each record in turn, the maximum number of payload bytes in a
  ///   chunk; 0 or less, or no value, for a record in one piece. A payload that fits into one chunk
  ///   is not chunked. (NDEF 1.0, 2.3.3)
  package func encoded(chunkSizes: [Int]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encodedLength)
    for (index, record) in records.enumerated() {
      var flags: RecordFlags = []
      if index == 0 { flags.insert(.messageBegin) }
      if index == records.count - 1 { flags.insert(.messageEnd) }
      record.append(
        to: &bytes, flags: flags,
        chunkSize: chunkSizes.indices.contains(index) ? chunkSizes[index] : 0)
    }
    return bytes
  }

  /// Returns the message as bytes, with every record in chunks of at most this many payload bytes.
  public func encoded(chunkSize: Int) -> [UInt8] {
    encoded(chunkSizes: Array(repeating: chunkSize, count: records.count))
  }
}

extension NDEFMessage: CustomStringConvertible {
  /// The records for people, one per line; `no message` if there are none.
  public var description: String {
    guard !records.isEmpty else { return "no message" }
    return records.map(\.description).joined(separator: "\n")
  }
}
