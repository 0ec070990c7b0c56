import NFCCore
import Testing

@testable import NFCPCSC

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

  /// Without a number there is no tag: not one that answers wrongly, and no contact card.
  @Test(arguments: ["6A81", "9000", "0411 9000", "04112233445566778899AABB 9000"])
  func findsNoTagWithoutAUID(_ answer: String) throws {
    for atr in [Self.classic1K, "3B81800180 80"] {
      #expect(try target(Service(atr: atr, [Self.getUID: answer])).target == nil)
    }
    #expect(try target(Service(atr: "3B6800000073C84012009000", [:])).target == nil)
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
  /// SCL011 answers 6988 to slot 00 (Stack Overflow 31271372).
  @Test(arguments: [
    ("Some Reader 00 00", "00", "00"), ("Some Reader 00 00", "60", "01"),
    ("Some Reader 00 00", "20", "20"),
    ("SCM Microsystems Inc. SCL011 Contactless Reader 00 00", "60", "01"),
    ("Identiv uTrust 3700 F CL Reader 00 00", "60", "01"),
    ("ACS ACR1281 1S Dual Reader 00 01", "20", "20"), ("ACS ACR128U 00 00", "20", "20"),
    ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00", "00", "00"),
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
  }

  @Test func saysThatAnotherProgramHasTheCard() throws {
    let service = Service(atr: Self.classic1K, [:])
    service.connectFailure = .sharingViolation
    let error = #expect(throws: NFCError.self) { _ = try target(service) }
    #expect(error?.code == .readerUnavailable)
    #expect(error?.description.contains("another program") == true)
  }
}
