import CoreNFC
import NFC
import Testing
import VirtualNFC

extension SessionSuites {
  /// ``NFCMiFareTag`` and its commands.
  @Suite struct MiFareTests {
    private func tag(
      _ bench: SessionBench
    ) async throws -> (NFCTagReaderSession, TagDelegate, any NFCMiFareTag) {
      let (session, delegate, tag) = try await bench.connected(.iso14443)
      guard case .miFare(let tag) = tag else { throw Unexpected("no MIFARE tag") }
      return (session, delegate, tag)
    }

    @Test(arguments: [
      ("ntag215", NFCMiFareFamily.ultralight), ("ultralight-c", .ultralight),
      ("classic-1k", .unknown), ("desfire", .desfire),
    ])
    func tellsItsFamily(_ name: String, _ family: NFCMiFareFamily) async throws {
      let bench = try SessionBench(
        try .named(name), information: NFCInformation(usageDescription: "Tests"))
      let (session, delegate, tag) = try await tag(bench)
      #expect(tag.mifareFamily == family)
      #expect([4, 7].contains(tag.identifier.count))
      #expect((tag.historicalBytes != nil) == (family == .desfire))
      #expect(tag.asNFCMiFareTag() === tag)
      #expect(tag.asNFCISO7816Tag() == nil)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func sendsCommandsInEveryForm() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tag) = try await tag(bench)
      let page: [UInt8] = [0x01, 0x02, 0x03, 0x04]
      let write = Data([0xA2, 0x10] + page)
      #expect(try await tag.sendMiFareCommand(commandPacket: write) == Data([0x0A]))
      let read = Data([0x30, 0x10])
      let data = try await tag.sendMiFareCommand(commandPacket: read)
      #expect(data.count == 16)
      #expect(Array(data.prefix(4)) == page)
      let result = await withCheckedContinuation { continuation in
        tag.sendMiFareCommand(commandPacket: read) { (result: Result<Data, any Error>) in
          continuation.resume(returning: result)
        }
      }
      #expect(try result.get() == data)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func aRefusalIsAResponseError() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tag) = try await tag(bench)
      let error = await expect(.readerTransceiveErrorTagResponseError) {
        _ = try await tag.sendMiFareCommand(commandPacket: Data([0x30, 0xF0]))
      }
      #expect(error?.userInfo[NSUnderlyingErrorKey] is NFCError)
      await expect(.readerErrorInvalidParameter) {
        _ = try await tag.sendMiFareCommand(commandPacket: Data())
      }
      await expect(.readerTransceiveErrorPacketTooLong) {
        _ = try await tag.sendMiFareCommand(commandPacket: Data(count: 300))
      }
      // The tag has borne it.
      #expect(try await tag.sendMiFareCommand(commandPacket: Data([0x30, 0x00])).count == 16)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func isoCommandsAreForDESFire() async throws {
      let bench = try SessionBench(
        try .named("desfire"), information: NFCInformation(usageDescription: "Tests"))
      let (session, delegate, tag) = try await tag(bench)
      // GetVersion, wrapped (MIFARE DESFire data sheet, 8.2.3).
      let command = NFCISO7816APDU(
        instructionClass: 0x90, instructionCode: 0x60, p1Parameter: 0, p2Parameter: 0,
        data: Data(), expectedResponseLength: 256)
      let (data, sw1, sw2) = try await tag.sendMiFareISO7816Command(command)
      #expect(data.count == 7)
      #expect([sw1, sw2] == [0x91, 0xAF])
      let answer: NFCISO7816ResponseAPDU = try await tag.sendMiFareISO7816Command(command)
      #expect(answer.statusWord1 == 0x91)
      let result = await withCheckedContinuation { continuation in
        tag.sendMiFareISO7816Command(command) { result in
          continuation.resume(returning: Handover(result))
        }
      }
      #expect(try result.value.get().statusWord1 == 0x91)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func isoCommandsAreNotForUltralight() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tag) = try await tag(bench)
      let command = try #require(NFCISO7816APDU(data: Data([0x90, 0x60, 0x00, 0x00, 0x00])))
      await expect(.readerErrorUnsupportedFeature) {
        _ = try await tag.sendMiFareISO7816Command(command) as (Data, UInt8, UInt8)
      }
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func classicIsOnePropertyAway() async throws {
      let bench = try SessionBench(try .named("blank-classic-1k"))
      let (session, delegate, tag) = try await tag(bench)
      let classic = try #require(tag.native?.classic)
      try await classic.authenticate(
        block: 4, .a, key: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
      #expect(try await classic.readBlock(4).count == 16)
      session.invalidate()
      _ = try await delegate.events.end()
      await #expect(throws: NFCError.self) { _ = try await classic.readBlock(4) }
    }
  }
}
