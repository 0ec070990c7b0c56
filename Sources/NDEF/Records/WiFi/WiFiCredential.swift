/// The data required to join one Wi-Fi network.
///
/// Source: Wi-Fi Simple Configuration 2.0.5, 12.
public struct WiFiCredential: Hashable, Sendable {
  /// The authentication methods. A network that allows several has several bits.
  public struct Authentication: OptionSet, Hashable, Sendable {
    /// The number in the record.
    public let rawValue: UInt16

    /// Creates methods from the number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// None.
    public static let open = Authentication(rawValue: 0x0001)
    /// WPA with a passphrase; deprecated.
    public static let wpaPersonal = Authentication(rawValue: 0x0002)
    /// WEP; deprecated.
    public static let shared = Authentication(rawValue: 0x0004)
    /// WPA with a server; deprecated.
    public static let wpaEnterprise = Authentication(rawValue: 0x0008)
    /// WPA2 with a server.
    public static let wpa2Enterprise = Authentication(rawValue: 0x0010)
    /// WPA2 with a passphrase.
    public static let wpa2Personal = Authentication(rawValue: 0x0020)

    /// WPA3 with a passphrase (SAE), since version 2.0.8 of the specification.
    public static let wpa3Personal = Authentication(rawValue: 0x0040)

    static let known: [(Authentication, String)] = [
      (.open, "open"), (.wpaPersonal, "wpaPersonal"), (.shared, "shared"),
      (.wpaEnterprise, "wpaEnterprise"), (.wpa2Enterprise, "wpa2Enterprise"),
      (.wpa2Personal, "wpa2Personal"), (.wpa3Personal, "wpa3Personal"),
    ]

    var names: [String] { Self.known.filter { contains($0.0) }.map(\.1) }
  }

  /// The encryption methods. A network that allows several has several bits.
  public struct Encryption: OptionSet, Hashable, Sendable {
    /// The number in the record.
    public let rawValue: UInt16

    /// Creates methods from the number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// None.
    public static let unencrypted = Encryption(rawValue: 0x0001)
    /// WEP; deprecated.
    public static let wep = Encryption(rawValue: 0x0002)
    /// TKIP; deprecated.
    public static let tkip = Encryption(rawValue: 0x0004)
    /// AES-CCMP.
    public static let aes = Encryption(rawValue: 0x0008)

    static let known: [(Encryption, String)] = [
      (.unencrypted, "none"), (.wep, "wep"), (.tkip, "tkip"), (.aes, "aes"),
    ]

    var names: [String] { Self.known.filter { contains($0.0) }.map(\.1) }
  }

  /// The network's name, at most 32 bytes, usually UTF-8.
  public var ssid: [UInt8]
  /// The authentication methods.
  public var authentication: Authentication
  /// The encryption methods.
  public var encryption: Encryption
  /// The passphrase or the key, at most 64 bytes; empty for an open network.
  public var networkKey: [UInt8]
  /// The MAC address of the device that the credential is for, 6 bytes; all FF for any.
  public var macAddress: [UInt8]?
  /// Whether the key may be given to others, if the credential specifies it.
  public var isNetworkKeyShareable: Bool?
  /// All other attributes, in their order.
  public var otherAttributes: [WiFiAttribute]

  /// The address that stands for any device.
  public static let anyDevice = [UInt8](repeating: 0xFF, count: 6)

  /// Creates a credential with all its fields.
  public init(
    ssid: [UInt8], authentication: Authentication, encryption: Encryption, networkKey: [UInt8],
    macAddress: [UInt8]? = anyDevice, isNetworkKeyShareable: Bool? = nil,
    otherAttributes: [WiFiAttribute] = []
  ) {
    self.ssid = ssid
    self.authentication = authentication
    self.encryption = encryption
    self.networkKey = networkKey
    self.macAddress = macAddress
    self.isNetworkKeyShareable = isNetworkKeyShareable
    self.otherAttributes = otherAttributes
  }

  /// Creates the credential of a network with a WPA2 passphrase and AES, or without a key that of
  /// an open network.
  public init(ssid: String, key: String? = nil) {
    self.init(
      ssid: Array(ssid.utf8), authentication: key == nil ? .open : .wpa2Personal,
      encryption: key == nil ? .unencrypted : .aes, networkKey: Array((key ?? "").utf8))
  }

  /// The network's name, if it is UTF-8.
  public var ssidText: String? { String(validating: ssid, as: UTF8.self) }

  static let maximumSSIDLength = 32
  static let maximumKeyLength = 64
  static let macAddressLength = 6
  /// Network Index is deprecated and always 1.
  private static let networkIndex: UInt8 = 1

  /// Returns the value of the Credential attribute.
  ///
  /// SSID and key are cut off at their maximum lengths; a MAC address that is not 6 bytes long is
  /// left out.
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    WiFiAttribute(.networkIndex, [Self.networkIndex]).append(to: &bytes)
    WiFiAttribute(.ssid, Array(ssid.prefix(Self.maximumSSIDLength))).append(to: &bytes)
    var value: [UInt8] = []
    value.appendBigEndian(authentication.rawValue)
    WiFiAttribute(.authenticationType, value).append(to: &bytes)
    value = []
    value.appendBigEndian(encryption.rawValue)
    WiFiAttribute(.encryptionType, value).append(to: &bytes)
    WiFiAttribute(.networkKey, Array(networkKey.prefix(Self.maximumKeyLength))).append(to: &bytes)
    if let macAddress, macAddress.count == Self.macAddressLength {
      WiFiAttribute(.macAddress, macAddress).append(to: &bytes)
    }
    if let isNetworkKeyShareable {
      WiFiVendorExtension(.networkKeyShareable, isNetworkKeyShareable ? 1 : 0)
        .attribute.append(to: &bytes)
    }
    for attribute in otherAttributes { attribute.append(to: &bytes) }
    return bytes
  }
}

extension WiFiCredential: CustomStringConvertible {
  /// The network's name and protection; never its key.
  public var description: String {
    let name = ssidText ?? ssid.asciiOrHexadecimal
    let protection = (authentication.names + encryption.names).joined(separator: ", ")
    return protection.isEmpty ? "Wi-Fi \(name)" : "Wi-Fi \(name) (\(protection))"
  }
}
