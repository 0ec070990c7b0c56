import SwiftNFCCore
import Testing

@testable import SwiftNFCPCSC

/// What the driver makes of readers that name cards in their own ways, or take less than others.
@Suite struct PCSCRecognitionTests {
  private typealias Service = ScriptedService

  private static let getUID = "FF CA 00 00 00"
  private static let getATS = "FF CA 01 00 00"
  private static let unnamed = "3B8F8001804F0CA000000306030000000000006B"
  private static let classic1K = "3B8F8001804F0CA000000306030001000000006A"
  private static let readPages = "FF B0 00 00 10"

  private func target(_ service: Service) throws -> (target: Target?, driver: PCSCDriver) {
    let driver = try PCSCDriver("", over: service)
    #expect(driver.name == service.name)
    for technology: TagTechnology in [.iso14443a, .iso14443b, .feliCa] {
      if let target = try driver.list(technology).first { return (target, driver) }
    }
    return (nil, driver)
  }

  @Test func recognizesAnUltralightWithoutANameByItsPages() throws {
    // UID 04 11 22, check byte 88 ^ 04 ^ 11 ^ 22 = BF, UID 33 44 55 66.
    let service = Service(
      atr: Self.unnamed,
      [
        Self.getUID: "04112233445566 9000",
        Self.readPages: "041122BF 33445566 00480000 E1101200 9000",
      ])
    let found = try target(service).target
    guard case .iso14443a(let card)? = found else { throw NFCError(.wrongTag, "\(found as Any)") }
    #expect(card.sak == 0x00)
    #expect(card.uid == [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66])
  }

  @Test(arguments: ["041122BF 33445567 00480000 E1101200 9000", "9000", "6300"])
  func makesNoKindOfACardThatIsNotKnown(_ pages: String) throws {
    let service = Service(
      atr: Self.unnamed, [Self.getUID: "04112233445566 9000", Self.readPages: pages])
    let (found, driver) = try target(service)
    #expect(found?.identifier.count == 7)
    let error = #expect(throws: NFCError.self) {
      try driver.exchange([0x30, 0x00], framing: .checked, timeout: .seconds(1))
    }
    #expect(error?.code == .unsupported)
  }

  @Test func findsNoTagInAContactCard() throws {
    #expect(try target(Service(atr: "3B6800000073C84012009000", [:])).target == nil)
  }

  // MARK: Readers that report no UID

  private static let smartCard = "3B8180018080"
  private static let select = "00A4040000"

  /// PC/SC part 3, table 3-0; OpenSC issue 810: a card answers 6E00 where the reader passes the question on.
  @Test(arguments: ["6A81", "6D00", "6E00", "6B00", "6700", "6982", "6A82"])
  func showsASmartCardWhoseUIDIsRefused(_ word: String) throws {
    let service = Service(
      atr: Self.smartCard, [Self.getUID: word, Self.select: "6A82", Self.getATS: word])
    let (found, driver) = try target(service)
    guard case .iso14443a(let card)? = found else { throw NFCError(.wrongTag, "\(found as Any)") }
    #expect(card.uid.isEmpty)
    #expect(card.supportsISO14443Part4)
    for _ in 0..<2 {
      let answer = try driver.exchange(
        Service.bytes(Self.select), framing: .tagProtocol, timeout: .seconds(1))
      #expect(answer == [0x6A, 0x82])
      // Still the same card, also after it was woken.
      try driver.resetField()
      #expect(try driver.list(.iso14443a) == [.iso14443a(card)])
      try driver.select(.iso14443a(card))
      #expect(try driver.isPresent(.iso14443a(card)))
    }
  }

  @Test func showsASmartCardOfTypeBWhosePUPIIsRefused() throws {
    let (found, driver) = try target(Service(atr: "3B8880010011223300818100 00", [:]))
    guard case .iso14443b(let card)? = found else { throw NFCError(.wrongTag, "\(found as Any)") }
    #expect(card.pupi.isEmpty && card.applicationData == [0x00, 0x11, 0x22, 0x33])
    try driver.resetField()
    try driver.select(.iso14443b(card))
  }

  /// A card that is being put down looks to a reader like one whose UID it does not report.
  @Test(arguments: [
    ("6300", true), ("6F00", true), ("9000", true), ("0411 9000", true), ("", false),
    ("6401", false),
  ])
  func asksSeveralTimesForAUIDThatIsMissing(_ answer: String, _ isShown: Bool) throws {
    for atr in [Self.smartCard, Self.classic1K] {
      let driver = try PCSCDriver("", over: Service(atr: atr, [Self.getUID: answer]))
      var rounds: [Int] = []
      for round in 0..<14 {
        try driver.resetField()
        if try driver.list(.iso14443a).first?.identifier == [] { rounds.append(round) }
      }
      #expect(rounds == (isShown ? [10, 11, 12, 13] : []))
    }
  }

  @Test func keepsTheUIDThatComesLate() throws {
    let service = Service(atr: Self.smartCard, [Self.getUID: "04112233445566 9000"])
    var refusals = 3
    service.script = {
      guard $0 == Service.bytes(Self.getUID), refusals > 0 else { return nil }
      refusals -= 1
      return [0x63, 0x00]
    }
    let driver = try PCSCDriver("", over: service)
    var found: [[UInt8]] = []
    for _ in 0..<5 {
      try driver.resetField()
      found += try driver.list(.iso14443a).map(\.identifier)
    }
    #expect(Set(found) == [[0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]])
  }

  /// MIFARE Ultralight, NTAG I2C (without check bytes), and a card whose pages show no UID.
  @Test(arguments: [
    ("041122BF 33445566 44480000 E1101200 9000", "04112233445566"),
    ("04112233 44556600 44000000 E1106D00 9000", "04112233445566"),
    ("00000000 00000000 00480000 E1101200 9000", ""),
  ])
  func readsTheUIDOfAnUltralightFromItsPages(_ pages: String, _ uid: String) throws {
    let service = Service(
      atr: "3B8F8001804F0CA0000003060300030000000068", [Self.readPages: pages])
    let (found, driver) = try target(service)
    guard case .iso14443a(let card)? = found else { throw NFCError(.wrongTag, "\(found as Any)") }
    #expect(card.uid == Service.bytes(uid) && card.sak == 0x00)
    let read = { try driver.exchange([0x30, 0x00], framing: .checked, timeout: .seconds(1)) }
    #expect(try read().count == 16)
    try driver.resetField()
    try driver.select(.iso14443a(card))
    #expect(try read().count == 16)
  }

  @Test func makesAnUltralightOfAnUnnamedCardOnlyWithTheCheckBytesOfItsUID() throws {
    for (pages, sak) in [
      ("041122BF 33445566 44480000 E1101200 9000", UInt8(0x00)),
      ("04112233 44556600 44000000 E1106D00 9000", 0x04),
    ] {
      let found = try target(Service(atr: Self.unnamed, [Self.readPages: pages])).target
      guard case .iso14443a(let card)? = found else { throw NFCError(.wrongTag, "\(found as Any)") }
      #expect(card.sak == sak)
    }
  }

  @Test func opensAClassicWhoseUIDIsRefused() throws {
    let service = Service(
      atr: Self.classic1K, [Self.load: "9000", Self.authenticate: "9000"])
    let (found, driver) = try target(service)
    guard case .iso14443a(let card)? = found else { throw NFCError(.wrongTag, "\(found as Any)") }
    #expect(card.uid.isEmpty && card.sak == 0x08)
    try driver.authenticate(block: 4, keyType: .a, key: Self.key, uid: [])
    try driver.resetField()
    try driver.select(.iso14443a(card))
  }

  // MARK: The first Touchatag

  /// Its reader reports the length of an answer, which FF C0 gets (libnfc, acr122_pcsc.c).
  @Test(arguments: ["ACS ACR 38U-CCID 00 00", "ACS ACR38U-CCID 00 00", "ACS AET65 00 00"])
  func getsTheAnswersOfATouchatag(_ name: String) throws {
    let service = Service(
      name, atr: "3B8F8001804F0CA0000003060300030000000068", [Self.getUID: "04112233445566 9000"])
    var answer: [UInt8] = []
    service.script = { command in
      if command.starts(with: [0xFF, 0x00, 0x00, 0x00]) {
        let isRead = command.dropFirst(5).starts(with: [0xD4, 0x40, 0x01, 0x30])
        answer = Service.bytes(
          isRead ? "D541 00 041122BF 33445566 44480000 E1101200 9000" : "D543 00 00 04 04 02 9000")
        return [0x61, UInt8(answer.count)]
      }
      return command == [0xFF, 0xC0, 0x00, 0x00, UInt8(answer.count)] ? answer : nil
    }
    let (found, driver) = try target(service)
    #expect(found?.identifier == [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66])
    #expect(!driver.capabilities.technologies.contains(.iso15693))
    let pages = try driver.exchange([0x30, 0x00], framing: .checked, timeout: .seconds(1))
    #expect(pages.count == 16)
    let version = try driver.exchange([0x60], framing: .checked, timeout: .seconds(1))
    #expect(version == [0x00, 0x04, 0x04, 0x02])
    // A card's own answer is not the reader's.
    #expect(StorageCardCommands.getResponse(to: [0x00, 0xA4], [0x61, 0x10]) == nil)
    #expect(StorageCardCommands.getResponse(to: [0xFF, 0xC0], [0x61, 0x10]) == nil)
  }

  @Test func acceptsASmartCardThatIsNamedByItsSAK() throws {
    let service = Service(
      atr: "3B8F8001804F0CA00000030603FF2000000000B4",
      [Self.getUID: "04112233445566 9000", "00A4040000": "6A82"])
    let (found, driver) = try target(service)
    guard case .iso14443a(let card)? = found else { throw NFCError(.wrongTag, "\(found as Any)") }
    #expect(card.supportsISO14443Part4)
    let answer = try driver.exchange(
      [0x00, 0xA4, 0x04, 0x00, 0x00], framing: .tagProtocol, timeout: .seconds(1))
    #expect(answer == [0x6A, 0x82])
    #expect(driver.capabilities(for: .iso14443a(card)).supportsOnlyAPDUs)
  }

  /// Only the historical bytes, the ATS with its length, and a reader that reports nothing.
  @Test(arguments: [("80 9000", []), ("06 75778102 80 9000", [0x75, 0x77, 0x81, 0x02, 0x80])])
  func readsAnATSInEitherForm(_ answer: String, _ ats: [UInt8]) throws {
    let service = Service(
      atr: "3B8180018080", [Self.getUID: "04112233445566 9000", Self.getATS: answer])
    let found = try target(service).target
    guard case .iso14443a(let card)? = found else { throw NFCError(.wrongTag, "\(found as Any)") }
    #expect(card.ats == ats)
    #expect(card.historicalBytes == [0x80])
    #expect(card.atqa == [])
  }

  /// A type A card may have eight historical bytes that look like type B's: its ATS shows what it is.
  @Test(arguments: [(nil, TagTechnology.iso14443b), ("0011223300818100 9000", .iso14443a)])
  func distinguishesTypeBByTheMissingATS(_ ats: String?, _ technology: TagTechnology) throws {
    var answers = [Self.getUID: "01020304 9000"]
    answers[Self.getATS] = ats
    let service = Service(atr: "3B8880010011223300818100 00", answers)
    let found = try target(service).target
    #expect(found?.technology == technology)
    if case .iso14443b(let card)? = found {
      #expect(card.pupi == [1, 2, 3, 4])
      #expect(card.applicationData == [0x00, 0x11, 0x22, 0x33])
      #expect(card.protocolInfo == [0x00, 0x81, 0x81])
    }
  }

  // MARK: Keys

  private static let key = [UInt8](repeating: 0xFF, count: 6)
  private static let load = "FF 82 00 00 06 FFFFFFFFFFFF"
  private static let authenticate = "FF 86 00 00 05 01 00 04 60 00"

  /// No key is ever written to where the reader keeps it: P1 20, PC/SC part 3, 3.2.2.1.4.
  @Test(arguments: [
    (["": ""], NFCError.Code.unsupported), ([load: "6983"], .unsupported),
    ([load: "9000"], .unsupported), ([load: "9000", authenticate: "6300"], .authenticationFailed),
    ([load: "9000", authenticate: "6982"], .authenticationFailed),
    ([load: "9000", authenticate: "6401"], .authenticationFailed),
    ([load: "9000", authenticate: "90"], .authenticationFailed),
  ])
  func saysWhyASectorStaysClosed(_ more: [String: String], _ code: NFCError.Code) throws {
    var answers = [Self.getUID: "01020304 9000"]
    for (command, answer) in more where !command.isEmpty { answers[command] = answer }
    let service = Service(atr: Self.classic1K, answers)
    let (found, driver) = try target(service)
    #expect(found?.identifier == [1, 2, 3, 4])
    let error = #expect(throws: NFCError.self) {
      try driver.authenticate(block: 4, keyType: .a, key: Self.key, uid: [1, 2, 3, 4])
    }
    #expect(error?.code == code)
    #expect(!service.commands.contains { $0.starts(with: [0xFF, 0x82]) && $0[2] != 0x00 })
  }

  /// Slots are not the same on all readers: ACR122U 2.04, 5.1; SCL3711 1.3, 6.2.3; ACM1281U-C7 1.02, 5.1.3.1. An
  /// SCL011 answers 6988 to slot 00 (Stack Overflow 31271372). Gemalto's are nonvolatile below 80 (DOC119811); Cherry's
  /// first is 1 (liblogicalaccess).
  @Test(arguments: [
    ("Some Reader 00 00", "00", "00"), ("Some Reader 00 00", "60", "01"),
    ("Some Reader 00 00", "20", "20"),
    ("SCM Microsystems Inc. SCL011 Contactless Reader 00 00", "60", "01"),
    ("Identiv uTrust 3700 F CL Reader 00 00", "60", "01"),
    ("ACS ACR1281 1S Dual Reader 00 01", "20", "20"), ("ACS ACR128U 00 00", "20", "20"),
    ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00", "00", "00"),
    ("Gemalto Prox Dual USB PC LinkReader [Prox-DU Contactless_10500231] 00 00", "50", "50"),
    ("Gemalto Prox SU USB PC LinkReader [Prox-SU Contactless interface] 01 00", "50", "50"),
    ("Cherry SmartTerminal ST-4400 RF 00 00", "01", "01"),
  ])
  func findsTheSlotForAKey(_ reader: String, _ slot: String, _ number: String) throws {
    let load = "FF 82 00 \(slot) 06 FFFFFFFFFFFF"
    let service = Service(
      reader, atr: Self.classic1K,
      [
        Self.getUID: "01020304 9000", load: "9000",
        "FF 86 00 00 05 01 00 04 60 \(number)": "9000",
      ])
    service.script = {
      $0.starts(with: [0xFF, 0x82]) && $0[3] != UInt8(slot, radix: 16) ? [0x69, 0x88] : nil
    }
    let (_, driver) = try target(service)
    for _ in 0..<2 {
      try driver.authenticate(block: 4, keyType: .a, key: Self.key, uid: [1, 2, 3, 4])
    }
    // The second time, the slot is known.
    let loads = service.commands.filter { $0.starts(with: [0xFF, 0x82]) }
    #expect(loads.suffix(1) == [Service.bytes(load)] && loads.count <= 4)
    #expect(loads.allSatisfy { $0[2] == 0x00 })
    // Where the low slots are nonvolatile, none of them is tried.
    #expect(!reader.contains("ACR128") || loads.allSatisfy { $0[3] == 0x20 })
    #expect(!reader.contains("Prox") || loads.allSatisfy { $0[3] == 0x50 })
  }

  @Test func saysThatAnotherProgramHasTheCard() throws {
    let service = Service(atr: Self.classic1K, [:])
    service.connectFailure = .sharingViolation
    let error = #expect(throws: NFCError.self) { _ = try target(service) }
    #expect(error?.code == .readerUnavailable)
    #expect(error?.description.contains("another program") == true)
  }
}
