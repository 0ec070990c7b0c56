import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// Readers that report less than they should, or something else, and tags with a bad contact: nothing is taken
/// for granted that was not seen, and nothing that was not seen is kept.
@Suite struct AmbiguousReaderTests {
  typealias Dialect = VirtualPCSCReader.Dialect

  private struct Rig {
    let field = VirtualField()
    let virtual: VirtualPCSCReader

    init(_ tags: VirtualTag..., dialect: Dialect = .transparentSession, name: String? = nil) {
      for tag in tags { field.place(tag) }
      virtual = VirtualPCSCReader(field, dialect: dialect, name: name)
    }

    func driver() throws -> PCSCDriver { try PCSCDriver("", over: virtual.service()) }

    func driver(over service: InterposedService) throws -> PCSCDriver {
      try PCSCDriver("", over: service)
    }
  }

  /// The way of the tag that a driver finds, within some rounds of a search.
  private func path(_ driver: PCSCDriver, rounds: Int = 6) throws -> String? {
    for _ in 0..<rounds {
      try driver.resetField()
      guard let target = try driver.list(.iso15693).first else { continue }
      return driver.capabilities(for: target).commandPaths.first?.name
    }
    return nil
  }

  // MARK: Bad contact

  /// A tag that is being put down misses some of what it is asked. The reader is not taken for less
  /// than it is by that.
  @Test(arguments: PCSCDriverTests.means, 1...8)
  func isDetectedAtABadContact(_ means: PCSCDriverTests.Means, _ lost: Int) throws {
    for first in 0..<4 {
      let rig = Rig(.icodeSLIX2(), dialect: means.dialect)
      rig.virtual.setFaults((first..<(first + lost)).map { .init(.frameLost, at: $0) })
      let found = try path(try rig.driver(), rounds: 12)
      #expect(found == means.path, "\(lost) from \(first) on")
    }
  }

  @Test func asksAgainForAUIDThatIsMissing() throws {
    let rig = Rig(.icodeSLIX2(), dialect: .identivPassThrough)
    var refusals = 2
    let service = InterposedService(rig.virtual.service()) {
      command, pass throws(SmartCardFailure) in
      guard command.starts(with: [0xFF, 0xCA]), refusals > 0 else { return try pass(command) }
      refusals -= 1
      return [0x63, 0x00]
    }
    #expect(try path(try rig.driver(over: service)) == "maker's pass-through")
  }

  /// A tag that never answers what is asked to find the reader out is there all the same.
  @Test func showsATagThatStaysSilent() throws {
    let chip = VirtualTag.icodeSLIX2()
    let rig = Rig(chip, dialect: .identivPassThrough)
    let service = InterposedService(rig.virtual.service()) {
      command, pass throws(SmartCardFailure) in
      if command.starts(with: [0xFF, 0xFC]) { return [0x64, 0x01] }
      return command.starts(with: [0xFF, 0xB0]) ? [0x69, 0x82] : try pass(command)
    }
    let driver = try rig.driver(over: service)
    #expect(try path(driver) == nil)
    #expect(try path(driver, rounds: 10) == "get data")
    #expect(try driver.list(.iso15693).map(\.identifier) == [chip.identifier])
  }

  /// Contactless cards of a kind that nothing is known of are not disturbed again and again.
  @Test func connectsOnceToACardThatItDoesNotKnow() throws {
    let picoPass = try #require(
      [UInt8](hexadecimal: "3B8F8001804F0CA0000003060A00180000000068"))
    let rig = Rig(.icodeSLIX2())
    let service = InterposedService(
      rig.virtual.service(),
      status: {
        SmartCardStatus(
          isCardPresent: $0.isCardPresent, eventCount: $0.eventCount, atr: picoPass)
      })
    let driver = try rig.driver(over: service)
    for _ in 0..<10 {
      try driver.resetField()
      for technology: TagTechnology in [.iso14443a, .iso14443b, .feliCa, .iso15693] {
        #expect(try driver.list(technology).isEmpty)
      }
    }
    #expect(service.connections == 1)
  }

  // MARK: Sessions

  /// A session that is not begun, or that takes no frames, is left for the next best way.
  @Test(arguments: [
    ([0x02] as [UInt8], "C003016401"), ([0x02], "C003016A81"), ([0x01], "C003016A81"), ([0x01], ""),
  ])
  func doesWithoutASessionThatDoesNotWork(_ functions: [UInt8], _ objects: String) throws {
    let rig = Rig(.icodeSLIX2())
    let answer = try #require([UInt8](hexadecimal: objects))
    let service = InterposedService(rig.virtual.service()) {
      command, pass throws(SmartCardFailure) in
      guard command.starts(with: [0xFF, 0xC2, 0x00]), functions.contains(command[3]) else {
        return try pass(command)
      }
      return answer.isEmpty ? [0x6A, 0x81] : answer + [0x90, 0x00]
    }
    #expect(try path(try rig.driver(over: service)) == "storage card")
  }

  /// A reader may report several answers at once as its own failure, once or always.
  @Test(arguments: ["C003026400", "C003026300", "C003026F00"], [1, Int.max])
  func continuesAfterAnOddInventory(_ objects: String, _ count: Int) throws {
    let rig = Rig(.icodeSLIX2(), .icodeSLIX())
    let answer = try #require([UInt8](hexadecimal: objects)) + [0x90, 0x00]
    var left = 0
    let service = InterposedService(rig.virtual.service()) {
      command, pass throws(SmartCardFailure) in
      guard command.starts(with: [0xFF, 0xC2, 0x00, 0x01]), command.count > 14, left > 0 else {
        return try pass(command)
      }
      left -= 1
      return answer
    }
    let driver = try rig.driver(over: service)
    #expect(try driver.list(.iso15693).count == 2)
    left = count
    try driver.resetField()
    let found = try driver.list(.iso15693).count
    #expect(count == 1 ? found <= 2 : found == 0)
    left = 0
    try driver.resetField()
    #expect(try driver.list(.iso15693).count == 2)
  }

  /// On a reader that does not look who comes and goes while a session is on, a session is not kept
  /// for nobody.
  @Test func noticesAnotherTagAfterASession() throws {
    let rig = Rig(.icodeSLIX2())
    var isInSession = false
    var seen: SmartCardStatus?
    let service = InterposedService(
      rig.virtual.service(),
      answer: { command, pass throws(SmartCardFailure) in
        let isManagement = command.starts(with: [0xFF, 0xC2, 0x00, 0x00])
        if isManagement, command[5] == 0x81 { isInSession = true }
        let wasInSession = isInSession
        if isManagement, command[5] == 0x82 { isInSession = false }
        do throws(SmartCardFailure) {
          return try pass(command)
        } catch {
          guard wasInSession else { throw error }
          // The reader goes on; there is nobody to answer.
          return [0xC0, 0x03] + (isManagement ? [0x00, 0x90, 0x00] : [0x01, 0x64, 0x01])
            + [0x90, 0x00]
        }
      },
      status: { status in
        if !isInSession || seen == nil { seen = status }
        return seen ?? status
      })
    let driver = try rig.driver(over: service)
    #expect(try driver.list(.iso15693).count == 1)
    rig.field.removeAll()
    rig.field.place(.ntag215())
    var found: [Target] = []
    for _ in 0..<6 where found.isEmpty {
      try driver.resetField()
      #expect(try driver.list(.iso15693).isEmpty)
      found = try driver.list(.iso14443a)
    }
    #expect(found.count == 1)
  }

  // MARK: Blocks

  /// Above 255 a reader that leaves P1 out of account would write another block.
  @Test func writesNoOtherBlock() async throws {
    let chip = VirtualTag.st25dv()
    let rig = Rig(chip, dialect: .storageCardNumberInP2, name: "Some Reader 00 00")
    let virtual = rig.virtual
    ReplayedReaders.begin()
    let reader = try await Reader.open(over: { virtual.service() })
    let found = try #require(try await reader.tagsInField().first)
    try await found.connect()
    guard case .iso15693(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    let before = chip.memory
    for block in [256, 300, 2047] {
      let error = await #expect(throws: NFCError.self) {
        try await tag.writeBlocks(at: block, [1, 2, 3, 4])
      }
      #expect(error?.cause == .unsupportedByReader)
      await #expect(throws: NFCError.self) { try await tag.readBlocks(block..<(block + 1)) }
    }
    #expect(chip.memory == before)
    try await tag.writeBlocks(at: 255, [1, 2, 3, 4])
    #expect(Array(chip.memory[1020..<1024]) == [1, 2, 3, 4])
  }

  /// What is added to a counter is not added twice: it does not read as it was written.
  @Test(
    .asking(.counter),
    arguments: [VirtualPCSCReader.Fault.Effect.answerLost, .answerBroken, .frameLost])
  func countsOnce(_ effect: VirtualPCSCReader.Fault.Effect) async throws {
    let chip = VirtualTag.icodeSLIX2()
    let bench = try await PCSCBench(chip)
    let tag = try await bench.tag()
    try await tag.writeBlocks(at: 79, [0x05, 0x00, 0x00, 0x00])
    #expect(Array(chip.memory[316..<318]) == [0x05, 0x00])
    bench.virtual.setFaults([.init(effect, at: 0)])
    let error = await #expect(throws: NFCError.self) {
      try await tag.writeBlocks(at: 79, [0x01, 0x00, 0x00, 0x00])
    }
    #expect(error?.code == .tagResponseError)
    #expect(chip.memory[316] == (effect == .frameLost ? 5 : 6))
  }

  /// A reader that does not carry long answers, and does not say so beforehand.
  @Test(arguments: [
    (Dialect.acsPassThrough, "6700"), (.identivPassThrough, "6F00"), (.springCard, "6140"),
    (.transparentSession, "C003026F009000"),
  ])
  func readsByWhatTheReaderGrants(_ dialect: Dialect, _ refusal: String) async throws {
    let chip = VirtualTag.icodeSLIX2()
    let rig = Rig(chip, dialect: dialect)
    let answer = try #require([UInt8](hexadecimal: refusal))
    let virtual = rig.virtual
    let limit = 64
    ReplayedReaders.begin()
    let reader = try await Reader.open(over: {
      InterposedService(virtual.service()) { command, pass throws(SmartCardFailure) in
        let given = try pass(command)
        return given.count > limit ? answer : given
      }
    })
    let found = try #require(try await reader.tagsInField().first)
    try await found.connect()
    guard case .iso15693(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    #expect(try await tag.readBlocks(0..<40).flatMap(\.data) == Array(chip.memory.prefix(160)))
    virtual.setFaults([])
    _ = try await tag.readBlocks(0..<40)
    #expect(virtual.statistics.exchanges <= 5)
  }

  /// A change whose failure a reader gives no reason for may have been carried out.
  @Test(arguments: [Dialect.acsPassThrough, .omnikey, .springCardPassThrough, .storageCard])
  func looksWhatBecameOfAWrite(_ dialect: Dialect) async throws {
    let chip = VirtualTag.icodeSLIX2()
    let rig = Rig(chip, dialect: dialect)
    let virtual = rig.virtual
    let isLosing = Mutex(false)
    ReplayedReaders.begin()
    let reader = try await Reader.open(over: {
      InterposedService(virtual.service()) { command, pass throws(SmartCardFailure) in
        let given = try pass(command)
        let isLost = isLosing.withLock { isLost in
          defer { isLost = false }
          return isLost
        }
        return isLost ? [0x63, 0x00] : given
      }
    })
    let found = try #require(try await reader.tagsInField().first)
    try await found.connect()
    guard case .iso15693(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    try await tag.writeBlocks(at: 4, [9, 9, 9, 9])
    isLosing.withLock { $0 = true }
    try await tag.writeBlocks(at: 4, [1, 2, 3, 4])
    #expect(Array(chip.memory[16..<20]) == [1, 2, 3, 4])
  }

  // MARK: Times

  @Test(arguments: [Duration.seconds(Int64.max / 4), .seconds(Int64.min / 4), .zero])
  func acceptsAnyTimeout(_ timeout: Duration) async throws {
    for dialect in [Dialect.transparentSession, .springCard, .acsPassThrough] {
      let tag = try await PCSCBench(.icodeSLIX2(), dialect: dialect).tag()
      #expect(try await tag.transceive([0x02, 0x20, 0x00], timeout: timeout).first == 0x00)
    }
  }

  @Test(arguments: [
    ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00", true),
    ("ACS ACR1552 1S CL Reader SAM 00 01", true), ("Reader SAM", true),
    ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00", false),
    ("Samsung Reader 00 00", false), ("", false),
    // The names of libccid's list, with the interfaces of the same readers.
    ("Identiv Identiv uTrust 4711 F CL + SAM Reader [uTrust 4711 F SAM Reader] 00 00", true),
    ("Identiv Identiv uTrust 4711 F CL + SAM Reader [uTrust 4711 F CL Reader] (5371) 01 00", false),
    (
      "Identive Identive CLOUD 4510 F Contactless + SAM Reader [CLOUD 4510 F Contactless Reader] 00 00",
      false
    ),
    ("Identive Identive CLOUD 4510 F Contactless + SAM Reader 00 00", false),
    ("ACS ACR1222 1SAM PICC Reader 00 00", false),
    ("Circle CIR415 CL & 1S [CIR415 CL & 1S] 00 00", false),
    ("Feitian VR504 VHBR Contactless & Contact Card Reader [vR504 Contact Reader] 00 00", true),
    ("Feitian R502 [R502 Contactless Reader] 00 00", false),
    ("Feitian R502 [R502 Contact Reader] 01 00", true),
    ("Feitian R502 [R502 SAM2 Reader] 03 00", true),
    ("ACS ACR1581 1S Dual Reader [ACR1581 1S Dual Reader ICC] 01 00", true),
    ("ACS ACR1581 1S Dual Reader [ACR1581 1S Dual Reader PICC] 00 00", false),
    ("Broadcom Corp 58200 [Contacted SmartCard] (0123456789ABCD) 00 00", true),
    ("Broadcom Corp 58200 [Contactless SmartCard] (0123456789ABCD) 01 00", false),
    ("NXP Pegoda 3 [NXP Pegoda 3 (CT)] 00 00", true),
    ("HID Global OMNIKEY 5422 Smartcard Reader [OMNIKEY 5422CL Smartcard Reader] 00 00", false),
    // Three slots with one name (acshk/acsccid issue 4; libccid's name), and models with an antenna only.
    ("ACS ACR1281 1S Dual Reader 00 00", true), ("ACS ACR1281 1S Dual Reader 00 01", false),
    ("ACS ACR1281 1S Dual Reader 00 02", true), ("ACS ACR1281U 01 00", true),
    ("ACS ACR1281U 01 01", false), ("ACS ACR1281 CL Reader 00 00", false),
    ("ACS ACR1281 1S Dual Reader PICC 0", false), ("ACS ACR1281 1S Dual Reader", false),
    ("Alcor Micro AU9540 00 00", false), ("Ein Lesegerät für Funkkarten ][ 00 00", false),
  ])
  func recognizesSlotsForChipCards(_ name: String, _ isChipCardSlot: Bool) {
    #expect(PCSCReaderModel(name: name).isChipCardSlot == isChipCardSlot)
  }

  /// `Reader.open()` takes the first, and `pcsc:OMNIKEY` the first of that name.
  @Test func prefersReadersThatAreSurelyContactless() {
    let names = [
      "Alcor Micro AU9540 00 00",
      "HID Global OMNIKEY 5422 Smartcard Reader [OMNIKEY 5422 Smartcard Reader] 01 00",
      "Yubico YubiKey OTP+FIDO+CCID 02 00", "Feitian R502 [R502 Contact Reader] 03 00",
      "HID Global OMNIKEY 5422 Smartcard Reader [OMNIKEY 5422CL Smartcard Reader] 04 00",
      "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 05 00",
      "ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 06 00",
    ]
    #expect(PCSCReaderModel.antennas(names) == [4, 5, 0, 1, 2].map { names[$0] })
    let slots = ["00", "01", "02"].map { "ACS ACR1281 1S Dual Reader 00 \($0)" }
    #expect(PCSCReaderModel.antennas(names.prefix(1) + slots) == [slots[1], names[0]])
  }
}
