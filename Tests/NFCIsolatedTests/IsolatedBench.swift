import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCIsolated

/// A virtual reader with tags in its field, which libnfc has open in a process of its own.
struct IsolatedBench: Sendable {
  let field = VirtualField()
  let virtual: VirtualReader
  let reader: Reader

  /// - Parameter bound: how long the helper may take for a call; `nil` for as long as it may by default.
  init(_ tags: VirtualTag..., answeringWithin bound: Duration? = nil) async throws {
    ReplayedReaders.begin()
    virtual = try VirtualReader(field)
    for tag in tags { field.place(tag) }
    let address = "isolated:" + virtual.connectionString
    if let bound {
      reader = try await Reader.open {
        try IsolatedSource(answeringWithin: bound).open(ReaderAddress(address))
      }
    } else {
      reader = try await Reader.open(address)
    }
  }

  /// The first tag that polling finds, connected.
  func tag(_ options: PollingOptions = .all) async throws -> DetectedTag {
    let tag = try await reader.firstTag(polling: options, within: .seconds(5))
    try await tag.connect()
    return tag
  }

  func miFare() async throws -> any MiFareTag {
    guard case .miFare(let tag) = try await tag(.iso14443a) else {
      throw NFCError(.wrongTag, "no MIFARE tag")
    }
    return tag
  }

  /// The processes that have the virtual reader's port open, other than this one.
  func helpers() -> [pid_t] { HelperProcesses.holding(virtual.path) }

  func helper() throws -> pid_t { try #require(helpers().first) }
}

/// Helpers, as `/proc` shows them.
enum HelperProcesses {
  static func holding(_ path: String) -> [pid_t] {
    let files = FileManager.default
    return ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { name in
      guard let process = pid_t(name), process != getpid(),
        (try? String(contentsOfFile: "/proc/\(name)/comm", encoding: .utf8)) == "nfc-reader\n"
      else { return nil }
      let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/\(name)/fd")) ?? []
      return descriptors.contains {
        (try? files.destinationOfSymbolicLink(atPath: "/proc/\(name)/fd/\($0)")) == path
      } ? process : nil
    }
  }

  /// Whether a process goes, zombies included, within five seconds.
  static func isGone(_ process: pid_t) async -> Bool {
    for _ in 0..<500 {
      if kill(process, 0) != 0 { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }
}
