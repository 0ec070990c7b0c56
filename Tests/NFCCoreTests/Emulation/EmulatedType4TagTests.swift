import NDEF
import Testing

@testable import SwiftNFCCore

/// The files of a Type 4 tag, without any reader. Commands are written out as phones send them.
@Suite struct EmulatedType4TagTests {
  private static let selectApplication: [UInt8] = [
    0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00,
  ]
  private static let selectContainer: [UInt8] = [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03]
  private static let selectMessage: [UInt8] = [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04]

  /// A tag whose message file is selected.
  private func opened(
    _ message: [UInt8] = [0xD1, 0x01, 0x01, 0x54, 0x00], isWritable: Bool = false,
    layout: EmulatedType4Tag.Layout = .init()
  ) throws -> EmulatedType4Tag {
    var tag = try EmulatedType4Tag(message, isWritable: isWritable, layout: layout)
    tag.activate()
    #expect(tag.respond(to: Self.selectApplication).answer == [0x90, 0x00])
    #expect(tag.respond(to: Self.selectMessage).answer == [0x90, 0x00])
    return tag
  }

  private func hex(_ text: String) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: text))
  }

  @Test(arguments: [
    // What phones ask before and after NDEF: DESFire, vendors' applications, single bytes, empty blocks.
    ("", "6700"), ("60", "6700"), ("9060000000", "6E00"), ("00", "6700"), ("80CA9F7F00", "6E00"),
    ("00A4040010A000000396564341FFFFFFFFFFFFFFFF0000", "6700"),
    ("00A404000FA000000396564341FFFFFFFFFFFFFFFF", "6A82"),
    // Version 1 of the application, a part of its name, and no name.
    ("00A4040007D276000085010000", "6A82"), ("00A4040006D2760000850100", "6A82"),
    ("00A4040000", "6A82"), ("00A40400", "6A82"),
    ("00A4040C07D2760000850101", "9000"), ("00A4040007D2760000850101", "9000"),
    // Other parameters and instructions.
    ("00A4020C02E104", "6A86"), ("00A4040207D2760000850101", "6A86"), ("00B2010C00", "6D00"),
    ("00CA000000", "6D00"), ("FFCA000000", "6E00"),
    // Without the application no file, without a file no byte.
    ("00A4000C02E104", "6A82"), ("00B0000002", "6986"), ("00D6000000", "6986"),
    ("00D600000100", "6986"),
  ])
  func answersBeforeTheApplication(_ command: String, _ answer: String) throws {
    var tag = try EmulatedType4Tag([])
    tag.activate()
    #expect(tag.respond(to: try hex(command)).answer == (try hex(answer)))
  }

  @Test(arguments: [
    ("00A4000C02E103", "9000"), ("00A4000C02E104", "9000"), ("00A4000C02E105", "6A82"),
    ("00A4000C023F00", "6A82"), ("00A4000002E103", "9000"), ("00A4000C02E10300", "9000"),
    ("00A4000002E10400", "9000"), ("00A4000C01E1", "6700"), ("00A4000C03E10400", "6700"),
    ("00A4000C03E1", "6700"),
  ])
  func selectsFiles(_ command: String, _ answer: String) throws {
    var tag = try opened()
    #expect(tag.respond(to: try hex(command)).answer == (try hex(answer)))
  }

  @Test func aFileThatIsNotThereLeavesTheSelection() throws {
    var tag = try opened()
    _ = tag.respond(to: [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x05])
    #expect(tag.respond(to: [0x00, 0xB0, 0x00, 0x00, 0x02]).answer == [0x00, 0x05, 0x90, 0x00])
  }

  @Test func anotherApplicationLeavesThisOne() throws {
    var tag = try opened()
    #expect(
      tag.respond(to: [0x00, 0xA4, 0x04, 0x00, 0x05, 0xA0, 0, 0, 0, 0x03]).answer == [0x6A, 0x82])
    #expect(tag.respond(to: Self.selectMessage).answer == [0x6A, 0x82])
  }

  @Test(arguments: [
    (false, 0xFB, 0xF6, 2048, "000F2000FB00F60406E10408000 0FF"),
    (true, 0x3B, 0x34, 0x7FFF, "000F20003B00340406E1047FFF0000"),
    (true, 0x100, 0xFF, 0x8000, "000F20010000FF0406E10480000000"),
  ])
  func capabilityContainer(
    _ isWritable: Bool, _ read: Int, _ update: Int, _ size: Int, _ content: String
  ) throws {
    var tag = try opened(
      isWritable: isWritable,
      layout: .init(size: size, maximumReadLength: read, maximumUpdateLength: update))
    _ = tag.respond(to: Self.selectContainer)
    let answer = tag.respond(to: [0x00, 0xB0, 0x00, 0x00, 0x0F])
    #expect(answer.answer == (try hex(content.replacing(" ", with: "") + "9000")))
    #expect(answer.event == nil)
    // The container cannot be written, whatever it says of the message.
    #expect(tag.respond(to: [0x00, 0xD6, 0x00, 0x00, 0x01, 0x00]).answer == [0x69, 0x82])
    // Its end is an end.
    #expect(tag.respond(to: [0x00, 0xB0, 0x00, 0x0F, 0x01]).answer == [0x6B, 0x00])
    #expect(tag.respond(to: [0x00, 0xB0, 0x00, 0x0E, 0x05]).answer.count == 3)
  }

  @Test(arguments: [
    // Le 0 and more than MLe, the end, past it, no Le, extended length, P1 with a short identifier, data.
    ("00B0000000", 20), ("00B00000FF", 20), ("00B0000015", 20), ("00B0000001", 1),
    ("00B0001E04", 2), ("00B0002001", -0x6B00), ("00B07FFF01", -0x6B00), ("00B00000", -0x6700),
    ("00B00000000000", 20), ("00B00000000002", 2), ("00B0840002", -0x6A82),
    ("00B000000101", -0x6700),
  ])
  func reads(_ command: String, _ expected: Int) throws {
    var tag = try opened(layout: .init(size: 32, maximumReadLength: 20, maximumUpdateLength: 20))
    let answer = tag.respond(to: try hex(command)).answer
    if expected < 0 {
      #expect(answer == UInt16(-expected).bigEndianBytes)
    } else {
      #expect(answer.count == expected + 2)
      #expect(answer.suffix(2) == [0x90, 0x00])
    }
  }

  @Test(arguments: [0, 33, 137, 868, 2000])
  func reportsAReadWithTheLastByte(_ count: Int) throws {
    let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    var tag = try opened(message)
    for _ in 0..<2 {
      let length = tag.respond(to: [0x00, 0xB0, 0x00, 0x00, 0x02])
      #expect(length.answer == [UInt8(count >> 8), UInt8(count & 0xFF), 0x90, 0x00])
      #expect(length.event == (count == 0 ? .read(0) : nil))
      var read: [UInt8] = []
      while read.count < count {
        let offset = read.count + 2
        let part = min(200, count - read.count)
        let reply = tag.respond(
          to: [0x00, 0xB0, UInt8(offset >> 8), UInt8(offset & 0xFF), UInt8(part)])
        read += reply.answer.dropLast(2)
        #expect(reply.event == (read.count == count ? .read(count) : nil))
      }
      #expect(read == message)
      // Once more in the same session is not another read; after the next activation it is.
      #expect(tag.respond(to: [0x00, 0xB0, 0x00, 0x00, 0xFB]).event == nil)
      tag.activate()
      _ = tag.respond(to: Self.selectApplication)
      _ = tag.respond(to: Self.selectMessage)
    }
  }

  @Test func aGapIsNotARead() throws {
    var tag = try opened([UInt8](repeating: 1, count: 40))
    #expect(tag.respond(to: [0x00, 0xB0, 0x00, 0x00, 0x0A]).event == nil)
    #expect(tag.respond(to: [0x00, 0xB0, 0x00, 0x14, 0x16]).event == nil)
    #expect(tag.respond(to: [0x00, 0xB0, 0x00, 0x0A, 0x0A]).event == nil)
    #expect(tag.respond(to: [0x00, 0xB0, 0x00, 0x14, 0x16]).event == .read(40))
  }

  @Test(arguments: ["00D6000002 0000", "00D600020101", "00D6001E0101"])
  func aReadOnlyTagKeepsItsMessage(_ command: String) throws {
    var tag = try opened()
    let before = tag
    let reply = tag.respond(to: try hex(command.replacing(" ", with: "")))
    #expect(reply.answer == [0x69, 0x82])
    #expect(tag == before)
  }

  @Test(arguments: [
    ("00D6001E020102", "9000"), ("00D6001F020102", "6A84"), ("00D6002001FF", "6B00"),
    ("00D600000100", "9000"), ("00D60000", "6700"), ("00D6000000", "6700"),
    ("00D600000201", "6700"), ("00D6000000000100", "9000"), ("00D6840001FF", "6A82"),
    ("00D60002150000000000000000000000000000000000000000 00", "6700"), ("00D6000002FFFF", "9000"),
  ])
  func updates(_ command: String, _ answer: String) throws {
    var tag = try opened(
      isWritable: true, layout: .init(size: 32, maximumReadLength: 20, maximumUpdateLength: 20))
    let reply = tag.respond(to: try hex(command.replacing(" ", with: "")))
    #expect(reply.answer == (try hex(answer)))
    #expect(reply.event == nil)
  }

  private static let written: [UInt8] = [0xD1, 0x01, 0x02, 0x54, 0x41, 0x42]

  @Test func aWriteIsCompleteWithItsLength() throws {
    var tag = try opened(isWritable: true)
    #expect(tag.respond(to: [0x00, 0xD6, 0x00, 0x00, 0x02, 0x00, 0x00]).event == nil)
    #expect(tag.respond(to: [0x00, 0xD6, 0x00, 0x02, 0x03] + Self.written[..<3]).event == nil)
    #expect(tag.respond(to: [0x00, 0xD6, 0x00, 0x05, 0x03] + Self.written[3...]).event == nil)
    let last = tag.respond(to: [0x00, 0xD6, 0x00, 0x00, 0x02, 0x00, 0x06])
    #expect(last.event == .written(Self.written))
    #expect(tag.message == Self.written)
    // It is read back, also after the next activation.
    #expect(tag.respond(to: [0x00, 0xB0, 0x00, 0x00, 0x08]).event == .read(6))
    tag.activate()
    #expect(tag.message == Self.written)
  }

  @Test func aWriteInOneCommandIsComplete() throws {
    var tag = try opened(isWritable: true)
    let reply = tag.respond(to: [0x00, 0xD6, 0x00, 0x00, 0x08, 0x00, 0x06] + Self.written)
    #expect(reply.event == .written(Self.written))
  }

  @Test func aWriteFromTheBeginningIsCompleteAtItsEnd() throws {
    var tag = try opened(isWritable: true)
    #expect(
      tag.respond(to: [0x00, 0xD6, 0x00, 0x00, 0x05, 0x00, 0x06] + Self.written[..<3]).event == nil)
    let last = tag.respond(to: [0x00, 0xD6, 0x00, 0x05, 0x03] + Self.written[3...])
    #expect(last.event == .written(Self.written))
  }

  /// After how many commands of a write the tag is taken away.
  @Test(arguments: 1...3)
  func aTornWriteIsRestored(_ count: Int) throws {
    var tag = try opened(isWritable: true)
    let original = tag.message
    let commands: [[UInt8]] = [
      [0x00, 0xD6, 0x00, 0x00, 0x02, 0x00, 0x00],
      [0x00, 0xD6, 0x00, 0x02, 0x03] + Self.written[..<3],
      [0x00, 0xD6, 0x00, 0x05, 0x03] + Self.written[3...],
    ]
    for command in commands.prefix(count) {
      #expect(tag.respond(to: command).answer == [0x90, 0x00])
    }
    tag.activate()
    #expect(tag.message == original)
    var new = try EmulatedType4Tag(original, isWritable: true)
    new.activate()
    #expect(tag == new)
  }

  @Test func aLengthThatDoesNotFitIsNoMessage() throws {
    var tag = try opened(isWritable: true)
    let original = tag.message
    _ = tag.respond(to: [0x00, 0xD6, 0x00, 0x00, 0x02, 0x00, 0x00])
    #expect(tag.respond(to: [0x00, 0xD6, 0x00, 0x00, 0x02, 0xFF, 0xFF]).event == nil)
    #expect(tag.message == original)
  }

  @Test(arguments: [
    (4, 0xFB, 0xF6), (0x8001, 0xFB, 0xF6), (64, 14, 1), (64, 257, 1), (64, 15, 0), (64, 15, 256),
  ])
  func layoutsThatCannotBe(_ size: Int, _ read: Int, _ update: Int) {
    #expect(throws: NFCError.self) {
      try EmulatedType4Tag(
        [], layout: .init(size: size, maximumReadLength: read, maximumUpdateLength: update))
    }
  }

  @Test func aMessageThatIsTooLarge() {
    #expect {
      try EmulatedType4Tag([UInt8](repeating: 0, count: 2047))
    } throws: {
      ($0 as? NFCError)?.code == .capacityExceeded
    }
    #expect(throws: Never.self) { try EmulatedType4Tag([UInt8](repeating: 0, count: 2046)) }
  }

  /// Any bytes get an answer of a status word at least, and change no message of a tag that is read-only.
  @Test func anyBytes() throws {
    var generator = SystemRandomNumberGenerator()
    var tag = try opened()
    let message = tag.message
    for _ in 0..<20_000 {
      var command = (0..<Int.random(in: 0...20)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if Bool.random(), command.count > 1 {
        command[0] = 0
        command[1] = [0xA4, 0xB0, 0xD6].randomElement() ?? 0
      }
      #expect((2...258).contains(tag.respond(to: command).answer.count))
    }
    #expect(tag.message == message)
  }
}
