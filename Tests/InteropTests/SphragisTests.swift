import NFC
import SUNMessage
import SecureTags
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// sphragis sets up and verifies NTAG 424 DNA tags, with an implementation of its own that was tried on chips.
  @Suite struct SphragisTests {
    /// Links of the virtual chip, set up by the library.
    struct Form: Sendable, CustomTestStringConvertible {
      let testDescription: String
      var input = SUNMACInput.automatic
      var fileData = ""
      /// Where the text begins that the MAC covers; `nil` for an empty one.
      var start: String?
    }

    static let forms = [
      Form(testDescription: "https://a.example/t?p={picc}&c={mac}"),
      Form(
        testDescription: "https://a.example/t?p={picc}&c={mac}", input: .firstMirror, start: "p="),
      Form(
        testDescription: "https://a.example/t?p={picc}&e={enc:32}&c={mac}",
        fileData: "something-that-is-encrypted", start: "e="),
    ]

    private static let verification = """
      import sys
      from urllib.parse import urlparse, parse_qs
      from sphragis.sdm import decrypt_picc_data, compute_sdmmac
      from sphragis.sdmenc import decrypt_file_data
      url, meta, key, start = sys.argv[1], bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3]), sys.argv[4]
      part = {name: bytes.fromhex(value[0]) for name, value in parse_qs(urlparse(url).query).items()}
      picc = decrypt_picc_data(part['p'], meta)
      covered = url[url.index(start) + len(start):url.index('&c=') + 3].encode() if start else b''
      assert compute_sdmmac(key, picc.uid, picc.read_counter, covered) == part['c'], 'MAC'
      text = decrypt_file_data(key, picc.uid, picc.read_counter, part['e']) if 'e' in part else b''
      print(picc.uid_hex, picc.read_counter, text.decode())
      """

    @Test(arguments: forms) func linksOfTheChip(_ form: Form) async throws {
      let bench = try InteropBench(.ntag424())
      let reader = try await Reader.open(bench.reader.connectionString)
      var options = NTAG424Link.Options()
      options.macInput = form.input
      options.fileData = Array(form.fileData.utf8)
      let keys = try (1...2).map {
        try DESFireKey(.aes, bytes: [UInt8](repeating: UInt8($0 * 17), count: 16), version: 1)
      }
      let setup = NTAG424Setup(
        link: try NTAG424Link(SUNTemplate(form.testDescription), options),
        newKeys: [1: keys[0], 2: keys[1]])
      var links: [String] = []
      for tap in 0..<3 {
        for try await tag in reader.tags(polling: .iso14443) {
          try await tag.connect()
          guard tap > 0 else {
            try await DESFireCard(tag).application(.fixed).setUp(setup)
            break
          }
          let record = try #require(try await tag.ndef?.readNDEF()?.records.first)
          links.append(try #require(try record.decoded as? URIRecord).uri)
          break
        }
      }
      await reader.close()
      var counters: [Int] = []
      for link in links {
        let result = try await bench.startPython(
          whole: Self.verification,
          [
            link, String(repeating: "22", count: 16), String(repeating: "11", count: 16),
            form.start ?? "",
          ]
        ).result()
        result.expectSuccess()
        let words = result.output.split(whereSeparator: \.isWhitespace)
        #expect(words.first == "0463474AA26A80")
        counters.append(try #require(words.dropFirst().first.flatMap { Int($0) }))
        let text = words.dropFirst(2).joined(separator: " ")
        #expect(
          text == form.fileData + String(repeating: "0", count: text.count - form.fileData.count))
      }
      #expect(counters.count == 2 && counters[0] < counters[1])
    }

    /// Authentication, settings, key change and its commands with MAC and cipher, against the virtual chip.
    @Test func setUpByIt() async throws {
      let bench = try InteropBench(.ntag424())
      let result = try await bench.python(
        """
        from sphragis.transport import ApduTransport
        from sphragis.provision import provision_tag
        from sphragis.keyprov import (
            rekey_tag, DiversifiedTagKeys, MemoryKeyInventory, read_signature, verify_originality)
        class Link(ApduTransport):
            def __init__(self, tag): self.tag = tag
            def transceive(self, apdu): return bytes(self.tag.transceive(bytes(apdu)))
        link = Link(find('106A'))
        for options in ({}, dict(file_data=b'0123456789abcdef')):
            report = provision_tag(link, 'https://a.example/t', **options)
            assert report.verified and report.wrote_ndef and report.changed_settings, report.log
            again = provision_tag(link, 'https://a.example/t', **options)
            assert again.already_provisioned, again.log
        keys = DiversifiedTagKeys(bytes(range(16)), bytes(range(16, 32)), bytes(range(32, 48)))
        report = rekey_tag(link, keys, inventory=MemoryKeyInventory())
        print(*report.log, sep='\\n')
        again = rekey_tag(link, keys, inventory=MemoryKeyInventory())
        assert again.already_done, again.log
        """)
      #expect(result.output.contains("0463474AA26A80"), "\(result.output)")
      let chip = try #require(bench.field.tags.first)
      #expect(chip.withChip(NTAG424.self) { $0.keyVersions } == [1, 1, 1, 1, 1])
      #expect(chip.withChip(NTAG424.self) { $0.failedAuthentications } == [0, 0, 0, 0, 0])
    }
  }
}
