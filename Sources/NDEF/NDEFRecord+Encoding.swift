/// The bits of a record's first byte (NDEF 1.0, 3.2).
struct RecordFlags: OptionSet, Sendable {
  let rawValue: UInt8

  /// MB: the first record of the message.
  static let messageBegin = RecordFlags(rawValue: 0x80)
  /// ME: the last record of the message.
  static let messageEnd = RecordFlags(rawValue: 0x40)
  /// CF: a first or middle chunk; another one follows.
  static let chunk = RecordFlags(rawValue: 0x20)
  /// SR: the payload's length has one byte instead of four.
  static let shortRecord = RecordFlags(rawValue: 0x10)
  /// IL: the record has an identifier length.
  static let identifierLength = RecordFlags(rawValue: 0x08)

  /// The bits that hold the type name format.
  static let typeNameFormatMask: UInt8 = 0x07
}

extension NDEFRecord {
  /// The maximum length of a type, which is one byte (NDEF 1.0, 3.2.7).
  static let maximumTypeLength = 0xFF
  /// The maximum length of an identifier, which is one byte (NDEF 1.0, 3.2.8).
  static let maximumIdentifierLength = 0xFF
  /// The maximum payload length of a short record, which is one byte (NDEF 1.0, 3.2.4).
  static let maximumShortPayloadLength = 0xFF

  /// Appends the record, in chunks of at most `chunkSize` payload bytes; 0 for one piece.
  ///
  /// The flags and lengths are right whatever the fields hold: a field that the type name format
  /// does not have is left out, and one that is too long for its length field is cut off.
  func append(to bytes: inout [UInt8], flags: RecordFlags, chunkSize: Int = 0) {
    let hasType = typeNameFormat.hasType
    let type = hasType ? type.prefix(Self.maximumTypeLength) : []
    let isEmpty = typeNameFormat == .empty
    let identifier = isEmpty ? [] : identifier.prefix(Self.maximumIdentifierLength)
    let payload = isEmpty ? [] : payload.prefix(Int(clamping: UInt32.max))

    guard chunkSize > 0, chunkSize < payload.count else {
      Self.appendFrame(
        to: &bytes, flags: flags, format: typeNameFormat, type: type, identifier: identifier,
        payload: payload)
      return
    }
    var rest = payload
    while !rest.isEmpty {
      let isFirst = rest.count == payload.count
      let isLast = rest.count <= chunkSize
      var chunkFlags: RecordFlags = isLast ? flags.intersection(.messageEnd) : .chunk
      if isFirst { chunkFlags.formUnion(flags.intersection(.messageBegin)) }
      Self.appendFrame(
        to: &bytes, flags: chunkFlags, format: isFirst ? typeNameFormat : .unchanged,
        type: isFirst ? type : [], identifier: isFirst ? identifier : [],
        payload: rest.prefix(chunkSize))
      rest = rest.dropFirst(chunkSize)
    }
  }

  private static func appendFrame(
    to bytes: inout [UInt8], flags: RecordFlags, format: TypeNameFormat, type: ArraySlice<UInt8>,
    identifier: ArraySlice<UInt8>, payload: ArraySlice<UInt8>
  ) {
    var flags = flags
    let isShort = payload.count <= maximumShortPayloadLength
    if isShort { flags.insert(.shortRecord) }
    if !identifier.isEmpty { flags.insert(.identifierLength) }
    bytes.append(flags.rawValue | format.rawValue)
    bytes.append(UInt8(clamping: type.count))
    if isShort {
      bytes.append(UInt8(clamping: payload.count))
    } else {
      bytes.appendBigEndian(UInt32(clamping: payload.count))
    }
    if !identifier.isEmpty { bytes.append(UInt8(clamping: identifier.count)) }
    bytes.append(contentsOf: type)
    bytes.append(contentsOf: identifier)
    bytes.append(contentsOf: payload)
  }

  /// The number of bytes that the record needs in a message when it is in one piece.
  public var encodedLength: Int {
    if typeNameFormat == .empty { return 3 }
    let typeLength = typeNameFormat.hasType ? min(type.count, Self.maximumTypeLength) : 0
    let identifierLength = min(identifier.count, Self.maximumIdentifierLength)
    let payloadLength = min(payload.count, Int(clamping: UInt32.max))
    let lengths = 1 + (payloadLength <= Self.maximumShortPayloadLength ? 1 : 4)
    return 1 + lengths + (identifierLength > 0 ? 1 : 0) + typeLength + identifierLength
      + payloadLength
  }
}

extension TypeNameFormat {
  /// Whether records of this format have a type (NDEF 1.0, 3.2.6).
  var hasType: Bool {
    switch self {
    case .wellKnown, .media, .absoluteURI, .external: true
    case .empty, .unknown, .unchanged: false
    }
  }
}
