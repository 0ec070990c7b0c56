import PassMessage

/// The passes that a reader asks phones for, and the keys that open them.
public struct PassRequest: Sendable {
  /// A pass of Apple Wallet.
  public struct ApplePass: Sendable {
    /// The pass type identifier, such as `pass.com.example.card`.
    public var passType: String
    /// The issuer's private key.
    public var key: MerchantKey

    /// Creates a request for a pass.
    public init(passType: String, key: MerchantKey) {
      self.passType = passType
      self.key = key
    }
  }

  /// The passes of Apple Wallet, in the order in which they are asked for. A tap has the first that the phone has.
  public var applePasses: [ApplePass]
  /// The collector of passes of Google Wallet.
  public var collector: SmartTapCollector?
  /// The maximum age of a pass of Apple Wallet in seconds, and how far a phone's clock may be ahead.
  public var maximumAge: Double
  /// Whether the frame that makes a phone answer is sent. Without it, only a phone answers whose owner has chosen the pass
  /// and confirmed it.
  public var broadcasts: Bool

  /// Creates a request.
  public init(
    applePasses: [ApplePass] = [], collector: SmartTapCollector? = nil, maximumAge: Double = 10,
    broadcasts: Bool = true
  ) {
    self.applePasses = applePasses
    self.collector = collector
    self.maximumAge = maximumAge
    self.broadcasts = broadcasts
  }
}
