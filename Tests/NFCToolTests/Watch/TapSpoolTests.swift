import Foundation
import Synchronization
import Testing

@testable import SwiftNFCTool

@Suite struct TapSpoolTests {
  private func withPath(_ body: (String) throws -> Void) async throws {
    try await TemporaryDirectory.with { try body($0.appending(path: "spool").path) }
  }

  private func payloads(_ spool: TapSpool) -> [String] {
    spool.entries(upTo: .max).map(\.payload)
  }

  /// A folder is created only for the standard path. A path that the user has named may be misspelled, or below
  /// a drive that is not mounted.
  @Test func onlyTheStandardFolderIsCreated() async throws {
    try await TemporaryDirectory.with { folder in
      let path = folder.appending(path: "a/b/spool").path
      #expect(throws: TapSpool.Problem.system(path: path, errno: ENOENT)) {
        try TapSpool(path: path)
      }
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "a").path))
      let spool = try TapSpool(path: path, makesFolder: true)
      #expect(spool.count == 0)
    }
  }

  /// A spool is cut and emptied, so a file that is not a spool is not touched.
  @Test(arguments: ["my notes", "my notes\n", "{}\n", #"{"name":"x"}"# + "\n", "\n", "\0\0\0"])
  func anotherFileIsNotTouched(text: String) async throws {
    try await withPath { path in
      try Data(text.utf8).write(to: URL(filePath: path))
      #expect(throws: TapSpool.Problem.notASpool(path: path)) { try TapSpool(path: path) }
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
  }

  /// A process may have been killed while it wrote the first entry.
  @Test func aFileWithoutACompleteEntryIsASpool() async throws {
    try await withPath { path in
      _ = try TapSpool(path: path).append(topic: "t", payload: "1")
      let whole = try Data(contentsOf: URL(filePath: path))
      for length in 0..<whole.count {
        try whole.prefix(length).write(to: URL(filePath: path))
        #expect(try TapSpool(path: path).count == 0, "\(length) bytes")
      }
    }
  }

  /// The broker's program gets only as much at once as it is sure to read.
  @Test func entriesUpToASize() async throws {
    try await withPath { path in
      let spool = try TapSpool(path: path)
      #expect(spool.entries(upTo: 9, size: 1).isEmpty)
      for number in 1...4 { try spool.append(topic: "t", payload: "123456789 \(number)") }
      for (size, count) in [(1, 1), (12, 1), (13, 2), (24, 2), (25, 3), (1000, 4)] {
        #expect(spool.entries(upTo: 9, size: size).count == count, "\(size)")
      }
      #expect(spool.entries(upTo: 2, size: 1000).count == 2)
    }
  }

  /// A spool has the passwords of networks, if tags have them.
  @Test func itIsForTheOwnerAlone() async throws {
    try await withPath { path in
      let files = [path, path + ".refused"]
      for file in files {
        try Data().write(to: URL(filePath: file))
        #expect(chmod(file, 0o664) == 0)
      }
      let spool = try TapSpool(path: path)
      _ = try spool.setAside(spool.append(topic: "t", payload: "p"))
      for file in files {
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o600)
      }
    }
  }

  @Test func entriesOutliveTheProcess() async throws {
    try await withPath { path in
      do {
        let spool = try TapSpool(path: path)
        for number in 1...5 { try spool.append(topic: "t", payload: "tap \(number)\n\"é") }
        _ = try spool.acknowledge(1)
        #expect(try spool.acknowledge(3) == 0, "2 comes first")
        #expect(try spool.acknowledge(2) == 2)
      }
      let spool = try TapSpool(path: path)
      #expect(payloads(spool) == ["tap 4\n\"é", "tap 5\n\"é"])
      #expect(spool.entries(upTo: 1).first?.number == 4)
    }
  }

  @Test func theFileIsEmptiedWhenTheBrokerHasEverything() async throws {
    try await withPath { path in
      do {
        let spool = try TapSpool(path: path)
        for number in 1...3 { try spool.append(topic: "t", payload: "\(number)") }
        for number in 1...3 { _ = try spool.acknowledge(UInt64(number)) }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(size == 0)
      }
      let spool = try TapSpool(path: path)
      #expect(spool.count == 0)
      #expect(try spool.append(topic: "t", payload: "next").number == 4, "never used twice")
    }
  }

  /// Whichever part of the file remains after a process or machine was killed, it contains exactly the
  /// entries that were reported.
  @Test func anyPartOfTheLastLineIsCutOff() async throws {
    try await withPath { path in
      do {
        let spool = try TapSpool(path: path)
        for number in 1...2 { try spool.append(topic: "t", payload: "\(number)") }
      }
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      let first = try #require(whole.firstIndex(of: 0x0A)) + 1
      for length in first..<whole.count {
        try whole.prefix(length).write(to: URL(fileURLWithPath: path))
        let spool = try TapSpool(path: path)
        #expect(payloads(spool) == ["1"], "\(length) bytes")
        try spool.append(topic: "t", payload: "new")
        #expect(payloads(spool) == ["1", "new"], "\(length) bytes")
      }
    }
  }

  /// Tests the files that remain if a process is killed before any of the system calls that change a file. A
  /// copy of the files is opened in the same way as by the next process. It contains all entries that were
  /// reported and not acknowledged, in their order, and no number is used twice.
  @Test func killedAtEachStep() async throws {
    try await TemporaryDirectory.with { folder in
      let path = folder.appending(path: "spool").path
      let steps = Mutex<[KilledProcess]>([])
      let promised = Mutex<Promise>(Promise())
      let spool = try TapSpool(path: path) {
        let files = ["", ".sent", ".sent.new"].map {
          FileManager.default.contents(atPath: path + $0)
        }
        let promise = promised.withLock { $0 }
        steps.withLock { $0.append(KilledProcess(files: files, promise: promise)) }
      }
      func append(_ text: String) throws {
        let entry = try spool.append(topic: "t", payload: text)
        promised.withLock { $0.append(text, entry.number) }
      }
      func acknowledge(_ number: UInt64) throws {
        promised.withLock { $0.begin(number) }
        _ = try spool.acknowledge(number)
        promised.withLock { $0.end(number) }
      }
      for round in 0..<3 {
        for number in 1...3 { try append("\(round).\(number)") }
        for number in [1, 3, 2] { try acknowledge(UInt64(4 * round + number)) }
        try append("\(round).left")
        try acknowledge(UInt64(4 * round + 4))
      }
      let killed = steps.withLock { $0 }
      #expect(killed.count > 40)
      for (step, process) in killed.enumerated() {
        let next = folder.appending(path: "step-\(step)").path
        for (suffix, content) in zip(["", ".sent", ".sent.new"], process.files) {
          if let content { try content.write(to: URL(filePath: next + suffix)) }
        }
        let spool = try TapSpool(path: next)
        let found = payloads(spool)
        // An entry that was being added had not been reported yet. An entry that was being acknowledged may
        // be published again.
        let promise = process.promise
        #expect(found.filter(promise.due.contains) == promise.due, "step \(step): \(found)")
        #expect(
          try spool.append(topic: "t", payload: "next").number > promise.lastNumber, "step \(step)")
      }
    }
  }

  private struct KilledProcess: Sendable {
    let files: [Data?]
    let promise: Promise
  }

  /// The messages that subscribers have to receive from the next process that opens the spool.
  private struct Promise: Sendable {
    private(set) var due: [String] = []
    private(set) var lastNumber: UInt64 = 0
    private var numbers: [UInt64: String] = [:]

    mutating func append(_ text: String, _ number: UInt64) {
      due.append(text)
      numbers[number] = text
      lastNumber = max(lastNumber, number)
    }

    /// From here on, the entry may be removed.
    mutating func begin(_ number: UInt64) { due.removeAll { $0 == numbers[number] } }

    mutating func end(_ number: UInt64) { numbers[number] = nil }
  }

  /// The number of the sent entries may be missing or old, but never wrong. In the first two cases, taps are
  /// published again.
  @Test(arguments: ["", "x", "1", "99999999999999999999999"])
  func aLostNumberOfWhatWasSentLosesNothing(text: String) async throws {
    try await withPath { path in
      do {
        let spool = try TapSpool(path: path)
        for number in 1...3 { try spool.append(topic: "t", payload: "\(number)") }
      }
      try Data(text.utf8).write(to: URL(fileURLWithPath: path + ".sent"))
      let spool = try TapSpool(path: path)
      #expect(payloads(spool) == (text == "1" ? ["2", "3"] : ["1", "2", "3"]))
    }
  }

  @Test func strangeLinesArePassedOver() async throws {
    try await withPath { path in
      _ = try TapSpool(path: path)
      let lines = (6...7).map { #"{"number":\#($0),"topic":"t","payload":"\#($0)"}"# }
      try Data("\(lines[0])\nnonsense\n\u{0}\n{}\n\(lines[1])\n".utf8)
        .write(to: URL(fileURLWithPath: path))
      let spool = try TapSpool(path: path)
      #expect(payloads(spool) == ["6", "7"])
      #expect(try spool.append(topic: "t", payload: "q").number == 8)
    }
  }

  @Test func oneProcessHasASpool() async throws {
    try await withPath { path in
      let first = try TapSpool(path: path)
      #expect(throws: TapSpool.Problem.inUse) { try TapSpool(path: path) }
      _ = first.count
    }
  }

  @Test func aSpoolThatCannotBeThere() async throws {
    #expect {
      try TapSpool(path: "/dev/null/spool")
    } throws: { error in
      guard case TapSpool.Problem.system(let path, _) = error else { return false }
      return path == "/dev/null/spool"
    }
  }

  @Test func aFullDiskKeepsWhatIsThere() async throws {
    // /dev/full accepts no bytes.
    #expect {
      let spool = try TapSpool(path: "/dev/full")
      try spool.append(topic: "t", payload: "p")
    } throws: { error in
      guard case TapSpool.Problem.system = error else { return false }
      return true
    }
  }

  /// On a full disk, only the removal of entries makes space, so it does not need any.
  @Test func aFullDiskDoesNotKeepEntriesFromBeingRemoved() async throws {
    try await withPath { path in
      do {
        let spool = try TapSpool(path: path)
        for number in 1...4 { try spool.append(topic: "t", payload: "\(number)") }
        _ = try spool.acknowledge(1)
        // /dev/full accepts no bytes. The name is removed with the first attempt.
        for number: UInt64 in 2...4 {
          try? FileManager.default.createSymbolicLink(
            atPath: path + ".sent.new", withDestinationPath: "/dev/full")
          #expect(try spool.acknowledge(number) == 1)
          #expect(!FileManager.default.fileExists(atPath: path + ".sent.new"))
        }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(size == 0)
        #expect(try String(contentsOfFile: path + ".sent", encoding: .utf8) == "1\n")
      }
      // Nothing of what comes next is taken for an entry that was sent.
      for round in 1...3 {
        let spool = try TapSpool(path: path)
        try spool.append(topic: "t", payload: "new \(round)")
        #expect(payloads(spool) == (1...round).map { "new \($0)" })
      }
    }
  }

  @Test func aRefusedEntryIsKeptInAnotherFile() async throws {
    try await withPath { path in
      do {
        let spool = try TapSpool(path: path)
        for number in 1...3 { try spool.append(topic: "t", payload: "\(number)") }
        for number in 1...2 {
          let oldest = try #require(spool.entries(upTo: 1).first)
          #expect(try spool.setAside(oldest) == path + ".refused")
          #expect(payloads(spool) == (number + 1...3).map(String.init))
        }
      }
      let spool = try TapSpool(path: path)
      #expect(payloads(spool) == ["3"])
      let kept = try String(contentsOfFile: path + ".refused", encoding: .utf8)
      #expect(
        kept == (1...2).map { #"{"number":\#($0),"topic":"t","payload":"\#($0)"}"# + "\n" }.joined()
      )
    }
  }

  @Test func aRefusedEntryThatCannotBeKeptStays() async throws {
    try await withPath { path in
      let spool = try TapSpool(path: path)
      let entry = try spool.append(topic: "t", payload: "1")
      try FileManager.default.createSymbolicLink(
        atPath: path + ".refused", withDestinationPath: "/dev/full")
      #expect(throws: TapSpool.Problem.system(path: path + ".refused", errno: ENOSPC)) {
        try spool.setAside(entry)
      }
      #expect(payloads(spool) == ["1"])
    }
  }

  @Test func aFullSpoolSaysSo() async throws {
    try await withPath { path in
      let spool = try TapSpool(path: path, capacity: (1 << 20) + 1000)
      #expect(!spool.isFull)
      try spool.append(topic: "t", payload: String(repeating: "x", count: 2000))
      #expect(spool.isFull)
      _ = try spool.acknowledge(1)
      #expect(!spool.isFull)
    }
  }
}
