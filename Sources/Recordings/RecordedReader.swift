import NFCCore

/// A reader whose calls are in a recording.
public struct RecordedReader: Hashable, Sendable {
  /// What people call it.
  public var name: String
  /// What it was opened by.
  public var connectionString: String
  /// The version of its chip's program, where it is known.
  public var firmware: String?
  /// What the reader can do.
  public var capabilities: ReaderCapabilities
  /// The technologies of which it finds one tag after the other.
  public var findsOneByOne: Set<TagTechnology>
  /// Whether a reader that was lost can be used again; see ``NFCCore/ReaderDriver/canReconnect``.
  public var canReconnect: Bool

  package init(
    name: String, connectionString: String, firmware: String? = nil,
    capabilities: ReaderCapabilities, findsOneByOne: Set<TagTechnology> = [],
    canReconnect: Bool = false
  ) {
    self.name = name
    self.connectionString = connectionString
    self.firmware = firmware
    self.capabilities = capabilities
    self.findsOneByOne = findsOneByOne
    self.canReconnect = canReconnect
  }

  /// What a driver says of itself.
  init(_ driver: any ReaderDriver) {
    self.init(
      name: driver.name, connectionString: driver.connectionString, firmware: driver.firmware,
      capabilities: driver.capabilities,
      findsOneByOne: Set(TagTechnology.allCases.filter(driver.findsOneByOne)),
      canReconnect: driver.canReconnect)
  }
}
