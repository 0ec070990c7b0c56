/// A kind of reader: it finds, opens and watches the readers of one driver.
///
/// This is the interface for adding drivers. libnfc's readers and those of the PC/SC service use it
/// like any other, and everything above knows readers only by their ``ReaderAddress``. A program
/// adds a source with `ReaderSources.register(_:)` of the module NFC.
///
/// All calls may block for a few seconds, and are made on threads that may block; several may be
/// made at the same time.
public protocol ReaderSource: Sendable {
  /// The name for people: `libnfc`, `the PC/SC service`.
  var name: String { get }

  /// The schemes of its readers' addresses. Each scheme belongs to one source.
  var schemes: [String] { get }

  /// Whether other programs use the same readers and cards at the same time, so that cards should
  /// receive no unnecessary commands.
  var isShared: Bool { get }

  /// Returns the readers that can be found without a name. Writes to no device that a program has
  /// open.
  func readers() -> [FoundReader]

  /// Returns the reason why no reader can be found or opened at all; `nil` if there is none.
  func availabilityError() -> NFCError?

  /// Opens a reader. The driver is used only on this thread from now on.
  ///
  /// - Throws: ``NFCError/Code/readerNotFound`` for an address without a reader,
  ///   ``NFCError/Code/readerUnavailable`` for a reader that is present but cannot be opened,
  ///   ``NFCError/Code/invalidParameter``.
  func open(_ address: ReaderAddress) throws -> any ReaderDriver

  /// Called by a program before it begins to open a reader in the background. A source whose library changes the
  /// environment of the process when it is first used loads it here: from then on, other threads read the environment.
  func prepare()

  /// Returns the time that ``open(_:)`` takes before the reader receives anything. A program can open a
  /// reader that has such a time before it is certain that it needs the reader.
  func quietTime(whileOpening address: ReaderAddress) -> Duration

  /// Returns further addresses of the reader at an address, the most stable first.
  func aliases(of address: ReaderAddress) -> [ReaderAddress]

  /// Starts to watch readers come and go.
  ///
  /// - Parameter addresses: those of this source's readers that are found only by name; such a
  ///   reader is present as long as its port is.
  func watch(naming addresses: [ReaderAddress]) -> any ReaderSourceWatch

  /// Resets a reader that hangs, as if it had been plugged in again.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` if the reader cannot be reset,
  ///   ``NFCError/Code/readerUnavailable`` if a program has it open.
  func reset(_ address: ReaderAddress) throws

  /// Returns the address of the same reader at another source, for a source that uses the readers
  /// of another; `nil` for all other sources.
  func underlyingAddress(of address: ReaderAddress) -> ReaderAddress?

  /// The name and version of the software that drives the readers, if known: `libnfc 1.8.0`.
  var version: String? { get }

  /// Returns advice for people when the reader at an address does not answer.
  func advice(forSilenceOf address: ReaderAddress) -> String

  /// Returns advice for people on how to write an invalid address, if it was probably intended for a
  /// reader of this source; `nil` otherwise.
  func advice(forInvalid address: ReaderAddress) -> String?

  /// Returns what keeps the reader at an address from being opened, and other facts worth knowing about it.
  ///
  /// Opens nothing and changes nothing. A reader that is not found by ``readers()`` may be asked about, too.
  /// `nfc doctor` and `ReaderDiagnosis` of the product `NFCDiagnosis` show the result.
  func findings(about address: ReaderAddress) -> [ReaderFinding]

  /// Returns whether the readers of this source include the USB devices with a vendor and a product number.
  ///
  /// The diagnosis then leaves such a device to this source, which should list it in ``readers()`` even if it
  /// cannot be opened: it is shown neither as unsupported nor as a serial port that may have another reader, and
  /// a service that would take it is not started only to be asked for its readers.
  func drivesUSBDevice(vendor: UInt16, product: UInt16) -> Bool
}

extension ReaderSource {
  public var isShared: Bool { false }
  public func availabilityError() -> NFCError? { nil }
  public func prepare() {}
  public func quietTime(whileOpening address: ReaderAddress) -> Duration { .zero }
  public func aliases(of address: ReaderAddress) -> [ReaderAddress] { [] }
  public func underlyingAddress(of address: ReaderAddress) -> ReaderAddress? { nil }
  public var version: String? { nil }
  public func reset(_ address: ReaderAddress) throws {
    throw NFCError(.unsupported, "only a USB reader can be reset, and \(address) is not one")
  }
  public func advice(forSilenceOf address: ReaderAddress) -> String { "plug it in again" }
  public func advice(forInvalid address: ReaderAddress) -> String? { nil }
  public func findings(about address: ReaderAddress) -> [ReaderFinding] { [] }
  public func drivesUSBDevice(vendor: UInt16, product: UInt16) -> Bool { false }
}

/// Watches the readers of one source. Used by one thread, except ``cancel``.
public protocol ReaderSourceWatch: AnyObject {
  /// Returns the readers that are present now.
  func readers() -> [FoundReader]

  /// Waits until a reader may have come or gone, at most for a given time.
  ///
  /// - Returns: `false` at once if waiting is not possible now.
  func wait(atMost timeout: Duration) -> Bool

  /// Ends the running wait, from any thread.
  var cancel: @Sendable () -> Void { get }
}

/// A reader that a source has found and not opened.
public struct FoundReader: Hashable, Sendable {
  /// The address that opens it.
  public var address: ReaderAddress
  /// The maker and product, or another name for people, if known.
  public var name: String?
  /// Further addresses of the same reader, the most stable first.
  public var aliases: [ReaderAddress]
  /// The serial number, which distinguishes readers of one model.
  public var serialNumber: String?
  /// Parts of names, in capitals, under which another source may list the same reader.
  public var alternativeNames: [String]

  /// Creates a reader with its address and other known facts.
  public init(
    _ address: ReaderAddress, name: String? = nil, aliases: [ReaderAddress] = [],
    serialNumber: String? = nil, alternativeNames: [String] = []
  ) {
    self.address = address
    self.name = name
    self.aliases = aliases
    self.serialNumber = serialNumber
    self.alternativeNames = alternativeNames
  }

  /// Returns whether this may be the same reader as one from another source.
  package func mayBe(_ other: FoundReader) -> Bool {
    let name = other.address.description.uppercased()
    return alternativeNames.contains { name.contains($0) }
  }

  /// Returns whether both are one reader, by an address that they have in common.
  package func isSame(as other: FoundReader) -> Bool {
    answers(to: other.address) || other.aliases.contains(where: answers)
  }

  /// Returns whether the other one is not this reader although they may have an address in common: each has a serial
  /// number or a name, and these differ.
  package func isAnotherDevice(than other: FoundReader) -> Bool {
    func differ(_ one: String?, _ other: String?) -> Bool {
      guard let one, let other else { return false }
      return one != other
    }
    return differ(serialNumber, other.serialNumber) || differ(name, other.name)
  }

  /// Returns whether an address refers to this reader, by any of its names.
  public func answers(to address: ReaderAddress) -> Bool {
    self.address == address || aliases.contains(address)
  }
}

extension FoundReader: CustomStringConvertible {
  /// The address, and in parentheses the name if it is known: `acr122_usb:001:004 (ACS ACR122U)`.
  public var description: String {
    name.map { "\(address) (\($0))" } ?? address.description
  }
}
