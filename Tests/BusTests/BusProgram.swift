import TestSupport
import Testing

/// A program that sees a reader on a bus, run to its end.
struct BusProgram {
  let output: String
  let errors: String
  let status: Int32

  /// Runs the `nfc` command on the reader.
  static func nfc(
    _ arguments: String..., on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> BusProgram {
    try await run(
      [try FinishedProgram.command()] + arguments + ["--reader", reader.connectionString],
      reader, conditions)
  }

  /// Runs the `nfc` command until it does not fail, three times at most: where other tests take the processor, the
  /// rig may answer later than libnfc waits.
  static func nfcAgain(
    _ arguments: String..., on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> BusProgram {
    let command =
      [try FinishedProgram.command()] + arguments + ["--reader", reader.connectionString]
    var program = try await run(command, reader, conditions)
    for _ in 0..<2 where program.status != 0 {
      program = try await run(command, reader, conditions)
    }
    return program
  }

  /// Runs `BusExercise`, which uses the library.
  static func exercise(
    _ arguments: String..., on reader: BusReader, _ conditions: [BusReader.Condition] = [],
    isIsolated: Bool = false
  ) async throws -> BusProgram {
    let address = (isIsolated ? "isolated:" : "") + reader.connectionString
    return try await run(
      [try FinishedProgram.built("BusExercise"), address] + arguments, reader, conditions)
  }

  /// The same on USB.
  static func exercise(
    _ arguments: String..., on reader: USBReader, _ conditions: [USBReader.Condition]
  ) async throws -> BusProgram {
    let program = [try FinishedProgram.built("BusExercise"), reader.connectionString] + arguments
    return try await run(try reader.command(program, conditions))
  }

  /// Runs a script of the shell, in which `NFC` and `READER` are set.
  static func shell(
    _ script: String, on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> BusProgram {
    try await run(
      [
        "/usr/bin/env", "NFC=\(try FinishedProgram.command())",
        "READER=\(reader.connectionString)", "/bin/sh",
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

  private static func run(
    _ program: [String], _ reader: BusReader, _ conditions: [BusReader.Condition]
  ) async throws -> BusProgram {
    try await run(try reader.command(program, conditions))
  }

  private static func run(
    _ command: (executable: String, arguments: [String])
  ) async throws -> BusProgram {
    let program = try await FinishedProgram.run(command)
    return BusProgram(output: program.output, errors: program.errors, status: program.status)
  }

  func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(status == 0, "\(output)\(errors)", sourceLocation: sourceLocation)
  }
}
