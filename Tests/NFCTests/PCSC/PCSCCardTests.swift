import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// ISO 14443 and FeliCa tags on PC/SC readers, in the process: the same typed tags as over libnfc
/// where the reader has the means, and errors that name what is missing where it has not.
@Suite(.replayed) struct PCSCCardTests {
  typealias Bench = PCSCBench
  typealias Dialect = VirtualPCSCReader.Dialect

  private func connected(
    _ tag: VirtualTag, _ dialect: Dialect
  ) async throws -> (DetectedTag, Bench) {
    let bench = try await Bench(tag, dialect: dialect)
    let found = try #require(try await bench.reader.tagsInField().first)
    try await found.connect()
    #expect(found.identifier == tag.identifier)
    return (found, bench)
  }

  private func miFare(
    _ tag: VirtualTag, _ dialect: Dialect
  ) async throws -> (any MiFareTag, Bench) {
    let (found, bench) = try await connected(tag, dialect)
    guard case .miFare(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    return (tag, bench)
  }

  private static let message = NDEFMessage(records: [URIRecord("https://example.com/pcsc").record])
  static let all: [Dialect] = [
    .transparentSession, .directTransmit, .storageCard, .identivPassThrough, .acsPassThrough,
    .springCard, .springCardPassThrough, .omnikey, .feliCaFrames, .sessionKey,
  ]
  /// Those that carry frames of type A and FeliCa.
  static let framed: [Dialect] = [.transparentSession, .directTransmit, .springCard]

  // MARK: NDEF

  @Test(arguments: all)
  func movesNDEFOnEveryKind(_ dialect: Dialect) async throws {
    let tags: [VirtualTag] = [
      .ntag215(), .ultralightEV1(), .type4(), .type4B(), .classic1K(), .classic4K(),
    ]
    for virtual in tags {
      let (tag, _) = try await connected(virtual, dialect)
      let ndef = try #require(tag.ndef)
      #expect(try await ndef.readNDEFBytes() == nil, "\(virtual.name)")
      try await ndef.writeNDEF(Self.message, verify: true)
      #expect(try await ndef.readNDEF() == Self.message, "\(virtual.name)")
    }
  }

  // MARK: ISO/IEC 14443-4

  @Test func distinguishesTypeBFromTypeA() async throws {
    let (a, _) = try await connected(.type4(), .storageCard)
    let (b, _) = try await connected(.type4B(), .storageCard)
    #expect(a.technology == .iso14443a)
    guard case .iso7816(let card) = b else { throw NFCError(.wrongTag, "\(b)") }
    #expect(card.technology == .iso14443b)
    #expect(card.applicationData?.count == 4)
    #expect(card.protocolInfo?.count == 3)
  }

  @Test func wrapsDESFiresNativeCommands() async throws {
    let (card, _) = try await miFare(.desfire(), .storageCard)
    #expect(card.family == .desfire)
    #expect(try await card.product()?.maker == "NXP")
    // GetVersion, its first part: status AF, and 04 for NXP.
    let version = try await card.sendMiFareCommand([0x60])
    #expect(version.prefix(2) == [0xAF, 0x04])
    #expect(try await card.sendMiFareCommand([0xAF]).first == 0xAF)
    #expect(try await card.sendMiFareCommand([0xAF]).first == 0x00)
    // GetApplicationIDs: none.
    #expect(try await card.sendMiFareCommand([0x6A]).first == 0x00)
  }

  /// A MIFARE Plus has no form in APDUs that every one takes: its commands go as they are, as liblogicalaccess sends
  /// them, also those and answers that have no length of an APDU.
  @Test func handsOnTheNativeCommandsOfAPlus() async throws {
    let (card, _) = try await miFare(.miFarePlus(), .storageCard)
    #expect(card.family == .plus)
    let challenge = try await card.sendMiFareCommand([0x70, 0x00, 0x40, 0x00])
    #expect(challenge.count == 17 && challenge.first == 0x90)
    #expect(try await card.sendMiFareCommand([0x78]) == [0x90])
    #expect(try await card.sendMiFareCommand([0xAA]) == [0x0B])
  }

  @Test func asksForTheAPDUAndLosesTheCardWithIt() async throws {
    let virtual = VirtualTag.type4()
    let bench = try await Bench(virtual, dialect: .storageCard)
    let found = try #require(try await bench.reader.tagsInField().first)
    try await found.connect()
    bench.virtual.setFaults([.init(.frameLost, at: 0)])
    let error = await #expect(throws: NFCError.self) { _ = try await found.ndef?.readNDEF() }
    #expect(error?.code == .tagConnectionLost)
    try await #require(try await bench.reader.tagsInField().first).connect()
  }

  // MARK: Ultralight, NTAG

  @Test(arguments: framed + [.identivPassThrough])
  func sendsEveryCommandWhereFramesPass(_ dialect: Dialect) async throws {
    let (tag, bench) = try await miFare(.ntag215(), dialect)
    #expect(try await tag.product()?.name == "NTAG215")
    let ultralight = try #require(tag.ultralight)
    bench.virtual.setFaults([])
    // FAST_READ of 16 pages.
    #expect(try await tag.sendMiFareCommand([0x3A, 0x00, 0x0F]).count == 64)
    #expect(bench.virtual.statistics.exchanges == 1)
    #expect(try await ultralight.readSignature().count == 32)
    try await ultralight.writePage(5, [1, 2, 3, 4])
    #expect(try await ultralight.readPage(5) == [1, 2, 3, 4])
    // A page that is not there: refused, and the tag listens again afterwards.
    let error = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([0x30, 0xF0])
    }
    #expect(error?.code == .tagRefused)
    #expect(try await ultralight.readPage(5) == [1, 2, 3, 4])
  }

  @Test(arguments: [Dialect.storageCard, .acsPassThrough])
  func namesWhatAReaderWithoutFramesLacks(_ dialect: Dialect) async throws {
    let (tag, _) = try await miFare(.ntag215(), dialect)
    #expect(tag.family == .ultralight)
    #expect(try await tag.product() == nil)
    #expect(try await tag.sendMiFareCommand([0x30, 0x04]).count == 16)
    for command: [UInt8] in [[0x60], [0x3A, 0x00, 0x0F], [0x1B, 1, 2, 3, 4], [0x3C, 0x00]] {
      let error = await #expect(throws: NFCError.self) {
        _ = try await tag.sendMiFareCommand(command)
      }
      #expect(error?.code == .unsupported)
      #expect(error?.reason.contains("neither a transparent session nor a pass-through") == true)
    }
    let refused = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([0x30, 0xF0])
    }
    #expect(refused?.code == .tagRefused)
    #expect(try await tag.sendMiFareCommand([0x30, 0x04]).count == 16)
    // The reader does not report whether a failed write was refused, or only its answer was lost.
    let unwritten = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([0xA2, 0xF0, 1, 2, 3, 4])
    }
    #expect(unwritten?.code == .tagResponseError)
    #expect(unwritten?.cause == .statusWord(0x6300))
    #expect(try await tag.sendMiFareCommand([0x30, 0x04]).count == 16)
  }

  @Test(arguments: framed + [.storageCard, .identivPassThrough, .feliCaFrames])
  func toleratesFaultsOnAnUltralight(_ dialect: Dialect) async throws {
    let effects: [VirtualPCSCReader.Fault.Effect] = [
      .frameLost, .answerLost, .tagLeaves, .readerUnplugged,
    ]
    for effect in effects {
      let (tag, bench) = try await miFare(.ntag215(), dialect)
      bench.virtual.setFaults([.init(effect, at: 0)])
      let error = await #expect(throws: NFCError.self) {
        _ = try await tag.sendMiFareCommand([0x30, 0x04])
      }
      switch effect {
      case .tagLeaves: #expect(error?.code == .tagConnectionLost)
      case .readerUnplugged: #expect(error?.code == .readerLost)
      default:
        #expect([.tagResponseError, .tagRefused].contains(error?.code), "\(effect)")
        #expect(try await tag.sendMiFareCommand([0x30, 0x04]).count == 16)
      }
    }
  }

  // MARK: MIFARE Classic

  @Test(arguments: [Dialect.transparentSession, .directTransmit, .identivPassThrough])
  func opensClassicSectors(_ dialect: Dialect) async throws {
    let (tag, _) = try await miFare(.classic1K(formatted: false), dialect)
    #expect(tag.family == .classic)
    let classic = try #require(tag.classic)
    // In the transport configuration key B can be read, and so opens nothing (MF1S50YYX data sheet,
    // 8.7.2).
    let wrong = try #require(MiFareClassicKey([UInt8](repeating: 0x11, count: 6)))
    let error = await #expect(throws: NFCError.self) {
      try await classic.authenticate(block: 4, with: wrong, as: .a)
    }
    #expect(error?.code == .authenticationFailed)
    try await tag.connect()
    try await classic.authenticate(block: 4, with: .factory, as: .a)
    let data = (1...16).map { UInt8($0) }
    try await classic.writeBlock(4, data)
    #expect(try await classic.readBlock(4) == data)
    let closed = await #expect(throws: NFCError.self) { _ = try await classic.readBlock(8) }
    #expect(closed?.code == .tagRefused)
    try await classic.authenticate(block: 4, with: .factory, as: .a)
    let value = await #expect(throws: NFCError.self) { try await classic.increment(4, by: 1) }
    #expect(value?.code == .unsupported)
  }

  // MARK: FeliCa

  @Test(arguments: framed + [.feliCaFrames])
  func talksToFeliCaWhereFramesPass(_ dialect: Dialect) async throws {
    let (found, bench) = try await connected(.feliCaLiteS(), dialect)
    guard case .feliCa(let card) = found else { throw NFCError(.wrongTag, "\(found)") }
    #expect(card.pmm.count == 8)
    #expect(card.systemCode == [0x88, 0xB4] || card.systemCode == [0x12, 0xFC])
    try await card.writeNDEF(Self.message, verify: true)
    #expect(try await card.readNDEF() == Self.message)
    bench.field.removeAll()
    let error = await #expect(throws: NFCError.self) { _ = try await card.readNDEF() }
    #expect(error?.code == .tagConnectionLost)
  }

  @Test func reportsAFeliCaCardsNumberWhereNothingElsePasses() async throws {
    let (found, _) = try await connected(.feliCaLiteS(), .storageCard)
    guard case .feliCa(let card) = found else { throw NFCError(.wrongTag, "\(found)") }
    #expect(card.pmm == [])
    #expect(try await card.product() == nil)
    let error = await #expect(throws: NFCError.self) { _ = try await card.readNDEF() }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("accepts no commands for it") == true)
  }

  // MARK: Faults

  /// Whatever goes wrong at whichever exchange of a write: an error that says so, and a message
  /// that is the old one, none or the new one.
  @Test(arguments: framed + [.storageCard])
  func tearsNoMessage(_ dialect: Dialect) async throws {
    let old = NDEFMessage(records: [TextRecord("old").record])
    let effects: [VirtualPCSCReader.Fault.Effect] = [
      .frameLost, .answerLost, .answerBroken, .tagLeaves,
    ]
    for effect in effects {
      for exchange in 0..<16 {
        let virtual = try VirtualTag.ntag213(ndef: old)
        let (found, bench) = try await connected(virtual, dialect)
        bench.virtual.setFaults([.init(effect, at: exchange)])
        do {
          try await found.ndef?.writeNDEF(Self.message)
        } catch let error as NFCError {
          #expect(
            error.group == .connection || error.group == .refusal,
            "\(effect) at \(exchange): \(error)")
        }
        bench.virtual.setFaults([])
        bench.field.removeAll()
        bench.field.place(virtual)
        let back = try #require(try await bench.reader.tagsInField().first)
        try await back.connect()
        let message = try await back.ndef?.readNDEF()
        #expect([old, nil, Self.message].contains(message), "\(effect) at \(exchange)")
      }
    }
  }

  @Test func isUsableAgainWhenItIsPluggedInAgain() async throws {
    let (tag, bench) = try await miFare(.ntag215(), .transparentSession)
    bench.virtual.setFaults([.init(.readerUnplugged, at: 0)])
    for _ in 0..<2 {
      let error = await #expect(throws: NFCError.self) {
        _ = try await tag.sendMiFareCommand([0x30, 0x04])
      }
      #expect([.readerLost, .tagConnectionLost].contains(error?.code))
    }
    let absent = await #expect(throws: NFCError.self) {
      _ = try await bench.reader.tagsInField()
    }
    #expect(absent?.code == .readerLost, "\(String(describing: absent))")
    // Plugged in again.
    bench.virtual.setFaults([])
    let lost = await #expect(throws: NFCError.self) { try await tag.connect() }
    #expect(lost?.code == .tagConnectionLost)
    let again = try #require(try await bench.reader.tagsInField().first)
    try await again.connect()
    #expect(again.identifier == tag.identifier)
    await bench.reader.close()
    let closed = await #expect(throws: NFCError.self) { _ = try await bench.reader.tagsInField() }
    #expect(closed?.code == .readerLost)
  }

  // MARK: What readers can

  @Test func saysWhatIsLost() async throws {
    let pairs: [(Dialect, [String])] = [
      (.transparentSession, ["transparent session", "maker's pass-through", "storage card"]),
      (.directTransmit, ["direct transmit", "storage card"]),
      (
        .springCard,
        ["transparent session", "encapsulated frames", "maker's pass-through", "storage card"]
      ),
      (.omnikey, ["transparent session", "OMNIKEY commands", "storage card"]),
      (.storageCard, ["transparent session", "storage card"]),
    ]
    for (dialect, names) in pairs {
      let virtual = VirtualPCSCReader(VirtualField(), dialect: dialect)
      ReplayedReaders.begin()
      let reader = try await Reader.open(over: { virtual.service() })
      #expect(reader.capabilities.commandPaths.map(\.name) == names)
      for path in reader.capabilities.commandPaths {
        #expect(Set(path.capabilities.keys).isSubset(of: reader.capabilities.technologies))
        #expect(path.description.hasPrefix(path.name))
      }
    }
    let storage = try #require(PCSCReaderModel(name: "Any").commandPaths.last)
    #expect(
      storage.description
        == "storage card: iso14443a APDUs, read and write, MIFARE Classic keys; iso14443b APDUs; "
        + "felica identifier; iso15693 read and write; no native DESFire commands, but in APDUs")
  }

  @Test func asksAnACR122ForNoVicinityTags() async throws {
    let bench = try await Bench(.icodeSLIX2(), dialect: .directTransmit)
    #expect(try await bench.reader.tagsInField().isEmpty)
    let error = await #expect(throws: NFCError.self) {
      _ = try await bench.reader.tagsInField(polling: .iso15693)
    }
    #expect(error?.code == .unsupported)
  }
}
