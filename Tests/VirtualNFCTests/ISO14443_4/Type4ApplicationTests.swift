import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite("NFC Forum Type 4 application")
struct Type4ApplicationTests {
  static let selectApplication = "00A4040007D276000085010100"

  private func send(_ command: String, to application: inout Type4Application) throws -> String {
    let bytes = try #require([UInt8](hexadecimal: command))
    return application.process(bytes).hexadecimal
  }

  private func check(
    _ exchanges: [(command: String, answer: String)], on application: inout Type4Application
  ) throws {
    for (command, answer) in exchanges {
      #expect(try send(command, to: &application) == answer, "after \(command)")
    }
  }

  /// The specification's procedure: capability container, then the NDEF file.
  @Test func detectsAndReadsAsSpecified() throws {
    // A URI record: https://box.dev (NFC Forum, URI RTD).
    let message: [UInt8] = [
      0xD1, 0x01, 0x08, 0x55, 0x04, 0x62, 0x6F, 0x78, 0x2E, 0x64, 0x65, 0x76,
    ]
    var application = try Type4Application(ndef: message)
    #expect(application.aid.hexadecimal == "D2760000850101")
    #expect(application.select() == [0x90, 0x00])
    try check(
      [
        ("00A4000C02E103", "9000"),
        ("00B000000F", "000F2000FB00F60406E104080000009000"),
        ("00A4000C02E104", "9000"),
        ("00B0000002", "000C9000"),
        ("00B000020C", "D101085504626F782E6465769000"),
        ("00B000000E", "000CD101085504626F782E6465769000"),
      ], on: &application)
  }

  @Test func writesAndReadsBack() throws {
    var application = Type4Application()
    _ = application.select()
    try check(
      [
        ("00A4000C02E104", "9000"), ("00B0000002", "00009000"),
        ("00D60000020000", "9000"), ("00D6000203D00000", "9000"), ("00D60000020003", "9000"),
        ("00B0000005", "0003D000009000"),
        ("00D607FE02AABB", "9000"), ("00B007FE02", "AABB9000"),
      ], on: &application)
    #expect(application.ndefFile.prefix(5) == [0x00, 0x03, 0xD0, 0x00, 0x00])
    #expect(application.memory.count == 15 + 2048)
  }

  /// Tests the status words of ISO/IEC 7816-4, 5.1.3, as the specification names them for its commands.
  @Test func refuses() throws {
    var application = Type4Application()
    _ = application.select()
    try check(
      [
        // No file selected.
        ("00B0000002", "6986"), ("00D600000100", "6986"),
        // SELECT: a file that does not exist, parameters, length.
        ("00A4000C02E105", "6A82"), ("00A4020C02E104", "6A86"), ("00A4000402E104", "6A86"),
        ("00A4000C01E1", "6A87"), ("00A4000C", "6A87"), ("00B0000002", "6986"),
        // The capability container cannot be written.
        ("00A4000C02E103", "9000"), ("00D60000010F", "6982"),
        ("00B000000F", "000F2000FB00F60406E104080000009000"), ("00B0000F01", "6B00"),
        ("00B000000C", "000F2000FB00F60406E104089000"), ("00B0000E02", "006282"),
        ("00B0000E00", "009000"),
        // A failed SELECT does not change the current file.
        ("00A4000C023F00", "6A82"), ("00B0000002", "000F9000"),
        // READ BINARY: more than MLe, offset outside, short file identifier, without Le, with data.
        ("00A4000C02E104", "9000"), ("00B00000FC", "6700"), ("00B0080001", "6B00"),
        ("00B0810001", "6A82"), ("00B00000", "6700"), ("00B000000101", "6700"),
        ("00B0080000", "6B00"),
        // UPDATE BINARY: no data, outside, across the end.
        ("00D60000", "6700"), ("00D6000000", "6700"), ("00D6080001AA", "6B00"),
        ("00D607FF02AABB", "6A84"), ("00D6840001AA", "6A82"), ("00B007FF01", "009000"),
        // Other instructions and classes; malformed.
        ("00B2000000", "6D00"), ("00B1000000", "6D00"), ("8060000000", "6E00"), ("00B000", "6700"),
      ], on: &application)
  }

  @Test func longestUpdateIsMLc() throws {
    var application = Type4Application()
    _ = application.select()
    _ = try send("00A4000C02E104", to: &application)
    let data = String(repeating: "5A", count: 0xF7)
    #expect(try send("00D60000F7" + data, to: &application) == "6700")
    #expect(try send("00D60000F6" + data.dropLast(2), to: &application) == "9000")
    #expect(try send("00B00000FB", to: &application).count == (0xFB + 2) * 2)
    // Le 00 requests all available data, up to MLe.
    #expect(try send("00B0000000", to: &application).count == (0xFB + 2) * 2)
    // Extended lengths are supported as well.
    #expect(try send("00B000000000FC", to: &application) == "6700")
    #expect(try send("00B000000000FB", to: &application).count == (0xFB + 2) * 2)
  }

  @Test func selectReportsTheFile() throws {
    var application = Type4Application()
    _ = application.select()
    #expect(
      try send("00A4000002E10400", to: &application)
        == "6F0C" + "8003000800" + "820101" + "8302E104" + "9000")
  }

  @Test(arguments: [
    (Type4Application.EndOfFile.warning, "00006282"), (.shortAnswer, "00009000"),
    (.exactLength, "6C02"),
  ])
  func endOfFile(_ way: Type4Application.EndOfFile, answer: String) throws {
    var configuration = Type4Application.Configuration()
    configuration.endOfFile = way
    var application = Type4Application(configuration: configuration)
    _ = application.select()
    try check(
      [("00A4000C02E104", "9000"), ("00B007FE05", answer), ("00B007FE00", "00009000")],
      on: &application)
  }

  @Test func accessConditions() throws {
    var configuration = Type4Application.Configuration()
    configuration.writeAccess = 0xFF
    configuration.proprietaryFiles = [
      .init(identifier: 0xE105, content: [1, 2, 3], readAccess: 0x82, writeAccess: 0x83),
      .init(identifier: 0xE106, content: [4, 5]),
    ]
    var application = try Type4Application(configuration: configuration, ndef: [0xD0, 0, 0])
    _ = application.select()
    try check(
      [
        ("00A4000C02E103", "9000"),
        (
          "00B0000020",
          "001F2000FB00F60406E104080000FF" + "0506E10500038283" + "0506E10600020000" + "6282"
        ),
        ("00A4000C02E104", "9000"), ("00B0000005", "0003D000009000"), ("00D60000020000", "6982"),
        ("00A4000C02E105", "9000"), ("00B0000003", "6982"), ("00D6000001AA", "6982"),
        ("00A4000C02E106", "9000"), ("00D6000001AA", "9000"), ("00B0000002", "AA059000"),
      ], on: &application)
    #expect(application.memory.suffix(5) == [1, 2, 3, 0xAA, 5])
    configuration.readAccess = 0x80
    application = Type4Application(configuration: configuration)
    _ = application.select()
    try check([("00A4000C02E104", "9000"), ("00B0000002", "6982")], on: &application)
  }

  @Test func version1() throws {
    var configuration = Type4Application.Configuration()
    configuration.mapping = .version1
    var application = Type4Application(configuration: configuration)
    #expect(application.aid.hexadecimal == "D2760000850100")
    _ = application.select()
    try check(
      [("00A4000002E103", "9000"), ("00B000000F", "000F1000FB00F60406E104080000009000")],
      on: &application)
  }

  @Test func version3BeyondOffset7FFF() throws {
    var configuration = Type4Application.Configuration()
    configuration.mapping = .version3
    configuration.fileSize = 0x9000
    var application = try Type4Application(
      configuration: configuration, ndef: [UInt8](repeating: 0x77, count: 0x8FFC))
    _ = application.select()
    try check(
      [
        ("00A4000C02E103", "9000"),
        ("00B0000011", "00113000FB00F60608E1040000900000009000"),
        ("00A4000C02E104", "9000"), ("00B0000004", "00008FFC9000"), ("00B07FFF01", "779000"),
        // The offset is in a data object (54), the data in another (53).
        ("00B1000005540300800003", "5301779000"),
        ("00D700000954030080005302AABB", "9000"),
        ("00B10000055403008000" + "04", "5302AABB9000"),
        ("00B1000005540300" + "8FFE" + "10", "530277776282"),
        ("00B1000005540300" + "9000" + "10", "6B00"),
        ("00D7000008540300" + "8FFF" + "5301AA", "9000"),
        ("00D7000009540300" + "8FFF" + "5302AABB", "6A84"),
        ("00B1000005540300800002", "6700"), ("00B1000105540300800010", "6A86"),
        ("00B100000554020080" + "0010", "6A80"), ("00D700000854030080005302AA", "6A80"),
        ("00D70000055403008000", "6A80"), ("00D7000006540300800053", "6A80"),
      ], on: &application)
    // From 80 on, a length has one byte more; Le includes tag and length.
    for (expected, header) in [(0x81, "537F"), (0x83, "538180"), (0xFB, "5381F8")] {
      let answer = try send(
        "00B1000005540300" + "8100" + [UInt8(expected)].hexadecimal, to: &application)
      #expect(answer.hasPrefix(header))
      #expect(answer.hasSuffix("9000"))
      #expect(answer.count == 2 * (expected + 2))
    }
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 0x8FFC)) {
      _ = try Type4Application(
        configuration: configuration, ndef: [UInt8](repeating: 0, count: 0x8FFD))
    }
  }

  @Test func messageMustFit() throws {
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 2046)) {
      _ = try VirtualTag.type4(ndef: [UInt8](repeating: 0, count: 2047))
    }
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 2046)) {
      _ = try VirtualTag.type4B(ndef: [UInt8](repeating: 0, count: 2047))
    }
    let tag = try VirtualTag.type4(ndef: [UInt8](repeating: 0x11, count: 2046))
    #expect(tag.memory.count == 2063 && tag.memory[15...16] == [0x07, 0xFE])
  }

  @Test func memoryIsSetWithoutRegardToRights() throws {
    var application = Type4Application()
    application.memory = [0xFF, 0xFE]
    #expect(application.memory.count == 2063 && application.memory.prefix(3) == [0xFF, 0xFE, 0x20])
    application.memory = [UInt8](repeating: 9, count: 5000)
    #expect(application.memory == [UInt8](repeating: 9, count: 2063))
  }

  @Test func noCommandTraps() throws {
    var generator = SplitMix64(seed: 0x74)
    var configuration = Type4Application.Configuration()
    configuration.mapping = .version3
    configuration.fileSize = 300
    var application = Type4Application(configuration: configuration)
    let heads: [[UInt8]] = [
      [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1], [0x00, 0xB0, 0x00], [0x00, 0xB1, 0x00, 0x00],
      [0x00, 0xD6, 0x01], [0x00, 0xD7, 0x00, 0x00], [],
    ]
    for _ in 0..<4000 {
      let head = heads.randomElement(using: &generator) ?? []
      #expect(application.process(head + generator.bytes(upTo: 20)).count >= 2)
      if Bool.random(using: &generator) {
        _ = application.process([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04])
      }
    }
    #expect(application.memory.count == 17 + 300)
  }
}
