import Foundation
import NFC
import SwiftNFCCore
import Synchronization
import VirtualNFC

/// Counts what other programs send for the same work on the same virtual tags, from opening the
/// reader to closing it.
enum PeerCounts {
  /// Commands to the chip, frames over the air, and bytes over the air in both directions.
  struct Count: Sendable {
    var commands = 0
    var exchanges = 0
    var bytes = 0

    var text: String { "\(commands) / \(exchanges) / \(bytes)" }
  }

  /// Another program, and how it is started.
  enum Peer {
    /// A script with nfcpy, in which `tag` is the tag.
    case nfcpy(brty: String, String)
    /// A program of libnfc or libfreefare, with its arguments; `DIR` in an argument is a temporary
    /// directory.
    case program(String, [String])

    var name: String {
      switch self {
      case .nfcpy: "nfcpy 1.0.4"
      case .program(let name, _): "`\(name)`"
      }
    }
  }

  struct Work {
    let name: String
    let options: PollingOptions
    let make: () throws -> VirtualTag
    let ours: (DetectedTag) async throws -> Void
    let peer: Peer
  }

  private static func message(_ length: Int) -> [UInt8] {
    // One record of an unknown type.
    let size = length < 259 ? length - 3 : length - 6
    let header: [UInt8] =
      length < 259
      ? [0xD5, 0x00, UInt8(size)] : [0xC5, 0x00, 0x00, 0x00, UInt8(size >> 8), UInt8(size & 0xFF)]
    return header + (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }
  }

  private static func read(
    _ name: String, _ length: Int, _ options: PollingOptions, _ brty: String,
    _ make: @escaping ([UInt8]) throws -> VirtualTag
  ) -> Work {
    Work(
      name: "\(name), read \(length) B", options: options, make: { try make(message(length)) },
      ours: { tag in
        guard try await tag.ndef?.readNDEFBytes() == message(length) else {
          throw BenchmarkFailure("\(name): what was read is wrong")
        }
      }, peer: .nfcpy(brty: brty, "assert len(tag.ndef.octets) == \(length)"))
  }

  private static func write(
    _ name: String, _ length: Int, _ make: @escaping () throws -> VirtualTag
  ) -> Work {
    Work(
      name: "\(name), write \(length) B", options: .iso14443, make: make,
      ours: { try await $0.ndef?.writeNDEFBytes(message(length), verify: false) },
      peer: .nfcpy(
        brty: "106A", "tag.ndef.octets = bytes.fromhex('\(message(length).hexadecimal)')"))
  }

  private static var works: [Work] {
    [
      read("NTAG216", 137, .iso14443, "106A") { try .ntag216(ndef: $0) },
      read("NTAG216", 868, .iso14443, "106A") { try .ntag216(ndef: $0) },
      write("NTAG216", 137) { .ntag216() },
      write("NTAG216", 868) { .ntag216() },
      read("Type 4", 868, .iso14443, "106A") { try .type4(ndef: $0) },
      read("Type 3", 868, .iso18092, "212F") { try .type3(ndef: $0) },
      read("Topaz 512", 137, .all, "106A") { try .topaz512(ndef: $0) },
      read("Topaz 512", 400, .all, "106A") { try .topaz512(ndef: $0) },
      Work(
        name: "MIFARE Classic 1K, read 137 B of NDEF", options: .iso14443,
        make: { try .classic1K(ndef: message(137)) },
        ours: { tag in
          guard try await tag.ndef?.readNDEFBytes() == message(137) else {
            throw BenchmarkFailure("what was read is wrong")
          }
        }, peer: .program("mifare-classic-read-ndef", ["-y", "-o", "DIR/ndef"])),
      Work(
        name: "MIFARE Classic 1K, dump", options: .iso14443,
        make: { .classic1K(formatted: false) },
        ours: { tag in
          guard case .miFare(let card) = tag, let classic = card.classic else {
            throw BenchmarkFailure("no MIFARE Classic")
          }
          _ = try await classic.dump()
        }, peer: .program("nfc-mfclassic", ["r", "a", "u", "DIR/dump"])),
      Work(
        name: "NTAG216, dump", options: .iso14443, make: { .ntag216() },
        ours: { tag in
          guard case .miFare(let card) = tag, let ultralight = card.ultralight else {
            throw BenchmarkFailure("no NTAG")
          }
          _ = try await ultralight.dump()
        }, peer: .program("nfc-mfultralight", ["r", "DIR/dump"])),
    ]
  }

  static func run(python: String) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "nfc-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    print("\n| Host commands / exchanges / bytes on air, open to close | here | others | whose |")
    print("| --- | --- | --- | --- |")
    for work in works {
      let ours = try await counting(work) { virtual in
        let reader = try await Reader.open(virtual.connectionString)
        guard let tag = try await reader.firstTag(work.options) else {
          throw BenchmarkFailure("no tag")
        }
        try await tag.connect()
        try await work.ours(tag)
        await reader.close()
      }
      let theirs = try await counting(work) { virtual in
        try start(work.peer, virtual, python: python, directory: directory)
      }
      print("| \(work.name) | \(ours.text) | \(theirs.text) | \(work.peer.name) |")
    }
  }

  private static func counting(
    _ work: Work, _ body: (VirtualReader) async throws -> Void
  ) async throws -> Count {
    let count = Counter()
    let field = VirtualField()
    let virtual = try VirtualReader(field) { count.see($0) }
    field.place(try work.make())
    try await body(virtual)
    virtual.close()
    return count.value
  }

  private final class Counter: Sendable {
    private let count = Mutex(Count())
    var value: Count { count.withLock { $0 } }

    func see(_ event: TraceEvent) {
      count.withLock {
        switch event {
        case .command: $0.commands += 1
        case .sent(let frame):
          $0.exchanges += 1
          $0.bytes += frame.bytes.count
        case .received(let frame): $0.bytes += frame?.bytes.count ?? 0
        case .reply, .collided, .carrier: break
        }
      }
    }
  }

  private static func start(
    _ peer: Peer, _ virtual: VirtualReader, python: String, directory: URL
  ) throws {
    let process = Process()
    switch peer {
    case .program(let name, let arguments):
      process.executableURL = URL(fileURLWithPath: "/usr/bin/\(name)")
      process.arguments = arguments.map {
        $0.hasPrefix("DIR/") ? directory.path + $0.dropFirst(3) : $0
      }
    case .nfcpy(let brty, let script):
      process.executableURL = URL(fileURLWithPath: python)
      process.arguments = [
        "-c",
        """
        import sys, nfc, nfc.clf, nfc.clf.pn532, nfc.clf.transport, nfc.tag
        clf = nfc.ContactlessFrontend()
        clf.device = nfc.clf.pn532.init(nfc.clf.transport.TTY(sys.argv[1]))
        tag = nfc.tag.activate(clf, clf.sense(nfc.clf.RemoteTarget('\(brty)')))
        \(script)
        clf.close()
        """, virtual.path,
      ]
    }
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["LIBNFC_DEVICE": virtual.connectionString, "LIBNFC_AUTO_SCAN": "false"]
    ) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchmarkFailure("\(peer.name) failed") }
  }
}
