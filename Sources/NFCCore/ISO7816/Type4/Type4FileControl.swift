/// The entry of a capability container for one file: NFC Forum, Type 4 Tag Operation Specification 2.0, 5.1.2;
/// Type 4 Tag Technical Specification 1.0 (mapping version 3), 4.2, for the extended one.
package struct Type4FileControl: Hashable, Sendable {
  /// What the file is, by the tag of its entry.
  package enum Kind: UInt8, Hashable, Sendable {
    /// The NDEF file.
    case ndef = 0x04
    /// A file of the card's own.
    case proprietary = 0x05
    /// An NDEF file whose size has four bytes.
    case extendedNDEF = 0x06

    /// The number of bytes of the file's size here, and of the length field before a message.
    var sizeLength: Int { self == .extendedNDEF ? 4 : 2 }
    /// The number of bytes of an entry, without its tag and length.
    var entryLength: Int { 4 + sizeLength }
  }

  package let kind: Kind
  /// The file's identifier, which selects it.
  package let identifier: UInt16
  /// In bytes, the length field included.
  package let size: Int
  let readAccess: UInt8
  let writeAccess: UInt8

  /// Access without any security.
  static let freeAccess: UInt8 = 0x00
  /// Access with a password, as ST's chips have it (ST25TA02K, formerly SRTAG2K, data sheet, 3.2).
  static let passwordAccess: UInt8 = 0x80
  /// No write access at all.
  static let noAccess: UInt8 = 0xFF

  private static let headLength = 2

  package var isNDEF: Bool { kind != .proprietary }
  /// The number of bytes of the length field before the message of an NDEF file.
  package var lengthSize: Int { kind.sizeLength }
  /// Whether everybody may read the file.
  package var isReadable: Bool { readAccess == Self.freeAccess }
  /// Whether everybody may write the file.
  package var isWritable: Bool { writeAccess == Self.freeAccess }

  /// Returns the files that a container lists, as far as it can be parsed.
  ///
  /// - Parameter container: the whole container, from its length field on.
  package static func all(in container: [UInt8]) -> [Type4FileControl] {
    var controls: [Type4FileControl] = []
    var rest = container.dropFirst(Type4CapabilityContainer.head)
    while let length = rest.dropFirst().first.map({ Int($0) }) {
      guard rest.count >= headLength + length else { break }
      if let control = Type4FileControl(rest) { controls.append(control) }
      rest = rest.dropFirst(headLength + length)
    }
    return controls
  }

  init(_ kind: Kind, _ identifier: UInt16, size: Int, readAccess: UInt8, writeAccess: UInt8) {
    self.kind = kind
    self.identifier = identifier
    self.size = size
    self.readAccess = readAccess
    self.writeAccess = writeAccess
  }

  /// Parses an entry at the beginning of some bytes, from its tag on; `nil` for any other entry.
  init?(_ bytes: ArraySlice<UInt8>) {
    let head = bytes.prefix(Self.headLength)
    guard let kind = head.first.flatMap(Kind.init(rawValue:)), let length = head.dropFirst().first,
      Int(length) == kind.entryLength
    else { return nil }
    let value = Array(bytes.dropFirst(Self.headLength).prefix(kind.entryLength))
    guard value.count == kind.entryLength else { return nil }
    self.init(
      kind, UInt16(value[0]) << 8 | UInt16(value[1]),
      size: value[2..<2 + kind.sizeLength].reduce(0) { $0 << 8 | Int($1) },
      readAccess: value[2 + kind.sizeLength], writeAccess: value[3 + kind.sizeLength])
  }
}
