import NFC
import SwiftNFCPCSC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@testable import Recordings

/// The single commands of each family, recorded and played back, refusals included.
@Suite struct CommandReplayTests {
  struct Commands: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let tag: @Sendable () throws -> VirtualTag
    /// Gives what each command has ended with.
    let run: @Sendable (DetectedTag) async throws -> [String]

    init(
      _ name: String, on tag: @escaping @Sendable () throws -> VirtualTag,
      _ run: @escaping @Sendable (DetectedTag) async throws -> [String]
    ) {
      testDescription = name
      self.tag = tag
      self.run = run
    }
  }

  enum Door: String, CaseIterable, Sendable {
    case direct, pcsc

    func driver(_ tag: VirtualTag) throws -> any ReaderDriver {
      let field = VirtualField()
      field.place(tag)
      return switch self {
      case .direct: DirectReader(field).driver()
      case .pcsc: try PCSCDriver("", over: VirtualPCSCReader(field).service())
      }
    }
  }

  /// What receives the lines may ask whether the recording has failed; what receives the trace may use the reader.
  @Test func closuresMayCallBack() async throws {
    let recorder = Mutex<Recorder?>(nil)
    let lines = Mutex(0)
    let made = Recorder { _ in
      if recorder.withLock({ $0 })?.failure == nil { lines.withLock { $0 += 1 } }
    }
    recorder.withLock { $0 = made }
    let direct = Mutex<DirectReader?>(nil)
    let exchanges = Mutex(0)
    let field = VirtualField()
    field.place(.ntag215())
    let reader = DirectReader(field) { _ in
      let count = direct.withLock { $0 }?.exchanges ?? 0
      exchanges.withLock { $0 = max($0, count) }
    }
    direct.withLock { $0 = reader }
    let driver = made.recording(reader.driver())
    #expect(try driver.list(.iso14443a).count == 1)
    #expect(lines.withLock { $0 } > 1)
    #expect(exchanges.withLock { $0 } == reader.exchanges && reader.exchanges > 0)
    recorder.withLock { $0 = nil }
  }

  /// What a command gives, or how it fails.
  private static func outcome<Result>(_ body: () async throws -> Result) async throws -> String {
    do {
      return "\(try await body())"
    } catch let error as NFCError where error.code != .malformedContent {
      return "\(error.code) \(error.cause as Any)"
    }
  }

  // MARK: ISO/IEC 14443

  private static let miFare = Commands("MIFARE commands", on: { .ntag215() }) { tag in
    guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "\(tag)") }
    var seen: [String] = []
    // READ, WRITE, FAST_READ, GET_VERSION, READ_SIG, a wrong PWD_AUTH, a page that is not there (NTAG21x data sheet, 10).
    for command: [UInt8] in [
      [0x30, 0x04], [0xA2, 0x05, 1, 2, 3, 4], [0x3A, 0x04, 0x06], [0x60], [0x3C, 0x00],
      [0x1B, 9, 9, 9, 9], [0x30, 0xF0], [0x30, 0x04],
    ] {
      seen.append(try await outcome { try await tag.sendMiFareCommand(command).hexadecimal })
    }
    return seen
  }

  private static let values = Commands(
    "values of a MIFARE Classic", on: { .classic1K(formatted: false) }
  ) { tag in
    guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "\(tag)") }
    let card = try #require(tag.classic)
    let block = MiFareClassicValueBlock(value: 40, address: 5).bytes
    return [
      try await outcome { try await card.authenticate(block: 5, with: .factory, as: .a) },
      try await outcome { try await card.writeBlock(5, block) },
      try await outcome { try await card.increment(5, by: 7) },
      try await outcome { try await card.transfer(to: 5) },
      try await outcome { try await card.decrement(5, by: 2) },
      try await outcome { try await card.transfer(to: 6) },
      try await outcome { try await card.loadValue(from: 6) },
      try await outcome { try await card.transfer(to: 4) },
      try await outcome { try await card.changeValue(5, by: -7) },
      try await outcome { try await card.readValue(4) },
      try await outcome { try await card.increment(7, by: 1) },
      try await outcome { try await card.authenticate(block: 8, with: .ndef, as: .b) },
    ]
  }

  private static let apdus = Commands("APDUs", on: { .type4() }) { tag in
    guard case .iso7816(let tag) = tag else { throw NFCError(.wrongTag, "\(tag)") }
    var seen: [String] = []
    // SELECT of the NDEF application and its files, READ BINARY, UPDATE BINARY, an instruction that the card lacks (NFC
    // Forum, Type 4 Tag, 5).
    for text in [
      "00A4040007D276000085010100", "00A4000C02E103", "00B000000F", "00A4000C02E104",
      "00D6000006000412345678", "00B0000006", "00B0FFFF06", "00FE0000", "00A4040005A00000000300",
    ] {
      let command = try #require([UInt8](hexadecimal: text).flatMap { APDU($0) })
      seen.append(
        try await outcome {
          let answer = try await tag.sendCommand(command)
          return answer.data.hexadecimal + " \(answer.statusWord)"
        })
    }
    seen.append(
      try await outcome { try await tag.selectApplication(of: ["A000000003", "D2760000850101"]) })
    return seen
  }

  private static let jewel = Commands("commands of a Topaz", on: { .topaz96() }) { tag in
    guard case .other(let tag) = tag else { throw NFCError(.wrongTag, "\(tag)") }
    // RID, RALL, READ, WRITE-E (Topaz data sheet, 6), the UID of which the reader adds.
    var seen: [String] = []
    for command: [UInt8] in [[0x78, 0, 0], [0, 0, 0], [0x01, 0x08, 0], [0x53, 0x0A, 0x11]] {
      seen.append(try await outcome { try await tag.transceive(command).hexadecimal })
    }
    return seen
  }

  // MARK: FeliCa

  private static let feliCa = Commands("commands of a FeliCa card", on: { .suica() }) { tag in
    guard case .feliCa(let card) = tag else { throw NFCError(.wrongTag, "\(tag)") }
    let idm = card.idm
    return [
      try await outcome { try await card.polling(systemCode: 0x0003, requestCode: .systemCode) },
      try await outcome { try await card.polling(systemCode: 0x1234) },
      try await outcome { try await card.requestService(nodeCodes: [0x090F, 0x0001]) },
      try await outcome { try await card.requestResponse() },
      try await outcome { try await card.requestSystemCode() },
      try await outcome { try await card.requestServiceV2(nodeCodes: [0x090F]) },
      try await outcome { try await card.requestSpecificationVersion() },
      try await outcome { try await card.searchServiceCode(index: 1) },
      try await outcome { try await card.systems() },
      try await outcome {
        try await card.readWithoutEncryption(serviceCodes: [0x090F], blocks: [0, 1])
      },
      try await outcome {
        try await card.readWithoutEncryption(serviceCodes: [0x0048], blocks: [0])
      },
      try await outcome {
        try await card.writeWithoutEncryption(
          serviceCodes: [0x090F], blocks: [0], data: [[UInt8](repeating: 1, count: 16)])
      },
      try await outcome { try await card.readBlocks(service: 0x090F, blocks: 0..<20) },
      try await outcome { try await card.sendFeliCaCommand([0x0A, 0x04] + idm).hexadecimal },
      try await outcome { try await card.resetMode() },
    ]
  }

  private static let feliCaLite = Commands(
    "blocks of a FeliCa Lite-S", on: { .feliCaLiteS() }
  ) { tag in
    guard case .feliCa(let card) = tag else { throw NFCError(.wrongTag, "\(tag)") }
    let block = [UInt8](repeating: 0x5A, count: 16)
    return [
      try await outcome {
        try await card.writeBlocks(service: 0x0009, at: 4, block + block)
      },
      try await outcome { try await card.readBlocks(service: 0x000B, blocks: 3..<7) },
      try await outcome { try await card.readBlocks(service: 0x000B, blocks: 13..<30) },
    ]
  }

  // MARK: ISO/IEC 15693

  private static func vicinity(
    _ name: String, on tag: @escaping @Sendable () throws -> VirtualTag,
    _ commands: [ISO15693Command], raw: [String]
  ) -> Commands {
    Commands(name, on: tag) { tag in
      guard case .iso15693(let tag) = tag else { throw NFCError(.wrongTag, "\(tag)") }
      var seen: [String] = []
      for command in commands {
        seen.append(try await outcome { try await tag.sendCommand(command).payload.hexadecimal })
      }
      for text in raw {
        let request = try #require([UInt8](hexadecimal: text))
        seen.append(
          try await outcome {
            try await tag.transceive(request, timeout: .milliseconds(100)).hexadecimal
          })
      }
      seen.append(try await outcome { try await tag.systemInformation() })
      seen.append(try await outcome { try await tag.readBlocks(0..<4, securityStatus: true) })
      seen.append(try await outcome { try await tag.securityStatus(0..<4) })
      return seen
    }
  }

  private static let two = ISO15693BlockRange(first: 0, count: 2)

  private static let icode = vicinity(
    "commands of an ICODE SLIX2", on: { .icodeSLIX2() },
    [
      .readSingleBlock(0), .writeSingleBlock(4, data: [1, 2, 3, 4]), .readSingleBlock(200),
      .writeAFI(0x42), .writeDSFID(0x17), .getSystemInformation,
      // GET RANDOM NUMBER, SET EAS, EAS ALARM, GET NXP SYSTEM INFORMATION, READ SIGNATURE (SL2S2602 data sheet, 9.5.3).
      .custom(code: 0xB2, manufacturer: 0x04, parameters: []),
      .custom(code: 0xA2, manufacturer: 0x04, parameters: []),
      .custom(code: 0xA5, manufacturer: 0x04, parameters: []),
      .custom(code: 0xAB, manufacturer: 0x04, parameters: []),
      .custom(code: 0xBD, manufacturer: 0x04, parameters: []),
      .custom(code: 0xEE, manufacturer: 0x04, parameters: []),
    ] + (two.map { [.readMultipleBlocks($0), .getMultipleBlockSecurityStatus($0)] } ?? []),
    raw: ["022000", "0220FF", "022B", "02230001"])

  private static let st25dv = vicinity(
    "commands of an ST25DV", on: { .st25dv() },
    [
      .extendedReadSingleBlock(0x100), .extendedWriteSingleBlock(0x100, data: [1, 2, 3, 4]),
      // READ CONFIGURATION, PRESENT PASSWORD, wrong first, READ DYNAMIC CONFIGURATION (ST25DV data sheet, 7.6).
      .custom(code: 0xA0, manufacturer: 0x02, parameters: [0x00]),
      .custom(code: 0xB3, manufacturer: 0x02, parameters: [0, 9, 9, 9, 9, 9, 9, 9, 9]),
      .custom(code: 0xB3, manufacturer: 0x02, parameters: [0, 0, 0, 0, 0, 0, 0, 0, 0]),
      .custom(code: 0xAD, manufacturer: 0x02, parameters: [0x00]),
    ]
      + (two.map {
        [
          .extendedReadMultipleBlocks($0), .extendedGetMultipleBlockSecurityStatus($0),
          .fastReadMultipleBlocks($0),
        ]
      } ?? []),
    raw: ["02300000", "0A3000FFFF"])

  /// A PC/SC reader finds no Topaz.
  static let all: [(Commands, Door)] =
    Door.allCases.flatMap { door in
      [miFare, values, apdus, feliCa, feliCaLite, icode, st25dv].map { ($0, door) }
    } + [(jewel, .direct)]

  // MARK: Tests

  private struct Run: Equatable {
    var seen: [String] = []
    var error = ""
  }

  private static func run(_ commands: Commands, _ reader: Reader) async -> Run {
    var run = Run()
    do {
      let tag = try await reader.firstTag(polling: .all, within: .seconds(10))
      run.seen = try await commands.run(tag)
    } catch {
      run.error = "\(error)"
    }
    await reader.close()
    return run
  }

  /// In the recorded order, and again in any; what is recorded of the replay is the recording.
  @Test(arguments: all)
  func arePlayedBack(_ commands: Commands, _ door: Door) async throws {
    let lines = RecordedLines()
    let recorder = Recorder(revealingSecrets: true) { lines.add($0) }
    let reader = try await Reader.open {
      recorder.recording(try door.driver(try commands.tag()))
    }
    let first = await Self.run(commands, reader)
    #expect(recorder.failure == nil)
    if door == .direct { #expect(first.error == "" && first.seen.count > 2) }
    let recording = try Recording(lines.text.utf8)
    #expect(recording.text == lines.text)

    let again = RecordedLines()
    let second = Recorder(revealingSecrets: true) { again.add($0) }
    let replay = ReplayReader(recording)
    #expect(await Self.run(commands, try await replay.open(through: second.recording)) == first)
    #expect(replay.mismatch == nil)
    let made = try Recording(again.text.utf8).calls.map { ($0.request, $0.outcome) }
    let had = recording.calls.map { ($0.request, $0.outcome) }
    #expect(made.count == had.count)
    #expect(zip(made, had).allSatisfy { $0.0 == $1.0 && $0.1 == $1.1 })
  }

  /// Wherever another command stands, that line is named, and nothing after it is answered.
  @Test(arguments: all)
  func anotherCommandIsNamedWithItsLine(_ commands: Commands, _ door: Door) async throws {
    let lines = RecordedLines()
    let recorder = Recorder(revealingSecrets: true) { lines.add($0) }
    let reader = try await Reader.open {
      recorder.recording(try door.driver(try commands.tag()))
    }
    _ = await Self.run(commands, reader)
    let recording = try Recording(lines.text.utf8)
    for (index, entry) in recording.entries.enumerated() {
      guard case .call(var call) = entry.line else { continue }
      switch call.request {
      case .exchange(let command, let framing, let timeout):
        let changed = command.bytes.dropLast() + [(command.bytes.last ?? 0) ^ 1]
        call.request = .exchange(RecordedBytes(Array(changed)), framing, timeout: timeout)
      case .authenticate(let block, let type, let key, let uid):
        call.request = .authenticate(block: block ^ 1, type, key: key, uid: uid)
      default: continue
      }
      var other = recording
      other.entries[index].line = .call(call)
      let replay = ReplayReader(other)
      let run = await Self.run(commands, try await replay.open())
      #expect(replay.mismatch?.line == entry.number)
      #expect(run.error.contains("line \(entry.number) of the recording"), "\(run)")
    }
  }
}
