import SwiftNFCChildProcesses
import Foundation
import Testing

/// A program that a test has started. Its output is written to files, because a pipe could fill up.
///
/// If the object is released while the program is running, the program and all processes that it has started
/// are ended, because they would keep their reader.
public final class RunningProgram: Sendable {
  /// The time after which a program is ended if a test does not specify another.
  public static let longestRun = Duration.seconds(60)

  /// Contains the input and output of the program.
  private let files: URL
  private let process: RunningProcess

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - executable: its path, or a name that is looked up by `PATH`.
  ///   - environment: the environment variables. Others are not inherited.
  ///   - directory: the working directory, or `nil` for that of the tests.
  ///   - input: the content of its standard input.
  public init(
    _ executable: String, _ arguments: [String] = [],
    environment: [String: String] = ProcessInfo.processInfo.environment, directory: URL? = nil,
    input: String = ""
  ) throws {
    let files = FileManager.default.temporaryDirectory.appending(
      path: "nfc-program-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    self.files = files
    func file(_ name: String, _ content: String = "") throws -> ProgramStart.Stream {
      let url = files.appending(path: name)
      try Data(content.utf8).write(to: url)
      return .file(url.path)
    }
    let command = directory.map { ["/usr/bin/env", "-C", $0.path] } ?? []
    let words = command + [executable] + arguments
    var start = ProgramStart(words[0], Array(words.dropFirst()), environment: environment)
    start.input = try file("input", input)
    start.output = try file("output")
    start.errors = try file("errors")
    do {
      process = try RunningProcess(start)
    } catch let failure {
      throw CannotStart(program: executable, reason: String(cString: strerror(failure.errno)))
    }
  }

  private struct CannotStart: Error, CustomStringConvertible {
    let program: String
    let reason: String

    var description: String { "cannot start \(program): \(reason)" }
  }

  deinit {
    if process.isRunning { process.signalGroup(SIGKILL) }
    try? FileManager.default.removeItem(at: files)
  }

  public var isRunning: Bool { process.isRunning }
  /// The number by which the system knows the program.
  public var processIdentifier: Int32 { process.identifier }

  /// Returns the output so far.
  public var output: String { text("output") }

  /// Returns the text that was written to standard error so far.
  public var errors: String { text("errors") }

  private func text(_ name: String) -> String {
    let data = try? Data(contentsOf: files.appending(path: name))
    return String(decoding: data ?? Data(), as: UTF8.self)
  }

  /// Sends a signal to the program if it is running.
  public func signal(_ number: Int32) { process.signal(number) }

  /// Waits until the output satisfies a condition.
  ///
  /// - Returns: `false` if the program has ended or the time is over before that.
  @discardableResult
  public func waitForOutput(
    within limit: Duration = longestRun, _ isComplete: (RunningProgram) -> Bool
  ) async throws -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
      let isOver = !process.isRunning || ContinuousClock.now >= deadline
      if isComplete(self) { return true }
      if isOver { return false }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Waits for the end of the program.
  ///
  /// - Parameter limit: the time after which the program and all processes that it has started are ended
  ///   with `SIGKILL`.
  public func end(within limit: Duration = longestRun) async -> FinishedProgram {
    var outcome = await process.outcome(within: limit)
    if outcome == nil {
      process.signalGroup(SIGKILL)
      let process = process
      outcome = await Task.detached { await process.outcome(within: nil) }.value
    }
    let status =
      switch outcome {
      case .exited(let code): code
      case .signaled(let number): 128 + number
      case .unknown, nil: Int32.max
      }
    return FinishedProgram(output: output, errors: errors, status: status)
  }

  /// Waits for the end of the program without suspending.
  ///
  /// - Parameter limit: the time after which the program is ended with `SIGKILL`.
  /// - Returns: whether the program has ended by itself.
  @discardableResult
  public func end(blockingFor limit: Duration) -> Bool {
    if process.outcome(blockingFor: limit) != nil { return true }
    process.signalGroup(SIGKILL)
    _ = process.outcome(blockingFor: .seconds(5))
    return false
  }
}
