import SwiftNFCCore

/// A reader whose calls are in a recording.
public struct RecordedReader: Hashable, Sendable {
  /// The name for people.
  public var name: String
  /// The connection string that it was opened with.
  public var connectionString: String
  /// The firmware version of its chip, if known.
  public var firmware: String?
  /// What the reader can do.
  public var capabilities: ReaderCapabilities
  /// The technologies whose tags the reader finds one at a time.
  public var findsOneByOne: Set<TagTechnology>
  /// Whether a reader that was lost can be used again; see ``SwiftNFCCore/ReaderDriver/canReconnect``.
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

  /// Creates the description of a driver's reader.
  init(_ driver: any ReaderDriver) {
    self.init(
      name: driver.name, connectionString: driver.connectionString, firmware: driver.firmware,
      capabilities: driver.capabilities,
      findsOneByOne: Set(TagTechnology.allCases.filter(driver.findsOneByOne)),
      canReconnect: driver.canReconnect)
  }
}
