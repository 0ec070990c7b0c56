import Foundation
import Testing

/// A program that has ended. Its output was written to files, because a pipe could fill up.
public struct FinishedProgram: Sendable {
  public let output: String
  public let errors: String
  /// The exit code, or the number of the signal that ended the program.
  public let status: Int32

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - command: the path of the executable, and its arguments.
  ///   - limit: the time after which the program and all processes that it has started are ended.
  public static func run(
    _ command: (executable: String, arguments: [String]), within limit: Duration = .seconds(40)
  ) async throws -> FinishedProgram {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "nfc-program-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let files = ["output", "errors"].map { directory.appending(path: $0) }
    for file in files { try Data().write(to: file) }
    let process = Process()
    process.executableURL = URL(filePath: command.executable)
    process.arguments = command.arguments
    process.standardInput = FileHandle.nullDevice
    let handles = try files.map { try FileHandle(forWritingTo: $0) }
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    let ended = ProcessEnd(of: process)
    try process.run()
    // The program has its own copies. This process must not run out of descriptors.
    for handle in handles { try? handle.close() }
    let status =
      switch await ended.outcome(of: process, within: limit) {
      case .exited(let number), .signalled(let number): number
      }
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return FinishedProgram(output: texts[0], errors: texts[1], status: status)
  }

  /// Runs a program until it succeeds, at most three times. While other tests use the processor, a rig may
  /// answer later than libnfc waits.
  public static func runAgain(
    _ command: (executable: String, arguments: [String])
  ) async throws -> FinishedProgram {
    var program = try await run(command)
    for _ in 0..<2 where program.status != 0 { program = try await run(command) }
    return program
  }

  /// Expects that the program succeeded.
  public func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(status == 0, "\(output)\(errors)", sourceLocation: sourceLocation)
  }

  /// Returns the path of a program that was built with these tests. It is beside the test bundle, which is
  /// this process.
  public static func built(_ name: String) throws -> String {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: name).path
  }

  /// Returns the path of the `nfc` command to test. It is in the directory that `NFC_TEST_PROGRAMS` names,
  /// where `Scripts/test` built it for release as people install it. Without that variable, it is the command
  /// that was built with these tests.
  ///
  /// A command that was built for debugging takes ten times as long. The argument parser uses most of that
  /// time, because it then checks the declarations of all options in each run.
  public static func command() throws -> String {
    guard let directory = ProcessInfo.processInfo.environment["NFC_TEST_PROGRAMS"] else {
      return try built("nfc")
    }
    return URL(filePath: directory).appending(path: "nfc").path
  }
}
