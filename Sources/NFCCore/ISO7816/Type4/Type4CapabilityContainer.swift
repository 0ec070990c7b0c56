/// The capability container of a type 4 tag, file E103: NFC Forum, Type 4 Tag Operation Specification
/// 2.0, 5.1; Type 4 Tag Technical Specification 1.0 (mapping version 3), 4.2.
package struct Type4CapabilityContainer: Hashable, Sendable {
  /// The major mapping version, 1 to 3.
  var majorVersion: UInt8
  /// MLe: the maximum number of bytes that one READ BINARY returns.
  var maximumReadLength: Int
  /// MLc: the maximum number of data bytes that one UPDATE BINARY accepts.
  var maximumUpdateLength: Int
  /// The NDEF file.
  var file: Type4FileControl

  /// The position of the NDEF file's write access condition in the container: the last byte of its entry, which is
  /// the first.
  var writeAccessOffset: Int { Self.head + 1 + file.kind.entryLength }

  /// Returns the number of bytes of a file that commands reach: only mapping version 3 has commands for offsets beyond
  /// P1 and P2.
  package static func reach(majorVersion: UInt8) -> Int {
    1 + (majorVersion >= 3 ? Type4Command.maximumObjectOffset : Type4Command.maximumOffset)
  }

  /// Where the container is.
  package static let fileIdentifier: UInt16 = 0xE103
  /// The minimum length of a container: an NDEF file control TLV and what precedes it.
  static let minimumLength = 15
  private static let versions: ClosedRange<UInt8> = 1...3
  /// The length of what precedes the first entry.
  static let head = 7

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
    let extended = Type4FileControl.Kind.extendedNDEF
    guard bytes[head] == extended.rawValue else { return minimumLength }
    let needed = head + 2 + extended.entryLength
    guard length >= needed else {
      throw malformed("the capability container says that it has \(length) bytes")
    }
    return needed
  }

  init(
    majorVersion: UInt8, maximumReadLength: Int, maximumUpdateLength: Int, file: Type4FileControl
  ) {
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
    guard let file = Type4FileControl(bytes[Self.head...]), file.isNDEF else {
      throw Self.malformed("the capability container does not begin with an NDEF file")
    }
    self.file = file
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
