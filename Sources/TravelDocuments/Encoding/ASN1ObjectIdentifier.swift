import SwiftNFCCore

/// An object identifier of ASN.1.
public struct ASN1ObjectIdentifier: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The value of the identifier in DER, without tag and length.
  public let bytes: [UInt8]

  /// Creates an identifier from its value in DER; `nil` for bytes that are not one.
  public init?(_ bytes: [UInt8]) {
    guard let last = bytes.last, last & 0x80 == 0 else { return nil }
    self.bytes = bytes
  }

  /// A literal has the numbers with dots between them: `"1.3.14.3.2.26"`. Another one stops the program.
  public init(stringLiteral text: StaticString) {
    let numbers = text.description.split(separator: ".").compactMap { UInt64($0) }
    precondition(numbers.count > 1, "\(text) is not an object identifier")
    bytes = Self.encoded(numbers[0] * 40 + numbers[1]) + numbers.dropFirst(2).flatMap(Self.encoded)
  }

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// Returns an identifier below this one.
  func appending(_ numbers: UInt8...) -> ASN1ObjectIdentifier {
    ASN1ObjectIdentifier(unchecked: bytes + numbers)
  }

  /// Returns the numbers below another identifier, if they are all less than 128; `nil` if this one is not below it.
  func numbers(below other: ASN1ObjectIdentifier) -> [Int]? {
    guard bytes.starts(with: other.bytes) else { return nil }
    let rest = bytes.dropFirst(other.bytes.count)
    return rest.allSatisfy { $0 < 0x80 } ? rest.map(Int.init) : nil
  }

  private static func encoded(_ number: UInt64) -> [UInt8] {
    var rest = number >> 7
    var bytes = [UInt8(number & 0x7F)]
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }

  /// The complete object in DER.
  var encoded: [UInt8] { DER.object(BERObject.Universal.objectIdentifier, bytes) }
}

extension ASN1ObjectIdentifier: CustomStringConvertible {
  /// The numbers with dots between them.
  public var description: String {
    var numbers: [UInt64] = []
    var value: UInt64 = 0
    for byte in bytes {
      value = value << 7 | UInt64(byte & 0x7F)
      guard byte & 0x80 == 0 else { continue }
      if numbers.isEmpty {
        let first = min(value / 40, 2)
        numbers = [first, value - 40 * first]
      } else {
        numbers.append(value)
      }
      value = 0
    }
    return numbers.map(String.init).joined(separator: ".")
  }
}

extension ASN1ObjectIdentifier {
  /// bsi-de, of TR-03110.
  static let bsi: ASN1ObjectIdentifier = "0.4.0.127.0.7"
  /// id-icao-mrtd-security (Doc 9303-10, 4.6.2.3).
  static let icaoSecurity: ASN1ObjectIdentifier = "2.23.136.1.1"
}

extension BERObject {
  /// The identifier, if the object is one.
  var objectIdentifier: ASN1ObjectIdentifier? {
    tag == Universal.objectIdentifier ? ASN1ObjectIdentifier(bytes) : nil
  }
}
