extension NFCTagReaderSession {
  /// What a session searches for. Since iOS 26.4.
  ///
  /// Each list names entries of Info.plist (``NFCInformation``), which are tried in this order. Empty, it
  /// stands for all entries. An entry that Info.plist does not have is left out, unless
  /// ``NFCSessionLimits`` lifts that; so is one that is there twice. Commands to a tag may name every
  /// entry of Info.plist.
  public struct Configuration: Sendable {
    /// The technologies to poll.
    public var pollingOption: PollingOption
    /// The applications to select on ISO 7816 cards, in hexadecimal.
    public var iso7816SelectIdentifiers: [String]
    /// The systems to poll for on FeliCa cards, two bytes each in hexadecimal.
    public var feliCaSystemCodes: [String]
    /// Whether only ISO 7816 cards are reported, as by an ``NFCPaymentTagReaderSession``.
    private(set) var reportsOnlyCards = false

    /// Creates a configuration.
    public init(
      pollingOption: PollingOption, iso7816SelectIdentifiers: [String] = [],
      feliCaSystemCodes: [String] = []
    ) {
      self.pollingOption = pollingOption
      self.iso7816SelectIdentifiers = iso7816SelectIdentifiers
      self.feliCaSystemCodes = feliCaSystemCodes
    }

    /// The same applications for a session that reports only ISO 7816 cards.
    var forCards: Configuration {
      var cards = self
      cards.pollingOption = .iso14443
      cards.reportsOnlyCards = true
      return cards
    }
  }
}
