import NFC

/// A reader of one driver, and a way to put tags on it: this is what ``DriverCheck`` needs.
///
/// A bench may be virtual, or a person who follows instructions. Its calls may block; each check
/// gets its own bench.
public protocol DriverBench: Sendable {
  /// The kind of reader that is registered for programs; `nil` for a driver that only its own
  /// program opens.
  var source: (any ReaderSource)? { get }

  /// The address of the bench's reader at its source.
  var address: ReaderAddress { get }

  /// Whether the source finds the reader without its address.
  var isFoundAutomatically: Bool { get }

  /// The technologies that the bench has a tag of.
  var technologies: [TagTechnology] { get }

  /// Creates the driver, on the thread that it is used on from then on.
  ///
  /// - Throws: an `NFCError` if the reader cannot be opened.
  func makeDriver() throws -> any ReaderDriver

  /// Puts a tag of a technology on the reader, in good condition, and removes all others.
  ///
  /// - Throws: an error that prevents this; the check then fails.
  func present(_ technology: TagTechnology) throws -> BenchTag

  /// Removes all tags.
  ///
  /// - Throws: an error that prevents this; the check then fails.
  func removeTags() throws

  /// Causes a fault from the next command on.
  ///
  /// - Returns: `false` if this bench cannot; checks that need the fault are then skipped.
  /// - Throws: an error that prevents this; the check then fails.
  func cause(_ fault: BenchFault) throws -> Bool
}

extension DriverBench {
  public var source: (any ReaderSource)? { nil }
  public var isFoundAutomatically: Bool { false }
  public func cause(_ fault: BenchFault) throws -> Bool { false }
}

/// A tag on a bench's reader.
public struct BenchTag: Sendable {
  /// The UID, PUPI, IDm or serial number, as in `Target.identifier`; empty for a tag whose
  /// identifier is random.
  public var identifier: [UInt8]
  /// A command that the tag answers, in the form of `ReaderDriver.exchange`; `nil` for a tag that
  /// is only found.
  public var command: [UInt8]?
  /// The framing of the command.
  public var framing: Framing
  /// The beginning of the answer to the command.
  public var answer: [UInt8]

  /// Creates a tag on the reader, with a command that it answers.
  public init(
    identifier: [UInt8], command: [UInt8]? = nil, framing: Framing = .checked, answer: [UInt8] = []
  ) {
    self.identifier = identifier
    self.command = command
    self.framing = framing
    self.answer = answer
  }
}

/// A fault that a bench can cause.
public struct BenchFault: Hashable, Sendable {
  private enum Kind { case silence, departure, arrival }

  private let kind: Kind

  /// The tag receives commands but its answers do not arrive, until the next
  /// ``DriverBench/present(_:)``.
  public static let answersAreLost = BenchFault(kind: .silence)
  /// The reader is unplugged.
  public static let readerUnplugged = BenchFault(kind: .departure)
  /// The reader is plugged in again at the same address, with nothing in its field.
  public static let readerPluggedInAgain = BenchFault(kind: .arrival)
}
