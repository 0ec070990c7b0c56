import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// libnfc's programs that read and write whole tags, and mfoc.
  @Suite struct MemoryProgramTests {
    // MARK: nfc-mfultralight

    struct Type2: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let make: @Sendable () -> VirtualTag
      /// What no reader is given: PWD and PACK, which read as 0.
      let hidden: Range<Int>
      /// Pages that the program asks about or skips, and the first pages after user memory.
      let userMemory: Range<Int>
    }

    static let type2 = [
      Type2(
        testDescription: "NTAG213", make: { .ntag213() }, hidden: 172..<180, userMemory: 16..<160),
      Type2(
        testDescription: "NTAG215", make: { .ntag215() }, hidden: 532..<540, userMemory: 16..<520),
      Type2(
        testDescription: "NTAG216", make: { .ntag216() }, hidden: 916..<924, userMemory: 16..<904),
      Type2(
        testDescription: "Ultralight", make: { .ultralight() }, hidden: 64..<64,
        userMemory: 16..<64),
      Type2(
        testDescription: "Ultralight EV1", make: { .ultralightEV1() }, hidden: 72..<80,
        userMemory: 16..<64),
      Type2(
        testDescription: "Ultralight EV1, 128 bytes", make: { .ultralightEV1With128Bytes() },
        hidden: 156..<164, userMemory: 16..<144),
    ]

    @Test(arguments: type2) func readType2(_ type: Type2) async throws {
      let tag = type.make()
      let bench = try InteropBench(tag)
      let result = try await bench.run("nfc-mfultralight", ["r", bench.path("dump")])
      result.expectSuccess()
      result.expectOutput("(0 pages failed)")
      var visible = tag.memory
      for index in type.hidden { visible[index] = 0 }
      #expect(try bench.bytes(of: "dump") == visible)
    }

    @Test(arguments: type2) func writeType2(_ type: Type2) async throws {
      let tag = type.make()
      let bench = try InteropBench(tag)
      var image = tag.memory
      for index in type.userMemory { image[index] = UInt8(truncatingIfNeeded: index * 7 + 1) }
      try bench.write(image, to: "dump")
      // One-time bytes, lock bytes, dynamic lock bytes (where there are any), UID: no.
      let result = try await bench.run(
        "nfc-mfultralight", ["w", bench.path("dump")], input: "n\nn\nn\nn\n")
      result.expectSuccess()
      result.expectOutput("0 pages failed")
      #expect(tag.memory == image)
    }

    /// The bits of one-time and lock bytes are added to what is set.
    @Test func writeOneTimeAndLockBytes() async throws {
      let tag = VirtualTag.ultralight(formatted: false)
      let before = tag.memory
      let bench = try InteropBench(tag)
      var image = before
      image.replaceSubrange(10..<16, with: [0x10, 0x00, 0xE1, 0x10, 0x06, 0x00])
      image.replaceSubrange(20..<24, with: [0x03, 0x00, 0xFE, 0x00])
      try bench.write(image, to: "dump")
      let result = try await bench.run(
        "nfc-mfultralight", ["w", bench.path("dump"), "--otp", "--lock"], input: "n\n")
      result.expectSuccess()
      // The lock byte is written first: page 4 stays as it was.
      image.replaceSubrange(16..<20, with: before[16..<20])
      #expect(tag.memory == image)
      #expect(tag.memory[10] == 0x10)
    }

    @Test func passwordOfType2() async throws {
      let tag = VirtualTag.ntag213()
      var memory = tag.memory
      // All pages from 4 on need the password to be read, too: AUTH0 and PROT.
      memory.replaceSubrange(
        164..<180,
        with: [
          0x04, 0x00, 0x00, 0x04, 0x80, 0x05, 0x00, 0x00, 0x12, 0x34, 0x56, 0x78, 0xAB, 0xCD,
          0x00, 0x00,
        ])
      tag.memory = memory
      let bench = try InteropBench(tag)
      let result = try await bench.run(
        "nfc-mfultralight", ["r", bench.path("dump"), "--pw", "12345678"])
      result.expectSuccess()
      result.expectOutput("Success - PACK: abcd", "(0 pages failed)")
      // The program puts in itself the two secrets that it knows.
      #expect(try bench.bytes(of: "dump") == memory)
      let wrong = try await bench.run(
        "nfc-mfultralight", ["r", bench.path("wrong"), "--pw", "12345679"])
      // The program takes the NAK for PACK and goes on (libnfc 1.8.0, utils/nfc-mfultralight.c,
      // `ev1_pwd_auth`); the chip is mute until it is selected again.
      wrong.expectOutput("Done, 0 of 45 pages read (45 pages failed)")
    }

    // MARK: nfc-mfclassic

    @Test(arguments: [true, false]) func readClassic(formatted: Bool) async throws {
      let tag = VirtualTag.classic1K(formatted: formatted)
      let bench = try InteropBench(tag)
      try bench.write(tag.memory, to: "keys")
      // Where key B can be read it is data and opens nothing (MF1S50YYX data sheet, 8.7.2): so with the
      // transport configuration.
      for key in formatted ? ["a", "b"] : ["a"] {
        let result = try await bench.run(
          "nfc-mfclassic", ["r", key, "u", bench.path("dump"), bench.path("keys")])
        result.expectSuccess()
        result.expectOutput("Done, 64 of 64 blocks read.")
        #expect(try bench.bytes(of: "dump") == tag.memory)
      }
      guard !formatted else { return }
      let refused = try await bench.run(
        "nfc-mfclassic", ["r", "b", "u", bench.path("none"), bench.path("keys")])
      refused.expectOutput("failed to read trailer block 0x3f")
    }

    @Test func readClassicByGuessedKeys() async throws {
      let tag = try VirtualTag.classic1K(ndef: [0xD1, 0x01, 0x02, 0x55, 0x00, 0x61])
      let bench = try InteropBench(tag)
      let result = try await bench.run("nfc-mfclassic", ["r", "a", "u", bench.path("dump")])
      result.expectSuccess()
      var visible = tag.memory
      for sector in 0..<16 {
        // Keys B, which are not asked for.
        for index in 58..<64 { visible[sector * 64 + index] = 0 }
      }
      #expect(try bench.bytes(of: "dump") == visible)
    }

    @Test func readClassic4K() async throws {
      let tag = VirtualTag.classic4K()
      let bench = try InteropBench(tag)
      let result = try await bench.run("nfc-mfclassic", ["r", "a", "u", bench.path("dump")])
      result.expectSuccess()
      result.expectOutput("Card is not DirectWrite", "Done, 256 of 256 blocks read.")
      let dump = try bench.bytes(of: "dump")
      #expect(dump.count == 4096)
      for block in 0..<256 where block < 128 ? block % 4 != 3 : block % 16 != 15 {
        let bytes = block * 16..<block * 16 + 16
        #expect(Array(dump[bytes]) == Array(tag.memory[bytes]), "block \(block)")
      }
    }

    /// A fault of the program (libnfc 1.8.0, utils/nfc-mfclassic.c, `is_directwrite`): it tries to
    /// write block 0 of a 4K card and goes on without selecting the card again, which after its NAK
    /// hears no authentication. A genuine card with one key in all sectors is the same to it.
    @Test func readBlankClassic4K() async throws {
      let tag = VirtualTag.classic4K(formatted: false)
      let memory = tag.memory
      let bench = try InteropBench(tag)
      try bench.write(memory, to: "keys")
      let result = try await bench.run(
        "nfc-mfclassic", ["r", "a", "u", bench.path("dump"), bench.path("keys")])
      result.expectOutput("Card is not DirectWrite", "authentication failed for block 0xff")
      #expect(tag.memory == memory)
      try await bench.run("nfc-list").expectOutput("9f  38  b2  5c")
    }

    /// A fault of the program (libnfc 1.8.0, utils/nfc-mfclassic.c, `write_card`): what it does for
    /// the first block of a sector encloses what it does for all, so that it writes only first
    /// blocks, from sector 1 on, and counts the others as written.
    @Test func writeClassic() async throws {
      let tag = VirtualTag.classic1K(formatted: false)
      let bench = try InteropBench(tag)
      var image = tag.memory
      for block in 1..<64 where block % 4 != 3 {
        for index in 0..<16 { image[block * 16 + index] = UInt8(block) ^ UInt8(index * 16) }
      }
      try bench.write(image, to: "dump")
      try bench.write(tag.memory, to: "keys")
      var expected = tag.memory
      for block in stride(from: 4, to: 64, by: 4) {
        let bytes = block * 16..<block * 16 + 16
        expected.replaceSubrange(bytes, with: image[bytes])
      }
      let result = try await bench.run(
        "nfc-mfclassic", ["w", "a", "u", bench.path("dump"), bench.path("keys")])
      result.expectSuccess()
      result.expectOutput("Done, 60 of 64 blocks written.")
      #expect(tag.memory == expected)
    }

    /// A genuine card does not know the commands that open a counterfeit.
    @Test func unlockedReadIsRefused() async throws {
      let tag = VirtualTag.classic1K(formatted: false)
      let bench = try InteropBench(tag)
      let result = try await bench.run("nfc-mfclassic", ["R", "a", "u", bench.path("dump")])
      result.expectOutput("Unlock command [1/2]: failed / not acknowledged.")
      #expect(!result.output.contains("blocks read"))
      try await bench.run("nfc-list").expectOutput("6f  21  d4  0a")
    }

    // MARK: mfoc

    /// All default keys are found, and so no nested attack is made.
    @Test(arguments: [true, false]) func mfoc(formatted: Bool) async throws {
      let tag =
        formatted
        ? try VirtualTag.classic1K(ndef: [0xD1, 0x01, 0x02, 0x55, 0x00, 0x61])
        : .classic1K(formatted: false)
      let bench = try InteropBench(tag)
      let result = try await bench.run("mfoc", ["-O", bench.path("dump")])
      result.expectSuccess()
      #expect(try bench.bytes(of: "dump") == tag.memory)
    }

    /// One sector has keys that no list has: the nested attack, which needs nonces that depend on time and
    /// on nothing else.
    @Test func mfocFindsAKey() async throws {
      let key: [UInt8] = [0x2A, 0x51, 0xC3, 0x0E, 0x94, 0x77]
      let tag = VirtualTag.classic1K(formatted: false)
      var image = tag.memory
      let trailer = 16 * 27
      image.replaceSubrange(trailer..<trailer + 6, with: key)
      image.replaceSubrange(trailer + 10..<trailer + 16, with: key)
      tag.memory = image
      let bench = try InteropBench(tag)
      let program = try bench.start("mfoc", ["-O", bench.path("dump")])
      let result = await program.result(limit: RunningProgram.longLimit)
      result.expectSuccess()
      #expect(try bench.bytes(of: "dump") == image)
    }

    // MARK: nfc-jewel

    /// The program knows the 15 blocks of a Topaz 96, with which a Topaz 512 begins.
    @Test(arguments: [false, true]) func readTopaz(is512: Bool) async throws {
      let message: [UInt8] = [0xD1, 0x01, 0x02, 0x55, 0x00, 0x61]
      let tag = is512 ? try VirtualTag.topaz512(ndef: message) : try .topaz96(ndef: message)
      let bench = try InteropBench(tag)
      let result = try await bench.run("nfc-jewel", ["r", bench.path("dump")])
      result.expectSuccess()
      result.expectOutput("Done, 15 of 15 blocks read.")
      #expect(try bench.bytes(of: "dump") == Array(tag.memory.prefix(120)))
    }

    @Test func writeTopaz() async throws {
      let tag = VirtualTag.topaz96()
      let bench = try InteropBench(tag)
      var image = Array(tag.memory.prefix(120))
      for index in 8..<104 { image[index] = UInt8(index) ^ 0x5A }
      try bench.write(image, to: "dump")
      // Lock bytes, one-time bytes: no.
      let result = try await bench.run(
        "nfc-jewel", ["w", bench.path("dump")], input: "n\nn\n")
      result.expectSuccess()
      result.expectOutput("Done, 12 of 15 blocks written (0 blocks partial, 3 blocks skipped).")
      #expect(tag.memory == image)
    }

    // MARK: nfc-read-forum-tag3

    /// Messages of no more blocks than one command may ask for: of longer ones the program reads only
    /// the first part (libnfc 1.8.0, utils/nfc-read-forum-tag3.c, the step of its loop).
    @Test(arguments: [40, 190]) func readType3(length: Int) async throws {
      let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 5 + 3) }
      let tag = length < 64 ? try VirtualTag.feliCaLiteS(ndef: message) : try .type3(ndef: message)
      let bench = try InteropBench(tag)
      let result = try await bench.run("nfc-read-forum-tag3", ["-o", bench.path("message")])
      result.expectSuccess()
      result.expectOutput("* NDEF message length: \(length) bytes", "* Checksum: ok")
      #expect(try bench.bytes(of: "message") == message)
    }

    @Test func readNoType3() async throws {
      let bench = try InteropBench(.suica())
      let result = try await bench.run("nfc-read-forum-tag3", ["-o", bench.path("message")])
      #expect(result.status == 1)
    }

    // MARK: nfc-barcode

    @Test(arguments: [
      (NFCBarcode.Format.https, "https://box.dev/nfc\n"),
      (.httpWWW, "http://www.box.dev/nfc\n"),
    ])
    func barcode(format: NFCBarcode.Format, text: String) async throws {
      let bench = try InteropBench(.nfcBarcode(format: format))
      let result = try await bench.run("nfc-barcode", ["-v"])
      result.expectSuccess()
      result.expectOutput("Manufacturer: Thinfilm", text)
    }
  }
}
