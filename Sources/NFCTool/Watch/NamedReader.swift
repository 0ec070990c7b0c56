import NFC
import SwiftNFCCore
import Synchronization

/// Opens a reader that was specified by name, also when it has returned under another address.
///
/// A USB reader gets another number each time it is plugged in. Once it was found by a number, its serial number or
/// its port leads to it.
final class NamedReader: Sendable {
  private let address: ReaderAddress
  /// An address that the reader keeps, as soon as it has been opened.
  private let lasting = Mutex<ReaderAddress?>(nil)

  init(_ address: ReaderAddress) { self.address = address }

  /// - Throws: `readerNotFound` while the reader is absent, and what opening it throws.
  func open() async throws -> Reader {
    if let lasting = lasting.withLock(\.self) {
      do {
        return try await Reader.openIsolated(lasting)
      } catch let error as NFCError where error.code == .readerNotFound {
        // It may be on another port, or named by a serial number that a second reader has, too.
      }
    }
    let lasting = Self.lastingAddress(of: address)
    let reader = try await Reader.openIsolated(address)
    if let lasting { self.lasting.withLock { $0 = lasting } }
    return reader
  }

  /// Returns the serial number, or else the port; `nil` if the address itself stays the same.
  private static func lastingAddress(of address: ReaderAddress) -> ReaderAddress? {
    guard let source = ReaderSources.source(of: address) else { return nil }
    let aliases = source.aliases(of: address)
    // An address that several readers have leads to none, and so has no aliases.
    return aliases.first { !source.aliases(of: $0).isEmpty } ?? aliases.last
  }
}

extension Reader {
  /// Opens a reader for a program that runs unattended: a reader of libnfc in a process of its own, so that whatever its
  /// chip answers costs the reader and not the program.
  static func openIsolated(_ address: ReaderAddress) async throws -> Reader {
    try await open(ReaderSources.isolated(address))
  }
}
