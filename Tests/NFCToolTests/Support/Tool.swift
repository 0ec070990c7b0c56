import Foundation
import TestSupport
import Testing
import VirtualNFC

@testable import NFCTool

/// The built `nfc` command, which is run in a separate process.
struct Tool {
  struct Result: Sendable {
    var output: String
    var errors: String
    var status: Int32

    var lines: [String] { output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
  }

  /// Runs a command line to its end.
  ///
  /// If the command changes its tags, they are hosted in this process and watched; see
  /// ``with(_:sourceLocation:_:)``.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], interruptedAfter lines: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Result {
    let hosted = try HostedTags(of: arguments, sourceLocation)
    defer { hosted?.close() }
    let arguments = hosted?.arguments ?? arguments
    await CommandSlots.shared.take()
    do {
      let running = try RunningTool(arguments, environment: environment)
      if let lines {
        _ = try await running.waitForLines(lines)
        running.interrupt()
      }
      let result = try await running.end()
      await CommandSlots.shared.leave()
      return result
    } catch {
      await CommandSlots.shared.leave()
      throw error
    }
  }

  static func run(_ arguments: String...) async throws -> Result { try await run(arguments) }

  /// Runs a shell script, in which `$NFC` is the command. The script may start compilers.
  static func shell(
    _ script: String, environment: [String: String] = [:],
    within limit: Duration = .seconds(180)
  ) async throws -> Result {
    await CommandSlots.shared.take()
    let variables = environment.merging(["NFC": try RunningTool.executable().path]) { $1 }
    let result: Swift.Result<Result, any Error>
    do {
      let running = try RunningTool(["-c", script], environment: variables, program: "/bin/sh")
      result = .success(try await running.end(within: limit))
    } catch {
      result = .failure(error)
    }
    await CommandSlots.shared.leave()
    return try result.get()
  }

  /// Runs `body` with a virtual reader that several commands share. The tag keeps its content and is watched:
  /// an irreversible change that was not requested fails the test.
  static func with(
    _ tag: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (_ nfc: @escaping ([String]) async throws -> Result) async throws -> Void
  ) async throws {
    let field = VirtualField()
    for tag in try VirtualTags([tag]).tags { field.place(tag) }
    let watch = FieldWatch(field, sourceLocation)
    let virtual = try VirtualReader(field)
    let reader = virtual.connectionString
    try await body { try await run($0 + ["--reader", reader]) }
    virtual.close()
    withExtendedLifetime(watch) {}
  }
}

/// Limits the number of commands that run at the same time. libnfc waits only fractions of a second for a
/// reader's answer, which is too short on a busy machine.
private actor CommandSlots {
  static let shared = CommandSlots()

  private var free = 3
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}

/// An `nfc` process that may still be running. Its output is written to files, because a pipe could fill up.
final class RunningTool {
  /// The maximum duration of a command. No command of these tests takes longer, and one that hangs is ended.
  static let longestRun = Duration.seconds(60)

  private let process = Process()
  private let directory: URL
  private let ended: ProcessEnd

  /// - Parameter program: a program other than `nfc`.
  init(
    _ arguments: [String], environment: [String: String] = [:], program: String? = nil
  ) throws {
    directory = try TemporaryDirectory.make()
    for name in ["output", "errors"] {
      try Data().write(to: directory.appending(path: name))
    }
    process.executableURL = try program.map { URL(filePath: $0) } ?? Self.executable()
    process.arguments = arguments
    var variables = ProcessInfo.processInfo.environment
    for name in ["NFC_READER", "LIBNFC_LOG_LEVEL", "LIBNFC_DEVICE", "LIBNFC_DEFAULT_DEVICE"] {
      variables[name] = nil
    }
    process.environment = variables.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let output = try FileHandle(forWritingTo: directory.appending(path: "output"))
    let errors = try FileHandle(forWritingTo: directory.appending(path: "errors"))
    // Otherwise, the process would keep the files open, and libnfc does not support descriptors above 1023.
    defer { for file in [output, errors] { try? file.close() } }
    process.standardOutput = output
    process.standardError = errors
    ended = ProcessEnd(of: process)
    try process.run()
  }

  /// Returns the command that is tested.
  static func executable() throws -> URL { URL(filePath: try FinishedProgram.command()) }

  /// Returns the directory of the modules and examples that were built with these tests.
  static func built() throws -> URL {
    URL(filePath: try FinishedProgram.built("NFCExample")).deletingLastPathComponent()
  }

  /// A test that fails must not leave a process running, because the process would keep its reader.
  deinit { if process.isRunning { ProcessEnd.end(process.processIdentifier) } }

  func interrupt(_ signal: Int32 = SIGINT) { kill(process.processIdentifier, signal) }

  private func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: directory.appending(path: name)), as: UTF8.self)
  }

  /// Returns the output so far.
  func output() throws -> String { try text("output") }

  /// Returns the text that was written to standard error so far.
  func errors() throws -> String { try text("errors") }

  /// Waits until this many complete lines have been printed.
  func waitForLines(_ count: Int) async throws -> [String] {
    let deadline = ContinuousClock.now + Self.longestRun
    while ContinuousClock.now < deadline, process.isRunning {
      let output = try text("output")
      if output.count(where: { $0 == "\n" }) >= count { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    return try text("output").split(separator: "\n").map(String.init)
  }

  func end(within limit: Duration = longestRun) async throws -> Tool.Result {
    let status =
      switch await ended.outcome(of: process, within: limit) {
      case .exited(let code): code
      case .signalled(let number): 128 + number
      }
    let result = Tool.Result(
      output: try text("output"), errors: try text("errors"), status: status)
    try FileManager.default.removeItem(at: directory)
    return result
  }
}

/// Creates directories for the files of one test.
enum TemporaryDirectory {
  static func make() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "nfc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  /// Runs `body` with a directory that is removed afterwards.
  static func with<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let url = try make()
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(url)
  }
}

extension RunningTool {
  /// Waits until standard error contains a text.
  func waitForErrors(_ text: String) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      if try errors().contains(text) { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }
}
