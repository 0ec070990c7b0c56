import NFC
import TagTools
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// Every procedure that reads or writes over every tag from the field.
@Suite struct FieldTests {
  @Test(arguments: FieldTag.all) func reads(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row)
    let before = bench.tag.memory
    let ndef = try await bench.ndef()
    switch row.content {
    case .message(let message):
      #expect(try await ndef.readNDEFBytes() ?? [] == message)
    case .broken, .unformatted, .closed:
      let error = await #expect(throws: NFCError.self) { try await ndef.readNDEFBytes() }
      let code: NFCError.Code =
        switch row.content {
        case .broken: .malformedContent
        case .closed: .notAuthenticated
        default: .notNDEF
        }
      #expect(error?.code == code, "\(error.map { "\($0)" } ?? "no error")")
    }
    #expect(bench.tag.memory == before)
    bench.expectNothingUnasked()
    try await bench.expectReplay { _, ndef in _ = try await ndef.readNDEFBytes() }
  }

  @Test(arguments: FieldTag.all) func tellsItsStatus(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row)
    let before = bench.tag.memory
    let ndef = try await bench.ndef()
    if let access = row.access {
      let status = try await ndef.queryNDEFStatus()
      #expect(status.access == access)
      if case .message = row.content, let capacity = row.capacity {
        #expect(status.capacity == capacity)
      }
    } else {
      let error = await #expect(throws: NFCError.self) { try await ndef.queryNDEFStatus() }
      #expect(
        error?.code == (row.content == .closed ? .notAuthenticated : .malformedContent),
        "\(error.map { "\($0)" } ?? "no error")")
    }
    #expect(bench.tag.memory == before)
    bench.expectNothingUnasked()
    try await bench.expectReplay { _, ndef in _ = try await ndef.queryNDEFStatus() }
  }

  /// As long as there is room for, and not a byte more; what stands beside the message stays.
  @Test(arguments: FieldTag.all) func writes(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row)
    let capacity: Int
    if let known = row.capacity {
      capacity = known
    } else {
      capacity = (try? await bench.ndef().queryNDEFStatus().capacity) ?? 20
    }
    let longest = pattern(capacity)
    if case .message = row.content, row.access == .readWrite {
      let before = bench.tag.memory
      let ndef = try await bench.ndef()
      let error = await #expect(throws: NFCError.self) {
        try await ndef.writeNDEFBytes(longest + [1], verify: false)
      }
      #expect(error?.code == .capacityExceeded, "\(error.map { "\($0)" } ?? "no error")")
      #expect(bench.tag.memory == before)
    }
    guard
      try await bench.run(
        row.cells.write,
        { _, ndef in
          try await ndef.writeNDEFBytes(longest, verify: true)
        })
    else { return }
    #expect(try await bench.message() == longest)
    expectKept(row, bench)
  }

  /// Torn away at any moment, the tag holds the old message, none, or the new one, and can be written again. What stands
  /// beside the message is still there.
  @Test(arguments: FieldTag.all.filter { $0.cells.write == .done })
  func tornWritesLeaveNoMixture(_ row: FieldTag) async throws {
    let new = pattern(min(row.capacity ?? 40, 40), seed: 99)
    let whole = try await FieldBench(row)
    let ndef = try await whole.ndef()
    whole.direct.setFaults([])
    try await ndef.writeNDEFBytes(new, verify: false)
    let count = whole.direct.exchanges
    let mostMoments = 12
    for moment in stride(from: 0, to: count, by: max(1, count / mostMoments)) {
      let bench = try await FieldBench(row)
      let torn = try await bench.ndef()
      bench.direct.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      let error = await #expect(throws: NFCError.self) {
        try await torn.writeNDEFBytes(new, verify: false)
      }
      #expect(
        error?.code == .tagConnectionLost,
        "moment \(moment): \(error.map { "\($0)" } ?? "no error")")
      do {
        let found = try await bench.message()
        let isOld = row.content == .message(found)
        #expect(isOld || found.isEmpty || found == new, "moment \(moment)")
      } catch let error as NFCError {
        // What was broken still is, if nothing was written yet.
        #expect(row.content == .broken || row.content == .unformatted, "\(error)")
      }
      try await bench.ndef().writeNDEFBytes(new, verify: true)
      #expect(try await bench.message() == new)
      expectKept(row, bench)
      bench.expectNothingUnasked()
    }
  }

  /// `nfc write --append`.
  @Test(arguments: FieldTag.all) func appends(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row)
    let addition = NDEFMessage(.uri("https://b.de"))
    guard
      try await bench.run(
        row.cells.append,
        { tag, _ in
          try await tag.write(addition, MessageWriting(appends: true, verifies: true))
        }), case .message(let old) = row.content
    else { return }
    let records = old.isEmpty ? [] : try NDEFMessage(decoding: old).records
    #expect(
      try await bench.message() == NDEFMessage(records: records + addition.records).encoded())
    expectKept(row, bench)
  }

  @Test(arguments: FieldTag.all) func erases(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row)
    guard
      try await bench.run(
        row.cells.erase, { _, ndef in try await ndef.writeNDEFBytes([], verify: true) })
    else { return }
    try await expectEmpty(bench)
    expectKept(row, bench)
  }

  @Test(arguments: FieldTag.all) func formats(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row, asking: row.formatKinds)
    guard
      try await bench.run(row.cells.format, { _, ndef in try await ndef.formatNDEF() })
    else { return }
    try await expectEmpty(bench)
    expectKept(row, bench)
  }

  @Test(arguments: FieldTag.all) func wipes(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row, asking: row.formatKinds)
    guard
      try await bench.run(
        row.cells.wipe, { _, ndef in try await ndef.formatNDEF(wipe: true) })
    else { return }
    try await expectEmpty(bench)
  }

  private func expectEmpty(_ bench: FieldBench) async throws {
    let ndef = try await bench.ndef()
    #expect(try await ndef.readNDEFBytes() == nil)
    #expect(try await ndef.queryNDEFStatus().access == .readWrite)
  }

  private func expectKept(_ row: FieldTag, _ bench: FieldBench) {
    for bytes in row.kept { #expect(bench.tag.memory.contains(bytes)) }
  }
}
