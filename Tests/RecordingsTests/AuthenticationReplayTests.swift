import NFC
import SecureTags
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@testable import Recordings

/// Proofs of keys by random numbers of both sides, and what follows them, from recordings with and without secrets.
@Suite struct AuthenticationReplayTests {
  /// A tag, and a program that says what it has seen of it.
  struct Procedure: Sendable, CustomTestStringConvertible {
    let name: String
    let tag: @Sendable () throws -> VirtualTag
    let run: @Sendable (DetectedTag) async throws -> [String]

    init(
      _ name: String, _ tag: @escaping @Sendable () throws -> VirtualTag,
      _ run: @escaping @Sendable (DetectedTag) async throws -> [String]
    ) {
      self.name = name
      self.tag = tag
      self.run = run
    }

    var testDescription: String { name }
  }

  private static let application = DESFireApplicationIdentifier(0x12_3456) ?? .card
  private static let aesKey = SecretKey([UInt8](repeating: 0x5A, count: 16))

  private static func miFare(_ tag: DetectedTag) throws -> any MiFareTag {
    guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "no MIFARE tag") }
    return tag
  }

  /// An application with files of every kind, changed in transactions, and a key.
  private static func changeCard(
    _ tag: DetectedTag, _ kind: DESFireKey.Kind
  ) async throws -> [String] {
    let card = try await DESFireCard(tag)
    try await card.root.authenticate(0, .factory(.des))
    var seen = [try await card.cardUID().hexadecimal]
    try await card.createApplication(
      DESFireApplicationDescription(application, keyCount: 2, kind: kind))
    let application = card.application(application)
    try await application.authenticate(0, .factory(kind))
    let rights = DESFireAccessRights(
      read: .key(1), write: .key(1), readWrite: .key(0), change: .key(0))
    for (number, content) in [
      (1, DESFireFileSettings.Content.standardData(size: 200)), (2, .backupData(size: 40)),
      (
        3,
        .value(
          DESFireValueSettings(
            lowerLimit: 0, upperLimit: 100, initialValue: 50, allowsLimitedCredit: true))
      ), (4, .linearRecords(DESFireRecordSettings(recordSize: 10, maximumCount: 3))),
    ] {
      try await application.createFile(
        number, DESFireFileSettings(communication: .encrypted, rights: rights, content: content))
    }
    try await application.writeData(file: 1, (0..<200).map { UInt8($0) })
    try await application.transaction {
      try await $0.writeData(file: 2, offset: 5, [1, 2, 3])
      try await $0.changeValue(file: 3, .credit(2))
      try await $0.writeRecord(file: 4, [4])
    }
    seen.append(try await application.readData(file: 1).hexadecimal)
    seen.append("\(try await application.value(file: 3))")
    seen.append("\(try await application.readRecords(file: 4))")
    let count = kind == .threeKeyTripleDES ? 24 : 16
    let new = try DESFireKey(kind, bytes: [UInt8](repeating: 0x24, count: count), version: 7)
    try await application.changeKey(1, from: .factory(kind), to: new)
    try await application.authenticate(1, new)
    seen.append("\(try await application.keyVersion(1))")
    let wrong = await #expect(throws: NFCError.self) {
      try await application.authenticate(0, new)
    }
    seen.append("\(wrong?.code == .authenticationFailed)")
    try await card.endSession()
    return seen
  }

  private static let desfire: [Procedure] = [
    (DESFireModel.ev1, DESFireKey.Kind.des, "DES"), (.ev1, .threeKeyTripleDES, "3K3DES"),
    (.ev1, .aes, "AES"), (.ev2, .aes, "EV2"), (.ev3, .aes, "EV3"),
  ].map { model, kind, name in
    Procedure("DESFire \(name)", { VirtualTag(DESFire(model, formatted: false)) }) { tag in
      try await changeCard(tag, kind)
    }
  }

  private static let others = [
    Procedure("NTAG 424 DNA", { .ntag424() }) { tag in
      let chip = try await DESFireCard(tag).application(.fixed)
      try await chip.authenticate(0, .factory(.aes))
      var seen = [try await chip.card.cardUID().hexadecimal]
      let new = try DESFireKey(.aes, aesKey, version: 3)
      try await chip.changeKey(2, from: .factory(.aes), to: new)
      try await chip.authenticate(2, new)
      seen.append("\(try await chip.keyVersion(2))")
      try await chip.card.endSession()
      return seen
    },
    Procedure("MIFARE Plus", { .miFarePlus() }) { tag in
      let card = try MIFAREPlusCard(try miFare(tag))
      let key = SecretKey([UInt8](repeating: 0xFF, count: 16))
      let address = try #require(MIFAREPlusKeyAddress(sector: 1))
      try await card.authenticate(address, key)
      try await card.writeBlock(4, (0..<16).map { UInt8($0) })
      var seen = [try await card.readBlocks(4..<6).hexadecimal]
      try await card.setValue(5, 77)
      try await card.changeValue(5, by: -7)
      seen.append("\(try await card.value(5))")
      let wrong = await #expect(throws: NFCError.self) {
        try await card.authenticate(address, aesKey)
      }
      seen.append("\(wrong?.code == .authenticationFailed)")
      return seen
    },
    Procedure("Ultralight C", { .ultralightC() }) { tag in
      let commands = try #require(try miFare(tag).ultralight)
      let key = Array("IEMKAERB!NACUOYF".utf8)
      try await commands.authenticate(key: key)
      try await commands.changeKey((0..<16).map { UInt8($0) * 2 })
      return [try await commands.readFourPages(from: 4).hexadecimal]
    },
    Procedure("Ultralight AES", { .ultralightAES() }) { tag in
      let chip = try await UltralightAESTag(try miFare(tag))
      let key = SecretKey([UInt8](repeating: 0, count: 16))
      try await chip.authenticate(.dataProtection, key)
      let pages = try await chip.commands.readFourPages(from: 4)
      return [pages.hexadecimal, try await chip.identifier(key).hexadecimal]
    },
    Procedure("FeliCa Lite-S", { .feliCaLiteS() }) { tag in
      guard case .feliCa(let card) = tag, let lite = card.lite else {
        throw NFCError(.wrongTag, "no FeliCa Lite")
      }
      let key = try #require(FeliCaLiteCardKey([UInt8](repeating: 0, count: 16)))
      let session = try await lite.authenticateMutually(key)
      return ["\(try await session.read([0, 1]))"]
    },
  ]

  static let procedures = desfire + others

  private final class Lines: Sendable {
    private let text = Mutex("")
    var all: String { text.withLock { $0 } }
    func add(_ line: String) { text.withLock { $0 += line } }
  }

  private static func record(
    _ procedure: Procedure, revealingSecrets: Bool
  ) async throws -> (seen: [String], text: String) {
    let lines = Lines()
    let direct = DirectReader(VirtualField())
    direct.field.place(try procedure.tag())
    let recorder = Recorder(revealingSecrets: revealingSecrets) { lines.add($0) }
    let reader = try await Reader.open { recorder.recording(direct.driver()) }
    let seen = try await procedure.run(try await reader.firstTag(within: .seconds(10)))
    await reader.close()
    #expect(recorder.failure == nil)
    return (seen, lines.all)
  }

  /// The program draws the numbers that it has drawn, so that all is as it was; also in another order of lookup.
  @Test(arguments: procedures) func isPlayedBackWithItsSecrets(_ procedure: Procedure) async throws
  {
    let (seen, text) = try await Self.record(procedure, revealingSecrets: true)
    #expect(!seen.isEmpty)
    #expect(text.contains(#""call":"random""#))
    let recording = try Recording(text.utf8)
    #expect(recording.text == text)
    for order in [ReplayReader.Order.recorded, .any] {
      let replay = ReplayReader(recording, order: order)
      let lines = Lines()
      let recorder = Recorder(revealingSecrets: true) { lines.add($0) }
      let reader = try await replay.open(through: recorder.recording)
      let again = try await procedure.run(try await reader.firstTag(within: .seconds(10)))
      await reader.close()
      #expect(again == seen)
      #expect(replay.mismatch == nil)
      // Recorded again it has the same numbers.
      let numbers = { (recording: Recording) in
        recording.calls.filter { if case .randomNumber = $0.request { true } else { false } }
          .map(\.outcome)
      }
      #expect(try numbers(Recording(lines.all.utf8)) == numbers(recording))
    }
  }

  /// Without its secrets a recording has no number of the program's, and fails at the proof, with its line.
  @Test(arguments: procedures) func isRefusedWithoutItsSecrets(_ procedure: Procedure) async throws
  {
    let (_, text) = try await Self.record(procedure, revealingSecrets: false)
    #expect(!text.contains(#""call":"random""#))
    let replay = ReplayReader(try Recording(text.utf8))
    let reader = try await replay.open()
    let tag = try await reader.firstTag(within: .seconds(10))
    await #expect(throws: NFCError.self) {
      _ = try await procedure.run(tag)
      throw NFCError(.wrongTag, "it was not refused")
    }
    await reader.close()
  }

  /// Two recordings of the same program have other numbers: they come from the system.
  @Test func numbersAreNotRepeated() async throws {
    let procedure = try #require(Self.others.first)
    var numbers: Set<String> = []
    for _ in 0..<3 {
      let (_, text) = try await Self.record(procedure, revealingSecrets: true)
      for line in text.split(separator: "\n") where line.contains(#""call":"random""#) {
        let answer = try #require(line.firstMatch(of: /"answer":"([0-9A-F]+)"/))
        #expect(answer.1.count == 32)
        #expect(numbers.insert(String(answer.1)).inserted)
      }
    }
    #expect(numbers.count == 6)
  }

  @Test(arguments: [
    (#""count":0,"answer":"""#, "count"), (#""count":2,"answer":"01""#, "as long as"),
    (#""count":1000,"answer":"01""#, "count"), (#""count":2"#, "answer"),
    (#""count":1,"answer":"x1""#, "answer"),
  ])
  func aBrokenNumberIsNamedWithItsLine(_ members: String, _ reason: String) async throws {
    let procedure = try #require(Self.others.first)
    let (_, text) = try await Self.record(procedure, revealingSecrets: true)
    var lines = text.split(separator: "\n").map(String.init)
    lines.insert(
      #"{"reader":0,"time":0,"call":"random",\#(members),"duration":0}"#, at: 1)
    let error = #expect(throws: RecordingError.self) {
      try Recording((lines.joined(separator: "\n") + "\n").utf8)
    }
    #expect(error?.line == 2)
    #expect(error?.description.contains(reason) == true)
  }
}
