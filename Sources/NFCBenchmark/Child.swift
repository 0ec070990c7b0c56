import Foundation
import SwiftNFCCore
import Synchronization
import VirtualNFC

/// A program whose output lines are stored with their times.
///
/// Unchecked because `Process` is used only in `init` and `end`.
final class Child: @unchecked Sendable {
  private let process = Process()
  private let output = Pipe()
  private let state = Mutex<(rest: Data, lines: [(text: String, time: ContinuousClock.Instant)])>(
    (Data(), []))

  init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    Thread.detachNewThread { [self] in
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = read(output.fileHandleForReading.fileDescriptor, &bytes, bytes.count),
        count > 0
      {
        take(Data(bytes.prefix(count)))
      }
    }
  }

  private func take(_ data: Data) {
    let now = ContinuousClock.now
    state.withLock { state in
      state.rest.append(data)
      while let end = state.rest.firstIndex(of: 0x0A) {
        state.lines.append((String(decoding: state.rest[..<end], as: UTF8.self), now))
        state.rest = Data(state.rest[(end + 1)...])
      }
    }
  }

  /// The processor time that the process has used.
  var processorTime: Duration {
    // Fields 14 and 15, in ticks, after the name in parentheses (proc(5)).
    guard
      let text = try? String(
        contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return .zero }
    let fields = text[end...].split(separator: " ")
    guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
      return .zero
    }
    return .seconds(1) * (user + system) / Int(sysconf(Int32(_SC_CLK_TCK)))
  }

  func end() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func wait(seconds: Int, until condition: ([String]) -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !condition(state.withLock { $0.lines.map(\.text) }) {
      guard ContinuousClock.now < deadline else { throw BenchmarkFailure("no lines") }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  var lineCount: Int { state.withLock { $0.lines.count } }

  /// Waits until `nfc watch --json` has reported that a tag has left.
  func waitForDeparture(of tag: VirtualTag, after index: Int) async throws {
    let end = "\"uid\":\"\(tag.identifier.hexadecimal)\"}}"
    _ = try await firstLine(containing: end, after: index)
  }

  /// Returns the time of the first line that contains a text, ignoring the first `index` lines.
  func firstLine(
    containing text: String, after index: Int, seconds: Int = 60
  ) async throws -> ContinuousClock.Instant {
    let deadline = ContinuousClock.now + .seconds(seconds)
    var next = index
    while true {
      let found = state.withLock { state -> ContinuousClock.Instant? in
        while next < state.lines.count {
          if state.lines[next].text.contains(text) { return state.lines[next].time }
          next += 1
        }
        return nil
      }
      if let found { return found }
      guard ContinuousClock.now < deadline else { throw BenchmarkFailure("a tap is lost") }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// The resident memory in KiB.
  var residentMemory: Int? {
    let text = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { $0.split(separator: " ").compactMap { Int($0) }.first }
  }

  var openFiles: Int {
    let folder = "/proc/\(process.processIdentifier)/fd"
    return (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
  }
}
