import NFC
import Testing
import VirtualNFC

/// Locking every tag from the field: as a whole, or not at all, and taken up again.
@Suite struct FieldLockTests {
  @Test(arguments: FieldTag.all) func locks(_ row: FieldTag) async throws {
    let bench = try await FieldBench(row, asking: row.lockKinds)
    guard try await bench.run(row.cells.lock, { _, ndef in try await ndef.makeReadOnly() })
    else { return }
    let ndef = try await bench.ndef()
    #expect(try await ndef.queryNDEFStatus().access == row.accessAfterLock)
    if case .message(let message) = row.content {
      #expect(try await ndef.readNDEFBytes() ?? [] == message)
    }
    let locked = bench.tag.memory
    if !row.isLockedByFlagOnly {
      try await RawWriting(bench, firstPage: 3).tryEverything()
      #expect(bench.tag.memory == locked, "a command has written the locked tag")
    }
    let error = await #expect(throws: NFCError.self) {
      try await bench.ndef().writeNDEFBytes([0xD0, 0, 0], verify: false)
    }
    #expect(error?.code == .readOnly)
    // What is complete is left alone.
    try await bench.ndef().makeReadOnly()
    #expect(bench.tag.memory == locked)
    for bytes in row.kept { #expect(locked.contains(bytes)) }
    bench.expectNothingUnasked()
  }

  @Test(arguments: FieldTag.all.filter { $0.cells.lock == .done })
  func tornLocksAreCompleted(_ row: FieldTag) async throws {
    let whole = try await FieldBench(row, asking: row.lockKinds)
    let ndef = try await whole.ndef()
    whole.direct.setFaults([])
    try await ndef.makeReadOnly()
    let count = whole.direct.exchanges
    let mostMoments = 16
    for moment in stride(from: 0, to: count, by: max(1, count / mostMoments)) {
      let bench = try await FieldBench(row, asking: row.lockKinds)
      let torn = try await bench.ndef()
      bench.direct.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      do {
        try await torn.makeReadOnly()
        // Torn at the second half of SECTOR_SELECT, which silence acknowledges, when all was done.
        #expect(Self.lasting(bench.tag) == Self.lasting(whole.tag), "moment \(moment)")
      } catch let error as NFCError {
        #expect(error.code == .tagConnectionLost, "moment \(moment): \(error)")
      }
      try await bench.ndef().makeReadOnly()
      #expect(
        Self.lasting(bench.tag) == Self.lasting(whole.tag), "moment \(moment) of \(count)")
      bench.expectNothingUnasked()
    }
  }

  /// The memory, without the counter of writes of a FeliCa Lite-S.
  private static func lasting(_ tag: VirtualTag) -> [UInt8] {
    tag.name == "felica-lite-s" ? tag.memory.dropLast(16) : tag.memory
  }
}
