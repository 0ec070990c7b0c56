/// The capability container of a type 4 tag, file E103: NFC Forum, Type 4 Tag Operation Specification
/// 2.0, 5.1; Type 4 Tag Technical Specification 1.0 (mapping version 3), 4.2.
struct Type4CapabilityContainer: Hashable, Sendable {
  /// The major mapping version, 1 to 3.
  var majorVersion: UInt8
  /// MLe: the maximum number of bytes that one READ BINARY returns.
  var maximumReadLength: Int
  /// MLc: the maximum number of data bytes that one UPDATE BINARY accepts.
  var maximumUpdateLength: Int
  var file: File

  /// The NDEF file, by its file control TLV.
  struct File: Hashable, Sendable {
    var identifier: UInt16
    /// In bytes, the length field included.
    var size: Int
    /// The length field has four bytes, ENLEN, instead of two.
    var isExtended: Bool
    var readAccess: UInt8
    var writeAccess: UInt8
    /// The position of the write access condition in the container.
    var writeAccessOffset: Int

    var lengthSize: Int { isExtended ? 4 : 2 }
  }

  /// Where the container is.
  static let fileIdentifier: UInt16 = 0xE103
  /// The minimum length of a container: an NDEF file control TLV and what precedes it.
  static let minimumLength = 15
  /// Access without any security.
  static let freeAccess: UInt8 = 0x00
  /// Access with a password, as ST's chips have it (ST25TA02K, formerly SRTAG2K, data sheet, 3.2).
  static let passwordAccess: UInt8 = 0x80
  /// No write access at all.
  static let noAccess: UInt8 = 0xFF

  private static let versions: ClosedRange<UInt8> = 1...3
  private static let head = 7
  static let fileControl: UInt8 = 0x04
  private static let extendedFileControl: UInt8 = 0x06
  static let fileControlLength = 6
  private static let extendedFileControlLength = 8

  /// Returns how many bytes have to be read for the NDEF file's TLV, by the first 15 of them.
  ///
  /// - Throws: `malformedContent`, with file E103.
  static func neededLength(_ bytes: [UInt8]) throws -> Int {
    guard bytes.count >= minimumLength else {
      throw malformed("the capability container has only \(bytes.count) bytes")
    }
    let length = Int(bytes[0]) << 8 | Int(bytes[1])
    guard length >= minimumLength else {
      throw malformed("the capability container says that it has \(length) bytes")
    }
    guard bytes[head] == extendedFileControl else { return minimumLength }
    let needed = head + 2 + extendedFileControlLength
    guard length >= needed else {
      throw malformed("the capability container says that it has \(length) bytes")
    }
    return needed
  }

  init(majorVersion: UInt8, maximumReadLength: Int, maximumUpdateLength: Int, file: File) {
    self.majorVersion = majorVersion
    self.maximumReadLength = maximumReadLength
    self.maximumUpdateLength = maximumUpdateLength
    self.file = file
  }

  /// Parses a container up to its first TLV, that of the NDEF file; the following ones are of other
  /// files. Returns `nil` for an unknown major version.
  ///
  /// - Throws: `malformedContent`, with file E103.
  init?(_ bytes: [UInt8]) throws {
    guard bytes.count >= (try Self.neededLength(bytes)) else {
      throw Self.malformed("the capability container has only \(bytes.count) bytes")
    }
    majorVersion = bytes[2] >> 4
    guard Self.versions.contains(majorVersion) else { return nil }
    maximumReadLength = Int(bytes[3]) << 8 | Int(bytes[4])
    maximumUpdateLength = Int(bytes[5]) << 8 | Int(bytes[6])
    guard maximumReadLength > 0, maximumUpdateLength > 0 else {
      throw Self.malformed("the capability container allows neither reading nor writing")
    }
    switch (bytes[7], Int(bytes[8])) {
    case (Self.fileControl, Self.fileControlLength):
      file = File(
        identifier: UInt16(bytes[9]) << 8 | UInt16(bytes[10]),
        size: Int(bytes[11]) << 8 | Int(bytes[12]), isExtended: false, readAccess: bytes[13],
        writeAccess: bytes[14], writeAccessOffset: 14)
    case (Self.extendedFileControl, Self.extendedFileControlLength):
      file = File(
        identifier: UInt16(bytes[9]) << 8 | UInt16(bytes[10]),
        size: bytes[11..<15].reduce(0) { $0 << 8 | Int($1) }, isExtended: true,
        readAccess: bytes[15], writeAccess: bytes[16], writeAccessOffset: 16)
    default:
      throw Self.malformed("the capability container does not begin with an NDEF file")
    }
    // A length field, and room for one empty record.
    guard file.size >= file.lengthSize + 3 else {
      throw Self.malformed(
        "the size of the NDEF file, \(file.size) bytes, leaves no room for a message")
    }
    guard Self.isValid(file.identifier) else {
      throw Self.malformed("the NDEF file cannot have the identifier that the container gives")
    }
  }

  /// Identifiers that are not for the NDEF file (Type 4 Tag Operation Specification 2.0, 5.1.2.1).
  static func isValid(_ identifier: UInt16) -> Bool {
    ![0x0000, 0xE102, 0xE103, 0x3F00, 0x3FFF, 0xFFFF].contains(identifier)
  }

  static func malformed(_ reason: String) -> NFCError {
    NFCError(.malformedContent, reason, place: .file(fileIdentifier))
  }
}
