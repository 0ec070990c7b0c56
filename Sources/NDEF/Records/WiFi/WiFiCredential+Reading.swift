extension WiFiCredential {
  /// Reads the value of the Credential attribute.
  ///
  /// Leniently, every attribute except the name may be missing or malformed, and the first one of a kind counts.
  init(_ bytes: ArraySlice<UInt8>, tolerance: inout NDEFTolerance) throws(NDEFError) {
    var single: [WiFiAttribute.Identifier: ArraySlice<UInt8>] = [:]
    self.init(ssid: [], authentication: [], encryption: [], networkKey: [], macAddress: nil)
    for (identifier, value) in try WiFiAttribute.parse(bytes, tolerance: &tolerance) {
      do throws(NDEFError) {
        try take(value, as: identifier, single: &single)
      } catch {
        try tolerance.report(error)
      }
    }
    let missing = NDEFError(
      .missingField, offset: bytes.startIndex,
      reason: "a credential lacks its SSID, authentication or encryption type")
    guard let ssid = single[.ssid] else { throw missing }
    if single[.authenticationType] == nil || single[.encryptionType] == nil {
      try tolerance.report(missing)
    }
    guard ssid.count <= Self.maximumSSIDLength else {
      throw NDEFError(
        .invalidValue, offset: ssid.startIndex,
        reason: "an SSID of \(ssid.count) bytes is longer than \(Self.maximumSSIDLength)")
    }
    self.ssid = Array(ssid)
    let others: [WiFiAttribute.Identifier] = [
      .authenticationType, .encryptionType, .networkKey, .macAddress,
    ]
    for identifier in others {
      guard let value = single[identifier] else { continue }
      do throws(NDEFError) {
        try read(value, as: identifier)
      } catch {
        try tolerance.report(error)
      }
    }
  }

  /// Keeps an attribute that occurs once for later, and reads any other.
  private mutating func take(
    _ value: ArraySlice<UInt8>, as identifier: WiFiAttribute.Identifier,
    single: inout [WiFiAttribute.Identifier: ArraySlice<UInt8>]
  ) throws(NDEFError) {
    switch identifier {
    case .networkIndex, .ssid, .authenticationType, .encryptionType, .networkKey, .macAddress:
      guard single[identifier] == nil else {
        throw .repeated("attribute of one kind in the credential", offset: value.startIndex)
      }
      single[identifier] = value
    case .vendorExtension:
      guard var subelements = try WiFiVendorExtension(value) else { fallthrough }
      if let value = subelements.remove(.networkKeyShareable) { isNetworkKeyShareable = value != 0 }
      if !subelements.isEmpty { otherAttributes.append(subelements.attribute) }
    default:
      otherAttributes.append(WiFiAttribute(identifier, Array(value)))
    }
  }

  private mutating func read(
    _ value: ArraySlice<UInt8>, as identifier: WiFiAttribute.Identifier
  ) throws(NDEFError) {
    var reader = ByteReader(value)
    switch identifier {
    case .authenticationType:
      let number = try reader.readBigEndian16("authentication")
      try reader.expectEnd("authentication type")
      authentication = Authentication(rawValue: number)
    case .encryptionType:
      let number = try reader.readBigEndian16("encryption")
      try reader.expectEnd("encryption type")
      encryption = Encryption(rawValue: number)
    case .macAddress:
      try value.expectCount(Self.macAddressLength, "MAC address")
      macAddress = Array(value)
    default:
      guard value.count <= Self.maximumKeyLength else {
        throw NDEFError(
          .invalidValue, offset: value.startIndex,
          reason: "a network key of \(value.count) bytes is longer than \(Self.maximumKeyLength)")
      }
      networkKey = Array(value)
    }
  }
}
