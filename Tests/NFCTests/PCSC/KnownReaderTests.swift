import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCCore
@testable import SwiftNFCPCSC

/// What records of real PC/SC readers show, and manuals do not say.
@Suite struct KnownReaderTests {
  private typealias Service = ScriptedService

  private static let getUID = "FF CA 00 00 00"
  private static let getATS = "FF CA 01 00 00"
  private static let uid: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]
  private static let ultralight = "3B8F8001804F0CA0000003060300030000000068"
  private static let feliCa = "3B8F8001804F0CA00000030611003B0000000042"

  private func target(
    _ service: Service, _ technology: TagTechnology = .iso14443a
  ) throws -> (target: Target?, driver: PCSCDriver) {
    let driver = try PCSCDriver("", over: service)
    return (try driver.list(technology).first, driver)
  }

  // MARK: A card that does not answer

  /// SCardTransmit succeeds with no bytes (pyscard issue 18): the card is mute or gone, and the reader is
  /// sound.
  @Test func treatsAnEmptyAnswerAsSilence() throws {
    #expect(ExchangeOutcome([]) == .noAnswer)
    #expect(ExchangeOutcome([0x90]) == .malformed)
    let service = Service(
      atr: Self.ultralight, [Self.getUID: "04112233445566 9000", "FF B0 00 04 10": ""])
    let driver = try target(service).driver
    let error = #expect(throws: NFCError.self) {
      try driver.exchange([0x30, 0x04], framing: .checked, timeout: .seconds(1))
    }
    #expect(error?.code == .tagResponseError)
    #expect(error?.cause == .noAnswer)
  }

  @Test func treatsAnEmptyAnswerOfASmartCardAsSilence() throws {
    let service = Service(
      atr: "3B8180018080", [Self.getUID: "04112233445566 9000", Self.getATS: "80 9000"])
    service.script = { $0.first == 0x00 ? [] : nil }
    let driver = try target(service).driver
    let error = #expect(throws: NFCError.self) {
      try driver.exchange(
        [0x00, 0xA4, 0x04, 0x00], framing: .tagProtocol, timeout: .seconds(1))
    }
    #expect(error?.cause == .noAnswer)
  }

  /// A tag that is taken away from an ACR122U is lost, and one that is mute for a command is not.
  @Test func distinguishesASilentTagFromOneThatHasLeft() async throws {
    let bench = try await PCSCBench(.ntag215(), dialect: .directTransmit)
    let found = try #require(try await bench.reader.tagsInField().first)
    try await found.connect()
    guard case .miFare(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    bench.virtual.setFaults([.init(.frameLost, at: 0)])
    let mute = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([0x30, 0x04])
    }
    #expect(mute?.code == .tagResponseError)
    #expect(try await tag.sendMiFareCommand([0x30, 0x04]).count == 16)
    bench.field.removeAll()
    let gone = await #expect(throws: NFCError.self) {
      _ = try await tag.sendMiFareCommand([0x30, 0x04])
    }
    #expect(gone?.code == .tagConnectionLost)
  }

  // MARK: ATS in the ATR

  @Test(arguments: [
    ("06 75 77 81 02 80", [UInt8]([0x80])), ("06 75 77 81 02 8F", [0x8F]),
    ("0C 75 77 80 02 C1 05 2F 2F 00 35 C7", [0xC1, 0x05, 0x2F, 0x2F, 0x00, 0x35, 0xC7]),
  ])
  func readsAnATSFromTheATR(_ historical: String, _ expected: [UInt8]) throws {
    let bytes = Service.bytes(historical)
    let header = [0x80 | UInt8(bytes.count), 0x80, 0x01] + bytes
    let atr = [0x3B] + header + [header.reduce(0, ^)]
    for answer in ["6A81", bytes.hexadecimal + "9000"] {
      let service = Service(
        atr: atr.hexadecimal, [Self.getUID: "04112233445566 9000", Self.getATS: answer])
      guard case .iso14443a(let card)? = try target(service).target else {
        throw NFCError(.wrongTag, "no type A card")
      }
      #expect(card.historicalBytes == expected)
      #expect(card.ats == Array(bytes.dropFirst()))
    }
  }

  @Test func treatsNothingElseAsAnATS() {
    for bytes: [UInt8] in [
      [], [0x01], [0x05, 0x75, 0x77], [0x02, 0x80], [0x02, 0x0D], [0x03, 0x70, 0x00],
      [0xC1, 0x05, 0x2F, 0x2F, 0x01, 0xBC, 0xD6],
    ] {
      #expect(AnswerToSelect(bytes) == nil, "\(bytes.hexadecimal)")
    }
    #expect(AnswerToSelect([0x02, 0x05])?.historicalBytes == [])
  }

  // MARK: ACR122U

  private static let version = Service.bytes("FF 00 00 00 02 D4 02")
  private static let pages = Service.bytes("D54100 041122BF 33445566 00480000 E1101200 9000")

  /// From a given command on each answer comes one command late, until the reader is asked for its version.
  @Test func catchesUpWithAReaderThatIsBehind() throws {
    let service = Service(
      "ACS ACR122U PICC Interface 00 00", atr: Self.ultralight,
      [Self.getUID: "04112233445566 9000"])
    var held: [UInt8]?
    var isBehind = false
    service.script = { command in
      guard command.starts(with: [0xFF, 0x00, 0x00, 0x00]) else { return nil }
      let answer =
        command == Self.version ? Service.bytes("D503 32010607 9000") : Self.answer(to: command)
      guard isBehind else { return answer }
      defer { held = answer }
      if let held { return held }
      return []
    }
    let driver = try target(service).driver
    #expect(
      try driver.exchange([0x30, 0x00], framing: .checked, timeout: .seconds(1)).count == 16)
    isBehind = true
    let error = #expect(throws: NFCError.self) {
      try driver.exchange([0x60], framing: .checked, timeout: .seconds(1))
    }
    #expect(error?.cause == .noAnswer)
    // What was held is the answer to GET_VERSION; it is no answer to this READ.
    isBehind = false
    let count = service.commands.filter { $0 == Self.version }.count
    #expect(count >= 1)
    #expect(
      try driver.exchange([0x30, 0x00], framing: .checked, timeout: .seconds(1)).count == 16)
  }

  private static func answer(to command: [UInt8]) -> [UInt8] {
    command.contains(0x60)
      ? Service.bytes("D54300 0004040201001103 9000") : Self.pages
  }

  @Test(arguments: [
    ([UInt8](), ExchangeOutcome.noAnswer), ([0x63, 0x00], .noAnswer), ([0x63, 0x01], .noAnswer),
    ([0x63, 0x27], .broken), ([0x63, 0x7F], .unknown(0x637F)),
    ([0xD5, 0x03, 0x32, 0x01, 0x06, 0x07, 0x90, 0x00], .malformed),
    ([0xD5, 0x43, 0x01, 0x90, 0x00], .noAnswer),
  ])
  func readsWhatAnACR122UAnswers(_ answer: [UInt8], _ outcome: ExchangeOutcome) {
    #expect(DirectTransmit.outcome(answer, of: [0x60]) == outcome)
  }

  // MARK: ACS

  /// FeliCa frames in `FF 00 00 00` (ACM1252U-Y3, reference manual 1.03, 5.2.6), which is the only way to a card's
  /// blocks on these readers.
  @Test(arguments: [true, false])
  func readsFeliCaOnAnACR1252U(_ sendsPolling: Bool) async throws {
    let field = VirtualField()
    field.place(try .named("suica"))
    let virtual = VirtualPCSCReader(field, dialect: .feliCaFrames)
    let reader = try await Reader.open(over: {
      InterposedService(virtual.service()) { command, pass throws(SmartCardFailure) in
        let isPolling = command.starts(with: [0xFF, 0x00, 0x00, 0x00, 0x06, 0x06, 0x00])
        return isPolling && !sendsPolling ? [0x63, 0x00] : try pass(command)
      }
    })
    let found = try #require(try await reader.tagsInField().first)
    try await found.connect()
    guard case .feliCa(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    #expect(tag.pmm.count == (sendsPolling ? 8 : 0))
    #expect(try await tag.readBlocks(service: 0x090F, blocks: 0..<2).count == 2)
    #expect(try await tag.isPresent())
    virtual.setFaults([.init(.frameLost, at: 0)])
    let silent = await #expect(throws: NFCError.self) {
      _ = try await tag.requestService(nodeCodes: [0x090F])
    }
    #expect(silent?.code == .tagResponseError && silent?.cause == .noAnswer)
    field.removeAll()
    #expect(try await !tag.isPresent())
    await reader.close()
  }

  @Test(arguments: [
    ([UInt8](), ExchangeOutcome.noAnswer), ([0x63, 0x00], .noAnswer),
    ([0x6A, 0x81], .unknown(0x6A81)),
    ([0x03, 0x07, 0x01, 0x90, 0x00], .answer([0x03, 0x07, 0x01])),
    ([0x04, 0x07, 0x01, 0x90, 0x00], .malformed), ([0x90, 0x00], .malformed),
  ])
  func readsWhatAnACR1252UAnswers(_ answer: [UInt8], _ outcome: ExchangeOutcome) {
    #expect(FeliCaTransmit.outcome(answer) == outcome)
    #expect(FeliCaTransmit.command(for: [UInt8](repeating: 0, count: 256)) == nil)
  }

  /// A reader of ACS that has no such command.
  @Test func reportsTheIDmWhereFramesAreUnknown() throws {
    let service = Service(
      "ACS Some Reader PICC 00 00", atr: Self.feliCa, [Self.getUID: "0112030405060708 9000"])
    let (found, driver) = try target(service, .feliCa)
    let card = try #require(found)
    #expect(card.identifier == Service.bytes("0112030405060708"))
    #expect(driver.capabilities(for: card).commandPaths.map(\.name) == ["get data"])
  }

  /// Sectors open by the session key, and nothing is put where the reader keeps keys.
  @Test(arguments: [VirtualPCSCReader.Dialect.sessionKey, .feliCaFrames])
  func opensSectorsWithoutKeepingAKey(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let bench = try await PCSCBench(.classic1K(formatted: false), dialect: dialect)
    let found = try #require(try await bench.reader.tagsInField().first)
    try await found.connect()
    guard case .miFare(let tag) = found, let classic = tag.classic else {
      throw NFCError(.wrongTag, "\(found)")
    }
    try await classic.authenticate(block: 4, with: .factory, as: .a)
    #expect(try await classic.readBlock(4).count == 16)
    #expect(!bench.virtual.hasKeptKey)
  }

  // MARK: Identiv

  /// Commands of FeliCa in APDUs (uTrust 4701F, reference manual 1.2, 6.2.14 to 6.2.18).
  @Test func readsAndWritesFeliCaOnIdentivsReaders() async throws {
    let bench = try await PCSCBench(.feliCaLiteS(), dialect: .identivPassThrough)
    let found = try #require(try await bench.reader.tagsInField().first)
    try await found.connect()
    guard case .feliCa(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    let data: [UInt8] = (0..<16).map { UInt8($0) }
    try await tag.writeBlocks(service: 0x0009, at: 4, data)
    #expect(try await tag.readBlocks(service: 0x000B, blocks: 4..<5) == [data])
    #expect(try await tag.isPresent())
    let polling = await #expect(throws: NFCError.self) {
      _ = try await tag.polling(systemCode: 0xFFFF)
    }
    #expect(polling?.code == .unsupported)
    // A read of one block is sent once more.
    bench.virtual.setFaults([.init(.frameLost, at: 0)])
    #expect(try await tag.readBlocks(service: 0x000B, blocks: 4..<5) == [data])
    bench.virtual.setFaults([.init(.frameLost, at: 0), .init(.frameLost, at: 1)])
    let silent = await #expect(throws: NFCError.self) {
      _ = try await tag.readBlocks(service: 0x000B, blocks: 4..<5)
    }
    #expect(silent?.cause == .noAnswer)
    // The card was not taken away for that.
    #expect(try await tag.readBlocks(service: 0x000B, blocks: 4..<5) == [data])
  }

  /// No card can be polled for its NDEF system there; its first block shows that it is in it.
  @Test func readsAMessageWhereNoPollingIsSent() async throws {
    let message = NDEFMessage(records: [TextRecord("no polling").record])
    let tag = try VirtualTag.type3(ndef: message)
    for dialect in [VirtualPCSCReader.Dialect.identivPassThrough, .feliCaFrames] {
      let field = VirtualField()
      field.place(tag)
      let virtual = VirtualPCSCReader(field, dialect: dialect)
      let reader = try await Reader.open(over: {
        InterposedService(virtual.service()) { command, pass throws(SmartCardFailure) in
          let isPolling = command.starts(with: [0xFF, 0x00, 0x00, 0x00, 0x06, 0x06, 0x00])
          return isPolling ? [0x63, 0x00] : try pass(command)
        }
      })
      let found = try #require(try await reader.tagsInField().first)
      try await found.connect()
      #expect(try await found.ndef?.readNDEF() == message)
      await reader.close()
      field.removeAll()
    }
  }

  @Test func takesOnlyAnAttributeBlockForOne() {
    let block = Service.bytes("10 04 01 000D 00000000 00 01 000000 0023")
    #expect(FeliCaQuestion.systemCode(fromBlock: block) == [0x12, 0xFC])
    for index in block.indices {
      var other = block
      other[index] ^= 0x41
      #expect(FeliCaQuestion.systemCode(fromBlock: other) == [])
    }
    #expect(FeliCaQuestion.systemCode(fromBlock: [UInt8](repeating: 0, count: 16)) == [])
    #expect(FeliCaQuestion.systemCode(fromBlock: []) == [])
    #expect(FeliCaQuestion.systemCode(from: .answer([])) == [])
    #expect(FeliCaQuestion.systemCode(from: .noAnswer) == [])
  }

  private static let idm = "0112030405060708"

  @Test(arguments: [
    ("0D 02 \(idm) 01 0B00", "FF 42 01 00 02 0B00"), ("0A 04 \(idm)", "FF 44 00 00 00"),
    ("10 06 \(idm) 01 0B00 01 8000", "FF 46 01 01 04 0B00 8000"),
    ("14 06 \(idm) 02 0B00 0F09 02 8000 8101", "FF 46 02 02 08 0B00 0F09 8000 8101"),
    (
      "20 08 \(idm) 01 0900 01 8004 000102030405060708090A0B0C0D0E0F",
      "FF 48 01 01 14 0900 8004 000102030405060708090A0B0C0D0E0F"
    ), ("0A 0C \(idm)", "FF 4A 00 00 00"),
    // Polling, an element of three bytes, a wrong length, and none.
    ("06 00 FFFF 01 00", ""), ("11 06 \(idm) 01 0B00 01 000001", ""),
    ("10 06 \(idm) 01 0B00 02 8000", ""),
    ("0F 06 \(idm) 01 0B00 01 8000", ""), ("", ""), ("02 06", ""), ("0A 06 \(idm)", ""),
    ("0D 06 \(idm) 01 0B00", ""),
  ])
  func writesTheAPDUsOfIdentivsReaders(_ frame: String, _ command: String) {
    let expected = command.isEmpty ? nil : Service.bytes(command)
    #expect(FeliCaCommands.command(for: Service.bytes(frame)) == expected)
  }

  @Test(arguments: [
    ("\(idm) 0000 01 9000", ExchangeOutcome.answer(Service.bytes("0D 07 \(idm) 0000 01"))),
    ("9000", .malformed), ("01 9000", .malformed), ("6300", .noAnswer), ("6A81", .unknown(0x6A81)),
  ])
  func readsWhatIdentivsReadersAnswer(_ answer: String, _ outcome: ExchangeOutcome) {
    let frame = Service.bytes("10 06 \(Self.idm) 01 0B00 01 8000")
    #expect(FeliCaCommands.outcome(Service.bytes(answer), of: frame) == outcome)
  }

  // MARK: Sony

  @Test func readsFeliCaOnAnRCS300() async throws {
    let bench = try await PCSCBench(
      try .named("suica"), dialect: .sonyTransparentSession)
    let found = try #require(try await bench.reader.tagsInField().first)
    try await found.connect()
    guard case .feliCa(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    #expect(tag.pmm.count == 8)
    let blocks = try await tag.readBlocks(service: 0x090F, blocks: 0..<2)
    #expect(blocks.count == 2)
    let error = await #expect(throws: NFCError.self) { _ = try await tag.systems() }
    #expect(error?.code == .unsupported)
    // The refusal was the reader's: the card is still there.
    #expect(try await tag.readBlocks(service: 0x090F, blocks: 0..<1).count == 1)
  }

  /// Without a way for frames: PMm in place of an ATS.
  @Test(arguments: [
    ("01 20 22 04 27 67 4E FF 9000", [0x01, 0x20, 0x22, 0x04, 0x27, 0x67, 0x4E, 0xFF]),
    ("6A81", []), ("80 9000", []),
  ])
  func asksForThePMm(_ answer: String, _ pmm: [UInt8]) throws {
    let service = Service(
      atr: Self.feliCa, [Self.getUID: "0112030405060708 9000", Self.getATS: answer])
    guard case .feliCa(let card)? = try target(service, .feliCa).target else {
      throw NFCError(.wrongTag, "no FeliCa card")
    }
    #expect(card.pmm == pmm)
  }

  private static let block = (0..<16).map { UInt8($0) }

  /// `FF A4` and `FF B0` of an RC-S380.
  @Test func readsBlocksByTheirNumber() throws {
    let service = Service(
      "Sony RC-S380/P 00 00", atr: Self.feliCa,
      [
        Self.getUID: "0112030405060708 9000", "FF A4 00 01 02 0F 09": "9000",
        "FF B0 00 00 00": Self.block.hexadecimal + "9000",
        "FF B0 00 01 00": Self.block.hexadecimal + "9000",
        "FF A4 00 01 02 0F 11": "6A82",
      ])
    let driver = try target(service, .feliCa).driver
    let idm: [UInt8] = [1, 0x12, 3, 4, 5, 6, 7, 8]
    func read(_ service: [UInt8]) throws -> [UInt8] {
      let body = [0x06] + idm + [0x01] + service + [0x02, 0x80, 0x00, 0x00, 0x01, 0x00]
      return try driver.exchange(
        [UInt8(body.count + 1)] + body, framing: .checked, timeout: .seconds(1))
    }
    #expect(
      try read([0x0F, 0x09])
        == [13 + 32, 0x07] + idm + [0x00, 0x00, 0x02] + Self.block + Self.block)
    // The service is selected once for all its blocks.
    #expect(service.commands.filter { $0 == Service.bytes("FF A4 00 01 02 0F 09") }.count == 1)
    let refused = #expect(throws: NFCError.self) { try read([0x0F, 0x11]) }
    #expect(refused?.code == .tagRefused)
    let other = #expect(throws: NFCError.self) {
      try driver.exchange([0x0A, 0x0C] + idm, framing: .checked, timeout: .seconds(1))
    }
    #expect(other?.code == .unsupported)
  }

  // MARK: Failures of the service

  @Test(arguments: [
    SmartCardFailure.protocolMismatch, .unsupportedCard, .insufficientBuffer, .internalError,
  ])
  func doesNotTakeACardsFaultForTheReaders(_ failure: SmartCardFailure) throws {
    let service = Service(atr: Self.ultralight, [Self.getUID: "04112233445566 9000"])
    let driver = try target(service).driver
    service.script = { _ throws(SmartCardFailure) in throw failure }
    let error = #expect(throws: NFCError.self) {
      try driver.exchange([0x30, 0x04], framing: .checked, timeout: .seconds(1))
    }
    #expect(error?.code == .tagResponseError)
    #expect(error?.cause == failure.cause)
    // A card that cannot be connected to is none that the others wait for.
    service.script = { _ in nil }
    service.connectFailure = failure
    #expect(try driver.list(.iso14443a).isEmpty)
    service.connectFailure = nil
    #expect(try driver.list(.iso14443a).count == 1)
  }

  // MARK: Lengths

  /// A reader that names the length of its answer (PC/SC part 3, 3.2.2.1.3 and 3.2.2.1.8; ISO/IEC 7816-4, 5.6).
  @Test func sendsTheLengthThatAReaderAsksFor() throws {
    let service = Service(
      atr: Self.ultralight,
      [
        Self.getUID: "6C07", "FF CA 00 00 07": "04112233445566 9000", "FF B0 00 04 10": "6C00",
        "FF B0 00 04 00": Self.block.hexadecimal + "9000",
      ])
    let (found, driver) = try target(service)
    #expect(found?.identifier == Self.uid)
    #expect(
      try driver.exchange([0x30, 0x04], framing: .checked, timeout: .seconds(1)) == Self.block)
    // Only once.
    service.script = { $0.starts(with: [0xFF, 0xB0]) ? [0x6C, 0x10] : nil }
    let error = #expect(throws: NFCError.self) {
      try driver.exchange([0x30, 0x04], framing: .checked, timeout: .seconds(1))
    }
    #expect(error?.code == .tagRefused)
    #expect(service.commands.filter { $0.starts(with: [0xFF, 0xB0, 0x00, 0x04]) }.count == 4)
  }

  // MARK: Names of storage cards

  /// A Topaz is named on any reader, not only by ACS's.
  @Test(arguments: ["F004", "0030"]) func reportsATopaz(_ name: String) async throws {
    let body = Service.bytes("8F8001804F0CA000000306 03" + name + "00000000")
    let atr = ([0x3B] + body + [body.reduce(0, ^)]).hexadecimal
    let reader = try await Reader.open(over: {
      Service(atr: atr, [Self.getUID: "01020304 9000"])
    })
    #expect(try await reader.tagsInField().map(\.identifier) == [[1, 2, 3, 4]])
    await reader.close()
  }

  @Test(arguments: [
    ("03FF20", TagTechnology.iso14443a, UInt8?.some(0x20)), ("03FF40", .iso14443a, 0x40),
    ("03FF88", .iso14443a, 0x88), ("060000", .iso14443b, nil), ("07FFB0", .iso14443b, nil),
    ("074344", .iso14443b, nil), ("03F004", .jewel, nil), ("03F011", .feliCa, nil),
    ("03F012", .feliCa, nil),
    // PC/SC part 3, supplemental document, as in pcsc-tools' smartcard_list.txt.
    ("03002F", .jewel, nil), ("030030", .jewel, nil), ("03003D", .iso14443a, 0x00),
  ])
  func recognizesACardByItsName(_ name: String, _ technology: TagTechnology, _ sak: UInt8?) throws {
    let body = Service.bytes("8F8001804F0CA000000306" + name + "00000000")
    let atr = [0x3B] + body + [body.reduce(0, ^)]
    let identifier = technology == .feliCa ? "0112030405060708" : "04112233"
    let service = Service(
      "ACS ACR122U PICC Interface 00 00", atr: atr.hexadecimal,
      [Self.getUID: identifier + "9000"])
    let found = try #require(try target(service, technology).target)
    #expect(found.technology == technology)
    #expect(found.identifier == Service.bytes(identifier))
    if case .iso14443a(let card) = found { #expect(card.sak == sak) }
  }
}

/// Whether a tag is still there, on readers that know it in different ways.
@Suite struct PCSCPresenceTests {
  /// New ones each time: cases run beside each other, and a tag is in one field.
  private static var tags: [VirtualTag] {
    [.ntag215(), .type4(), .type4B(), .classic1K(), .feliCaLiteS(), .icodeSLIX2()]
  }

  @Test(arguments: [
    VirtualPCSCReader.Dialect.transparentSession, .directTransmit, .storageCard, .springCard,
    .acsPassThrough, .identivPassThrough,
  ])
  func distinguishesATagThatIsPresentFromOneThatHasLeft(_ dialect: VirtualPCSCReader.Dialect)
    async throws
  {
    for virtual in Self.tags {
      if dialect == .directTransmit, virtual.modulation == .iso15693 { continue }
      let bench = try await PCSCBench(virtual, dialect: dialect)
      let found = try #require(try await bench.reader.tagsInField().first, "\(virtual.name)")
      try await found.connect()
      for _ in 0..<2 { #expect(try await found.tag.isPresent(), "\(virtual.name)") }
      bench.field.removeAll()
      #expect(try await !found.tag.isPresent(), "\(virtual.name)")
    }
  }
}
