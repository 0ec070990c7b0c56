import NFC
import SwiftNFCSeededRandom
import Synchronization
import TestSupport
import Testing
import VirtualNFC

/// Readers that send what no phone sends. Each command gets an answer, and the card is there for the next phone.
@Suite struct HostileReaderTests {
  private static let message = [UInt8].message(137)

  private static func bytes(_ text: String) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: text))
  }

  /// Commands of a length that ISO/IEC 7816-4 does not permit, of other classes, with parameters that do not exist, past
  /// every end.
  static let commands: [String] = [
    "", "00", "60", "FF", "00A4", "00B000", "0000", "9060000000", "80CA9F7F00", "A0A40000023F00",
    // Chaining and secure messaging of the class.
    "10A4040007D2760000850101", "0CB0000002", "01B0000002", "40B0000002",
    // Lc larger than the data, smaller, zero; Le in one, two and three bytes.
    "00A40400FFD276", "00A4040002D2760000850101", "00A40400000000", "00B0000000FFFF",
    "00B00000000000", "00B0000000FFFFFF", "00D6000000FFFF01", "00D600000000",
    // SELECT by path, of the master file, of files that are not there, of names of no and of 17 bytes.
    "00A4080004E103E104", "00A40000", "00A40000023F00", "00A4000C02E105", "00A4000C02FFFF",
    "00A4000C01E1", "00A40400", "00A4040011000102030405060708090A0B0C0D0E0F10",
    "00A4030C00", "00A404FF07D2760000850101",
    // READ and UPDATE BINARY at and past the end, by short identifier, without a length, with data.
    "00B07FFFFF", "00B0800000", "00B0FFFFFF", "00B00000", "00B0000002FFFF", "00B1000004540200",
    "00D67FFF01FF", "00D6FFFF02FFFF", "00D6000002FFFF", "00D68000021234", "00D7000001FF",
    // What a payment terminal, a passport reader and a door send.
    "00A404000E325041592E5359532E444446303100", "80A8000002830000", "00B2010C00", "0084000008",
    "00A4040C07A0000002471001", "905A00000300000000", "FFCA000000", "00200001084444444444444444",
    "00E2000000", "000E000000", "0044000000",
  ]

  @Test(arguments: [false, true])
  func everyCommandIsAnswered(_ isWritable: Bool) async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    let commands = try Self.commands.map(Self.bytes)
    try await bench.acting(as: .ndef(bytes: Self.message, isWritable: isWritable)) {
      try await withPhone {
        let phone = ScriptedPhone(antenna)
        try phone.tap()
        for command in commands {
          let answer = try phone.send(command)
          #expect((2...258).contains(answer.count), "\(command) → \(answer)")
        }
        // With the file selected, and after each of them in a session of its own, where it may have written.
        _ = try phone.container()
        _ = try phone.send([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04])
        for command in commands {
          let answer = try phone.send(command)
          #expect((2...258).contains(answer.count), "\(command) → \(answer)")
        }
        try phone.deselect()
        #expect(try ScriptedPhone(antenna).reading() == Self.message)
      }
    }
    #expect(!bench.words.contains { $0.hasPrefix("written") })
    await bench.close()
  }

  /// Commands of every length around the sizes of frames, chained in blocks of one byte, and longer than any APDU.
  @Test func longAndChainedCommands() async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: Self.message)) {
      try await withPhone {
        let phone = ScriptedPhone(antenna)
        try phone.tap()
        for count in [
          58, 59, 60, 61, 62, 254, 255, 256, 259, 260, 261, 262, 263, 264, 300, 523, 525, 4000,
        ] {
          let answer = try phone.send(
            [0x00, 0xD6, 0x00, 0x00] + [UInt8](repeating: 0xFF, count: count))
          #expect(answer.count == 2, "\(count)")
        }
        phone.longestBlock = 1
        #expect(try phone.readNDEF() == Self.message)
        try phone.deselect()
        #expect(try ScriptedPhone(antenna).reading() == Self.message)
      }
    }
    await bench.close()
  }

  /// More than any command may have: 65 544 bytes, without an end.
  @Test func aChainWithoutAnEnd() async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: Self.message)) {
      try await withPhone {
        let phone = ScriptedPhone(antenna)
        phone.patience = .milliseconds(500)
        try phone.tap()
        #expect(throws: ScriptedPhone.Failure.self) {
          _ = try phone.send([UInt8](repeating: 0, count: 70_000))
        }
        phone.fieldOff()
        #expect(try ScriptedPhone(antenna).reading() == Self.message)
      }
    }
    await bench.close()
  }

  /// Frames that are no blocks, and blocks that belong to no exchange; the same numbers each time.
  @Test(arguments: 0..<6)
  func randomBlocks(_ seed: Int) async throws {
    let bench = try await CardBench()
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: Self.message)) {
      try await withPhone {
        var generator = SplitMix64(seed: UInt64(seed))
        for _ in 0..<8 {
          let phone = ScriptedPhone(antenna)
          try phone.tap()
          for _ in 0..<20 {
            let bytes = (0..<Int.random(in: 1...62, using: &generator)).map { _ in
              UInt8.random(in: 0...255, using: &generator)
            }
            // Half of them are blocks in form.
            let first: UInt8 =
              [0x02, 0x03, 0x12, 0x13, 0xA2, 0xA3, 0xB2, 0xB3, 0xF2, 0xD0]
              .randomElement(using: &generator) ?? 0
            let frame = Bool.random(using: &generator) ? bytes : [first] + bytes.dropFirst()
            _ = antenna.exchange(.typeA(frame), limit: .milliseconds(5)) { false }
          }
          phone.fieldOff()
        }
        #expect(try ScriptedPhone(antenna).reading() == Self.message)
      }
    }
    await bench.close()
  }

  /// NFC-DEP, first a reader that only wants that, and a chip that reports it as an activation.
  @Test(arguments: [false, true])
  func attributeRequest(_ isReported: Bool) async throws {
    let bench = try await CardBench { $0.answersDEP = isReported }
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: Self.message)) {
      try await withPhone {
        let phone = ScriptedPhone(antenna)
        try phone.select(within: .seconds(10))
        let request: [UInt8] =
          [0xF0, 0x11, 0xD4, 0x00] + [UInt8](repeating: 1, count: 10) + [0, 0, 0, 0x32]
        #expect(antenna.exchange(.typeA(request), limit: .milliseconds(50)) { false } == nil)
        phone.fieldOff()
        #expect(try ScriptedPhone(antenna).reading() == Self.message)
      }
    }
    #expect(bench.words.filter { $0 == "activated" }.count == 1)
    await bench.close()
  }

  /// Sixty seconds are shortened to six: a phone that only asks whether the card is there keeps it.
  @Test func aSessionThatDoesNothing() async throws {
    let commands = Mutex<[[UInt8]]>([])
    let bench = try await CardBench { _ in
    } trace: { event in
      if case .command(let command) = event { commands.withLock { $0.append(command) } }
    }
    let antenna = bench.virtual.antenna
    try await bench.acting(as: .ndef(bytes: Self.message)) {
      try await withPhone {
        let phone = ScriptedPhone(antenna)
        try phone.tap()
        #expect(try phone.send([0x00]) == [0x67, 0x00])
        let armed = commands.withLock { $0.count { $0.first == 0x8C } }
        let end = ContinuousClock.now + .seconds(6)
        while ContinuousClock.now < end {
          #expect(phone.isPresent())
          PhonePause.milliseconds(125)
        }
        #expect(try phone.readNDEF() == Self.message)
        #expect(commands.withLock { $0.count { $0.first == 0x8C } } == armed)
        #expect(commands.withLock { $0.contains([0x8A]) })
        phone.fieldOff()
      }
      try await bench.waitForReleases(1)
    }
    #expect(bench.words == ["ready", "activated", "read 137", "released field"])
    await bench.close()
  }
}
