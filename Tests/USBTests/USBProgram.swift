import Foundation
import Testing
import TestSupport

/// A program that sees a USB reader, run to its end.
struct USBProgram {
  let output: String
  let errors: String
  let status: Int32

  private static let longestRun = Duration.seconds(40)

  /// Runs the `nfc` command.
  static func nfc(
    _ arguments: String..., on reader: USBReader, _ conditions: USBReader.Condition...
  ) async throws -> USBProgram {
    try await run([try tool] + arguments, reader, conditions)
  }

  static func nfc(
    _ arguments: [String], on reader: USBReader, _ conditions: USBReader.Condition...
  ) async throws -> USBProgram {
    try await run([try tool] + arguments, reader, conditions)
  }

  /// Runs the `nfc` command and interrupts it after some time.
  static func nfc(
    _ arguments: [String], endedAfter time: Duration, on reader: USBReader,
    _ conditions: USBReader.Condition...
  ) async throws -> USBProgram {
    let limit = ["/usr/bin/timeout", "--signal=INT", "\(time / .seconds(1))"]
    return try await run(limit + [try tool] + arguments, reader, conditions)
  }

  /// Runs the `nfc` command until it does not fail, three times at most: where other tests take the processor, the
  /// rig may answer later than libnfc waits.
  static func nfcAgain(_ arguments: String..., on reader: USBReader) async throws -> USBProgram {
    var program = try await run([try tool] + arguments, reader, [])
    for _ in 0..<2 where program.status != 0 {
      program = try await run([try tool] + arguments, reader, [])
    }
    return program
  }

  /// The command stands beside the test bundle, which this process is.
  private static var tool: String {
    get throws {
      let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(filePath: bundle).deletingLastPathComponent().appending(path: "nfc").path
    }
  }

  /// Runs somebody else's program.
  static func other(
    _ name: String, _ arguments: String..., on reader: USBReader,
    _ conditions: USBReader.Condition...
  ) async throws -> USBProgram {
    try await run(["/usr/bin/\(name)"] + arguments, reader, conditions)
  }

  private static func run(
    _ program: [String], _ reader: USBReader, _ conditions: [USBReader.Condition]
  ) async throws -> USBProgram {
    let command = try reader.command(program, conditions)
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "nfc-usb-\(UUID().uuidString)")
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
    for handle in handles { try? handle.close() }
    let status =
      switch await ended.outcome(of: process, within: longestRun) {
      case .exited(let number), .signalled(let number): number
      }
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return USBProgram(output: texts[0], errors: texts[1], status: status)
  }

  func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(status == 0, "\(output)\(errors)", sourceLocation: sourceLocation)
  }
}
