/// The content of an electronic travel document: the machine readable zone, and the data groups that its
/// chip has (ICAO Doc 9303, part 10).
///
/// A program opens the document as it opens a real one, by Basic Access Control or PACE: with a key that
/// it derives from the number of the document, the date of birth and the date of expiry.
public struct TravelDocument: Hashable, Sendable {
  /// The lines of the machine readable zone, without separators: two of 44 or 36 characters, or three
  /// of 30 (Doc 9303, parts 4, 6 and 5).
  public let machineReadableZone: String
  /// The data groups by their numbers. Each is a whole file, with its tag. Data group 1 contains the
  /// machine readable zone.
  public let dataGroups: [Int: [UInt8]]
  /// EF.SOD, with which passive authentication checks the data groups; `nil` for a document that has
  /// not been signed.
  public let securityObject: [UInt8]?
  /// The document number, the date of birth and the date of expiry, each with its check digit. The
  /// access keys are derived from this text (Doc 9303-11, 4.3.2).
  public let accessInformation: String

  /// Creates a document.
  ///
  /// - Parameters:
  ///   - machineReadableZone: 88, 72 or 90 characters of A to Z, 0 to 9 and <. Line breaks are ignored.
  ///   - dataGroups: the other data groups by their numbers, 2 to 16. Each is a whole file, with its tag.
  ///   - securityObject: EF.SOD.
  /// - Throws: ``VirtualTagError/invalidTravelDocument(_:)`` for another number of characters, a wrong
  ///   check digit, a data group whose number or tag is not one, and a file of more than 131 071 bytes.
  public init(
    machineReadableZone: String, dataGroups: [Int: [UInt8]] = [:], securityObject: [UInt8]? = nil
  ) throws(VirtualTagError) {
    let zone = String(machineReadableZone.filter { !$0.isNewline })
    let characters = Array(zone.utf8)
    guard let layout = Layout(size: characters.count) else {
      throw .invalidTravelDocument("a machine readable zone has 72, 88 or 90 characters")
    }
    for (number, content) in dataGroups {
      guard Self.otherGroups.contains(number) else {
        throw .invalidTravelDocument("the other data groups are numbered from 2 to 16")
      }
      let objects = DataObject.all(in: content)
      guard objects?.map(\.tag) == [Self.groupTags[number - 1]] else {
        throw .invalidTravelDocument("data group \(number) is not one object with its tag")
      }
    }
    for content in dataGroups.values + [securityObject ?? []] where content.count > Self.fileLimit {
      throw .invalidTravelDocument("a file has at most \(Self.fileLimit) bytes")
    }
    var information: [UInt8] = []
    for field in [layout.number, layout.birth, layout.expiry] {
      var value = Array(characters[field])
      var digit = characters[field.upperBound]
      // A longer number continues in the optional data, where its check digit and a filler follow.
      if field == layout.number, digit == Self.filler, let optional = layout.optional {
        let rest = characters[optional].prefix { $0 != Self.filler }
        if let last = rest.last, rest.count > 1 {
          value += rest.dropLast()
          digit = last
        }
      }
      guard let expected = Self.checkDigit(value),
        digit == expected || digit == Self.filler && expected == UInt8(ascii: "0")
      else {
        throw .invalidTravelDocument(
          "the check digit at character \(field.upperBound + 1) is wrong, or a character before it")
      }
      information += value + [expected]
    }
    self.machineReadableZone = zone
    self.securityObject = securityObject
    accessInformation = String(decoding: information, as: UTF8.self)
    var groups = dataGroups
    groups[1] = DataObject.encoded(0x61, DataObject.encoded(0x5F1F, characters))
    self.dataGroups = groups
  }

  private static let otherGroups = 2...16
  private static let filler = UInt8(ascii: "<")
  /// Real files are smaller. Those of more than 32 767 bytes are read with their offsets in data objects.
  private static let fileLimit = 0x1FFFF
  /// The tags of data groups 1 to 16 (Doc 9303-10, 4.6.1).
  private static let groupTags: [UInt8] = [
    0x61, 0x75, 0x63, 0x76, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70,
  ]

  /// Where the fields of a machine readable zone are. A check digit follows each field.
  private struct Layout {
    let number: Range<Int>
    let birth: Range<Int>
    let expiry: Range<Int>
    /// Where a number of more than nine characters continues (Doc 9303, parts 5 and 6). A passport has
    /// none.
    let optional: Range<Int>?

    init?(size: Int) {
      switch size {
      case 2 * 44, 2 * 36:
        let line = size / 2
        (number, birth, expiry) = (line..<line + 9, line + 13..<line + 19, line + 21..<line + 27)
        optional = size == 2 * 36 ? line + 28..<line + 35 : nil
      case 3 * 30:
        (number, birth, expiry) = (5..<14, 30..<36, 38..<44)
        optional = 15..<30
      default: return nil
      }
    }
  }

  /// Returns the check digit of a field: Doc 9303-3, 4.9. `nil` for a character that a machine readable
  /// zone cannot have.
  private static func checkDigit(_ field: [UInt8]) -> UInt8? {
    var sum = 0
    for (index, character) in field.enumerated() {
      let value: UInt8
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0")
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A") + 10
      case UInt8(ascii: "<"): value = 0
      default: return nil
      }
      sum += Int(value) * [7, 3, 1][index % 3]
    }
    return UInt8(ascii: "0") + UInt8(sum % 10)
  }

  /// The files of the application by their identifiers: EF.COM, EF.SOD, and data group n as 01nn.
  var files: [UInt16: [UInt8]] {
    let tags = dataGroups.keys.sorted().map { Self.groupTags[$0 - 1] }
    // LDS 1.7 and Unicode 4.0.0: Doc 9303-10, 4.6.1.
    let common =
      DataObject.encoded(0x5F01, Array("0107".utf8))
      + DataObject.encoded(0x5F36, Array("040000".utf8)) + DataObject.encoded(0x5C, tags)
    var files: [UInt16: [UInt8]] = [0x011E: DataObject.encoded(0x60, common)]
    files[0x011D] = securityObject
    for (number, content) in dataGroups { files[0x0100 | UInt16(number)] = content }
    return files
  }
}

/// A BER-TLV data object (ISO/IEC 7816-4, 5.2.2).
struct DataObject: Hashable, Sendable {
  let tag: UInt8
  let value: [UInt8]
  /// The object as it was received.
  let bytes: [UInt8]

  /// Returns a data object with a tag of one or two bytes.
  static func encoded(_ tag: UInt16, _ value: [UInt8]) -> [UInt8] {
    let length: [UInt8] =
      switch value.count {
      case ..<0x80: [UInt8(value.count)]
      case ..<0x100: [0x81, UInt8(value.count)]
      case ..<0x1_0000: [0x82, UInt8(value.count >> 8), UInt8(value.count & 0xFF)]
      default:
        [
          0x83, UInt8(truncatingIfNeeded: value.count >> 16),
          UInt8(truncatingIfNeeded: value.count >> 8), UInt8(truncatingIfNeeded: value.count),
        ]
      }
    return (tag > 0xFF ? tag.bigEndianBytes : [UInt8(tag)]) + length + value
  }

  /// Returns the objects in `bytes`, whose tags have one byte; `nil` if a length is wrong.
  static func all(in bytes: [UInt8]) -> [DataObject]? {
    var objects: [DataObject] = []
    var rest = bytes[...]
    while let tag = rest.first {
      var header = 2
      guard rest.count >= header else { return nil }
      let first = rest[rest.startIndex + 1]
      var count = Int(first)
      if first >= 0x80 {
        let size = Int(first & 0x7F)
        guard (1...3).contains(size), rest.count >= header + size else { return nil }
        count = rest.dropFirst(header).prefix(size).reduce(0) { $0 << 8 | Int($1) }
        header += size
      }
      guard rest.count >= header + count else { return nil }
      let whole = rest.prefix(header + count)
      objects.append(
        DataObject(tag: tag, value: Array(whole.dropFirst(header)), bytes: Array(whole)))
      rest = rest.dropFirst(header + count)
    }
    return objects
  }
}
