extension WiFiCredential {
  /// The credential as an element of a Wi-Fi record's `credentials`.
  var fields: NDEFFields {
    [
      "ssid": .text(ssid.textOrHexadecimal),
      "authentication": .list(authentication.names.map { .text($0) }),
      "encryption": .list(encryption.names.map { .text($0) }),
      "networkKey": .text(networkKey.asciiOrHexadecimal),
      "macAddress": macAddress.map { .text($0.hexadecimal) },
      "networkKeyShareable": isNetworkKeyShareable.map { .boolean($0) },
      "otherAttributes": WiFiAttribute.fieldValue(of: otherAttributes),
    ]
  }

  /// Reads a credential. Without `authentication` and `encryption`, the network has a WPA2
  /// passphrase, or is open if there is no `networkKey`.
  ///
  /// - Throws: ``NDEFFieldError``, also for an unknown field: a password whose name is misspelled would make the
  ///   network an open one.
  init(fields: NDEFFields) throws(NDEFFieldError) {
    try fields.expectOnly([
      "ssid", "networkKey", "authentication", "encryption", "macAddress", "networkKeyShareable",
      "otherAttributes",
    ])
    guard let ssid = try fields.marked("ssid") else { throw .missing("ssid") }
    let key = try fields.marked("networkKey") ?? []
    self.init(
      ssid: ssid,
      authentication: try fields.options("authentication", Authentication.known)
        ?? (key.isEmpty ? .open : .wpa2Personal),
      encryption: try fields.options("encryption", Encryption.known)
        ?? (key.isEmpty ? .unencrypted : .aes),
      networkKey: key, macAddress: try fields.bytes("macAddress") ?? Self.anyDevice,
      isNetworkKeyShareable: try fields.boolean("networkKeyShareable"),
      otherAttributes: try WiFiAttribute.list(in: fields))
    guard self.ssid.count <= Self.maximumSSIDLength else {
      throw NDEFFieldError(
        [.name("ssid")], "it has \(ssid.count) bytes, and at most \(Self.maximumSSIDLength) fit")
    }
    guard networkKey.count <= Self.maximumKeyLength else {
      throw NDEFFieldError(
        [.name("networkKey")],
        "it has \(key.count) bytes, and at most \(Self.maximumKeyLength) fit")
    }
    guard macAddress?.count == Self.macAddressLength else {
      throw NDEFFieldError(
        [.name("macAddress")], "a MAC address has \(Self.macAddressLength) bytes")
    }
  }
}

extension NDEFFields {
  /// Returns the options for the names in a list, or for one name; `nil` if there is none.
  fileprivate func options<Options: OptionSet>(
    _ name: String, _ known: [(Options, String)]
  ) throws(NDEFFieldError) -> Options? where Options.Element == Options {
    guard hasValue(name) else { return nil }
    var options: Options = []
    for text in try texts(name) {
      guard let option = known.first(where: { $0.1 == text })?.0 else {
        throw NDEFFieldError(
          [.name(name)],
          "\"\(text.escapingControls)\" is not one of \(known.map(\.1).joined(separator: ", "))")
      }
      options.insert(option)
    }
    return options
  }
}
