extension BERObject {
  /// The universal tags of ASN.1.
  package enum Universal {
    package static let boolean: UInt32 = 0x01
    package static let integer: UInt32 = 0x02
    package static let bitString: UInt32 = 0x03
    package static let octetString: UInt32 = 0x04
    package static let null: UInt32 = 0x05
    package static let objectIdentifier: UInt32 = 0x06
    package static let enumerated: UInt32 = 0x0A
    package static let printableString: UInt32 = 0x13
    package static let utcTime: UInt32 = 0x17
    package static let generalizedTime: UInt32 = 0x18
    package static let constructedOctetString: UInt32 = 0x24
    package static let sequence: UInt32 = 0x30
    package static let set: UInt32 = 0x31
  }

  /// The bytes of a number that is not negative.
  package var unsignedInteger: [UInt8]? {
    guard tag == Universal.integer, let first = content.first, first & 0x80 == 0 else { return nil }
    return bytes
  }

  /// A small number.
  package var smallInteger: Int? {
    guard tag == Universal.integer || tag == Universal.enumerated, (1...4).contains(content.count),
      let first = content.first, first & 0x80 == 0
    else { return nil }
    return content.reduce(0) { $0 << 8 | Int($1) }
  }

  /// The bits of a bit string that consists of whole bytes.
  package var wholeBits: [UInt8]? {
    guard tag == Universal.bitString, content.first == 0 else { return nil }
    return Array(content.dropFirst())
  }

  /// The bytes of an octet string, also of one in parts.
  package var octets: [UInt8]? {
    if tag == Universal.octetString { return bytes }
    // An implicit tag, too, may stand for a string in parts.
    guard isConstructed, let parts = try? children(),
      parts.allSatisfy({ $0.tag == Universal.octetString })
    else { return nil }
    return parts.flatMap(\.bytes)
  }

  /// The same object with definite lengths and its strings in one part, as DER requires it for a signature.
  package func definite(as newTag: UInt32? = nil, depth: Int = 0) -> [UInt8] {
    let tag = newTag ?? self.tag
    guard isConstructed, depth < Self.depthLimit else { return DER.object(tag, bytes) }
    if self.tag == Universal.constructedOctetString, let octets {
      return DER.object(Universal.octetString, octets)
    }
    guard let children = try? children() else { return DER.object(tag, bytes) }
    return DER.object(tag, children.flatMap { $0.definite(depth: depth + 1) })
  }

  /// Whether the object or one within it has an indefinite length.
  package func hasIndefiniteLength(depth: Int = 0) -> Bool {
    if isIndefinite { return true }
    guard isConstructed, depth < Self.depthLimit, let children = try? children() else {
      return false
    }
    return children.contains { $0.hasIndefiniteLength(depth: depth + 1) }
  }
}
