import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// The programs of libnfc that look for tags and name them.
  @Suite struct ListingTests {
    struct Listed: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let make: @Sendable () throws -> VirtualTag
      /// How many nfc-list finds and of what, then how it names the tag and its identifier.
      let lines: [String]

      init(
        _ name: String, _ lines: [String], _ make: @escaping @Sendable () throws -> VirtualTag
      ) {
        testDescription = name
        self.make = make
        self.lines = lines
      }
    }

    static let tags = [
      Listed(
        "MIFARE Ultralight",
        [
          "1 ISO14443A passive target(s) found:", "ATQA (SENS_RES): 00  44",
          "UID (NFCID1): 04  58  a3  61  b7  20  80", "SAK (SEL_RES): 00", "* MIFARE Ultralight\n",
        ]
      ) { .ultralight() },
      Listed(
        "NTAG216",
        ["1 ISO14443A passive target(s) found:", "UID (NFCID1): 04  a7  8b  62  c2  1b  90"]
      ) { .ntag216() },
      Listed(
        "MIFARE Classic 1K",
        [
          "1 ISO14443A passive target(s) found:", "UID (NFCID1): 6f  21  d4  0a",
          "SAK (SEL_RES): 08", "* MIFARE Classic 1K\n",
        ]
      ) { .classic1K() },
      Listed(
        "MIFARE Classic 4K",
        ["UID (NFCID1): 9f  38  b2  5c", "SAK (SEL_RES): 18", "* MIFARE Classic 4K\n"]
      ) { .classic4K() },
      Listed(
        "type 4 A",
        [
          "1 ISO14443A passive target(s) found:", "UID (NFCID1): 04  5e  21  72  9c  64  80",
          "SAK (SEL_RES): 20", "* Compliant with ISO/IEC 14443-4", "ATS: 78  80  70  02",
          "* Frame Waiting Time: 38.66 ms",
        ]
      ) { .type4() },
      Listed(
        "DESFire EV1", ["ATQA (SENS_RES): 03  44", "* MIFARE DESFire EV1", "SAK (SEL_RES): 20"]
      ) { .desfire() },
      Listed("travel document", ["* Random UID", "SAK (SEL_RES): 20"]) { .emrtd() },
      Listed(
        "type 4 B",
        [
          "1 ISO14443B passive target(s) found:", "ISO/IEC 14443-4B (106 kbps) target:",
          "PUPI: 50  3c  9a  17", "Protocol Info: 80  81  75",
        ]
      ) { .type4B() },
      Listed(
        "FeliCa Lite-S",
        [
          "1 Felica (212 kbps) passive target(s) found:",
          "1 Felica (424 kbps) passive target(s) found:",
          "ID (NFCID2): 01  2e  4c  d8  6a  1f  93  05",
          "Parameter (PAD): 00  f1  00  00  00  01  43  00", "System Code (SC): 88  b4",
        ]
      ) { .feliCaLiteS() },
      Listed("Suica", ["System Code (SC): 00  03"]) { .suica() },
      Listed(
        "Topaz 512",
        [
          "1 ISO14443A-3 Jewel passive target(s) found:", "Innovision Jewel (106 kbps) target:",
          "ATQA (SENS_RES): 0c  00", "4-LSB JEWELID: 47  1b  9d  02",
        ]
      ) { .topaz512() },
      Listed(
        "B'",
        [
          "1 ISO14443B' passive target(s) found:", "ISO/IEC 14443-4B' (106 kbps) target:",
          "DIV: 1c  8a  52  f7",
        ]
      ) { .calypsoBPrime() },
      Listed(
        "SRIX4K",
        [
          "1 ISO14443B-2 ST SRx passive target(s) found:",
          "ISO/IEC 14443-2B ST SRx (106 kbps) target:",
          // As it comes over the air, least significant byte first.
          "UID: 6e  13  88  5a  1f  0c  02  d0",
        ]
      ) { .srix4k() },
      Listed(
        "ASK CTx",
        [
          "1 ISO14443B-2 ASK CTx passive target(s) found:",
          "ISO/IEC 14443-2B ASK CTx (106 kbps) target:", "UID: 28  08  60  02",
          "Product Code: 60",
        ]
      ) { .askCTx() },
      Listed(
        "iCLASS",
        [
          "1 ISO14443B iClass passive target(s) found:",
          "ISO/IEC 14443-2B-3B iClass (Picopass) (106 kbps) target:",
          "UID: e0  12  ff  f7  00  5b  2d  61",
        ]
      ) { .iClass() },
      Listed(
        "NFC Barcode",
        [
          "1 ISO14443A-2 NFC Barcode passive target(s) found:",
          "Thinfilm NFC Barcode (106 kbps) target:", "Size (bits): 128",
          "Content: B704626F782E6465",
        ]
      ) { .nfcBarcode() },
    ]

    @Test(arguments: tags) func list(_ listed: Listed) async throws {
      // nfc-list looks for Jewel after iCLASS, which switches parity off; whether a chip's own search
      // switches it on again is not known, and here it does.
      var chip = VirtualPN532()
      chip.searchRestoresReceiver = true
      let bench = try InteropBench(try listed.make(), chip: chip)
      let result = try await bench.run("nfc-list", ["-v"])
      result.expectSuccess()
      for line in listed.lines { result.expectOutput(line) }
      // What a tag is not is not found either.
      let found = result.output.matches(
        of: /^[1-9] .* passive target/.anchorsMatchLineEndings()
      ).count
      #expect(found == (result.output.contains("1 Felica") ? 2 : 1), "\(result.output)")
      #expect(!bench.field.isPowered)
    }

    @Test func listSeveral() async throws {
      let bench = try InteropBench(
        .ntag213(), .classic1K(), .type4B(), .suica(), .iClass())
      let result = try await bench.run("nfc-list")
      result.expectSuccess()
      result.expectOutput(
        "2 ISO14443A passive target(s) found:", "04  e1  0c  da  99  3c  80", "6f  21  d4  0a",
        "1 Felica (212 kbps)", "1 ISO14443B passive", "1 ISO14443B iClass")
    }

    @Test func listNone() async throws {
      let bench = try InteropBench()
      let result = try await bench.run("nfc-list", ["-v"])
      result.expectSuccess()
      result.expectOutput("0 ISO14443A passive target(s) found.")
      #expect(result.output.matches(of: /\n0 .* passive target/).count == 10)
    }

    /// The tag is taken away when the program says that it waits for that.
    ///
    /// libnfc's presence checks of FeliCa Lite-S and plain type 3 tags (Request Response) call them gone
    /// at once; those that it has for the other tags are tried here.
    @Test(arguments: [
      Listed("NTAG213", ["04  e1  0c  da  99  3c  80"]) { .ntag213() },
      Listed("MIFARE Classic 1K", ["6f  21  d4  0a"]) { .classic1K() },
      Listed("type 4 A", ["04  5e  21  72  9c  64  80"]) { .type4() },
      Listed("type 4 B", ["50  3c  9a  17"]) { .type4B() },
      Listed("Topaz 96", ["8a  5c  03  2e"]) { .topaz96() },
    ])
    func poll(_ listed: Listed) async throws {
      let tag = try listed.make()
      let bench = try InteropBench(tag)
      let program = try bench.start("nfc-poll")
      try await program.waitForOutput("Waiting for card removing...")
      try await Task.sleep(for: .milliseconds(100))
      #expect(!program.output.contains("done."), "\(program.output)")
      bench.field.remove(tag)
      let result = await program.result()
      result.expectSuccess()
      for line in listed.lines { result.expectOutput(line) }
      result.expectOutput("done.")
    }

    /// A tag that comes while the program polls is found.
    @Test func pollUntilATagComes() async throws {
      let tag = VirtualTag.ntag213()
      let polls = AsyncStream<Void>.makeStream()
      let bench = try InteropBench { event in
        if case .sent = event { polls.continuation.yield() }
      }
      let program = try bench.start("nfc-poll")
      for await _ in polls.stream { break }
      bench.field.place(tag)
      try await program.waitForOutput("Waiting for card removing...")
      bench.field.removeAll()
      let result = await program.result()
      result.expectSuccess()
      result.expectOutput("04  e1  0c  da  99  3c  80", "done.")
    }

    /// Its own anticollision, bit by bit, with raw frames and without the chip's CRC.
    @Test func anticollision() async throws {
      let short = try await InteropBench(.classic1K()).run("nfc-anticol")
      short.expectSuccess()
      short.expectOutput("UID: 6f21d40a", "ATQA: 0004", "SAK: 08")
      // By registers, with the time that each answer takes.
      let timed = try await InteropBench(.ntag213()).run("nfc-anticol", ["-t"])
      timed.expectSuccess()
      timed.expectOutput("UID: 04e10cda993c80", "ATQA: 0044", "SAK: 00")
      let long = try await InteropBench(.ntag213()).run("nfc-anticol")
      long.expectSuccess()
      long.expectOutput("UID: 04e10cda993c80", "ATQA: 0044", "SAK: 00")
      let card = try await InteropBench(.type4()).run("nfc-anticol")
      card.expectSuccess()
      card.expectOutput("UID: 045e21729c6480", "SAK: 20", "ATS: 05  78  80  70  02")
    }

    @Test func diagnose() async throws {
      let result = try await InteropBench().run("pn53x-diagnose")
      result.expectSuccess()
      result.expectOutput("Communication line test: OK", "ROM test: OK", "RAM test: OK")
    }

    @Test func scanForDevices() async throws {
      let bench = try InteropBench()
      let result = try await bench.run("nfc-scan-device", ["-v"])
      result.expectSuccess()
      result.expectOutput(
        "1 NFC device(s) found:", bench.reader.connectionString, "chip: PN532 v1.6")
    }
  }
}
