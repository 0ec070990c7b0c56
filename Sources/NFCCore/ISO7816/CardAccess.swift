/// EF.CardAccess of a travel document or an identity card, which lists the protocols that open its
/// chip (ICAO Doc 9303-11, 9.2; BSI TR-03110-3, A.1.1).
package struct CardAccess: Hashable, Sendable {
  /// In the master file: ICAO Doc 9303-10, 3.11.3.
  package static let fileIdentifier: UInt16 = 0x011C

  /// The object identifiers of the protocols, in DER, in the order of the file.
  package let protocols: [[UInt8]]

  // DER, ITU-T X.690, 8.9, 8.12, 8.19.
  private static let set: UInt8 = 0x31
  private static let sequence: UInt8 = 0x30
  private static let objectIdentifier: UInt8 = 0x06
  /// id-PACE, 0.4.0.127.0.7.2.2.4: its variants begin with it (BSI TR-03110-3, A.1.1.1).
  private static let pace: [UInt8] = [0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04]

  /// Reads the file; what follows the set is padding.
  ///
  /// - Returns: `nil` for bytes that are not such a file.
  package init?(_ file: [UInt8]) {
    var rest = file[...]
    guard var set = Self.take(Self.set, from: &rest) else { return nil }
    var protocols: [[UInt8]] = []
    while !set.isEmpty {
      guard var information = Self.take(Self.sequence, from: &set),
        let identifier = Self.take(Self.objectIdentifier, from: &information)
      else { return nil }
      protocols.append(Array(identifier))
    }
    self.protocols = protocols
  }

  /// Whether Password Authenticated Connection Establishment opens the chip.
  package var offersPACE: Bool { protocols.contains { $0.starts(with: Self.pace) } }

  /// Returns the value of the next object, if it has the tag.
  private static func take(_ tag: UInt8, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
    var length = Int(first)
    if first > 0x7F {
      // The number of bytes of the length; no file is so long that it needs three.
      let count = Int(first & 0x7F)
      guard (1...2).contains(count), rest.count >= count else { return nil }
      length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(count)
    }
    guard rest.count >= length else { return nil }
    defer { rest = rest.dropFirst(length) }
    return rest.prefix(length)
  }
}

extension ISO7816Tag {
  /// Reads EF.CardAccess: the master file's selection is not needed for it. Two exchanges or more.
  ///
  /// - Returns: `nil` if the card has no such file.
  package func cardAccess() async throws -> CardAccess? {
    do {
      return CardAccess(
        try await readBinary(file: CardAccess.fileIdentifier, offset: 0, count: nil))
    } catch let error as NFCError where error.group == .refusal {
      return nil
    }
  }
}
