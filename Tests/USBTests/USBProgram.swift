import Foundation
import Testing
import TestSupport

/// A program that sees a USB reader, run to its end.
struct USBProgram {
  let output: String
  let errors: String
  let status: Int32

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

  /// Runs the `nfc` command where a PC/SC daemon has the reader.
  static func nfc(_ arguments: String..., beside service: USBService) async throws -> USBProgram {
    try await run(try service.command([try tool] + arguments))
  }

  /// Runs a script of the shell there, in which `NFC` is set.
  static func shell(_ script: String, beside service: USBService) async throws -> USBProgram {
    try await run(
      try service.command(["/usr/bin/env", "NFC=\(try tool)", "/bin/sh", "-c", script]))
  }

  /// Runs a script of the shell that sees the reader, in which `NFC` is set.
  static func shell(
    _ script: String, on reader: USBReader, _ conditions: USBReader.Condition...
  ) async throws -> USBProgram {
    try await run(
      ["/usr/bin/env", "NFC=\(try tool)", "/bin/sh", "-c", script], reader, conditions)
  }

  /// A script that runs `nfc watch --json` until it has reported a tap, and so much longer; for twenty seconds at most.
  static func watchesUntilATap(andThen time: Duration = .zero) -> String {
    """
    output=$(mktemp)
    "$NFC" watch --json --debounce 0 > "$output" &
    watch=$!
    for i in $(seq 200); do
      grep -q tap "$output" && break
      sleep 0.1
    done
    sleep \(time / .seconds(1))
    kill -INT $watch
    wait
    cat "$output"
    rm "$output"
    """
  }

  /// Runs `CoreNFCExercise`, which uses Core NFC.
  static func coreNFC(
    _ arguments: String..., on reader: USBReader, _ conditions: USBReader.Condition...
  ) async throws -> USBProgram {
    try await run([try FinishedProgram.built("CoreNFCExercise")] + arguments, reader, conditions)
  }

  private static var tool: String {
    get throws { try FinishedProgram.command() }
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
    try await run(try reader.command(program, conditions))
  }

  private static func run(
    _ command: (executable: String, arguments: [String])
  ) async throws -> USBProgram {
    let program = try await FinishedProgram.run(command)
    return USBProgram(output: program.output, errors: program.errors, status: program.status)
  }

  func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(status == 0, "\(output)\(errors)", sourceLocation: sourceLocation)
  }
}
