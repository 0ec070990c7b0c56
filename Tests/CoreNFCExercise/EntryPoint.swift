import CoreNFC
import Foundation
import NFC

/// Asks Core NFC whether there is a reader, in a process that sees one on USB.
///
/// ```
/// CoreNFCExercise [open]
/// ```
///
/// With `open` the process has the reader open itself meanwhile. Prints `available` or `unavailable`.
@main
struct CoreNFCExercise {
  static func main() async throws {
    // Of a PC/SC service nothing is to be said.
    setenv("PCSCLITE_CSOCK_NAME", "/nonexistent", 1)
    let reader = CommandLine.arguments.contains("open") ? try await Reader.open() : nil
    print(await isAvailable() ? "available" : "unavailable")
    await reader?.close()
  }

  /// Core NFC answers in half a second, and says that there is a reader while nothing is known: what it says when it
  /// has looked counts.
  private static func isAvailable() async -> Bool {
    var answers: [Bool] = []
    repeat {
      answers.append(NFCTagReaderSession.readingAvailable)
      try? await Task.sleep(for: .milliseconds(700))
    } while answers.count < 20 && answers.suffix(3) != [false, false, false]
      && answers.suffix(3) != [true, true, true]
    return answers.last ?? true
  }
}
