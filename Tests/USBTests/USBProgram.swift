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
  static func watches(
    untilTaps count: Int = 1, named name: String? = nil, andThen time: Duration = .zero
  ) -> String {
    """
    output=$(mktemp)
    "$NFC" watch --json --debounce 0 \(name.map { "--reader '\($0)'" } ?? "") > "$output" &
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

  /// Returns a script that runs `nfc watch --json` until it has reported some taps, and then prints its output.
  ///
  /// A line `descriptors 13 leases 1` follows the first tap and the last one. Sockets are not counted, because
  /// umockdev keeps connections of its own in the program. The smallest number within a second counts, because
  /// some descriptors are open only while USB devices are listed. The command of each tap writes a line
  /// `NFC_READER` and the variable's value to standard error.
  static func watchesItsResources(untilTaps count: Int) -> String {
    """
    folder=$(mktemp -d)
    export XDG_RUNTIME_DIR="$folder"
    "$NFC" watch --json --debounce 0 --exec 'echo "NFC_READER $NFC_READER" >&2' > "$folder/output" &
    watch=$!
    for taps in 1 \(count); do
      for i in $(seq 400); do
        [ "$(grep -c '"tap"' "$folder/output")" -ge $taps ] && break
        sleep 0.05
      done
      least=1000
      for i in $(seq 10); do
        now=$(ls -l /proc/$watch/fd | grep -vc socket:)
        [ $now -lt $least ] && least=$now
        sleep 0.1
      done
      echo "descriptors $least leases $(ls "$folder/nfc" | grep -c '^lease-')"
    done
    kill -INT $watch
    wait
    cat "$folder/output"
    rm -r "$folder"
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
