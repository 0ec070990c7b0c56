import NFCCore

/// The readers that are present, why some cannot be opened, and what to do.
///
/// The facts come from the files in which Linux describes its devices, and from the PC/SC service:
/// no reader is opened, reset or written to unless ``examine(_:)`` is called for one. On other
/// systems, only the facts from the PC/SC service are available.
///
/// ```swift
/// for reader in await ReaderDiagnosis.current().readers where !reader.canBeOpened {
///   print(reader.name, reader.findings.map { "\($0.detail): \($0.advice)" })
/// }
/// ```
public struct ReaderDiagnosis: Hashable, Sendable {
  /// Readers, and serial ports that may have one.
  public package(set) var readers: [ExaminedReader]
  /// Findings about no particular reader: configuration, services, the system.
  public package(set) var findings: [Finding]

  package init(readers: [ExaminedReader] = [], findings: [Finding] = []) {
    self.readers = readers
    self.findings = findings
  }

  /// Whether there is at least one reader without a visible problem.
  public var hasReader: Bool { readers.contains { $0.canBeOpened } }
}

extension ReaderDiagnosis {
  /// A problem of a reader, or a fact worth knowing.
  public typealias Finding = ReaderFinding
  /// The kind of a finding, for programs.
  public typealias Problem = ReaderFinding.Problem

  /// A reader, or a serial port that may have one.
  public struct ExaminedReader: Hashable, Sendable {
    /// The names of its maker and of itself, or its connection string.
    public let name: String
    /// The vendor and product of a USB device, as `072F:2200`.
    public package(set) var usb: String?
    /// Its location: a device node, a USB port.
    public package(set) var place: String?
    /// The connection string for ``Reader/open(_:)``; `nil` if it cannot be opened.
    public package(set) var connectionString: String?
    /// Whether this is only a port that may have a reader.
    public package(set) var isPort = false
    /// Whether it was opened, and closed again.
    public package(set) var wasOpened: Bool
    /// The problems of this reader, and other facts about it.
    public package(set) var findings: [Finding] = []

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
}
