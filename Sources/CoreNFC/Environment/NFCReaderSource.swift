import Foundation
import NFC

/// Where sessions get their reader from. Ours, not Apple's.
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

  /// The reader that the environment variable `NFC_READER` names, as for `Reader.open`; without it, the
  /// first that is found, and others for what that one cannot poll.
  public static var automatic: NFCReaderSource {
    if let name = Reader.nameInEnvironment { return named(name) }
    return NFCReaderSource(
      open: { try await Readers.open(polling: $0) },
      // libnfc does not list every reader that is in use.
      available: { SessionRegistry.shared.hasActiveSession || ReaderSurvey.shared.mayHaveReader })
  }

  /// Readers by their connection strings, for instance a PN532 and, for ISO 15693, a PC/SC reader. They poll side
  /// by side, each for all that it has; where there are others too, one of the PC/SC service only for what those
  /// lack.
  public static func named(_ connectionStrings: String...) -> NFCReaderSource {
    NFCReaderSource { options in
      guard !connectionStrings.isEmpty else { throw noReader }
      return try await Readers.open(connectionStrings.map { ReaderAddress($0) }, polling: options)
    } available: {
      connectionStrings.allSatisfy(isPresent)
    }
  }

  /// Readers that the program opens itself, again for each session. They share the work as those of
  /// ``named(_:)`` do.
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
