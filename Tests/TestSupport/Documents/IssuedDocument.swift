import VirtualNFC

/// A virtual document, signed by an issuer of its own. What it supports is switched on one by one; its keys are made for
/// it.
package struct IssuedDocument: Sendable {
  /// What a document is to have.
  package struct Order: Sendable {
    package var chip = TravelDocument.Chip()
    /// The chip authentications: the cipher, the domain parameters, the number of the key. Without a cipher, the key has
    /// no entry that says how it is used.
    package var agreements: [Agreement] = []
    package var signature: Signature?
    /// Whether EF.CardSecurity is there, with the key of chip authentication mapping.
    package var hasMappingKey = false
    /// Whether the chip has other keys than the document: what a copy of its files has.
    package var isCopy = false
    package var face: [UInt8]?
    package var otherGroups: [Int: [UInt8]] = [:]

    package init() {}
  }

  /// A chip authentication.
  package struct Agreement: Sendable {
    package var cipher: TravelDocument.Cipher
    package var parameters: Int
    package var identifier: Int?
    package var hasInformation: Bool

    package init(
      _ cipher: TravelDocument.Cipher, _ parameters: Int, identifier: Int? = nil,
      hasInformation: Bool = true
    ) {
      self.cipher = cipher
      self.parameters = parameters
      self.identifier = identifier
      self.hasInformation = hasInformation
    }
  }

  /// An active authentication.
  package enum Signature: Sendable {
    case rsa(bits: Int, usesSHA256: Bool = false)
    case ecdsa(parameters: Int, isDER: Bool = false)
  }

  package static let zone = """
    P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<
    L898902C36UTO7408122F1204159ZE184226B<<<<<10
    """
  package static let number = "501994"

  package let document: TravelDocument
  package let chip: TravelDocument.Chip
  /// What a reader trusts.
  package let authority: [UInt8]
  package let issuer: DocumentIssuer

  package init(
    issuer: DocumentIssuer = DocumentIssuer(), _ change: (inout Order) -> Void = { _ in }
  ) throws {
    var order = Order()
    change(&order)
    self.issuer = issuer
    authority = issuer.certificate
    var chip = order.chip
    var groups = order.otherGroups
    if let face = order.face { groups[2] = face }
    // What the document promises, and what the chip has.
    var entries: [[UInt8]] = []
    for agreement in order.agreements {
      let key = DocumentKeyMaker.curveKey(agreement.parameters)
      entries += Self.entries(agreement, key.public)
      let own = order.isCopy ? DocumentKeyMaker.curveKey(agreement.parameters).private : key.private
      chip.agreementKeys.append(
        TravelDocument.AgreementKey(
          agreement.cipher, domainParameters: agreement.parameters, privateKey: own,
          identifier: agreement.identifier))
    }
    if let signature = order.signature {
      let (information, entry) = Self.add(signature, isCopy: order.isCopy, &chip)
      groups[15] = DERWriter.object(0x6F, information)
      if let entry { entries.append(entry) }
    }
    if order.hasMappingKey {
      let parameters = chip.passwordProtocols.first?.domainParameters ?? 13
      let key = DocumentKeyMaker.curveKey(parameters)
      let other = DocumentKeyMaker.curveKey(parameters == 13 ? 12 : 13)
      chip.mappingKey = order.isCopy ? DocumentKeyMaker.curveKey(parameters).private : key.private
      // The first key is that of other parameters.
      chip.cardSecurity = issuer.cardSecurity(
        chip.passwordProtocols.map(Self.entry) + [
          Self.keyEntry(2, DocumentKeyMaker.numbered(parameters == 13 ? 12 : 13, other.public), 99),
          Self.keyEntry(2, DocumentKeyMaker.numbered(parameters, key.public), parameters),
        ])
    }
    if !entries.isEmpty {
      groups[14] = DERWriter.object(
        0x6E, DERWriter.set(chip.passwordProtocols.map(Self.entry) + entries))
    }
    let zone = DERWriter.object(
      0x61, DERWriter.object([0x5F, 0x1F], Array(Self.zone.filter { $0 != "\n" }.utf8)))
    let object = issuer.securityObject(groups.merging([1: zone]) { $1 })
    document = try TravelDocument(
      machineReadableZone: Self.zone, dataGroups: groups, securityObject: object)
    self.chip = chip
  }

  /// The virtual tag.
  package func tag(uid: [UInt8] = [0x08, 0x5F, 0xC3, 0x1A], seed: UInt64 = 0x9303) -> VirtualTag {
    .emrtd(document, chip: chip, uid: uid, seed: seed)
  }

  /// The sizes of all files that a reader reads in a session: EF.SOD, EF.COM, and the data groups.
  package var fileSizes: [Int] {
    document.dataGroups.values.map(\.count) + [document.securityObject?.count ?? 0]
      + [20 + document.dataGroups.count]
  }

  // MARK: Entries

  private static let bsi = "0.4.0.127.0.7.2.2"

  /// PACEInfo (Doc 9303-11, 9.2.1).
  private static func entry(_ way: TravelDocument.PasswordProtocol) -> [UInt8] {
    let isCurve = way.domainParameters >= 8
    let kind =
      switch way.mapping {
      case .generic: isCurve ? 2 : 1
      case .integrated: isCurve ? 4 : 3
      case .chipAuthentication: 6
      }
    return DERWriter.sequence(
      DERWriter.identifier("\(bsi).4.\(kind).\(way.cipher.rawValue)"), DERWriter.integer(2),
      DERWriter.integer(way.domainParameters))
  }

  /// ChipAuthenticationPublicKeyInfo (Doc 9303-11, 9.2.6): 1 for integers, 2 for curves.
  private static func keyEntry(_ kind: Int, _ key: [UInt8], _ identifier: Int?) -> [UInt8] {
    DERWriter.sequence(
      DERWriter.identifier("\(bsi).1.\(kind)"), key, identifier.map(DERWriter.integer) ?? [])
  }

  /// ChipAuthenticationInfo, and its key.
  private static func entries(_ agreement: Agreement, _ publicKey: [UInt8]) -> [[UInt8]] {
    let kind = agreement.parameters >= 8 ? 2 : 1
    let key = keyEntry(
      kind, DocumentKeyMaker.information(agreement.parameters, publicKey), agreement.identifier)
    guard agreement.hasInformation else { return [key] }
    return [
      key,
      DERWriter.sequence(
        DERWriter.identifier("\(bsi).3.\(kind).\(agreement.cipher.rawValue)"),
        DERWriter.integer(1), agreement.identifier.map(DERWriter.integer) ?? []),
    ]
  }

  /// Returns the key of active authentication, and its ActiveAuthenticationInfo (Doc 9303-11, 9.2.4).
  private static func add(
    _ signature: Signature, isCopy: Bool, _ chip: inout TravelDocument.Chip
  ) -> (information: [UInt8], entry: [UInt8]?) {
    switch signature {
    case .rsa(let bits, let usesSHA256):
      let key = DocumentKeyMaker.rsaKey(bits)
      let own = isCopy ? DocumentKeyMaker.rsaKey(bits) : key
      chip.signatureKey = .rsa(
        modulus: own.modulus, privateExponent: own.privateExponent, usesSHA256: usesSHA256)
      return (DocumentKeyMaker.rsaInformation(key.modulus), nil)
    case .ecdsa(let parameters, let isDER):
      let key = DocumentKeyMaker.curveKey(parameters)
      let own = isCopy ? DocumentKeyMaker.curveKey(parameters) : key
      chip.signatureKey = .ecdsa(
        domainParameters: parameters, privateKey: own.private, isDER: isDER)
      let entry = DERWriter.sequence(
        DERWriter.identifier("2.23.136.1.1.5"), DERWriter.integer(1),
        DERWriter.identifier("0.4.0.127.0.7.1.1.4.1.3"))
      return (DocumentKeyMaker.information(parameters, key.public), entry)
    }
  }
}
