import Foundation
import NFC

/// The source of a session's readers. This is an addition to Apple's interface.
///
/// A session opens its readers when it begins and closes them when it ends.
public struct NFCReaderSource: Sendable {
  /// Opens the readers for a session.
  let open: @Sendable (PollingOptions) async throws -> Readers
  let available: @Sendable () -> Bool
  /// Whether the readers are the machine's, which other programs open too.
  var areMachines = true

  /// Whether there may be a reader, as far as can be found out at once and without opening one.
  var isAvailable: Bool { available() }

  /// The reader in the environment variable `NFC_READER`, as in `Reader.open`; without it, the
  /// first reader that is found, and others for the technologies that the first one cannot poll.
  public static var automatic: NFCReaderSource {
    if let name = Reader.nameInEnvironment { return named(name) }
    return NFCReaderSource(
      open: { try await Readers.open(polling: $0) },
      // libnfc does not list every reader that is in use.
      available: { SessionRegistry.shared.hasActiveSession || ReaderSurvey.shared.mayHaveReader })
  }

  /// Returns readers with connection strings, for instance a PN532 and, for ISO 15693, a PC/SC
  /// reader. They poll concurrently, each everything that it supports; if there are others too, a
  /// reader of the PC/SC service polls only what those lack.
  public static func named(_ connectionStrings: String...) -> NFCReaderSource {
    NFCReaderSource { options in
      guard !connectionStrings.isEmpty else { throw noReader }
      return try await Readers.open(connectionStrings.map { ReaderAddress($0) }, polling: options)
    } available: {
      connectionStrings.allSatisfy(isPresent)
    }
  }

  /// Returns readers that the program opens itself, again for each session. They share the work
  /// like those of ``named(_:)``.
  public static func opening(
    _ open: @escaping @Sendable () async throws -> [Reader]
  ) -> NFCReaderSource {
    NFCReaderSource(
      open: { _ in
        let readers = try await open()
        guard let first = readers.first else { throw noReader }
        return Readers(first, Array(readers.dropFirst()))
      }, available: { true }, areMachines: false)
  }

  private static var noReader: NFCError {
    NFCError(.readerNotFound, "the program has named no reader")
  }

  /// A reader on a serial port is there if the port is.
  private static func isPresent(_ connectionString: String) -> Bool {
    guard let rest = ReaderAddress(connectionString).rest, rest.hasPrefix("/") else { return true }
    return FileManager.default.fileExists(atPath: String(rest.prefix { $0 != ":" }))
  }
}
