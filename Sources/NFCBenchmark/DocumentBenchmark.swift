import Foundation
import VirtualNFC

/// Measures how long reading a travel document with a face of 20 480 bytes takes with the nfc tool and with Debian's
/// mrtdreader, alternately on the same virtual reader, at 115 200 baud and with the time that frames take over the air.
enum DocumentBenchmark {
  private static let runs = 5
  private static let other = "/usr/bin/mrtdreader"
  private static let fields = ["L898902C", "690806", "940623"]

  /// The document of Doc 9303-11, appendix D, with a larger face. It is opened by BAC, which both support.
  private static func document() throws -> VirtualTag {
    let specimen = TravelDocument.specimen
    var face = specimen.dataGroups[2] ?? []
    // Trailing bytes of the image, in the innermost object: the lengths of all that contain it have two bytes.
    let missing = 20_480 - face.count
    for offset in Self.lengthOffsets(face) {
      let length = (Int(face[offset]) << 8 | Int(face[offset + 1])) + missing
      (face[offset], face[offset + 1]) = (UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF))
    }
    face += [UInt8](repeating: 0, count: missing)
    var chip = TravelDocument.Chip()
    chip.passwordProtocols = []
    return .emrtd(
      try TravelDocument(
        machineReadableZone: specimen.machineReadableZone, dataGroups: [2: face],
        securityObject: specimen.securityObject), chip: chip)
  }

  /// Returns where the lengths of 75, 7F61, 7F60 and 5F2E are.
  private static func lengthOffsets(_ face: [UInt8]) -> [Int] {
    [[0x75, 0x82], [0x7F, 0x61, 0x82], [0x7F, 0x60, 0x82], [0x5F, 0x2E, 0x82]].compactMap {
      face.firstRange(of: $0 as [UInt8])?.upperBound
    }
  }

  static func run(tool: String) throws {
    guard FileManager.default.isExecutableFile(atPath: other) else {
      print("\nmrtdreader is not installed, so reading a travel document was not measured.")
      return
    }
    let pace = Pace()
    let field = VirtualField()
    let virtual = try VirtualReader(field) { pace.wait(for: $0) }
    defer { virtual.close() }
    field.place(try document())
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let environment = [
      "LIBNFC_DEVICE": virtual.connectionString, "LIBNFC_AUTO_SCAN": "false",
      "PATH": "/usr/bin:/bin", "HOME": directory.path,
    ]
    let commands = [
      [other, "-p", fields[0], "-b", fields[1], "-e", fields[2]],
      [
        tool, "passport", "read", "--reader", virtual.connectionString, "--document", fields[0],
        "--birth", fields[1], "--expiry", fields[2],
      ],
    ]
    var times: [[Double]] = [[], []]
    var exchanges = [0, 0]
    for run in 0..<runs {
      for index in run.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        let before = virtual.statistics.exchanges
        times[index].append(try seconds(commands[index], environment, directory))
        exchanges[index] = virtual.statistics.exchanges - before
      }
    }
    let (theirs, ours) = (NFCBenchmark.median(times[0]), NFCBenchmark.median(times[1]))
    print(
      "\n| A travel document with a face of 20 480 bytes, BAC, 115 200 baud, median of \(runs) "
        + "| seconds | frames |")
    print("| --- | --- | --- |")
    print("| `mrtdreader` 0.1.6 |", NFCBenchmark.decimal(theirs, 1), "|", exchanges[0], "|")
    print("| `nfc passport read` |", NFCBenchmark.decimal(ours, 1), "|", exchanges[1], "|")
  }

  private static func seconds(
    _ command: [String], _ environment: [String: String], _ directory: URL
  ) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = environment
    process.currentDirectoryURL = directory
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    process.waitUntilExit()
    // The security object is that of the specimen's own face, so nfc says, once all is read, that this one is not genuine.
    guard [0, 65].contains(process.terminationStatus) else {
      throw BenchmarkFailure("\(command[0]) has failed with \(process.terminationStatus)")
    }
    return (ContinuousClock.now - start) / .seconds(1)
  }
}
