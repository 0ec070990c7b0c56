import SwiftNFCCore

/// What a chip says about its protocols: EF.CardAccess, data group 14, and the content of EF.CardSecurity
/// (Doc 9303-11, 9.2).
///
/// An entry that is unknown or broken is left out: documents have entries of later versions.
public struct SecurityInfos: Hashable, Sendable {
  /// The ways of Password Authenticated Connection Establishment, in the order of the file.
  public internal(set) var pace: [PACEInfo] = []
  /// Whether the file has an entry of PACE, also one that is not known here.
  public internal(set) var hasPACE = false
  /// The ways of chip authentication.
  public internal(set) var chipAuthentication: [ChipAuthenticationInfo] = []
  /// The keys of chip authentication.
  var chipAuthenticationKeys: [ChipAuthenticationKey] = []
  /// The hash function of active authentication with ECDSA.
  public internal(set) var activeAuthenticationDigest: DigestAlgorithm?
  /// Whether the chip supports terminal authentication, which gives access to fingerprints and irises.
  public internal(set) var hasTerminalAuthentication = false
  /// The object identifiers of all entries, in the order of the file.
  public internal(set) var identifiers: [ASN1ObjectIdentifier] = []
  /// The entries of PACE as they are, for the comparison that Doc 9303-11, 4.2 demands.
  var paceEntries: Set<[UInt8]> = []

  /// Decodes EF.CardAccess: a set of entries; what follows it is padding.
  ///
  /// - Throws: `DataObjectError` for bytes that are not such a set.
  public init(_ file: [UInt8]) throws(DataObjectError) {
    try self.init(BERObject(file))
  }

  /// Decodes data group 14, which has the set within its tag.
  ///
  /// - Throws: `DataObjectError`.
  public init(dataGroup file: [UInt8]) throws(DataObjectError) {
    let group = try BERObject(file)
    guard group.tag == 0x6E else { throw DataObjectError("data group 14 has another tag", at: 0) }
    try self.init(BERObject(group.content))
  }

  init(_ set: BERObject) throws(DataObjectError) {
    guard set.tag == BERObject.Universal.set else {
      throw DataObjectError("security information is not a set", at: set.encoded.startIndex)
    }
    var explicit: [Int?: DomainParameters] = [:]
    var entries: [(identifier: ASN1ObjectIdentifier, fields: [BERObject])] = []
    for entry in try set.children() {
      guard entry.tag == BERObject.Universal.sequence, let fields = try? entry.children(),
        let identifier = fields.first?.objectIdentifier
      else { continue }
      identifiers.append(identifier)
      entries.append((identifier, Array(fields.dropFirst())))
      guard let numbers = identifier.numbers(below: PACEInfo.arc) else { continue }
      paceEntries.insert(entry.definite())
      if numbers.count == 2 {
        hasPACE = true
      } else if let algorithm = fields.dropFirst().first,
        let parameters = DomainParameters(algorithm)
      {
        explicit[fields.dropFirst(2).first?.smallInteger] = parameters
      }
    }
    for (identifier, fields) in entries {
      if let info = PACEInfo(identifier, fields, explicit: explicit) { pace.append(info) }
      if let info = ChipAuthenticationInfo(identifier, fields) { chipAuthentication.append(info) }
      if let key = ChipAuthenticationKey(identifier, fields) { chipAuthenticationKeys.append(key) }
      switch identifier {
      case Self.activeAuthentication where fields.count > 1:
        activeAuthenticationDigest = fields[1].objectIdentifier.flatMap {
          SignatureAlgorithm.digest(ofPlainECDSA: $0)
        }
      case Self.terminalAuthentication: hasTerminalAuthentication = true
      default: break
      }
    }
  }

  private static let activeAuthentication = ASN1ObjectIdentifier.icaoSecurity.appending(5)
  private static let terminalAuthentication = ASN1ObjectIdentifier.bsi.appending(2, 2, 2)

  /// The way of PACE to use: the integrated proof of the chip first, then generic and integrated mapping; AES before
  /// triple DES; then the order of the file.
  public var preferredPACE: PACEInfo? {
    pace.enumerated().min {
      ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
    }?.element
  }
}

/// A way of Password Authenticated Connection Establishment (Doc 9303-11, 9.2.1).
public struct PACEInfo: Hashable, Sendable {
  /// How the nonce is mapped (Doc 9303-11, 4.4.1).
  public enum Mapping: String, Hashable, Sendable, CaseIterable {
    /// By an agreement.
    case generic = "GM"
    /// By a function that maps the nonce directly.
    case integrated = "IM"
    /// Generic, and the chip proves its key.
    case chipAuthentication = "CAM"
  }

  /// id-PACE.
  static let arc = ASN1ObjectIdentifier.bsi.appending(2, 2, 4)

  /// The identifier of protocol, mapping and cipher.
  public let identifier: ASN1ObjectIdentifier
  /// How the nonce is mapped.
  public let mapping: Mapping
  /// The cipher of the session.
  public let cipher: BlockCipher
  /// The curve or group.
  public let parameters: DomainParameters
  /// The number of the parameters, as the file has it.
  let parameterIdentifier: Int?

  init?(
    _ identifier: ASN1ObjectIdentifier, _ fields: [BERObject], explicit: [Int?: DomainParameters]
  ) {
    guard let numbers = identifier.numbers(below: Self.arc), numbers.count == 2,
      let protocols = Self.protocols[numbers[0]], fields.first?.smallInteger == 2,
      (1...4).contains(numbers[1])
    else { return nil }
    let cipher = BlockCipher.allCases[numbers[1] - 1]
    if protocols.mapping == .chipAuthentication, cipher == .tripleDES { return nil }
    let number = fields.dropFirst().first?.smallInteger
    guard
      let parameters = number.flatMap({ DomainParameters(number: $0) }) ?? explicit[number]
        ?? (explicit.count == 1 ? explicit.first?.value : nil)
    else { return nil }
    switch (parameters, protocols.isCurve) {
    case (.curve(let curve), true):
      // The encoding of points needs a prime that is 3 modulo 4 (Doc 9303-11, B.1).
      if protocols.mapping == .integrated, curve == .secp224r1 { return nil }
    case (.modular, false): break
    default: return nil
    }
    self.init(identifier, protocols.mapping, cipher, parameters, number: number)
  }

  init(
    _ identifier: ASN1ObjectIdentifier, _ mapping: Mapping, _ cipher: BlockCipher,
    _ parameters: DomainParameters, number: Int?
  ) {
    self.identifier = identifier
    self.mapping = mapping
    self.cipher = cipher
    self.parameters = parameters
    parameterIdentifier = number
  }

  private static let protocols: [Int: (mapping: Mapping, isCurve: Bool)] = [
    1: (.generic, false), 2: (.generic, true), 3: (.integrated, false), 4: (.integrated, true),
    6: (.chipAuthentication, true),
  ]

  fileprivate var rank: Int {
    let mappings: [Mapping] = [.chipAuthentication, .generic, .integrated]
    return (mappings.firstIndex(of: mapping) ?? 0) * 2 + (cipher == .tripleDES ? 1 : 0)
  }
}

extension PACEInfo: CustomStringConvertible {
  /// Mapping, cipher and curve.
  public var description: String { "PACE-\(mapping.rawValue) \(cipher) \(parameters)" }
}

/// A way of chip authentication (Doc 9303-11, 9.2.5).
public struct ChipAuthenticationInfo: Hashable, Sendable {
  /// id-CA.
  private static let arc = ASN1ObjectIdentifier.bsi.appending(2, 2, 3)

  /// The identifier of agreement and cipher.
  public let identifier: ASN1ObjectIdentifier
  /// The cipher of the new session.
  public let cipher: BlockCipher
  /// Whether the agreement is over a curve.
  let isCurve: Bool
  /// The number of the key; `nil` if the chip has only one.
  let keyIdentifier: Int?

  init?(_ identifier: ASN1ObjectIdentifier, _ fields: [BERObject]) {
    guard let numbers = identifier.numbers(below: Self.arc), numbers.count == 2,
      (1...2).contains(numbers[0]), (1...4).contains(numbers[1])
    else { return nil }
    self.identifier = identifier
    isCurve = numbers[0] == 2
    cipher = BlockCipher.allCases[numbers[1] - 1]
    keyIdentifier = fields.dropFirst().first?.smallInteger
  }

  /// The one that older documents mean which have a key and no such entry: triple DES by the kind of the key.
  init(assumedFor key: ChipAuthenticationKey) {
    isCurve = key.isCurve
    identifier = Self.arc.appending(key.isCurve ? 2 : 1, 1)
    cipher = .tripleDES
    keyIdentifier = key.identifier
  }
}

/// A key of chip authentication (Doc 9303-11, 9.2.6).
struct ChipAuthenticationKey: Hashable, Sendable {
  /// id-PK.
  private static let arc = ASN1ObjectIdentifier.bsi.appending(2, 2, 1)

  let isCurve: Bool
  let key: PublicKey
  let identifier: Int?

  init?(_ identifier: ASN1ObjectIdentifier, _ fields: [BERObject]) {
    guard let numbers = identifier.numbers(below: Self.arc), numbers.count == 1,
      (1...2).contains(numbers[0]), let first = fields.first, let key = PublicKey(first)
    else { return nil }
    switch (key, numbers[0]) {
    case (.curve, 2), (.modular, 1): break
    default: return nil
    }
    isCurve = numbers[0] == 2
    self.key = key
    self.identifier = fields.dropFirst().first?.smallInteger
  }
}
