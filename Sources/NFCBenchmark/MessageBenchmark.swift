import Foundation
import NDEF

/// Measures the time to decode a message with all its typed records and to encode it again, here
/// and with ndeflib.
enum MessageBenchmark {
  private static let rounds = 2_000

  private static var messages: [(name: String, bytes: [UInt8])] {
    [
      ("a URI", NDEFMessage(records: [URIRecord("https://www.example.com/path").record])),
      (
        "five texts and URIs",
        NDEFMessage(
          records: (0..<5).flatMap {
            [
              TextRecord("Title number \($0)", language: "en").record,
              URIRecord("https://example.com/\($0)").record,
            ]
          })
      ),
      (
        "a smart poster with two titles",
        NDEFMessage(
          records: [
            SmartPosterRecord(
              uri: URIRecord("https://example.com"),
              titles: [TextRecord("One"), TextRecord("Eins", language: "de")], action: .save
            ).record
          ])
      ),
      (
        "8 kB of an external type",
        NDEFMessage(
          records: [
            ExternalRecord(type: "example.com:t", payload: [UInt8](repeating: 7, count: 8192))
              .record
          ])
      ),
    ].map { ($0.0, $0.1.encoded()) }
  }

  private static let script = """
    import sys, time, ndef
    for line in sys.stdin:
        data = bytes.fromhex(line)
        start = time.perf_counter()
        for _ in range(\(rounds)):
            b''.join(ndef.message_encoder(ndef.message_decoder(data)))
        print((time.perf_counter() - start) / \(rounds) * 1e6)
    """

  static func run(python: String) throws {
    let theirs = try output(
      python, script, input: messages.map { $0.bytes.hexadecimal + "\n" }.joined()
    ).split(separator: "\n").compactMap { Double($0) }
    guard theirs.count == messages.count else { throw BenchmarkFailure("ndeflib gave no figures") }
    print("\n| Decode and encode | bytes | here, µs | ndeflib 0.3.3, µs | times as fast |")
    print("| --- | --- | --- | --- | --- |")
    for (message, other) in zip(messages, theirs) {
      var length = 0
      let start = ContinuousClock.now
      for _ in 0..<rounds { length &+= try decodeAndEncode(message.bytes) }
      let ours = (ContinuousClock.now - start) / .microseconds(1) / Double(rounds)
      guard length == rounds * message.bytes.count else {
        throw BenchmarkFailure("what is encoded is not what was decoded")
      }
      print(
        "| \(message.name) | \(message.bytes.count)",
        String(format: "| %.2f | %.1f | %.0f |", ours, other, other / ours))
    }
  }

  private static func decodeAndEncode(_ bytes: [UInt8]) throws -> Int {
    let message = try NDEFMessage(decoding: bytes)
    let records = try message.records.map { try $0.decoded?.record ?? $0 }
    return NDEFMessage(records: records).encoded().count
  }

  private static func output(
    _ python: String, _ script: String, input: String
  ) throws -> String {
    let process = Process()
    let (from, to) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = ["-c", script]
    process.standardInput = to
    process.standardOutput = from
    try process.run()
    try to.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try to.fileHandleForWriting.close()
    let data = try from.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchmarkFailure("\(python) failed") }
    return String(decoding: data, as: UTF8.self)
  }
}
