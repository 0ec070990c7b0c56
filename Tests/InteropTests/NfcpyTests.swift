import SwiftNFCCore
import NFC
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// nfcpy drives the chip in its own ways (921600 bit/s, raw registers for Topaz, ISO-DEP by itself)
  /// and knows all four tag types.
  @Suite struct NfcpyTests {
    struct Kind: Sendable, CustomTestStringConvertible {
      let testDescription: String
      /// The bit rate and type as nfcpy names them.
      let brty: String
      /// How nfcpy names the tag.
      let name: String
      let make: @Sendable ([UInt8]) throws -> VirtualTag

      init(
        _ testDescription: String, _ brty: String, _ name: String,
        _ make: @escaping @Sendable ([UInt8]) throws -> VirtualTag
      ) {
        self.testDescription = testDescription
        self.brty = brty
        self.name = name
        self.make = make
      }
    }

    static let kinds = [
      Kind("Topaz 96", "106A", "Topaz (BCM20203T96)") { try .topaz96(ndef: $0) },
      Kind("Topaz 512", "106A", "Topaz 512 (BCM20203T512)") { try .topaz512(ndef: $0) },
      Kind("NTAG203", "106A", "NXP NTAG203") { try .ntag203(ndef: $0) },
      Kind("NTAG210", "106A", "NXP NTAG210") { try .ntag210(ndef: $0) },
      Kind("NTAG212", "106A", "NXP NTAG212") { try .ntag212(ndef: $0) },
      Kind("NTAG213", "106A", "NXP NTAG213") { try .ntag213(ndef: $0) },
      Kind("NTAG215", "106A", "NXP NTAG215") { try .ntag215(ndef: $0) },
      Kind("NTAG216", "106A", "NXP NTAG216") { try .ntag216(ndef: $0) },
      Kind("Ultralight", "106A", "Mifare Ultralight") { try .ultralight(ndef: $0) },
      Kind("Ultralight C", "106A", "Mifare Ultralight C") { try .ultralightC(ndef: $0) },
      Kind("Ultralight EV1", "106A", "Mifare Ultralight EV1") { try .ultralightEV1(ndef: $0) },
      Kind("FeliCa Lite", "212F", "FeliCa Lite") { try .feliCaLite(ndef: $0) },
      Kind("FeliCa Lite-S", "212F", "FeliCa Lite-S") { try .feliCaLiteS(ndef: $0) },
      Kind("Type 3", "212F", "Type3Tag") { try .type3(ndef: $0) },
      Kind("Type 3, 424 kbit/s", "424F", "Type3Tag") { try .type3(ndef: $0) },
      Kind("Type 4 A", "106A", "Type4ATag") { try .type4(ndef: $0) },
      Kind("Type 4 B", "106B", "Type4BTag") { try .type4B(ndef: $0) },
      Kind("DESFire EV1", "106A", "Type4ATag") { try .desfire(ndef: $0) },
      Kind("DESFire EV3", "106A", "Type4ATag") { try .desfire(.ev3, ndef: $0) },
    ]

    /// A URI and a text, which go on every tag here.
    static let message: [UInt8] =
      [0x91, 0x01, 0x0E, 0x55, 0x02] + Array("example.com/a".utf8)
      + [0x51, 0x01, 0x0A, 0x54, 0x02] + Array("deGrüße".utf8)

    /// One record of an unknown type.
    static func message(length: Int) -> [UInt8] {
      let size = length < 259 ? length - 3 : length - 6
      let header: [UInt8] =
        length < 259
        ? [0xD5, 0x00, UInt8(size)]
        : [0xC5, 0x00, 0x00, 0x00, UInt8(size >> 8), UInt8(size & 0xFF)]
      return header + (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }
    }

    /// Reads what our factory has put on a tag, and writes a message as long as the tag takes: nfcpy and
    /// our factory agree on how long that is, and on every byte of the tag's memory.
    @Test(arguments: kinds) func readAndWrite(_ kind: Kind) async throws {
      let tag = try kind.make(Self.message)
      let bench = try InteropBench(tag)
      let result = try await bench.python(
        """
        tag = find(sys.argv[2])
        print(tag)
        print(tag.ndef.is_writeable, bytes(tag.ndef.octets).hex())
        print(tag.ndef.capacity)
        length = tag.ndef.capacity
        if length < 259:
            message = bytes([0xD5, 0, length - 3])
        else:
            message = bytes([0xC5, 0]) + (length - 6).to_bytes(4, 'big')
        message += bytes(i * 7 & 255 for i in range(length - len(message)))
        tag.ndef.octets = message
        tag = find(sys.argv[2])
        assert bytes(tag.ndef.octets) == message
        """, [kind.brty])
      result.expectOutput(kind.name, "True \(Self.message.hexadecimal.lowercased())\n")
      let capacity = try #require(result.output.split(separator: "\n").last.flatMap { Int($0) })
      let expected = try kind.make(Self.message(length: capacity))
      #expect(Self.content(of: tag) == Self.content(of: expected))
    }

    /// Writes on an empty tag, which then is as if our factory had put the message on it.
    @Test(arguments: ["Topaz 512", "NTAG213", "FeliCa Lite-S", "Type 3", "Type 4 A", "Type 4 B"])
    func writeEmpty(_ name: String) async throws {
      let kind = try #require(Self.kinds.first { $0.testDescription == name })
      let tag = try kind.make([])
      let bench = try InteropBench(tag)
      _ = try await bench.python(
        """
        tag = find(sys.argv[2])
        assert tag.ndef.length == 0
        tag.ndef.octets = bytes.fromhex(sys.argv[3])
        assert not tag.ndef.has_changed
        """, [kind.brty, Self.message.hexadecimal])
      let expected = try kind.make(Self.message)
      #expect(Self.content(of: tag) == Self.content(of: expected))
    }

    /// The memory, but for the counter of its writes that a FeliCa Lite-S has.
    static func content(of tag: VirtualTag) -> String {
      var memory = tag.memory
      if tag.name == "felica-lite-s" {
        // WCNT, the last of its blocks.
        memory.replaceSubrange((memory.count - 16)..., with: [UInt8](repeating: 0, count: 16))
      }
      return memory.hexadecimal
    }

    struct Variant: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let configuration: Type4Application.Configuration

      init(_ name: String, _ change: (inout Type4Application.Configuration) -> Void) {
        var configuration = Type4Application.Configuration()
        change(&configuration)
        testDescription = name
        self.configuration = configuration
      }
    }

    static let type4Variants = [
      Variant("mapping version 1") { $0.mapping = .version1 },
      Variant("mapping version 3") { $0.mapping = .version3 },
      Variant("the least MLe and MLc") {
        $0.maximumReadLength = 0x0F
        $0.maximumUpdateLength = 0x0D
      },
      Variant("all that is left, without a warning") { $0.endOfFile = .shortAnswer },
      Variant("asks for more time") { $0.updateTimeExtensions = [1, 2, 59] },
      Variant("another file") { $0.fileIdentifier = 0x0105 },
    ]

    /// A message of many blocks of ISO/IEC 14443-4 each way, on type A and type B.
    @Test(arguments: type4Variants, ["106A", "106B"])
    func type4Variant(_ variant: Variant, brty: String) async throws {
      let make: @Sendable ([UInt8]) throws -> VirtualTag = {
        brty == "106A"
          ? try .type4(ndef: $0, configuration: variant.configuration)
          : try .type4B(ndef: $0, configuration: variant.configuration)
      }
      let tag = try make([])
      let bench = try InteropBench(tag)
      let message = Self.message(length: 600)
      try bench.write(message, to: "message")
      _ = try await bench.python(
        """
        message = open('message', 'rb').read()
        find(sys.argv[2]).ndef.octets = message
        assert bytes(find(sys.argv[2]).ndef.octets) == message
        """, [brty])
      let expected = try make(message)
      #expect(tag.memory == expected.memory)
    }

    @Test func readOnlyType4() async throws {
      var configuration = Type4Application.Configuration()
      configuration.writeAccess = 0xFF
      let tag = try VirtualTag.type4(ndef: Self.message, configuration: configuration)
      let result = try await InteropBench(tag).python(
        """
        tag = find('106A')
        print(tag.ndef.is_writeable, bytes(tag.ndef.octets).hex())
        """)
      #expect(result.output == "False \(Self.message.hexadecimal.lowercased())\n")
    }

    struct Blank: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let brty: String
      /// The arguments of nfcpy's `format`.
      var arguments = ""
      let make: @Sendable (Bool) throws -> VirtualTag
    }

    static let blanks = [
      Blank(testDescription: "Topaz 96", brty: "106A") { .topaz96(formatted: $0) },
      Blank(testDescription: "Topaz 512", brty: "106A") { .topaz512(formatted: $0) },
      Blank(testDescription: "NTAG210", brty: "106A") { .ntag210(formatted: $0) },
      Blank(testDescription: "NTAG213", brty: "106A") { .ntag213(formatted: $0) },
      Blank(testDescription: "NTAG216", brty: "106A") { .ntag216(formatted: $0) },
      Blank(testDescription: "FeliCa Lite", brty: "212F") { .feliCaLite(formatted: $0) },
      Blank(testDescription: "FeliCa Lite-S", brty: "212F") { .feliCaLiteS(formatted: $0) },
      // Without a version nfcpy's `format` refuses plain type 3 tags.
      Blank(testDescription: "Type 3", brty: "212F", arguments: "version=0x10") {
        .type3(formatted: $0)
      },
    ]

    /// Formats a tag as it leaves the factory, and writes on it.
    @Test(arguments: blanks) func format(_ blank: Blank) async throws {
      let tag = try blank.make(false)
      let bench = try InteropBench(tag)
      let result = try await bench.python(
        """
        tag = find(sys.argv[2])
        print(tag.format(\(blank.arguments)))
        tag = find(sys.argv[2])
        print(tag.ndef.capacity)
        tag.ndef.octets = bytes.fromhex(sys.argv[3])
        print(bytes(find(sys.argv[2]).ndef.octets).hex())
        """, [blank.brty, Self.message.hexadecimal])
      result.expectOutput("True\n", Self.message.hexadecimal.lowercased())
      let ours = try await InteropBench(try blank.make(true)).python(
        "print(find(sys.argv[2]).ndef.capacity)", [blank.brty])
      result.expectOutput("\n\(ours.output)")
    }

    // MARK: What only one family has

    /// The originality signature and every page.
    @Test(arguments: ["NTAG213", "NTAG215", "NTAG216", "Ultralight EV1"])
    func dumpType2(_ name: String) async throws {
      let kind = try #require(Self.kinds.first { $0.testDescription == name })
      let bench = try InteropBench(try kind.make([]))
      let result = try await bench.python(
        """
        tag = find('106A')
        print(len(tag.signature), any(tag.signature))
        print('\\n'.join(tag.dump()))
        """)
      result.expectOutput("32 True\n", "UID", "LOCK0")
    }

    /// Sets a password, and reads by it what is protected.
    @Test func passwordOfNTAG() async throws {
      let tag = try VirtualTag.ntag213(ndef: Self.message)
      let bench = try InteropBench(tag)
      let result = try await bench.python(
        """
        tag = find('106A')
        assert tag.protect(b'012345', read_protect=True)
        tag = find('106A')
        assert tag.ndef is None
        assert not tag.authenticate(b'012340')
        tag = find('106A')
        assert tag.authenticate(b'012345')
        print(bytes(tag.ndef.octets).hex())
        """)
      #expect(result.output == Self.message.hexadecimal.lowercased() + "\n")
      #expect(Array(tag.memory[172..<178]) == Array("012345".utf8))
    }

    /// The 3DES authentication, both ways.
    @Test func authenticateUltralightC() async throws {
      let bench = try InteropBench(.ultralightC())
      let result = try await bench.python(
        """
        tag = find('106A')
        print(tag.authenticate(b'IEMKAERB!NACUOYF'))
        tag = find('106A')
        print(tag.authenticate(b'0123456789abcdef'))
        tag = find('106A')
        assert tag.protect(b'0123456789abcdef')
        tag = find('106A')
        print(tag.authenticate(b'0123456789abcdef'))
        """)
      #expect(result.output == "True\nFalse\nTrue\n")
    }

    /// The MAC of FeliCa Lite-S, both ways, with the card key of the factory and with one of ours.
    @Test(arguments: ["FeliCa Lite", "FeliCa Lite-S"])
    func authenticateFeliCaLite(_ name: String) async throws {
      let kind = try #require(Self.kinds.first { $0.testDescription == name })
      let bench = try InteropBench(try kind.make(Self.message))
      let result = try await bench.python(
        """
        tag = find('212F')
        print(tag.authenticate(b''))
        print(tag.read_with_mac(0).hex())
        print(tag.authenticate(b'0123456789abcdef'))
        """)
      result.expectOutput("True\n10", "False\n")
    }

    /// The card key that a password gives; what it protects is written only with MAC_A.
    @Test func protectFeliCaLiteS() async throws {
      let tag = try VirtualTag.feliCaLiteS(ndef: Self.message)
      let bench = try InteropBench(tag)
      let result = try await bench.python(
        """
        tag = find('212F')
        print(tag.protect('0123456789abcdef', protect_from=4))
        tag = find('212F')
        print(tag.authenticate(b'fedcba9876543210'))
        tag = find('212F')
        print(tag.authenticate(b'0123456789abcdef'))
        tag.write_with_mac(bytes(range(16)), 5)
        print(tag.read_with_mac(5).hex())
        """)
      #expect(result.output == "True\nFalse\nTrue\n000102030405060708090a0b0c0d0e0f\n")
      #expect(Array(tag.memory[80..<96]) == Array(0..<16))
    }

    /// A card key and blocks with MAC that the library has written, for nfcpy.
    @Test func nfcpyProvesTheKeyThatWeWrote() async throws {
      let tag = VirtualTag.feliCaLiteS(formatted: false)
      let bench = try InteropBench(tag)
      try await Self.withLite(bench) { lite in
        let key = try #require(FeliCaLiteCardKey("0123456789abcdef".utf8))
        try await lite.writeCardKey(key, version: 1)
        try await lite.authenticateMutually(key).write(Array(0..<16), to: 5)
      }
      let result = try await bench.python(
        """
        tag = find('212F')
        print(tag.authenticate(b'fedcba9876543210'))
        tag = find('212F')
        print(tag.authenticate(b'0123456789abcdef'))
        print(tag.read_with_mac(5).hex())
        tag.write_with_mac(bytes(range(16, 32)), 6)
        """)
      #expect(result.output == "False\nTrue\n000102030405060708090a0b0c0d0e0f\n")
      try await Self.withLite(bench) { lite in
        let key = try #require(FeliCaLiteCardKey("0123456789abcdef".utf8))
        #expect(try await lite.authenticate(key).read([6]) == [Array(16..<32)])
      }
    }

    /// A card that nfcpy has protected by a password: the library reads and writes with its key, and is refused
    /// without.
    @Test func weProveTheKeyThatNfcpyWrote() async throws {
      let bench = try InteropBench(try .feliCaLiteS(ndef: Self.message))
      let result = try await bench.python(
        """
        tag = find('212F')
        print(tag.protect('0123456789abcdef', read_protect=True, protect_from=4))
        """)
      #expect(result.output == "True\n")
      try await Self.withLite(bench) { lite in
        let wrong = try #require(FeliCaLiteCardKey("fedcba9876543210".utf8))
        let key = try #require(FeliCaLiteCardKey("0123456789abcdef".utf8))
        let failed = await #expect(throws: NFCError.self) { try await lite.authenticate(wrong) }
        #expect(failed?.code == .authenticationFailed)
        let half = try await lite.authenticate(key)
        let closed = await #expect(throws: NFCError.self) { try await half.read([5]) }
        #expect(closed?.code == .notAuthenticated)
        let session = try await lite.authenticateMutually(key)
        try await session.write(Array(0..<16), to: 5)
        #expect(try await session.read([5]) == [Array(0..<16)])
      }
    }

    /// Opens the reader with the library and finds the card.
    private static func withLite(
      _ bench: InteropBench, _ body: (FeliCaLiteCommands) async throws -> Void
    ) async throws {
      let reader = try await Reader.open(bench.reader.connectionString)
      for try await tag in reader.tags(polling: .iso18092) {
        guard case .feliCa(let card) = tag else { continue }
        try await card.connect()
        try await body(try #require(card.lite))
        break
      }
      await reader.close()
    }

    /// Every service that can be read without a key, with its blocks.
    @Test func dumpSuica() async throws {
      let bench = try InteropBench(.suica())
      let result = try await bench.python(
        """
        tag = find('212F')
        print(tag)
        print('\\n'.join(tag.dump()))
        """)
      result.expectOutput("FeliCa Standard", "System 0003", "Cyclic Service", "Random Service")
    }

    @Test(arguments: ["Type 4 A", "Type 4 B"]) func dumpType4(_ name: String) async throws {
      let kind = try #require(Self.kinds.first { $0.testDescription == name })
      let bench = try InteropBench(try kind.make(Self.message))
      let result = try await bench.python(
        """
        tag = find(sys.argv[2])
        print(tag.is_present)
        print(tag.send_apdu(0, 0xA4, 4, 0, bytes.fromhex('D2760000850101'), check_status=False).hex())
        print('\\n'.join(tag.dump()))
        """, [kind.brty])
      result.expectOutput("True\n9000\n")
    }
  }
}
