import SwiftNFCChildProcesses
import SwiftNFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The executable that has a reader for other programs.
struct HelperProgram: Sendable {
  static let name = "nfc-reader"
  /// The environment variable that names it.
  static let variable = "NFC_READER_HELPER"

  /// The path of the program; `nil` to search for it.
  let path: String?

  /// Returns the executable: the one that the program has specified, or else that of the
  /// environment variable, or else the one in the directory of the running program, or else the
  /// first in `PATH`.
  ///
  /// - Throws: `readerUnavailable` if there is none, with advice.
  func executable() throws -> String {
    if let named = path ?? Self.environment(Self.variable) {
      guard OwnProgram.isExecutable(named) else {
        throw Self.missing("\(named), which is to drive the reader, is not a program")
      }
      return named
    }
    var folders: [String] = []
    if let own = OwnProgram.folder { folders.append(own) }
    folders += (Self.environment("PATH") ?? "").split(separator: ":").map(String.init)
    // An empty entry of PATH would be the working directory, which may belong to anyone.
    for folder in folders where folder.hasPrefix("/") {
      let path = folder + "/" + Self.name
      if OwnProgram.isExecutable(path) { return path }
    }
    throw Self.missing("\(Self.name), which is to drive the reader, is not installed")
  }

  private static func missing(_ reason: String) -> NFCError {
    NFCError(
      .readerUnavailable,
      "\(reason); put it into this program's directory or into PATH, or name it in \(variable)")
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }
}
