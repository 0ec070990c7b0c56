import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// The PC/SC driver over a virtual reader in the process.
///
/// What is done with vicinity tags on one that takes all commands is in ``VicinityProcedureTests``.
@Suite(.replayed) struct PCSCDriverTests {
  typealias Bench = PCSCBench

  @Test func findsTagsThatAreThereTogether() async throws {
    let tags: [VirtualTag] = [.icodeSLIX2(), .st25tv(), .mb89r118()]
    let bench = try await Bench(tags[0], tags[1], tags[2])
    let found = try await bench.reader.tagsInField()
    #expect(Set(found.map(\.identifier)) == Set(tags.map(\.identifier)))
    #expect(found.allSatisfy { $0.technology == .iso15693 })
  }

  @Test func movesNDEF() async throws {
    for tag in [VirtualTag.icodeSLIX2(), .st25dv(), .st25tv(), .tagIt(), .mb89r118()] {
      let bench = try await Bench(tag)
      let found = try #require(try await bench.reader.tagsInField().first)
      try await found.connect()
      let ndef = try #require(found.ndef)
      #expect(try await ndef.readNDEFBytes() == nil)
      let message = NDEFMessage(records: [URIRecord("https://example.com").record])
      try await ndef.writeNDEF(message, verify: true)
      #expect(try await ndef.readNDEF() == message)
    }
  }

  /// A reader that passes no lock states on shows a locked block by its refusal: then the old message is restored.
  @Test(.asking(.blockLock)) func keepsTheMessageOfATagWhoseLocksAreNotReported() async throws {
    let chip = VirtualTag.icodeSLIX2()
    let first = try await Bench(chip)
    let message = NDEFMessage(records: [URIRecord("https://example.com/first/page").record])
    let tag = try await first.tag()
    try await tag.writeNDEF(message)
    try await tag.lockBlock(4)
    await first.reader.close()
    let memory = chip.memory
    let bench = try await Bench(chip, dialect: .storageCard)
    let found = try await bench.tag()
    let longer: [UInt8] = [0xD0, 0x00, 0x00] + [UInt8](repeating: 0x5A, count: 20)
    let error = await #expect(throws: NFCError.self) {
      try await found.writeNDEFBytes(longer, verify: true)
    }
    #expect(error?.code == .readOnly && error?.place == .block(4))
    #expect(chip.memory == memory)
    #expect(try await found.readNDEF() == message)
  }

  /// What each kind of reader lets through to an ISO 15693 tag.
  struct Means: Sendable {
    let dialect: VirtualPCSCReader.Dialect
    let path: String
    /// A request of a program's own, with its answer.
    var carriesRequests = true
    var locks = true
    /// Frames as they are: option flags, error codes, custom commands.
    var carriesFrames = false
    /// Exchanges for eight blocks.
    var exchangesForARun = 1
  }

  static let means = [
    Means(dialect: .transparentSession, path: "transparent session", carriesFrames: true),
    Means(dialect: .acsPassThrough, path: "maker's pass-through"),
    Means(dialect: .identivPassThrough, path: "maker's pass-through"),
    Means(dialect: .springCard, path: "encapsulated frames", carriesFrames: true),
    Means(dialect: .springCardPassThrough, path: "maker's pass-through", exchangesForARun: 3),
    Means(dialect: .omnikey, path: "OMNIKEY commands", exchangesForARun: 8),
    Means(
      dialect: .storageCard, path: "storage card", carriesRequests: false, locks: false,
      exchangesForARun: 8),
    Means(
      dialect: .storageCardNumberInP1, path: "storage card", carriesRequests: false, locks: false,
      exchangesForARun: 8),
    Means(
      dialect: .storageCardNumberInP2, path: "storage card", carriesRequests: false, locks: false,
      exchangesForARun: 8),
    Means(
      dialect: .storageCardByteOffset, path: "storage card", carriesRequests: false, locks: false,
      exchangesForARun: 16),
  ]

  @Test(.asking(.blockLock), arguments: means)
  func usesWhatTheReaderAccepts(_ means: Means) async throws {
    let chip = VirtualTag.icodeSLIX2()
    let bench = try await Bench(chip, dialect: means.dialect)
    let tag = try await bench.tag()
    #expect(tag.identifier == chip.identifier)
    try await tag.writeBlocks(at: 4, [0x11, 0x22, 0x33, 0x44])
    let (blocks, exchanges) = try await bench.counting { try await tag.readBlocks(0..<8) }
    #expect(blocks.flatMap(\.data) == Array(chip.memory.prefix(32)))
    #expect(exchanges == means.exchangesForARun)

    if means.carriesRequests {
      let information = try await tag.transceive([0x02, 0x2B], timeout: .milliseconds(100))
      #expect(information.suffix(5) == [0x00, 0x00, 0x4F, 0x03, 0x01][...])
      #expect(try await tag.systemInformation().blockCount == 80)
    }
    if means.locks {
      try await tag.lockBlock(4)
      // Locked already is as good.
      try await tag.lockBlock(4)
      let error = await #expect(throws: NFCError.self) {
        try await tag.writeBlocks(at: 4, [0, 0, 0, 0])
      }
      #expect(error?.code == .readOnly)
      #expect(error?.place == .block(4))
      #expect(try await tag.securityStatus(4..<6).map { $0 & 1 } == [1, 0])
      let blocks = try await tag.readBlocks(3..<6, securityStatus: true)
      #expect(blocks.map(\.isLocked) == [false, true, false])
      // No step has become smaller by it.
      let (_, again) = try await bench.counting { try await tag.readBlocks(0..<8) }
      #expect(again <= exchanges)
      #expect(blocks.flatMap(\.data) == Array(chip.memory[12..<24]))
    } else {
      let error = await #expect(throws: NFCError.self) { try await tag.lockBlock(4) }
      #expect(error?.code == .unsupported)
    }
    // A read with the option flag, a custom command, and where not even these pass, whatever else.
    let refused: [[UInt8]] =
      (means.carriesFrames ? [] : [[0x42, 0x20, 0x04]])
      + (means.carriesRequests
        ? [] : [[0x02, 0x2B], [0x02, 0x23, 0x00, 0x03], [0x02, 0x20, 0x00]])
    for request in refused {
      let error = await #expect(throws: NFCError.self) {
        try await tag.transceive(request, timeout: .milliseconds(100))
      }
      #expect(error?.code == .unsupported)
      #expect(error?.cause == .unsupportedByReader)
    }
    if means.carriesFrames {
      let read = try await tag.transceive([0x42, 0x20, 0x04], timeout: .milliseconds(100))
      #expect(read == [0x00, 0x01, 0x11, 0x22, 0x33, 0x44])
      let random = try await tag.transceive([0x02, 0xB2, 0x04], timeout: .milliseconds(100))
      #expect(random.count == 3)
      // An ICODE refuses without a reason, and without a UID it is silent.
      let beyond = try await tag.transceive(
        [0x22, 0x20] + chip.identifier.reversed() + [0xFE], timeout: .milliseconds(100))
      #expect(beyond == [0x01, 0x0F])
      let error = await #expect(throws: NFCError.self) {
        try await tag.transceive([0x02, 0x20, 0xFE], timeout: .milliseconds(100))
      }
      #expect(error?.code == .tagResponseError && error?.cause == .noAnswer)
    }
  }

  @Test(arguments: means)
  func saysWhatGetsThrough(_ means: Means) throws {
    let field = VirtualField()
    field.place(.icodeSLIX2())
    let virtual = VirtualPCSCReader(field, dialect: means.dialect)
    let driver = try PCSCDriver("", over: virtual.service())
    // What the name promises has what is found out with the tag.
    #expect(driver.capabilities.commandPaths.map(\.name).contains(means.path))
    let target = try #require(try driver.list(.iso15693).first)
    let paths = driver.capabilities(for: target).commandPaths
    #expect(paths.map(\.name) == [means.path])
    let own = try #require(paths.first?.capabilities[.iso15693])
    #expect(own.contains(.readAndWrite))
    #expect(own.contains(.locks) == means.locks)
    #expect(own.contains(.rawCommands) == means.carriesFrames)
    #expect(own.contains(.information) == means.carriesRequests)
  }

  /// The reader talks to the tag that it has found, whatever else is there.
  @Test(arguments: means.filter { $0.dialect != .transparentSession })
  func leavesOtherTagsUnchanged(_ means: Means) async throws {
    let chips: [VirtualTag] = [.icodeSLIX2(), .icodeSLIX()]
    let bench = try await Bench(chips[0], chips[1], dialect: means.dialect)
    let other = chips[1].memory
    #expect(try await bench.reader.tagsInField().map(\.identifier) == [chips[0].identifier])
    let tag = try await bench.tag()
    try await tag.writeBlocks(at: 4, [0x11, 0x22, 0x33, 0x44])
    #expect(Array(chips[0].memory[16..<20]) == [0x11, 0x22, 0x33, 0x44])
    #expect(chips[1].memory == other)
  }

  /// A UID that ends as it begins can be read both ways: the tag shows which it is, or the reader's
  /// usual order is taken.
  @Test(arguments: means)
  func asksTheTagForTheOrderOfItsUID(_ means: Means) async throws {
    let chip = VirtualTag.icodeSLIX2(uid: [0xE0, 0x04, 0x01, 0x08, 0x11, 0x22, 0x33, 0xE0])
    let bench = try await Bench(chip, dialect: means.dialect)
    let tag = try await bench.tag()
    #expect(tag.identifier == chip.identifier)
    try await tag.writeBlocks(at: 4, [0x11, 0x22, 0x33, 0x44])
    #expect(Array(chip.memory[16..<20]) == [0x11, 0x22, 0x33, 0x44])
  }

  /// Tag-it writes nothing without the option flag, which some ways do not carry.
  @Test(arguments: means)
  func writesOnlyWithTheFlagThatTheTagRequires(_ means: Means) async throws {
    let chip = VirtualTag.tagIt()
    let bench = try await Bench(chip, dialect: means.dialect)
    let tag = try await bench.tag()
    let old = chip.memory
    if means.carriesFrames || means.dialect == .springCardPassThrough {
      try await tag.writeBlocks(at: 4, [0x11, 0x22, 0x33, 0x44])
      #expect(Array(chip.memory[16..<20]) == [0x11, 0x22, 0x33, 0x44])
    } else {
      let error = await #expect(throws: NFCError.self) {
        try await tag.writeBlocks(at: 4, [0x11, 0x22, 0x33, 0x44])
      }
      #expect(error?.code == .unsupported)
      #expect(chip.memory == old)
    }
    #expect(try await tag.readBlocks(4..<5)[0].data == Array(chip.memory[16..<20]))
  }

  /// A tag whose blocks are to be locked is not half closed by a reader that has no locks.
  @Test func closesNoTagThatItCannotLock() async throws {
    let lockable: [UInt8] = [0xE1, 0x40, 0x27, 0x09]
    let chip = VirtualTag.icodeSLIX2()
    let bench = try await Bench(chip, dialect: .storageCard)
    try await bench.tag().writeBlocks(at: 0, lockable)
    let found = try #require(try await bench.reader.tagsInField().first)
    try await found.connect()
    let ndef = try #require(found.ndef)
    let error = await #expect(throws: NFCError.self) { try await ndef.makeReadOnly() }
    #expect(error?.code == .unsupported)
    #expect(Array(chip.memory[0..<4]) == lockable)
  }

  /// Whatever goes wrong at whichever exchange, whatever the reader takes: the right error or the
  /// right result, and no block is anything but old or new.
  @Test(
    .asking(.blockLock),
    arguments: [
      VirtualPCSCReader.Fault.Effect.frameLost, .answerLost, .answerBroken, .tagLeaves,
      .readerUnplugged,
    ], means)
  func toleratesAFaultAtEveryExchange(
    _ effect: VirtualPCSCReader.Fault.Effect, _ means: Means
  ) async throws {
    let new: [UInt8] = [0xA1, 0xA2, 0xA3, 0xA4]
    for exchange in 0..<8 {
      let chip = VirtualTag.icodeSLIX2()
      let old = Array(chip.memory[16..<20])
      let bench = try await Bench(chip, dialect: means.dialect)
      let tag = try await bench.tag()
      bench.virtual.setFaults([VirtualPCSCReader.Fault(effect, at: exchange)])
      do {
        try await tag.writeBlocks(at: 4, new)
        #expect(try await tag.readBlocks(0..<8)[4].data == new)
        if means.locks {
          try await tag.lockBlock(4)
          #expect(try await tag.securityStatus(4..<5)[0] & 1 == 1)
        }
      } catch let error as NFCError {
        switch effect {
        case .readerUnplugged: #expect(error.code == .readerLost)
        case .tagLeaves: #expect(error.code == .tagConnectionLost)
        default: Issue.record("exchange \(exchange): \(error)")
        }
      }
      #expect([old, new].contains(Array(chip.memory[16..<20])))
    }
  }

  @Test func noticesARemovalAndAReturn() async throws {
    let chip = VirtualTag.icodeSLIX2()
    let bench = try await Bench(chip)
    let tag = try await bench.tag()
    bench.field.remove(chip)
    let error = await #expect(throws: NFCError.self) { try await tag.readBlocks(0..<1) }
    #expect(error?.code == .tagConnectionLost)
    #expect(try await bench.reader.tagsInField().isEmpty)
    bench.field.place(chip)
    #expect(try await bench.tag().readBlocks(0..<1).count == 1)
  }

  @Test func findsNoTagsOfAnotherKindAndNoReaderOfAnotherName() async throws {
    let bench = try await Bench(.icodeSLIX2())
    #expect(try await bench.reader.tagsInField(polling: .iso14443).isEmpty)
    let field = VirtualField()
    let virtual = VirtualPCSCReader(field)
    let error = await #expect(throws: NFCError.self) {
      try await Reader.open(matching: "no such name", over: { virtual.service() })
    }
    #expect(error?.code == .readerNotFound)
  }
}
