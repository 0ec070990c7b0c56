import SwiftNFCCore
import SwiftNFCIsolated
import SwiftNFCLibNFC
import SwiftNFCPCSC
import ReaderThread
import Synchronization

/// The kinds of readers that this program supports, in the order in which they are searched.
///
/// libnfc comes first, because asking the PC/SC service may start it, and then it takes possession
/// of every reader that it has a driver for.
public enum ReaderSources {
  private static let sources = Mutex<[any ReaderSource]>([
    LibNFCSource(), PCSCSource(), IsolatedSource(),
  ])

  /// All sources: those of this package, and those that the program has registered.
  public static var all: [any ReaderSource] { sources.withLock(\.self) }

  /// Loads the libraries of all sources, which change the environment of the process when they are first used, as
  /// libnfc does.
  ///
  /// A program that reads the environment on other threads, with `getenv` or `ProcessInfo`, calls this at its start.
  /// Otherwise the first reader that is looked for or opened does it.
  public static func prepare() { for source in all { source.prepare() } }

  /// Registers a kind of reader, which is searched after the others.
  ///
  /// It replaces an earlier source with the same schemes.
  public static func register(_ source: any ReaderSource) {
    let schemes = Set(source.schemes)
    sources.withLock { sources in
      let index = sources.firstIndex { !schemes.isDisjoint(with: $0.schemes) }
      if let index { sources[index] = source } else { sources.append(source) }
    }
  }

  /// Specifies the program that drives the readers at `isolated:` addresses, for an app that does
  /// not have it in its own directory or in `PATH`.
  ///
  /// ```swift
  /// ReaderSources.isolateReaders(byHelper: "/opt/myapp/libexec/nfc-reader")
  /// let reader = try await Reader.open("isolated:pn532_uart:/dev/ttyUSB0")
  /// ```
  ///
  /// - Parameter path: the path of `nfc-reader`, a product of this package, of the same release.
  public static func isolateReaders(byHelper path: String) {
    register(IsolatedSource(helper: path))
  }

  /// A closure that stands in a `Mutex` itself is wrapped in two more functions by each access, so that its calls
  /// become slower with every reader (seen with Swift 6.3.1). In a structure it is not.
  private struct Wrapping {
    let wrap: @Sendable (any ReaderDriver) -> any ReaderDriver
  }

  private static let wrapping = Mutex<Wrapping?>(nil)

  /// Puts another driver in front of that of every reader that is opened from now on.
  package static func wrapDrivers(
    _ wrap: @escaping @Sendable (any ReaderDriver) -> any ReaderDriver
  ) {
    wrapping.withLock { $0 = Wrapping(wrap: wrap) }
  }

  static func wrapped(_ driver: any ReaderDriver) -> any ReaderDriver {
    guard let wrapping = wrapping.withLock({ $0 }) else { return driver }
    return wrapping.wrap(driver)
  }

  /// Returns the source for an address; `nil` if no source has its scheme.
  package static func source(of address: ReaderAddress) -> (any ReaderSource)? {
    all.first { $0.schemes.contains(address.scheme) }
  }

  /// Opens the reader at an address.
  ///
  /// - Throws: `readerNotFound` for an unknown scheme, and what the source throws.
  static func open(_ address: ReaderAddress) throws -> any ReaderDriver {
    guard let source = source(of: address) else { throw unknown(address) }
    return try source.open(address)
  }

  /// Returns the address at which a reader is opened in a process of its own, for programs that run unattended: that of
  /// ``isolateReaders(byHelper:)`` with `isolated:` before it, or the same address if there is no such process for it.
  package static func isolated(_ address: ReaderAddress) -> ReaderAddress {
    all.lazy.compactMap { ($0 as? IsolatedSource)?.isolatedAddress(of: address) }.first ?? address
  }

  /// Returns the address that an isolated one leads to, or the same address.
  package static func underlying(_ address: ReaderAddress) -> ReaderAddress {
    source(of: address)?.underlyingAddress(of: address) ?? address
  }

  /// Throws `readerNotFound` for an address with an unknown scheme, which no reader can ever have.
  package static func check(_ address: ReaderAddress) throws(NFCError) {
    guard source(of: address) != nil else { throw unknown(address) }
  }

  static func unknown(_ address: ReaderAddress) -> NFCError {
    // A program may pass a connection string of any length.
    guard address.description.utf8.count < longestAddress, !address.description.utf8.contains(0)
    else {
      return NFCError(.invalidParameter, "a connection string has at most 1023 bytes and no zero")
    }
    let schemes = all.flatMap(\.schemes).joined(separator: ", ")
    return NFCError(
      .readerNotFound,
      "\"\(address)\" is not a reader's connection string, which begins with one of \(schemes), and a colon"
    )
  }

  private static let longestAddress = 1024
}

extension Reader {
  /// Resets a reader that hangs, as if it had been plugged in again. No program may have it open.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for a reader that is not on USB;
  ///   ``NFCError/Code/readerNotFound``; ``NFCError/Code/readerUnavailable`` if a program has it
  ///   open, or this user may not use it; ``NFCError/Code/readerLost`` if it did not return.
  public static func reset(_ address: ReaderAddress) async throws {
    guard let source = ReaderSources.source(of: address) else {
      throw ReaderSources.unknown(address)
    }
    let thread = try ReaderThread.forReader()
    try await Task(executorPreference: thread) { try source.reset(address) }.value
  }

  /// Whether other programs may be using this reader and its cards at the same time.
  package nonisolated var isShared: Bool {
    ReaderSources.source(of: ReaderAddress(connectionString))?.isShared ?? false
  }
}
