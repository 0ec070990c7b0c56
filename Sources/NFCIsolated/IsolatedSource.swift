import SwiftNFCCore
import SwiftNFCLibNFC

/// The readers that libnfc drives, each in its own process: `isolated:` before a libnfc connection
/// string.
///
/// libnfc trusts a reader's chip more than it should: some answers make it call `abort()`, others
/// keep it copying endlessly. In a separate process, this affects the reader but not the program:
/// the process has ended, or is killed when it does not answer in time; the running call throws
/// `readerLost` with the cause; and the next round of polling, or opening the reader again, starts
/// another process. A program that is killed leaves no process behind, and its reader's carrier is
/// switched off.
///
/// The process runs `nfc-reader`, a product of this package. It is expected in the directory of the
/// running program or in `PATH`; an app that has it elsewhere specifies it in the environment
/// variable `NFC_READER_HELPER`, or with `ReaderSources.isolateReaders(byHelper:)` before it opens
/// a reader.
///
/// Program and helper must be of the same release: another version of their protocol is refused.
///
/// Such readers are found only by being named: ``readers()`` would list each of libnfc's readers twice.
package struct IsolatedSource: ReaderSource {
  /// The prefix of a libnfc connection string.
  package static let scheme = "isolated"

  package let name = "libnfc in its own process"
  package var schemes: [String] { [Self.scheme] }

  private let program: HelperProgram
  private let limits: IsolationLimits

  /// Creates a source.
  ///
  /// - Parameter helper: the path of `nfc-reader`; `nil` looks for it.
  package init(helper: String? = nil) {
    self.init(helper: helper, limits: IsolationLimits())
  }

  init(helper: String?, limits: IsolationLimits) {
    program = HelperProgram(path: helper)
    self.limits = limits
  }

  /// Made for tests, which have less time than readers.
  package init(helper: String? = nil, answeringWithin call: Duration) {
    self.init(
      helper: helper, limits: IsolationLimits(opening: call, call: call, closing: call))
  }

  package func readers() -> [FoundReader] { [] }

  package func underlyingAddress(of address: ReaderAddress) -> ReaderAddress? {
    address.rest.map { ReaderAddress($0) }
  }

  /// Returns the address at which a reader of libnfc is opened in a process of its own; `nil` for other readers, and if
  /// the program for it is not there.
  package func isolatedAddress(of address: ReaderAddress) -> ReaderAddress? {
    guard ConnectionString.drivers.contains(address.scheme), (try? program.executable()) != nil
    else { return nil }
    return Self.isolated(address)
  }

  private func inner(_ address: ReaderAddress) throws -> ReaderAddress {
    let inner = ReaderAddress(address.rest ?? "")
    guard ConnectionString.drivers.contains(inner.scheme) else {
      throw NFCError(
        .readerNotFound,
        "\"\(address)\" is not a reader's connection string, which is \(Self.scheme): and one of libnfc, "
          + "for instance \(Self.scheme):pn532_uart:/dev/ttyUSB0")
    }
    return inner
  }

  private static func isolated(_ address: ReaderAddress) -> ReaderAddress {
    ReaderAddress("\(scheme):\(address)")
  }

  private static func isolated(_ found: FoundReader) -> FoundReader {
    var found = found
    found.address = isolated(found.address)
    found.aliases = found.aliases.map(isolated)
    return found
  }

  /// How long a reader that this program is closing is waited for.
  private static let closingLimit = Duration.seconds(5)

  package func open(_ address: ReaderAddress) throws -> any ReaderDriver {
    let inner = try inner(address)
    let deadline = ContinuousClock.now + Self.closingLimit
    while ClosingPorts.contains(address.description), ContinuousClock.now < deadline {
      pause(milliseconds: 5)
    }
    return try IsolatedDriver(address, leadingTo: inner, program, limits)
  }

  package func reset(_ address: ReaderAddress) throws {
    guard case .done = try ask(.reset(try inner(address))) else {
      throw NFCError(.readerUnavailable, "\(address) could not be reset")
    }
  }

  /// Sends one request to a helper that has no reader.
  private func ask(_ request: HelperRequest) throws -> HelperResponse {
    let helper = try HelperProcess(program)
    defer { helper.leave() }
    let deadline = ContinuousClock.now + limits.opening
    let response = try helper.call(
      request, bound: limits.opening, within: { deadline - ContinuousClock.now },
      failingWith: .readerUnavailable)
    if case .failure(let error) = response { throw error }
    return response
  }

  // The following requires no call into libnfc, only a look at the system's devices.

  package func aliases(of address: ReaderAddress) -> [ReaderAddress] {
    guard let inner = try? inner(address) else { return [] }
    return LibNFCSource().aliases(of: inner).map(Self.isolated)
  }

  package func advice(forSilenceOf address: ReaderAddress) -> String {
    LibNFCSource().advice(forSilenceOf: underlyingAddress(of: address) ?? address)
  }

  package func watch(naming addresses: [ReaderAddress]) -> any ReaderSourceWatch {
    Watch(addresses.compactMap { underlyingAddress(of: $0) })
  }

  /// Lists only readers that are named, because all others are libnfc's to list.
  private final class Watch: ReaderSourceWatch {
    private let named: [ReaderAddress]
    private let devices: LibNFCWatch

    init(_ named: [ReaderAddress]) {
      self.named = named
      devices = LibNFCWatch(naming: named) {
        LibNFCSource.found([], devices: LibNFCSource.devices())
      }
    }

    func readers() -> [FoundReader] {
      devices.readers().filter { found in named.contains(where: found.answers) }
        .map(IsolatedSource.isolated)
    }

    func wait(atMost timeout: Duration) -> Bool { devices.wait(atMost: timeout) }
    var cancel: @Sendable () -> Void { devices.cancel }
  }
}
