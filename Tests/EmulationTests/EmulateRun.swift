import Foundation
import TestSupport
import Testing
import VirtualNFC

/// A virtual reader, and a command that acts as a card on it.
struct EmulateRun {
  let virtual: VirtualReader
  let program: RunningProgram
  let folder: URL

  init(
    _ arguments: [String], readings: VirtualPN532.TargetReadings = .init(),
    files: [String: [UInt8]] = [:], input: String = ""
  ) throws {
    var chip = VirtualPN532()
    chip.target = readings
    virtual = try VirtualReader(VirtualField(), chip: chip)
    folder = FileManager.default.temporaryDirectory.appending(path: "card-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
    program = try RunningProgram(
      try FinishedProgram.command(),
      ["emulate"] + arguments + ["--reader", virtual.connectionString],
      directory: folder, input: input)
  }

  func ready() async throws {
    let isReady = try await program.waitForOutput { $0.output.contains("ready") }
    try #require(isReady, "\(program.output)\(program.errors)")
  }

  func phone<Result: Sendable>(
    _ body: @escaping @Sendable (ScriptedPhone) throws -> Result
  ) async throws -> Result {
    let antenna = virtual.antenna
    return try await withPhone { try body(ScriptedPhone(antenna)) }
  }

  func close() {
    virtual.close()
    try? FileManager.default.removeItem(at: folder)
  }
}
