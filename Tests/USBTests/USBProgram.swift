import Foundation
import Testing
import TestSupport

/// Runs programs that use a USB reader.
enum USBProgram {
  /// Runs the `nfc` command.
  static func nfc(
    _ arguments: String..., on reader: USBReader, _ conditions: USBReader.Condition...
  ) async throws -> FinishedProgram {
    try await run([try tool] + arguments, reader, conditions)
  }

  static func nfc(
    _ arguments: [String], on reader: USBReader, _ conditions: USBReader.Condition...
  ) async throws -> FinishedProgram {
    try await run([try tool] + arguments, reader, conditions)
  }

  /// Runs the `nfc` command and interrupts it after some time.
  static func nfc(
    _ arguments: [String], endedAfter time: Duration, on reader: USBReader,
    _ conditions: USBReader.Condition...
  ) async throws -> FinishedProgram {
    let limit = ["/usr/bin/timeout", "--signal=INT", "\(time / .seconds(1))"]
    return try await run(limit + [try tool] + arguments, reader, conditions)
  }

  /// Runs the `nfc` command until it succeeds, at most three times.
  static func nfcAgain(
    _ arguments: String..., on reader: USBReader
  ) async throws -> FinishedProgram {
    try await FinishedProgram.runAgain(try reader.command([try tool] + arguments))
  }

  /// Runs the `nfc` command on a system where a PC/SC daemon uses the reader.
  static func nfc(_ arguments: String..., beside service: USBService) async throws
    -> FinishedProgram
  {
    try await FinishedProgram.run(try service.command([try tool] + arguments))
  }

  /// Runs a shell script on such a system, with the variable `NFC`.
  static func shell(_ script: String, beside service: USBService) async throws -> FinishedProgram {
    try await FinishedProgram.run(
      try service.command(["/usr/bin/env", "NFC=\(try tool)", "/bin/sh", "-c", script]))
  }

  /// Runs a shell script that can access the reader, with the variable `NFC`.
  static func shell(
    _ script: String, on reader: USBReader, _ conditions: USBReader.Condition...
  ) async throws -> FinishedProgram {
    try await run(
      ["/usr/bin/env", "NFC=\(try tool)", "/bin/sh", "-c", script], reader, conditions)
  }

  /// Returns a script that runs `nfc watch --json` until it has reported some taps, and then for some time longer;
  /// for twenty seconds at most.
  static func watches(untilTaps count: Int = 1, andThen time: Duration = .zero) -> String {
    """
    output=$(mktemp)
    "$NFC" watch --json --debounce 0 > "$output" &
    watch=$!
    for i in $(seq 200); do
      [ "$(grep -c '"tap"' "$output")" -ge \(count) ] && break
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
  ) async throws -> FinishedProgram {
    try await run([try FinishedProgram.built("CoreNFCExercise")] + arguments, reader, conditions)
  }

  private static var tool: String {
    get throws { try FinishedProgram.command() }
  }

  /// Runs another project's program.
  static func other(
    _ name: String, _ arguments: String..., on reader: USBReader,
    _ conditions: USBReader.Condition...
  ) async throws -> FinishedProgram {
    try await run(["/usr/bin/\(name)"] + arguments, reader, conditions)
  }

  private static func run(
    _ program: [String], _ reader: USBReader, _ conditions: [USBReader.Condition]
  ) async throws -> FinishedProgram {
    try await FinishedProgram.run(try reader.command(program, conditions))
  }
}
