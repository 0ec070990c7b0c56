import Foundation
import TestSupport
import Testing

/// A program that sees a reader on a bus, run to its end.
struct BusProgram {
  let output: String
  let errors: String
  let status: Int32

  private static let longestRun = Duration.seconds(40)

  /// Runs the `nfc` command on the reader.
  static func nfc(
    _ arguments: String..., on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> BusProgram {
    try await run(
      [try built("nfc")] + arguments + ["--reader", reader.connectionString], reader, conditions)
  }

  /// Runs the `nfc` command until it does not fail, three times at most: where other tests take the processor, the
  /// rig may answer later than libnfc waits.
  static func nfcAgain(
    _ arguments: String..., on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> BusProgram {
    let command = [try built("nfc")] + arguments + ["--reader", reader.connectionString]
    var program = try await run(command, reader, conditions)
    for _ in 0..<2 where program.status != 0 {
      program = try await run(command, reader, conditions)
    }
    return program
  }

  /// Runs `BusExercise`, which uses the library.
  static func exercise(
    _ arguments: String..., on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> BusProgram {
    try await run(
      [try built("BusExercise"), reader.connectionString] + arguments, reader, conditions)
  }

  /// The same on USB.
  static func exercise(
    _ arguments: String..., on reader: USBReader, _ conditions: [USBReader.Condition]
  ) async throws -> BusProgram {
    let program = [try built("BusExercise"), reader.connectionString] + arguments
    return try await run(try reader.command(program, conditions))
  }

  /// Runs a script of the shell, in which `NFC` and `READER` are set.
  static func shell(
    _ script: String, on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> BusProgram {
    try await run(
      [
        "/usr/bin/env", "NFC=\(try built("nfc"))", "READER=\(reader.connectionString)", "/bin/sh",
        "-c", script,
      ], reader, conditions)
  }

  /// Runs somebody else's program.
  static func other(
    _ name: String, _ arguments: String..., on reader: BusReader,
    _ conditions: [BusReader.Condition] = []
  ) async throws -> BusProgram {
    try await run(
      ["/usr/bin/env", "LIBNFC_DEVICE=\(reader.connectionString)", "/usr/bin/\(name)"] + arguments,
      reader, conditions)
  }

  /// What has been built stands beside the test bundle, which this process is.
  private static func built(_ name: String) throws -> String {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: name).path
  }

  private static func run(
    _ program: [String], _ reader: BusReader, _ conditions: [BusReader.Condition]
  ) async throws -> BusProgram {
    try await run(try reader.command(program, conditions))
  }

  private static func run(
    _ command: (executable: String, arguments: [String])
  ) async throws -> BusProgram {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "nfc-bus-\(UUID().uuidString)")
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
    return BusProgram(output: texts[0], errors: texts[1], status: status)
  }

  func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(status == 0, "\(output)\(errors)", sourceLocation: sourceLocation)
  }
}
