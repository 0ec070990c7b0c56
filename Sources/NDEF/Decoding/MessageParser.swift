/// Parses a message into records.
///
/// Strict parsing ends with the first error. Lenient parsing remembers the first error and
/// continues as long as the start of the next record is known.
struct MessageParser {
  struct ParsedRecord {
    var record: NDEFRecord
    /// The offset in the message at which the payload, or that of the first chunk, begins.
    let payloadOffset: Int
  }

  private(set) var records: [ParsedRecord] = []
  private(set) var error: NDEFError?
  /// Whether a record has the reserved type name format, and was read as unknown.
  private(set) var hasReservedFormat = false

  private let bytes: [UInt8]
  private let limits: NDEFMessage.Limits
  private let isLenient: Bool
  private var offset = 0
  /// A chunked record whose last chunk has not been parsed yet.
  private var unfinished: ParsedRecord?

  init(_ bytes: some Collection<UInt8>, limits: NDEFMessage.Limits, isLenient: Bool) {
    self.limits = limits
    self.isLenient = isLenient
    guard bytes.count <= limits.messageLength else {
      self.bytes = []
      error = NDEFError(
        .messageTooLong, offset: limits.messageLength,
        reason: "a message of \(bytes.count) bytes is longer than \(limits.messageLength)")
      return
    }
    self.bytes = Array(bytes)
    guard !self.bytes.isEmpty else { return }
    do {
      try parse()
    } catch {
      self.error = self.error ?? error
    }
  }

  /// Ends strict parsing; lenient parsing remembers the first error and continues.
  private mutating func report(_ error: NDEFError) throws(NDEFError) {
    guard isLenient else { throw error }
    self.error = self.error ?? error
  }

  private mutating func parse() throws(NDEFError) {
    while offset < bytes.count {
      let header = try readHeader()
      let isFirst = header.offset == 0
      if header.flags.contains(.messageBegin) != isFirst {
        try report(
          isFirst ? .missingMessageBegin(header.offset) : .repeatedMessageBegin(header.offset))
      }
      try take(header)
      if header.flags.contains(.messageEnd) {
        if unfinished != nil { try report(.unfinishedChunk(header.offset)) }
        if offset < bytes.count {
          try report(
            NDEFError(
              .trailingData, offset: offset,
              reason:
                "\((bytes.count - offset).byteCountDescription) left after the record with the ME flag"
            ))
        }
        return
      }
    }
    if unfinished != nil { try report(.unfinishedChunk(bytes.count)) }
    try report(
      NDEFError(
        .missingMessageEnd, offset: bytes.count,
        reason: "the message ends without a record with the ME flag"))
  }

  // MARK: Frames

  private struct Header {
    let offset: Int
    let flags: RecordFlags
    let formatCode: UInt8
    let type: Range<Int>
    let identifier: Range<Int>
    let payload: Range<Int>
  }

  /// Reads the lengths of the next record and checks that the record is complete.
  private mutating func readHeader() throws(NDEFError) -> Header {
    let start = offset
    let first = try readByte("header")
    let flags = RecordFlags(rawValue: first & ~RecordFlags.typeNameFormatMask)
    let typeLength = Int(try readByte("type length"))
    let payloadLength: UInt32
    if flags.contains(.shortRecord) {
      payloadLength = UInt32(try readByte("payload length"))
    } else {
      var value: UInt32 = 0
      for _ in 0..<4 { value = value << 8 | UInt32(try readByte("payload length")) }
      payloadLength = value
    }
    let identifierLength =
      flags.contains(.identifierLength) ? Int(try readByte("identifier length")) : 0
    return Header(
      offset: start, flags: flags, formatCode: first & RecordFlags.typeNameFormatMask,
      type: try readField(UInt32(typeLength), "type"),
      identifier: try readField(UInt32(identifierLength), "identifier"),
      payload: try readField(payloadLength, "payload"))
  }

  private mutating func readByte(_ name: StaticString) throws(NDEFError) -> UInt8 {
    guard offset < bytes.count else {
      throw NDEFError(
        .truncated, offset: offset, reason: "the message ends before a record's \(name)")
    }
    defer { offset += 1 }
    return bytes[offset]
  }

  private mutating func readField(
    _ length: UInt32, _ name: StaticString
  ) throws(NDEFError) -> Range<Int> {
    let left = bytes.count - offset
    guard let length = Int(exactly: length), length <= left else {
      throw NDEFError(
        .truncated, offset: offset,
        reason: "the message has \(left) of the \(length) bytes of a record's \(name)")
    }
    defer { offset += length }
    return offset..<offset + length
  }

  // MARK: Records

  /// Checks the rules of one record and keeps it, or appends it to the chunks before it.
  private mutating func take(_ header: Header) throws(NDEFError) {
    let knownFormat = TypeNameFormat(rawValue: header.formatCode)
    // A parser should treat the reserved format as unknown (NDEF 1.0, 3.2.6), which has no type.
    let format = knownFormat ?? .unknown
    hasReservedFormat = hasReservedFormat || knownFormat == nil
    let type = knownFormat == nil ? 0..<0 : header.type
    if unfinished != nil {
      if format == .unchanged { return try join(header) }
      unfinished = nil
      try report(.unfinishedChunk(header.offset))
    }
    let isChunk = header.flags.contains(.chunk)
    switch format {
    case .unchanged:
      return try report(.unexpectedChunk(header.offset))
    case .empty:
      guard header.type.isEmpty, header.identifier.isEmpty, header.payload.isEmpty, !isChunk else {
        return try report(.fieldsInEmptyRecord(header.offset))
      }
    case .unknown:
      guard type.isEmpty else { return try report(.typeInUnknownRecord(header.offset)) }
    // NDEF 1.0, 3.2.6 has a rule about TYPE_LENGTH 0 only for other formats; the record itself says that it has no type.
    case .wellKnown, .media, .absoluteURI, .external: break
    }
    try checkPayloadLength(header.payload.count, header)
    let parsed = ParsedRecord(
      record: NDEFRecord(
        typeNameFormat: format, type: Array(bytes[type]),
        identifier: Array(bytes[header.identifier]), payload: Array(bytes[header.payload])),
      payloadOffset: header.payload.lowerBound)
    if isChunk {
      unfinished = parsed
    } else {
      try keep(parsed, header)
    }
  }

  private mutating func join(_ header: Header) throws(NDEFError) {
    if !header.type.isEmpty || !header.identifier.isEmpty {
      try report(
        NDEFError(
          .malformedChunk, offset: header.offset,
          reason: "a chunk after the first has a type or an identifier"))
    }
    let joinedLength = (unfinished?.record.payload.count ?? 0) + header.payload.count
    try checkPayloadLength(joinedLength, header)
    // In place: a payload in many small chunks must not be copied once for each of them.
    unfinished?.record.payload.append(contentsOf: bytes[header.payload])
    if !header.flags.contains(.chunk), let complete = unfinished {
      unfinished = nil
      try keep(complete, header)
    }
  }

  private func checkPayloadLength(_ length: Int, _ header: Header) throws(NDEFError) {
    guard length <= limits.payloadLength else {
      throw NDEFError(
        .payloadTooLong, offset: header.offset,
        reason: "a payload of \(length) bytes is longer than \(limits.payloadLength)")
    }
  }

  private mutating func keep(_ record: ParsedRecord, _ header: Header) throws(NDEFError) {
    guard records.count < limits.recordCount else {
      throw NDEFError(
        .tooManyRecords, offset: header.offset,
        reason: "the message has more than \(limits.recordCount) records")
    }
    records.append(record)
  }
}

extension NDEFError {
  static func missingMessageBegin(_ offset: Int) -> NDEFError {
    NDEFError(
      .missingMessageBegin, offset: offset, reason: "the first record does not have the MB flag")
  }

  static func repeatedMessageBegin(_ offset: Int) -> NDEFError {
    NDEFError(
      .repeatedMessageBegin, offset: offset,
      reason: "a record other than the first has the MB flag")
  }

  static func fieldsInEmptyRecord(_ offset: Int) -> NDEFError {
    NDEFError(
      .fieldsInEmptyRecord, offset: offset,
      reason: "an empty record has a type, an identifier or a payload")
  }

  static func typeInUnknownRecord(_ offset: Int) -> NDEFError {
    NDEFError(
      .typeInUnknownRecord, offset: offset, reason: "a record of the format unknown has a type")
  }

  static func missingType(_ format: TypeNameFormat, _ offset: Int) -> NDEFError {
    NDEFError(
      .missingType, offset: offset, reason: "a record of the format \(format) has no type")
  }

  static func unexpectedChunk(_ offset: Int) -> NDEFError {
    NDEFError(
      .unexpectedChunk, offset: offset,
      reason: "a record of the format unchanged continues no chunked record")
  }

  static func unfinishedChunk(_ offset: Int) -> NDEFError {
    NDEFError(.unfinishedChunk, offset: offset, reason: "a chunked record lacks its last chunk")
  }
}
