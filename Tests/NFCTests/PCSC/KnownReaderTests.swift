import NFC
import Testing
import VirtualNFC

@testable import NFCCore
@testable import NFCPCSC

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
    #expect(service.commands.filter { $0.starts(with: [0xFF, 0xA4]) }.count == 1)
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

  // MARK: Names of storage cards

  @Test(arguments: [
    ("03FF20", TagTechnology.iso14443a, UInt8?.some(0x20)), ("03FF40", .iso14443a, 0x40),
    ("03FF88", .iso14443a, 0x88), ("060000", .iso14443b, nil), ("07FFB0", .iso14443b, nil),
    ("074344", .iso14443b, nil), ("03F004", .jewel, nil), ("03F011", .feliCa, nil),
    ("03F012", .feliCa, nil),
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
    .acsPassThrough,
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
