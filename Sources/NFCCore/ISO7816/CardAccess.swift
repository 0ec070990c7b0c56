/// EF.CardAccess of a travel document or an identity card, which lists the protocols that open its
/// chip (ICAO Doc 9303-11, 9.2; BSI TR-03110-3, A.1.1).
package struct CardAccess: Hashable, Sendable {
  /// In the master file: ICAO Doc 9303-10, 3.11.3.
  package static let fileIdentifier: UInt16 = 0x011C

  /// The object identifiers of the protocols, in DER, in the order of the file.
  package let protocols: [[UInt8]]

  /// id-PACE, 0.4.0.127.0.7.2.2.4: its variants begin with it (BSI TR-03110-3, A.1.1.1).
  private static let pace: [UInt8] = [0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04]

  /// Reads the file; what follows the set is padding.
  ///
  /// - Returns: `nil` for bytes that are not such a file. An empty set is one without protocols, in every form of a
  ///   length.
  package init?(_ file: [UInt8]) {
    guard let set = try? BERObject(file), set.tag == BERObject.Universal.set,
      let informations = try? set.children()
    else { return nil }
    var protocols: [[UInt8]] = []
    for information in informations {
      guard information.tag == BERObject.Universal.sequence,
        let identifier = try? information.children().first,
        identifier.tag == BERObject.Universal.objectIdentifier
      else { return nil }
      protocols.append(identifier.bytes)
    }
    self.protocols = protocols
  }

  /// Whether Password Authenticated Connection Establishment opens the chip.
  package var offersPACE: Bool { protocols.contains { $0.starts(with: Self.pace) } }
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
