/// A problem of a reader, or a fact worth knowing, that is seen without opening the reader.
///
/// A ``ReaderSource`` reports these about its readers; `ReaderDiagnosis` of the product `NFCDiagnosis` collects
/// them, and `nfc doctor` shows them.
public struct ReaderFinding: Hashable, Sendable {
  /// The kind of problem.
  public let problem: Problem
  /// What was found: one clause, without a full stop.
  public let detail: String
  /// What to do, with the commands for Debian; empty if there is nothing to do.
  public let advice: String
  /// Whether it prevents the reader from being opened.
  public let isObstacle: Bool

  /// Creates a finding.
  ///
  /// - Parameters:
  ///   - problem: the kind of problem, one of those here or another by its `rawValue`.
  ///   - detail: what was found: one clause, without a full stop.
  ///   - advice: what to do; empty if there is nothing to do.
  ///   - isObstacle: whether it prevents the reader from being opened.
  public init(
    _ problem: Problem, _ detail: String, advice: String = "", isObstacle: Bool = true
  ) {
    self.problem = problem
    self.detail = detail
    self.advice = advice
    self.isObstacle = isObstacle
  }

  /// The kind of a finding, for programs. More may be added.
  public struct Problem: RawRepresentable, Hashable, Sendable {
    /// The name, as in the output of `nfc doctor --json`.
    public let rawValue: String

    /// Creates a kind of problem by its name.
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
    /// The library or service that drives this kind of reader cannot be asked.
    public static let sourceUnavailable = Problem("sourceUnavailable")
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
    /// The serial line is slower than the chip can be.
    public static let slowLine = Problem("slowLine")
    /// USB devices must be passed through to this container, virtual machine or WSL.
    public static let passThrough = Problem("passThrough")
    /// The reader was opened and does not answer.
    public static let noAnswer = Problem("noAnswer")
  }
}
