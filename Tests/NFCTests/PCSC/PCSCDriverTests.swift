import NFC
import Testing
import VirtualNFC

/// The PC/SC driver over a virtual reader in the process.
///
/// What is done with vicinity tags on one that takes all commands is in ``VicinityProcedureTests``.
@Suite struct PCSCDriverTests {
  @Test func findsTagsThatAreThereTogether() async throws {
    let tags: [VirtualTag] = [.icodeSLIX2(), .st25tv(), .mb89r118()]
    let bench = try await PCSCBench(tags[0], tags[1], tags[2])
    let found = try await bench.reader.tagsInField()
    #expect(Set(found.map(\.identifier)) == Set(tags.map(\.identifier)))
    #expect(found.allSatisfy { $0.technology == .iso15693 })
  }

  @Test func movesNDEF() async throws {
    for tag in [VirtualTag.icodeSLIX2(), .st25dv(), .st25tv(), .tagIt(), .mb89r118()] {
      let bench = try await PCSCBench(tag)
      let found = try #require(try await bench.reader.tagsInField().first)
      try await found.connect()
      let ndef = try #require(found.ndef)
      #expect(try await ndef.readNDEFBytes() == nil)
      let message = NDEFMessage(records: [URIRecord("https://example.com").record])
      try await ndef.writeNDEF(message, verify: true)
      #expect(try await ndef.readNDEF() == message)
    }
  }

  static let dialects: [VirtualPCSCReader.Dialect] = [
    .acsPassThrough, .identivPassThrough, .springCardPassThrough,
  ]

  @Test(arguments: dialects)
  func usesWhatTheReaderTakes(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let chip = VirtualTag.icodeSLIX2()
    let bench = try await PCSCBench(chip, dialect: dialect)
    let tag = try await bench.tag()
    #expect(tag.identifier == chip.identifier)
    try await tag.writeBlocks(at: 4, [0x11, 0x22, 0x33, 0x44])
    let blocks = try await tag.readBlocks(3..<6)
    #expect(blocks.flatMap(\.data) == Array(chip.memory[12..<24]))
    #expect(try await tag.systemInformation().blockCount == 80)
    try await tag.lockBlock(4)
  }

  /// A tag whose blocks are to be locked is not half closed by a reader that has no locks.
  @Test func closesNoTagThatItCannotLock() async throws {
    let lockable: [UInt8] = [0xE1, 0x40, 0x27, 0x09]
    let chip = VirtualTag.icodeSLIX2()
    let bench = try await PCSCBench(chip, dialect: .storageCard)
    try await bench.tag().writeBlocks(at: 0, lockable)
    let found = try #require(try await bench.reader.tagsInField().first)
    try await found.connect()
    let ndef = try #require(found.ndef)
    let error = await #expect(throws: NFCError.self) { try await ndef.writeLock() }
    #expect(error?.code == .unsupported)
    #expect(Array(chip.memory[0..<4]) == lockable)
  }

  /// Whatever goes wrong at whichever exchange: the right error or the right result, and no block
  /// is anything but old or new.
  @Test(arguments: [
    VirtualPCSCReader.Fault.Effect.frameLost, .answerLost, .answerBroken, .tagLeaves, .readerLeaves,
  ])
  func bearsAFaultAtEveryExchange(_ effect: VirtualPCSCReader.Fault.Effect) async throws {
    let new: [UInt8] = [0xA1, 0xA2, 0xA3, 0xA4]
    for exchange in 0..<6 {
      let chip = VirtualTag.icodeSLIX2()
      let old = Array(chip.memory[16..<20])
      let bench = try await PCSCBench(chip)
      let tag = try await bench.tag()
      bench.virtual.setFaults([VirtualPCSCReader.Fault(effect, at: exchange)])
      do {
        try await tag.writeBlocks(at: 4, new)
        #expect(try await tag.readBlocks(0..<8)[4].data == new)
        try await tag.lockBlock(4)
        #expect(try await tag.securityStatus(4..<5)[0] & 1 == 1)
      } catch let error as NFCError {
        switch effect {
        case .readerLeaves: #expect(error.code == .readerLost)
        case .tagLeaves: #expect(error.code == .tagConnectionLost)
        default: Issue.record("exchange \(exchange): \(error)")
        }
      }
      #expect([old, new].contains(Array(chip.memory[16..<20])))
    }
  }

  @Test func noticesARemovalAndAReturn() async throws {
    let chip = VirtualTag.icodeSLIX2()
    let bench = try await PCSCBench(chip)
    let tag = try await bench.tag()
    bench.field.remove(chip)
    let error = await #expect(throws: NFCError.self) { try await tag.readBlocks(0..<1) }
    #expect(error?.code == .tagConnectionLost)
    #expect(try await bench.reader.tagsInField().isEmpty)
    bench.field.place(chip)
    #expect(try await bench.tag().readBlocks(0..<1).count == 1)
  }

  @Test func findsNoTagsOfAnotherKindAndNoReaderOfAnotherName() async throws {
    let bench = try await PCSCBench(.icodeSLIX2())
    #expect(try await bench.reader.tagsInField(polling: .iso14443).isEmpty)
    let field = VirtualField()
    let virtual = VirtualPCSCReader(field)
    let error = await #expect(throws: NFCError.self) {
      try await Reader.open("no such name", over: { virtual.service() })
    }
    #expect(error?.code == .readerNotFound)
  }
}
