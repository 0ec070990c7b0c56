import NFC
import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// Cards that a reader acts as, with the programs of others at either end.
  @Suite struct CardProgramTests {
    private static let message: [UInt8] =
      [0xD1, 0x01, 0x0A, 0x55, 0x04] + Array("swift.org".utf8)

    /// Acts as a card on a reader in front of the bench's while `body` runs.
    private func withCard(
      facing bench: InteropBench, _ body: () async throws -> Void
    ) async throws {
      let virtual = try VirtualReader(VirtualField())
      let reader = try await Reader.open(virtual.connectionString)
      bench.reader.face(virtual.antenna)
      let card = EmulatedCard(
        try .ndef(bytes: Self.message), on: reader, as: try CardIdentity(number: [1, 2, 3]))
      let (ready, isReady) = AsyncStream<Void>.makeStream()
      let task = Task {
        defer { isReady.finish() }
        do {
          for try await event in card.events {
            if case .ready = event { isReady.finish() }
          }
        } catch {
          // Without the card, whatever the other program says explains nothing.
          if !Task.isCancelled { Issue.record(error) }
        }
      }
      for await _ in ready {}
      try await body()
      task.cancel()
      await task.value
      await reader.close()
      bench.reader.face(nil)
      virtual.close()
    }

    @Test func nfcListNamesTheCard() async throws {
      let bench = try InteropBench()
      try await withCard(facing: bench) {
        let list = try await bench.run("nfc-list", ["-t", "1"])
        list.expectSuccess()
        // libnfc gives a UID that begins with 08 the name of a random one.
        list.expectOutput(
          "UID (NFCID3): 08  01  02  03", "SAK (SEL_RES): 20", "ATS: 75  33  92  03  80")
      }
    }

    @Test func nfcpyReadsTheCard() async throws {
      let bench = try InteropBench()
      try await withCard(facing: bench) {
        let result = try await bench.python(
          """
          tag = find('106A')
          assert tag.ndef is not None, tag
          print(type(tag).__name__, tag.ndef.octets.hex(), tag.ndef.is_writeable)
          """)
        result.expectOutput("Type4ATag", Self.message.hexadecimal.lowercased(), "False")
      }
    }

    /// What libnfc's own card program makes of a reader is read here.
    @Test func libnfcsCardIsRead() async throws {
      let bench = try InteropBench()
      try bench.write(Self.message, to: "message.ndef")
      let program = try bench.start(
        "nfc-emulate-forum-tag4", [bench.path("message.ndef"), bench.path("out.ndef")])
      let virtual = try VirtualReader(VirtualField())
      virtual.face(bench.reader.antenna)
      let reader = try await Reader.open(virtual.connectionString)
      let tag = try await reader.firstTag(within: .seconds(20))
      try await tag.connect()
      #expect(try await tag.ndef?.readNDEFBytes() == Self.message)
      await reader.close()
      virtual.close()
      program.kill()
    }
  }
}
