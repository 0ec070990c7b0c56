import NFC

/// A reader of one driver, and somebody who puts tags before it: what ``DriverCheck`` needs.
///
/// A bench may be virtual, or a person who follows what is asked for. Its calls may block; each check gets a bench of
/// its own.
public protocol DriverBench: Sendable {
  /// The kind of reader that is registered for programs; `nil` for a driver that only its own program opens.
  var source: (any ReaderSource)? { get }

  /// The address of the bench's reader at its source.
  var address: ReaderAddress { get }

  /// Whether the source finds the reader without its address.
  var isFoundByItself: Bool { get }

  /// The technologies of which the bench has a tag.
  var technologies: [TagTechnology] { get }

  /// Makes the driver, on the thread that it is used on from then on.
  ///
  /// - Throws: an `NFCError` if the reader cannot be opened.
  func makeDriver() throws -> any ReaderDriver

  /// Puts a tag of a technology before the reader, in good order, and takes all others away.
  ///
  /// - Throws: whatever keeps the bench from doing so; the check then fails.
  func present(_ technology: TagTechnology) throws -> BenchTag

  /// Takes all tags away.
  ///
  /// - Throws: whatever keeps the bench from doing so; the check then fails.
  func removeTags() throws

  /// Lets something go wrong from the next command on.
  ///
  /// - Returns: `false` if this bench cannot; what needs it is then not checked.
  /// - Throws: whatever keeps the bench from doing so; the check then fails.
  func cause(_ trouble: BenchTrouble) throws -> Bool
}

extension DriverBench {
  public var source: (any ReaderSource)? { nil }
  public var isFoundByItself: Bool { false }
  public func cause(_ trouble: BenchTrouble) throws -> Bool { false }
}

/// A tag before a bench's reader.
public struct BenchTag: Sendable {
  /// UID, PUPI, IDm or serial number, as `Target.identifier` gives it; empty for a tag that draws another one each
  /// time.
  public var identifier: [UInt8]
  /// A command that the tag answers, as `ReaderDriver.exchange` takes it; `nil` for a tag that
  /// is only found.
  public var command: [UInt8]?
  /// The form in which the command goes to the tag.
  public var framing: Framing
  /// How the answer to the command begins.
  public var answer: [UInt8]

  /// A tag that is before the reader, with a command that it answers.
  public init(
    identifier: [UInt8], command: [UInt8]? = nil, framing: Framing = .checked, answer: [UInt8] = []
  ) {
    self.identifier = identifier
    self.command = command
    self.framing = framing
    self.answer = answer
  }
}

/// What can go wrong on a bench.
public struct BenchTrouble: Hashable, Sendable {
  private enum Kind { case silence, departure, arrival }

  private let kind: Kind

  /// The tag hears commands and its answers do not arrive, until the next ``DriverBench/present(_:)``.
  public static let answersAreLost = BenchTrouble(kind: .silence)
  /// The reader is unplugged.
  public static let readerLeaves = BenchTrouble(kind: .departure)
  /// The reader is plugged in again at the same address, with nothing in its field.
  public static let readerReturns = BenchTrouble(kind: .arrival)
}
