import NFC
import Testing
import VirtualNFC

extension Interop {
  /// The dynamic memory of a Topaz 512, which nfcpy reaches by the chip's registers as we do.
  @Suite struct TopazDynamicTests {
    private static let message = NfcpyTests.message(length: 400)

    private func withReader(
      _ bench: InteropBench, _ body: (DetectedTag) async throws -> Void
    ) async throws {
      let reader = try await Reader.open(bench.reader.connectionString)
      for try await tag in reader.tags(polling: .all) {
        try await tag.connect()
        try await body(tag)
        break
      }
      await reader.close()
    }

    @Test func nfcpyReadsWhatWeWrite() async throws {
      let bench = try InteropBench(.topaz512())
      try await withReader(bench) { tag in
        try await tag.ndef?.writeNDEFBytes(Self.message, verify: true)
      }
      let result = try await bench.python("print(bytes(find('106A').ndef.octets).hex())")
      #expect(result.output == Self.message.hexadecimal.lowercased() + "\n")
    }

    @Test func weReadWhatNfcpyWrites() async throws {
      let bench = try InteropBench(.topaz512())
      _ = try await bench.python(
        "find('106A').ndef.octets = bytes.fromhex(sys.argv[2])", [Self.message.hexadecimal])
      try await withReader(bench) { tag in
        let ndef = try #require(tag.ndef)
        #expect(try await ndef.readNDEFBytes() == Self.message)
      }
    }
  }
}
