import SwiftNFCCore

/// A certificate of a document signer or of a country's authority (Doc 9303-12, 7; RFC 5280).
///
/// It is decoded tolerantly: of the certificates in use, strict decoders refuse some.
public struct Certificate: Hashable, Sendable {
  /// The complete certificate in DER.
  public let encoded: [UInt8]
  let serialNumber: [UInt8]
  let issuer: DistinguishedName
  let subject: DistinguishedName
  /// The time from which it is valid.
  public let notBefore: DocumentTime
  /// The time until which it is valid.
  public let notAfter: DocumentTime
  let publicKey: PublicKey?
  /// Whether the key says one curve and lies on another one of the same size.
  let hasContradictingCurve: Bool
  let subjectKeyIdentifier: [UInt8]?
  let authorityKeyIdentifier: [UInt8]?
  /// `nil` if the certificate does not restrict the use of its key.
  let allowsSignatures: Bool?
  let hasExtendedKeyUsage: Bool
  /// The types of documents that the signer may sign, such as `P`; `nil` if it may sign all.
  let documentTypes: [String]?
  /// The time in which the key may be used.
  let keyUsagePeriod: (from: DocumentTime?, until: DocumentTime?)?

  private let signed: [UInt8]
  private let algorithm: SignatureAlgorithm?
  private let signature: [UInt8]

  private enum Extension {
    static let subjectKeyIdentifier: ASN1ObjectIdentifier = "2.5.29.14"
    static let keyUsage: ASN1ObjectIdentifier = "2.5.29.15"
    static let keyUsagePeriod: ASN1ObjectIdentifier = "2.5.29.16"
    static let authorityKeyIdentifier: ASN1ObjectIdentifier = "2.5.29.35"
    static let extendedKeyUsage: ASN1ObjectIdentifier = "2.5.29.37"
    static let documentTypes = ASN1ObjectIdentifier.icaoSecurity.appending(6, 2)
  }

  /// Decodes a certificate in DER; `nil` for anything else.
  public init?(_ der: [UInt8]) {
    guard let object = try? BERObject(der) else { return nil }
    self.init(object)
  }

  init?(_ object: BERObject) {
    guard object.tag == BERObject.Universal.sequence, let outer = try? object.children(),
      outer.count == 3, outer[0].tag == BERObject.Universal.sequence,
      var fields = try? outer[0].children()[...], let bits = outer[2].wholeBits
    else { return nil }
    if fields.first?.tag == 0xA0 { fields.removeFirst() }
    let list = Array(fields)
    guard list.count >= 6, list[0].tag == BERObject.Universal.integer,
      let validity = try? list[3].children(), validity.count == 2,
      let from = DocumentTime(validity[0]), let until = DocumentTime(validity[1])
    else { return nil }
    encoded = Array(object.encoded)
    signed = Array(outer[0].encoded)
    algorithm = SignatureAlgorithm(outer[1])
    signature = bits
    serialNumber = list[0].bytes
    issuer = DistinguishedName(list[2])
    subject = DistinguishedName(list[4])
    (notBefore, notAfter) = (from, until)
    let key = PublicKey(list[5])
    let other = key == nil ? PublicKey(onOtherCurve: list[5]) : nil
    publicKey = key ?? other
    hasContradictingCurve = other != nil
    var values: [ASN1ObjectIdentifier: BERObject] = [:]
    if let extensions = list.first(where: { $0.tag == 0xA3 }),
      let sequence = try? BERObject(extensions.content), let entries = try? sequence.children()
    {
      for entry in entries {
        guard let parts = try? entry.children(), let identifier = parts.first?.objectIdentifier,
          let value = parts.last?.octets, let object = try? BERObject(value)
        else { continue }
        values[identifier] = object
      }
    }
    subjectKeyIdentifier = values[Extension.subjectKeyIdentifier]?.octets
    authorityKeyIdentifier =
      (try? values[Extension.authorityKeyIdentifier]?.children())?
      .first { $0.tag == 0x80 }?.bytes
    // The first bit is digitalSignature; the first byte is the number of unused bits.
    allowsSignatures = values[Extension.keyUsage].map {
      ($0.content.dropFirst().first ?? 0) & 0x80 != 0
    }
    hasExtendedKeyUsage = values[Extension.extendedKeyUsage] != nil
    documentTypes = values[Extension.documentTypes].flatMap { Self.types($0) }
    let period = (try? values[Extension.keyUsagePeriod]?.children()) ?? []
    keyUsagePeriod =
      period.isEmpty
      ? nil
      : (
        period.first { $0.tag == 0x80 }.flatMap { DocumentTime($0) },
        period.first { $0.tag == 0x81 }.flatMap { DocumentTime($0) }
      )
  }

  /// DocumentTypeList: a version and a set of strings (Doc 9303-12, 7.1.1.6).
  private static func types(_ list: BERObject) -> [String]? {
    guard let set = (try? list.children())?.first(where: { $0.tag == BERObject.Universal.set }),
      let types = try? set.children()
    else { return nil }
    return types.map { String(decoding: $0.content, as: UTF8.self).uppercased() }
  }

  /// Verifies this certificate's signature by another one's key.
  func isSigned(by other: Certificate) -> SignatureAlgorithm.Result {
    guard let algorithm, let key = other.publicKey else { return .unsupported }
    return algorithm.verify(signature, of: signed, by: key)
  }

  /// The name of the country, two letters in capitals; `nil` if there is none.
  public var country: String? { subject.country ?? issuer.country }

  /// The serial number in hexadecimal.
  public var serialNumberText: String { serialNumber.hexadecimal }

  /// The name of the owner, for people.
  public var subjectText: String { subject.text }

  /// The name of the issuer, for people.
  public var issuerText: String { issuer.text }

  public static func == (left: Certificate, right: Certificate) -> Bool {
    left.encoded == right.encoded
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension PublicKey {
  /// Decodes a key whose point is not on the named curve, but on the other standard curve of that size (some Lithuanian
  /// documents).
  fileprivate init?(onOtherCurve information: BERObject) {
    guard let fields = try? information.children(), fields.count >= 2,
      let parameters = (try? fields[0].children())?.dropFirst().first,
      let named = parameters.objectIdentifier.flatMap({ StandardCurve($0) }),
      let bits = fields[1].wholeBits
    else { return nil }
    for curve in StandardCurve.allCases where curve != named && curve.bits == named.bits {
      if let point = OpenSSL.uncompressed(bits, on: curve) {
        self = .curve(curve, point: point)
        return
      }
    }
    return nil
  }
}

/// A name of X.501. Two names are equal without regard to case, spaces and the types of strings.
struct DistinguishedName: Hashable, Sendable {
  /// The attributes in their order.
  private let parts: [Part]
  /// The attributes as they are, for people.
  private let texts: [String]

  private struct Part: Hashable, Sendable {
    var type: ASN1ObjectIdentifier
    var value: String
  }

  private static let countryName: ASN1ObjectIdentifier = "2.5.4.6"
  private static let labels: [ASN1ObjectIdentifier: String] = [
    "2.5.4.6": "C", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.3": "CN", "2.5.4.5": "serialNumber",
  ]

  init(_ name: BERObject) {
    var parts: [Part] = []
    var texts: [String] = []
    for set in (try? name.children()) ?? [] {
      for attribute in (try? set.children()) ?? [] {
        guard let fields = try? attribute.children(), fields.count == 2,
          let type = fields[0].objectIdentifier
        else { continue }
        let text = Self.text(fields[1])
        parts.append(
          Part(
            type: type,
            value: text.lowercased().split(separator: " ").joined(separator: " ")))
        texts.append("\(Self.labels[type] ?? "\(type)")=\(text)")
      }
    }
    self.parts = parts
    self.texts = texts
  }

  /// Decodes a string of any type; BMPString and UniversalString have several bytes for a character.
  private static func text(_ object: BERObject) -> String {
    switch object.tag {
    case 0x1E:
      let bytes = object.bytes
      let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      return String(decoding: units, as: UTF16.self)
    case 0x14: return String(object.bytes.map { Character(UnicodeScalar($0)) })
    default: return String(decoding: object.content, as: UTF8.self)
    }
  }

  var isEmpty: Bool { parts.isEmpty }

  /// The country in capitals: some certificates have small letters.
  var country: String? { parts.first { $0.type == Self.countryName }?.value.uppercased() }

  var text: String { texts.joined(separator: ", ") }

  static func == (left: DistinguishedName, right: DistinguishedName) -> Bool {
    left.parts == right.parts
  }

  func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}
