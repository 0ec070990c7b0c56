/// A kind of reader: how the readers of one driver are found, opened and watched.
///
/// This is the door for drivers. libnfc's readers and those of the PC/SC service come through it as any other
/// would, and everything above knows readers by their ``ReaderAddress`` only. A program adds one by
/// `ReaderSources.register(_:)` of the module NFC.
///
/// All calls may block, for a few seconds at most, and are made on a thread that may; several may be made at
/// the same time.
public protocol ReaderSource: Sendable {
  /// What people call it: `libnfc`, `the PC/SC service`.
  var name: String { get }

  /// The schemes of its readers' addresses; no other source has one of them.
  var schemes: [String] { get }

  /// Whether other programs use the same readers and cards at the same time, so that no card is to be asked
  /// for more than is needed.
  var isShared: Bool { get }

  /// The readers that are found without being named. Writes to no device that a program has open.
  func readers() -> [FoundReader]

  /// Why no reader can be found or opened at all; `nil` if nothing stands in the way.
  func obstacle() -> NFCError?

  /// Opens a reader. The driver is used on this thread only, from now on.
  ///
  /// - Throws: ``NFCError/Code/readerNotFound`` for an address that leads to no reader,
  ///   ``NFCError/Code/readerUnavailable`` for a reader that is there and cannot be opened,
  ///   ``NFCError/Code/invalidParameter``.
  func open(_ address: ReaderAddress) throws -> any ReaderDriver

  /// Further addresses of the reader at an address, the one that stays the same for the longest first.
  func aliases(of address: ReaderAddress) -> [ReaderAddress]

  /// Begins to watch readers come and go.
  ///
  /// - Parameter addresses: those of this source that cannot be found without being named; such a reader is there
  ///   as long as its port is.
  func watch(naming addresses: [ReaderAddress]) -> any ReaderSourceWatch

  /// Starts a reader as if it had been plugged in again, for one that hangs.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` if there is no way to do that, ``NFCError/Code/readerUnavailable`` if
  ///   a program has it open.
  func reset(_ address: ReaderAddress) throws

  /// The address of the same reader at another source, for a source whose readers are those of another one; `nil`
  /// for all others.
  func underlyingAddress(of address: ReaderAddress) -> ReaderAddress?

  /// What drives the readers, with its version, where that is known: `libnfc 1.8.0`.
  var version: String? { get }

  /// What a person may try when the reader at an address does not answer.
  func advice(forSilenceOf address: ReaderAddress) -> String
}

extension ReaderSource {
  public var isShared: Bool { false }
  public func obstacle() -> NFCError? { nil }
  public func aliases(of address: ReaderAddress) -> [ReaderAddress] { [] }
  public func underlyingAddress(of address: ReaderAddress) -> ReaderAddress? { nil }
  public var version: String? { nil }
  public func reset(_ address: ReaderAddress) throws {
    throw NFCError(.unsupported, "only a reader on USB can be reset, and \(address) is none")
  }
  public func advice(forSilenceOf address: ReaderAddress) -> String { "plug it in again" }
}

/// A look-out for the readers of one source. Used by one thread, except ``cancel``.
public protocol ReaderSourceWatch: AnyObject {
  /// The readers that are there now.
  func readers() -> [FoundReader]

  /// Waits until a reader may have come or gone, so long at most.
  ///
  /// - Returns: `false` at once if there is no way to wait now.
  func wait(atMost timeout: Duration) -> Bool

  /// Ends the wait that is running, from any thread.
  var cancel: @Sendable () -> Void { get }
}

/// A reader that a source has found, opened by nobody.
public struct FoundReader: Hashable, Sendable {
  /// What it is opened by.
  public var address: ReaderAddress
  /// Maker and product, or what else people call it, where that is known.
  public var name: String?
  /// Further addresses of the same reader, the one that stays the same for the longest first.
  public var aliases: [ReaderAddress]
  /// The number by which its maker distinguishes two readers of one model.
  public var serialNumber: String?
  /// Parts of the names, in capitals, by which another source may show the same reader.
  public var namesElsewhere: [String]

  /// A reader by its address, and what is known of it.
  public init(
    _ address: ReaderAddress, name: String? = nil, aliases: [ReaderAddress] = [],
    serialNumber: String? = nil, namesElsewhere: [String] = []
  ) {
    self.address = address
    self.name = name
    self.aliases = aliases
    self.serialNumber = serialNumber
    self.namesElsewhere = namesElsewhere
  }

  /// Whether this may be the same reader as one that another source has found.
  package func mayBe(_ other: FoundReader) -> Bool {
    let name = other.address.description.uppercased()
    return namesElsewhere.contains { name.contains($0) }
  }

  /// Whether both are one reader, by an address that they have in common.
  package func isSame(as other: FoundReader) -> Bool {
    answers(to: other.address) || other.aliases.contains(where: answers)
  }

  /// Whether an address leads here, by any of its names.
  public func answers(to address: ReaderAddress) -> Bool {
    self.address == address || aliases.contains(address)
  }
}
