import PassMessage

/// Who collects passes of Google Wallet: the number that Google's console shows for an issuer, and the key that was
/// entered there.
///
/// Source: developers.google.com/wallet/smart-tap, "Terminal", 2.1.
public struct SmartTapCollector: Sendable {
  /// The collector ID of the console, a decimal number there.
  public let identifier: UInt32
  /// The private key.
  public let key: MerchantKey
  /// The version under which the public key was entered in the console.
  public let keyVersion: UInt32

  /// Creates a collector.
  public init(identifier: UInt32, key: MerchantKey, keyVersion: UInt32) {
    self.identifier = identifier
    self.key = key
    self.keyVersion = keyVersion
  }
}
