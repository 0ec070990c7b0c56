/// A reader, or a serial port that may have one, and the problems that are seen without opening it.
///
/// `ReaderDiagnosis` of the product `NFCDiagnosis` has one for each reader that is present.
public struct ExaminedReader: Hashable, Sendable {
  /// The names of its maker and of itself, or its connection string.
  public let name: String
  /// The vendor and product of a USB device, as `072F:2200`.
  public package(set) var usb: String?
  /// Its location: a device node, a USB port.
  public package(set) var place: String?
  /// The connection string for `Reader.open(_:)`; `nil` if it cannot be opened.
  public package(set) var connectionString: String?
  /// Whether this is only a port that may have a reader.
  public package(set) var isPort = false
  /// Whether it was opened, and closed again.
  public package(set) var wasOpened: Bool
  /// Whether it can act as a card (``Reader/emulate(_:)``); `nil` if only opening it shows that.
  public package(set) var emulation: Emulation?
  /// The problems of this reader, and other facts about it.
  public package(set) var findings: [ReaderFinding] = []

  /// Whether a reader can act as a card.
  @nonexhaustive
  public enum Emulation: String, Hashable, Sendable, CaseIterable {
    /// It cannot.
    case unsupported
    /// It is not known to work with such readers.
    case experimental
    /// It can.
    case supported
  }

  package init(
    name: String, usb: String? = nil, place: String? = nil, connectionString: String? = nil,
    wasOpened: Bool = false
  ) {
    self.name = name
    self.usb = usb
    self.place = place
    self.connectionString = connectionString
    self.wasOpened = wasOpened
  }

  /// Whether no visible problem prevents it from being opened. Only opening shows whether a
  /// reader answers, or whether a port has one.
  public var canBeOpened: Bool {
    connectionString != nil && !isPort && !findings.contains(where: \.isObstacle)
  }
}

extension ExaminedReader.Emulation {
  /// That of an open reader.
  package init(_ capabilities: ReaderCapabilities) {
    switch capabilities.emulation?.isExperimental {
    case nil: self = .unsupported
    case true?: self = .experimental
    case false?: self = .supported
    }
  }
}
