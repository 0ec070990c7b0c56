import Foundation

/// The folders of a user (XDG Base Directory Specification).
package enum UserFolder {
  /// Returns the home folder: `HOME`, or that of the account.
  package static func home(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String {
    absolute("HOME", environment) ?? FileManager.default.homeDirectoryForCurrentUser.path
  }

  /// Returns the folder for what programs remember.
  package static func state(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String {
    absolute("XDG_STATE_HOME", environment) ?? home(environment) + "/.local/state"
  }

  /// Returns the folder for what users configure.
  package static func configuration(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String {
    absolute("XDG_CONFIG_HOME", environment) ?? home(environment) + "/.config"
  }

  private static func absolute(_ name: String, _ environment: [String: String]) -> String? {
    environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}
