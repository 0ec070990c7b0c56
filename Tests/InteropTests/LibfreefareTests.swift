import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// libfreefare's programs: NDEF on MIFARE Classic and DESFire, and what they say about tags.
  @Suite struct LibfreefareTests {
    static let message = [UInt8](hexadecimal: "D1010D5503 6578616D706C652E6F7267 2F") ?? []
    static let longMessage: [UInt8] =
      [0xC1, 0x01, 0x00, 0x00, 0x01, 0x87, 0x54, 0x02, 0x65, 0x6E]
      + (0..<388).map { UInt8(truncatingIfNeeded: 0x41 + $0 % 26) }

    // MARK: MIFARE Classic

    /// The data blocks in the order in which the program fills them: in a 4K card it takes a sector of
    /// 240 bytes for what does not go into four sectors of 48.
    static func data(of tag: VirtualTag, is4K: Bool) -> [UInt8] {
      let memory = tag.memory
      let blocks = is4K ? Array(4..<20) + Array(128..<143) : Array(4..<64)
      return blocks.filter { $0 >= 128 || $0 % 4 != 3 }
        .flatMap { memory[$0 * 16..<$0 * 16 + 16] }
    }

    /// From transport configuration, with a message of one sector and one of many.
    ///
    /// A card that carries NDEF already is written again only if its keys B are the program's own
    /// (libfreefare 0.4.0, examples/mifare-classic-write-ndef.c, `default_keyb`): the second message
    /// goes on the card that it has made with the first.
    @Test(arguments: [false, true]) func writeClassic(is4K: Bool) async throws {
      let tag =
        is4K ? VirtualTag.classic4K(formatted: false) : .classic1K(formatted: false)
      let bench = try InteropBench(tag)
      for message in [Self.message, Self.longMessage, Self.message] {
        try bench.write(message, to: "message")
        let written = try await bench.run(
          "mifare-classic-write-ndef", ["-y", "-i", bench.path("message")])
        written.expectSuccess()
        // The TLV begins in block 4; sector trailers stand between its blocks.
        let header: [UInt8] =
          message.count < 255 ? [0x03, UInt8(message.count)] : [0x03, 0xFF, 0x01, 0x8E]
        let expected: [UInt8] = header + message + [0xFE]
        #expect(Self.data(of: tag, is4K: is4K).prefix(expected.count) == expected[...])
        let read = try await bench.run(
          "mifare-classic-read-ndef", ["-y", "-o", bench.path("copy")])
        read.expectSuccess()
        #expect(try bench.bytes(of: "copy") == message)
      }
    }

    /// What our own factory has formatted.
    @Test func readClassic1K() async throws {
      let bench = try InteropBench(try .classic1K(ndef: Self.longMessage))
      let read = try await bench.run("mifare-classic-read-ndef", ["-y", "-o", bench.path("copy")])
      read.expectSuccess()
      #expect(try bench.bytes(of: "copy") == Self.longMessage)
    }

    /// A fault of the program: it counts sector 16, which holds the second part of the directory, as
    /// one more of the application that has sector 15, and does not get in (libfreefare 0.4.0,
    /// libfreefare/mifare_application.c, `count_aids`). That the directory is right is known by the
    /// program's having checked both CRCs: otherwise it says "No MAD detected".
    @Test func readClassic4K() async throws {
      let bench = try InteropBench(try .classic4K(ndef: Self.message))
      let read = try await bench.run("mifare-classic-read-ndef", ["-y", "-o", bench.path("copy")])
      #expect(read.status == 1)
      #expect(read.errors.contains("No NFC Forum application."))
    }

    @Test func formatClassic() async throws {
      let blank = VirtualTag.classic1K(formatted: false)
      let tag = VirtualTag.classic1K(formatted: false)
      let bench = try InteropBench(tag)
      try bench.write(Self.longMessage, to: "message")
      let written = try await bench.run(
        "mifare-classic-write-ndef", ["-y", "-i", bench.path("message")])
      written.expectSuccess()
      #expect(tag.memory != blank.memory)
      let formatted = try await bench.run("mifare-classic-format", ["-y"])
      formatted.expectSuccess()
      formatted.expectOutput("Formatting 16 sectors", "done.")
      #expect(tag.memory == blank.memory)
    }

    // MARK: MIFARE Ultralight

    /// The program knows the two oldest chips; it takes those that came later for the first of them.
    @Test func ultralight() async throws {
      let plain = try await InteropBench(.ultralight()).run("mifare-ultralight-info")
      plain.expectSuccess()
      plain.expectOutput("Tag with UID 0458a361b72080 is a Mifare UltraLight\n")
      let secure = try await InteropBench(.ultralightC()).run("mifare-ultralight-info")
      secure.expectSuccess()
      secure.expectOutput("is a Mifare UltraLightC", "Authentication with default key: success")
    }

    // MARK: MIFARE DESFire

    @Test func describeDESFire() async throws {
      let bench = try InteropBench(.desfire())
      let result = try await bench.run("mifare-desfire-info")
      result.expectSuccess()
      result.expectOutput("===> Version information for tag", "Vendor ID:            0x04")
    }

    /// Makes a Type 4 tag of a blank card, writes a message to it and reads it back.
    @Test func writeDESFire() async throws {
      let tag = VirtualTag.desfire(formatted: false)
      let bench = try InteropBench(tag)
      let created = try await bench.run("mifare-desfire-create-ndef", ["-y"])
      created.expectSuccess()
      for message in [Self.message, Self.longMessage] {
        try bench.write(message, to: "message")
        let written = try await bench.run(
          "mifare-desfire-write-ndef", ["-y", "-i", bench.path("message")])
        written.expectSuccess()
        let read = try await bench.run(
          "mifare-desfire-read-ndef", ["-y", "-o", bench.path("copy")])
        read.expectSuccess()
        #expect(try bench.bytes(of: "copy") == message)
        let other = try await bench.python("print(bytes(find('106A').ndef.octets).hex())")
        #expect(other.output == message.hexadecimal.lowercased() + "\n")
      }
    }

    /// What our own factory has formatted.
    @Test func readDESFire() async throws {
      let bench = try InteropBench(try .desfire(ndef: Self.longMessage))
      let read = try await bench.run("mifare-desfire-read-ndef", ["-y", "-o", bench.path("copy")])
      read.expectSuccess()
      #expect(try bench.bytes(of: "copy") == Self.longMessage)
    }

    @Test func formatDESFire() async throws {
      let tag = try VirtualTag.desfire(ndef: Self.message)
      let bench = try InteropBench(tag)
      let formatted = try await bench.run("mifare-desfire-format", ["-y"])
      formatted.expectSuccess()
      let read = try await bench.run("mifare-desfire-read-ndef", ["-y", "-o", bench.path("copy")])
      #expect(read.status != 0)
      #expect(read.errors.contains("Application selection failed"))
    }
  }
}
