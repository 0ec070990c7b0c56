extension WiFiCredential {
  /// The protection of a home network.
  @nonexhaustive
  public enum Security: String, Hashable, Sendable, CaseIterable {
    /// No protection.
    case open
    /// WPA2 with a passphrase, AES.
    case wpa2
    /// WPA3 with a passphrase, AES. Phones made before it was added to the specification (2.0.8) do
    /// not support it.
    case wpa3
  }

  /// Creates the credential of a network with this protection, for any device.
  ///
  /// Source: Wi-Fi Simple Configuration 2.0.5, 12; IEEE 802.11, J.4.1 for the lengths of a
  /// passphrase.
  ///
  /// - Parameters:
  ///   - ssid: the network's name, 1 to 32 bytes of UTF-8.
  ///   - passphrase: 8 to 63 printable characters of US-ASCII, or for WPA2 64 hexadecimal digits;
  ///     `nil` for an open network. WPA3 accepts any length up to 64 bytes.
  ///   - security: the protection of the network; by default WPA2 if there is a passphrase,
  ///     otherwise open.
  /// - Throws: ``NDEFSyntaxError`` for a name or passphrase that no such network can have, and for
  ///   a passphrase that is missing or not allowed.
  public init(
    ssid: String, passphrase: String?, security: Security? = nil
  ) throws(NDEFSyntaxError) {
    let name = Array(ssid.utf8)
    guard (1...Self.maximumSSIDLength).contains(name.count) else {
      throw NDEFSyntaxError(
        "a network's name has 1 to \(Self.maximumSSIDLength) bytes, this one \(name.count)")
    }
    let key = Array((passphrase ?? "").utf8)
    switch security ?? (passphrase == nil ? .open : .wpa2) {
    case .open:
      guard key.isEmpty else { throw NDEFSyntaxError("an open network has no password") }
      self.init(ssid: name, authentication: .open, encryption: .unencrypted, networkKey: [])
    case .wpa2:
      let isKey = key.count == Self.maximumKeyLength && key.allSatisfy(\.isHexadecimalDigit)
      guard isKey || ((8...63).contains(key.count) && key.allSatisfy(\.isPrintableASCII)) else {
        throw NDEFSyntaxError(
          "a WPA2 password has 8 to 63 characters of US-ASCII, or 64 hexadecimal digits")
      }
      self.init(ssid: name, authentication: .wpa2Personal, encryption: .aes, networkKey: key)
    case .wpa3:
      guard (1...Self.maximumKeyLength).contains(key.count) else {
        throw NDEFSyntaxError("a WPA3 password has 1 to \(Self.maximumKeyLength) bytes")
      }
      self.init(ssid: name, authentication: .wpa3Personal, encryption: .aes, networkKey: key)
    }
  }
}
