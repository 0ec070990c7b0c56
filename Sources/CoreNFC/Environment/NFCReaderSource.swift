import Foundation
import NFC

/// Where sessions get their reader from. Ours, not Apple's.
///
/// A session opens its readers when it begins and closes them when it ends.
public struct NFCReaderSource: Sendable {
  /// Opens the readers for a session.
  let open: @Sendable (PollingOptions) async throws -> [Reader]
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
      open: { try await Reader.openAll(polling: $0) },
      // libnfc does not list every reader that is in use.
      available: { SessionRegistry.shared.hasActiveSession || ReaderSurvey.shared.mayHaveReader })
  }

  /// Readers by their connection strings, for instance a PN532 and, for ISO 15693, a PC/SC reader. Each is
  /// polled for what those before it have not.
  public static func named(_ connectionStrings: String...) -> NFCReaderSource {
    NFCReaderSource { _ in
      var readers: [Reader] = []
      do {
        for name in connectionStrings { readers.append(try await Reader.open(name)) }
        return readers
      } catch {
        // The next session finds them free.
        for reader in readers { await reader.close() }
        throw error
      }
    } available: {
      connectionStrings.allSatisfy(isPresent)
    }
  }

  /// Readers that the program opens itself, for each session anew.
  public static func opening(
    _ open: @escaping @Sendable () async throws -> [Reader]
  ) -> NFCReaderSource {
    NFCReaderSource(
      open: { _ in try await open() }, available: { true }, areMachines: false)
  }

  /// A reader on a serial port is there if the port is.
  private static func isPresent(_ connectionString: String) -> Bool {
    let parts = connectionString.split(separator: ":")
    guard parts.count >= 2, parts[1].hasPrefix("/") else { return true }
    return FileManager.default.fileExists(atPath: String(parts[1]))
  }
}
