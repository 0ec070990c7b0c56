import Foundation
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool

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
    try await with(VirtualTags([tag]).tags, sourceLocation: sourceLocation, body)
  }

  /// Does the same with tags that no name stands for.
  static func with(
    _ tags: [VirtualTag], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (_ nfc: @escaping ([String]) async throws -> Result) async throws -> Void
  ) async throws {
    let field = VirtualField()
    for tag in tags { field.place(tag) }
    let watch = FieldWatch(field, sourceLocation)
    let virtual = try VirtualReader(field)
    let reader = virtual.connectionString
    try await body { try await run($0 + ["--reader", reader]) }
    virtual.close()
    withExtendedLifetime(watch) {}
  }

  /// Runs command lines of one subcommand on a virtual reader, and checks the status of each. A failure is one
  /// line, and the output must not contain a secret.
  ///
  /// - Parameter hasNotes: whether a command that succeeds may write to standard error.
  static func with(
    _ tag: String, subcommand: String, hiding secrets: [String], hasNotes: Bool,
    _ body: (_ nfc: (_ line: String, _ status: Int32) async throws -> Result) async throws -> Void
  ) async throws {
    try await with(tag) { nfc in
      try await body { line, status in
        let result = try await nfc([subcommand] + line.split(separator: " ").map(String.init))
        #expect(result.status == status, "\(line): \(result.output)\(result.errors)")
        for secret in secrets {
          #expect(!(result.output + result.errors).uppercased().contains(secret))
        }
        if status == 0, !hasNotes { #expect(result.errors == "", "\(line)") }
        if status > 64 {
          #expect(result.errorLines.count == 1 && result.errors.hasPrefix("nfc: "), "\(line)")
        }
        return result
      }
    }
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

/// An `nfc` process that may still be running.
final class RunningTool: Sendable {
  /// The maximum duration of a command. No command of these tests takes longer, and one that hangs is ended.
  static let longestRun = Duration.seconds(60)

  private let program: RunningProgram

  /// - Parameter program: a program other than `nfc`.
  init(
    _ arguments: [String], environment: [String: String] = [:], program: String? = nil
  ) throws {
    var variables = ProcessInfo.processInfo.environment
    for name in ["NFC_READER", "LIBNFC_LOG_LEVEL", "LIBNFC_DEVICE", "LIBNFC_DEFAULT_DEVICE"] {
      variables[name] = nil
    }
    self.program = try RunningProgram(
      program ?? Self.executable().path, arguments,
      environment: variables.merging(environment) { $1 })
  }

  /// Returns the command that is tested.
  static func executable() throws -> URL { URL(filePath: try FinishedProgram.command()) }

  /// Returns the directory of the modules and examples that were built with these tests.
  static func built() throws -> URL {
    URL(filePath: try FinishedProgram.built("NFCExample")).deletingLastPathComponent()
  }

  func interrupt(_ signal: Int32 = SIGINT) { program.signal(signal) }

  /// Returns the output so far.
  func output() -> String { program.output }

  /// Returns the text that was written to standard error so far.
  func errors() -> String { program.errors }

  /// Waits until this many complete lines have been printed.
  func waitForLines(_ count: Int) async throws -> [String] {
    try await program.waitForOutput(within: Self.longestRun) {
      $0.output.count(where: { $0 == "\n" }) >= count
    }
    return program.output.split(separator: "\n").map(String.init)
  }

  /// Waits until standard error contains a text.
  func waitForErrors(_ text: String) async throws -> Bool {
    try await program.waitForOutput(within: .seconds(20)) { $0.errors.contains(text) }
  }

  func end(within limit: Duration = longestRun) async throws -> Tool.Result {
    let result = await program.end(within: limit)
    return Tool.Result(output: result.output, errors: result.errors, status: result.status)
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
