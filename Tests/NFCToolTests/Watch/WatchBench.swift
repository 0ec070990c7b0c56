import Foundation
import NFC
import Testing
import VirtualNFC

/// A virtual reader and an `nfc watch` that uses it.
struct WatchBench {
  let field = VirtualField()
  let reader: VirtualReader
  let watch: RunningTool
  let folder: URL

  /// - Parameters:
  ///   - arguments: the arguments after `nfc watch --json --reader …`.
  ///   - programs: shell scripts, by the names under which they are the first ones found by PATH.
  static func with(
    _ arguments: [String] = [], environment: [String: String] = [:],
    programs: [String: String] = [:], tags: [VirtualTag] = [],
    _ body: (WatchBench) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.with { folder in
      let bench = try WatchBench(folder, arguments, environment, programs, tags)
      defer { bench.reader.close() }
      try await body(bench)
      bench.watch.interrupt()
      let result = try await bench.watch.end()
      #expect(result.status == 130, "\(result.errors)")
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/nfc")
        .filter { $0.hasPrefix("lease-") || $0.hasPrefix("watch-") }
      #expect(left == [], "it has removed what only a running watcher needs")
    }
  }

  private init(
    _ folder: URL, _ arguments: [String], _ environment: [String: String],
    _ programs: [String: String], _ tags: [VirtualTag]
  ) throws {
    self.folder = folder
    for tag in tags { field.place(tag) }
    reader = try VirtualReader(field)
    let binaries = folder.appending(path: "bin")
    try FileManager.default.createDirectory(at: binaries, withIntermediateDirectories: true)
    for (name, script) in programs {
      let file = binaries.appending(path: name)
      try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let own = [
      "PATH": "\(binaries.path):\(path)", "XDG_RUNTIME_DIR": folder.path,
      "XDG_STATE_HOME": folder.path, "DBUS_SESSION_BUS_ADDRESS": "", "FOLDER": folder.path,
    ]
    watch = try RunningTool(
      ["watch", "--json", "--reader", reader.connectionString]
        + arguments,
      environment: own.merging(environment) { $1 })
  }

  /// Waits until the watcher listens for programs that need this many readers, and returns the names of its
  /// sockets.
  @discardableResult
  func waitForLeases(_ count: Int) async throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/nfc")
      let names = (files ?? []).filter { $0.hasPrefix("lease-") }
      if names.count >= count || ContinuousClock.now > deadline { return names }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Waits until there are this many events, and returns all of them.
  func events(_ count: Int) async throws -> [WatchEvent] {
    try await watch.waitForLines(count).map { try WatchEvent($0) }
  }

  /// Waits until a file has this many lines.
  func lines(of name: String, _ count: Int) async throws -> [String] {
    let file = folder.appending(path: name)
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if lines.count >= count || ContinuousClock.now > deadline { return lines.map(String.init) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}

/// A line of the output of `nfc watch --json`.
struct WatchEvent: Decodable {
  struct Tag: Decodable {
    let uid: String
    let type: String
    let product: String?
  }

  struct Message: Decodable {
    struct Record: Decodable {
      let uri: String?
      let text: String?
    }

    let length: Int?
    let records: [Record]?
    let error: String?
  }

  let event: String
  let id: String
  let time: Double
  let reader: String
  let tag: Tag
  let ndef: Message?

  init(_ line: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
  }
}
