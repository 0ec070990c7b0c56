import Foundation
import SwiftNFCCore
import VirtualNFC

/// Measures how long a reader takes to read a message from a card that a PN532 at 115 200 baud acts as: by `nfc emulate`,
/// and by libnfc's `nfc-emulate-forum-tag4`, with the same size of parts. Frames over the air take no time here, as they
/// take the same for both.
enum CardBenchmark {
  private static let runs = 11
  private static let size = 868
  /// The size of parts that `nfc-emulate-forum-tag4` announces.
  private static let part = 0x54

  static func run(tool: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "nfc-card-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "message.ndef")
    try Data(NDEFMessageBytes.link("https://example.com/", length: size)).write(to: file)
    let other = "/usr/bin/nfc-emulate-forum-tag4"
    guard FileManager.default.isExecutableFile(atPath: other) else { return }
    var times: [[Double]] = [[], []]
    for run in 0..<runs {
      for index in run.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        times[index].append(
          try index == 0
            ? measure(other, [file.path], folder)
            : measure(tool, ["emulate", "raw", file.path, "--mle", "\(part)", "--reader"], folder))
      }
    }
    let (theirs, ours) = (NFCBenchmark.median(times[0]), NFCBenchmark.median(times[1]))
    print(
      "\n| A card of \(size) bytes read, 115 200 baud, median of \(runs) | C, ms | nfc, ms | ratio |"
    )
    print("| --- | --- | --- | --- |")
    print(
      "| emulate, parts of \(part) bytes | \(NFCBenchmark.decimal(theirs, 1)) | "
        + "\(NFCBenchmark.decimal(ours, 1)) | \(NFCBenchmark.decimal(ours / theirs, 2)) |")
  }

  /// - Returns: the time from the activation to the last byte, in milliseconds.
  private static func measure(
    _ program: String, _ arguments: [String], _ folder: URL
  ) throws -> Double {
    let virtual = try VirtualReader(VirtualField(), pace: .line)
    defer { virtual.close() }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments =
      arguments.last == "--reader" ? arguments + [virtual.connectionString] : arguments
    process.environment = [
      "LIBNFC_DEVICE": virtual.connectionString, "LIBNFC_AUTO_SCAN": "false",
      "PATH": "/usr/bin:/bin",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    return try MinimalReader(virtual.antenna).read(size)
  }
}

/// Reads a Type 4 tag by the fewest frames.
private struct MinimalReader {
  private let antenna: any FacingAntenna

  init(_ antenna: any FacingAntenna) { self.antenna = antenna }

  private func exchange(_ frame: RadioFrame) -> [UInt8]? {
    antenna.exchange(frame, limit: .milliseconds(155)) { false }?.bytes
  }

  func read(_ size: Int) throws -> Double {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(20)
    antenna.setField(true)
    // The program needs a moment until it has armed the chip.
    while exchange(RadioFrame([0x26], modulation: .typeA, bitsInLastByte: 7)) == nil {
      guard clock.now < deadline else { throw BenchmarkFailure("no card came") }
      usleep(1000)
    }
    guard let part = exchange(RadioFrame([0x93, 0x20], modulation: .typeA)), part.count == 5,
      exchange(.typeA([0x93, 0x70] + part)) != nil
    else { throw BenchmarkFailure("the card was not selected") }
    let start = clock.now
    guard exchange(.typeA([0xE0, 0x80])) != nil else { throw BenchmarkFailure("no ATS") }
    var number: UInt8 = 0
    func send(_ command: [UInt8]) throws -> [UInt8] {
      var frame = [0x02 | number] + command
      var collected: [UInt8] = []
      while true {
        guard let answer = exchange(.typeA(frame))?.dropLast(2), let pcb = answer.first else {
          throw BenchmarkFailure("the card is silent")
        }
        if pcb == 0xF2 {
          frame = Array(answer)
          continue
        }
        number ^= 1
        collected += answer.dropFirst()
        guard pcb & 0x10 != 0 else { return collected.dropLast(2) }
        frame = [0xA2 | number]
      }
    }
    _ = try send([0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00])
    _ = try send([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03])
    let container = try send([0x00, 0xB0, 0x00, 0x00, 0x0F])
    guard container.count == 15 else { throw BenchmarkFailure("no capability container") }
    let largest = Int(container[3]) << 8 | Int(container[4])
    _ = try send([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04])
    _ = try send([0x00, 0xB0, 0x00, 0x00, 0x02])
    var count = 0
    while count < size {
      let (offset, length) = (count + 2, min(largest, size - count))
      let data = try send([0x00, 0xB0, UInt8(offset >> 8), UInt8(offset & 0xFF), UInt8(length)])
      guard data.count == length else { throw BenchmarkFailure("a part is missing") }
      count += data.count
    }
    let time = clock.now - start
    antenna.setField(false)
    return time / .milliseconds(1)
  }
}
