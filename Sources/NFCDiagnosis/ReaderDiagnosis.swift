/// Which readers are there, why some cannot be opened, and what to do.
///
/// Read from the files in which Linux describes its devices, and from the PC/SC service: no reader is
/// opened, reset or written to unless ``examine(_:)`` is asked for one. On other systems only what the
/// PC/SC service tells is there.
///
/// ```swift
/// for reader in await ReaderDiagnosis.current().readers where !reader.canBeOpened {
///   print(reader.name, reader.findings.map { "\($0.detail): \($0.advice)" })
/// }
/// ```
public struct ReaderDiagnosis: Hashable, Sendable {
  /// Readers, and serial ports on which one may be.
  public package(set) var readers: [ExaminedReader]
  /// What concerns no single reader: configuration, services, the system.
  public package(set) var findings: [Finding]

  package init(readers: [ExaminedReader] = [], findings: [Finding] = []) {
    self.readers = readers
    self.findings = findings
  }

  /// Whether at least one reader is there with nothing in its way.
  public var hasReader: Bool { readers.contains { $0.canBeOpened } }
}

extension ReaderDiagnosis {
  /// One thing that stands in a reader's way, or is worth knowing.
  public struct Finding: Hashable, Sendable {
    /// What is wrong.
    public let problem: Problem
    /// What was seen: one clause, without a full stop.
    public let detail: String
    /// What to do, with the commands for Debian; empty where nothing needs to be done.
    public let advice: String
    /// Whether the reader cannot be opened because of it.
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

  /// A reader, or a serial port on which one may be.
  public struct ExaminedReader: Hashable, Sendable {
    /// Its maker's name and its own, or the connection string that names it.
    public let name: String
    /// Vendor and product of a USB device, as `072F:2200`.
    public package(set) var usb: String?
    /// Where it is: a device node, a USB port.
    public package(set) var place: String?
    /// By what ``Reader/open(_:)`` opens it; `nil` if nothing does.
    public package(set) var connectionString: String?
    /// Whether this is only a port on which a reader may be.
    public package(set) var isPort = false
    /// Whether it has been opened, and closed again.
    public package(set) var wasOpened: Bool
    /// What keeps this reader from working, and what else is worth knowing of it.
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

    /// Whether nothing that was seen stands in the way of opening it. Whether it answers shows when it
    /// is opened, and of a port whether a reader is on it.
    public var canBeOpened: Bool {
      connectionString != nil && !isPort && !findings.contains(where: \.isObstacle)
    }
  }

  /// The kind of a finding, for programs. More may be added.
  public struct Problem: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    private init(_ name: String) { rawValue = name }

    /// A module of the kernel has the reader.
    public static let kernelDriver = Problem("kernelDriver")
    /// Another program has the reader or its port.
    public static let inUse = Problem("inUse")
    /// The PC/SC service may take the reader at any time.
    public static let sharedWithService = Problem("sharedWithService")
    /// This login may not read and write the device node.
    public static let noPermission = Problem("noPermission")
    /// The device is there, its node is not.
    public static let noDeviceNode = Problem("noDeviceNode")
    /// No device is there under that name or address.
    public static let notThere = Problem("notThere")
    /// What is there is no reader, or not one of the driver that was named.
    public static let notThisReader = Problem("notThisReader")
    /// Nothing in this package drives the reader.
    public static let notSupported = Problem("notSupported")
    /// The PC/SC service is not installed, does not run, or refuses this program.
    public static let noService = Problem("noService")
    /// The PC/SC service has no driver for the reader.
    public static let noServiceDriver = Problem("noServiceDriver")
    /// The PC/SC service runs, and does not show the reader.
    public static let notInService = Problem("notInService")
    /// The connection string is wrong.
    public static let connectionString = Problem("connectionString")
    /// libnfc does not look for readers on serial ports.
    public static let notSearched = Problem("notSearched")
    /// The kernel's console is on the serial port.
    public static let console = Problem("console")
    /// libnfc leaves out a part of its configuration, or takes it otherwise than it was meant.
    public static let configuration = Problem("configuration")
    /// The system may put the reader to sleep.
    public static let powerSaving = Problem("powerSaving")
    /// USB devices must be passed through to this container, virtual machine or WSL.
    public static let passThrough = Problem("passThrough")
    /// The reader was opened and does not answer.
    public static let noAnswer = Problem("noAnswer")
  }
}
