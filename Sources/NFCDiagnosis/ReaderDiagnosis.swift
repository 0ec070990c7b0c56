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
  public struct Finding: Hashable, Sendable {
    /// The kind of problem.
    public let problem: Problem
    /// What was found: one clause, without a full stop.
    public let detail: String
    /// What to do, with the commands for Debian; empty if there is nothing to do.
    public let advice: String
    /// Whether it prevents the reader from being opened.
    public let isObstacle: Bool

    package init(
      _ problem: Problem, _ detail: String, advice: String = "", isObstacle: Bool = true
    ) {
      self.problem = problem
      self.detail = detail
      self.advice = advice
      self.isObstacle = isObstacle
    }
  }

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

  /// The kind of a finding, for programs. More may be added.
  public struct Problem: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    private init(_ name: String) { rawValue = name }

    /// A module of the kernel uses the reader.
    public static let kernelDriver = Problem("kernelDriver")
    /// Another program uses the reader or its port.
    public static let inUse = Problem("inUse")
    /// The PC/SC service may take the reader at any time.
    public static let sharedWithService = Problem("sharedWithService")
    /// This login may not read and write the device node.
    public static let noPermission = Problem("noPermission")
    /// The device is present, but its node is missing.
    public static let noDeviceNode = Problem("noDeviceNode")
    /// There is no device with this name or address.
    public static let notThere = Problem("notThere")
    /// The device is not a reader, or not one of the named driver.
    public static let notThisReader = Problem("notThisReader")
    /// This package does not support the reader.
    public static let notSupported = Problem("notSupported")
    /// The PC/SC service is not installed, is not running, or refuses this program.
    public static let noService = Problem("noService")
    /// The PC/SC service has no driver for the reader.
    public static let noServiceDriver = Problem("noServiceDriver")
    /// The PC/SC service is running, but does not list the reader.
    public static let notInService = Problem("notInService")
    /// The connection string is wrong.
    public static let connectionString = Problem("connectionString")
    /// libnfc does not search for readers on serial ports.
    public static let notSearched = Problem("notSearched")
    /// The kernel's console uses the serial port.
    public static let console = Problem("console")
    /// libnfc ignores a part of its configuration, or interprets it in another way than intended.
    public static let configuration = Problem("configuration")
    /// The system may put the reader to sleep.
    public static let powerSaving = Problem("powerSaving")
    /// USB devices must be passed through to this container, virtual machine or WSL.
    public static let passThrough = Problem("passThrough")
    /// The reader was opened and does not answer.
    public static let noAnswer = Problem("noAnswer")
  }
}
