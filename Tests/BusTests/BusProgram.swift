import TestSupport
import Testing

/// Runs programs that use a reader on a bus.
enum BusProgram {
  /// Runs the `nfc` command on the reader.
  static func nfc(
    _ arguments: String..., on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> FinishedProgram {
    try await nfc(arguments, on: reader, conditions)
  }

  static func nfc(
    _ arguments: [String], on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> FinishedProgram {
    try await run(
      [try FinishedProgram.command()] + arguments + ["--reader", reader.connectionString],
      reader, conditions)
  }

  /// Runs the `nfc` command until it succeeds, at most three times.
  static func nfcAgain(
    _ arguments: String..., on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> FinishedProgram {
    let command =
      [try FinishedProgram.command()] + arguments + ["--reader", reader.connectionString]
    return try await FinishedProgram.runAgain(try reader.command(command, conditions))
  }

  /// Runs `BusExercise`, which uses the library.
  static func exercise(
    _ arguments: String..., on reader: BusReader, _ conditions: [BusReader.Condition] = [],
    isIsolated: Bool = false
  ) async throws -> FinishedProgram {
    let address = (isIsolated ? "isolated:" : "") + reader.connectionString
    return try await run(
      [try FinishedProgram.built("BusExercise"), address] + arguments, reader, conditions)
  }

  /// Runs `BusExercise` with a USB reader.
  static func exercise(
    _ arguments: String..., on reader: USBReader, _ conditions: [USBReader.Condition]
  ) async throws -> FinishedProgram {
    let program = [try FinishedProgram.built("BusExercise"), reader.connectionString] + arguments
    return try await FinishedProgram.run(try reader.command(program, conditions))
  }

  /// Runs a shell script with the variables `NFC` and `READER`.
  static func shell(
    _ script: String, on reader: BusReader, _ conditions: [BusReader.Condition] = []
  ) async throws -> FinishedProgram {
    try await run(
      [
        "/usr/bin/env", "NFC=\(try FinishedProgram.command())",
        "READER=\(reader.connectionString)", "/bin/sh",
        "-c", script,
      ], reader, conditions)
  }

  /// Runs another project's program.
  static func other(
    _ name: String, _ arguments: String..., on reader: BusReader,
    _ conditions: [BusReader.Condition] = []
  ) async throws -> FinishedProgram {
    try await run(
      ["/usr/bin/env", "LIBNFC_DEVICE=\(reader.connectionString)", "/usr/bin/\(name)"] + arguments,
      reader, conditions)
  }

  private static func run(
    _ program: [String], _ reader: BusReader, _ conditions: [BusReader.Condition]
  ) async throws -> FinishedProgram {
    try await FinishedProgram.run(try reader.command(program, conditions))
  }
}
