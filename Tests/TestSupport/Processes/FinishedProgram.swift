import Foundation
import Testing

/// A program that has ended.
public struct FinishedProgram: Sendable {
  public let output: String
  public let errors: String
  /// The exit code. If a signal has ended the program, 128 and the number of the signal, as in a shell.
  public let status: Int32

  /// The output, and what was written to standard error.
  public var text: String { output + errors }

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - command: the path of the executable, and its arguments.
  ///   - limit: the time after which the program and all processes that it has started are ended.
  public static func run(
    _ command: (executable: String, arguments: [String]), within limit: Duration = .seconds(40)
  ) async throws -> FinishedProgram {
    try await RunningProgram(command.executable, command.arguments).end(within: limit)
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

  /// Expects that the program has printed these texts.
  public func expectOutput(_ parts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    for part in parts {
      #expect(output.contains(part), "\(output)\(errors)", sourceLocation: sourceLocation)
    }
  }

  /// Returns the path of a program that was built with these tests. It is beside the test bundle, which is
  /// this process.
  public static func built(_ name: String) throws -> String {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: name).path
  }

  /// Returns the path of the `nfc` command to test. It is in the directory that `NFC_TEST_PROGRAMS` names, or else
  /// the command that was built with these tests.
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

/// Ends this process, in which an exit test runs, after two minutes. Exit tests have no other time limit.
public func limitThisProcess() { alarm(120) }
