import Foundation

/// The scripts that simulate a reader for a child process, using umockdev.
enum Rig {
  /// A program that a rig requires is not installed.
  struct MissingProgram: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path) is not there; run Scripts/install-dependencies tests" }
  }

  /// Returns the path of a script.
  static func script(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Rig/\(name)").path
  }

  /// Returns the command that runs a program in a rig.
  ///
  /// - Parameters:
  ///   - name: the script that simulates the reader.
  ///   - arguments: the arguments of the script.
  ///   - program: the program and its arguments. Its executable must exist.
  static func command(
    _ name: String, _ arguments: [String], running program: [String]
  ) throws -> (executable: String, arguments: [String]) {
    let wrapper = "/usr/bin/umockdev-wrapper"
    let python = "/usr/bin/python3"
    for file in [wrapper, python] + program.prefix(1)
    where !FileManager.default.isExecutableFile(atPath: file) {
      throw MissingProgram(path: file)
    }
    // Without -B, bytecode beside the scripts would change the checkout.
    return (wrapper, [python, "-B", script(name)] + arguments + ["--"] + program)
  }
}
