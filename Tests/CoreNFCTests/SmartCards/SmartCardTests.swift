import CoreNFC
import NFC
import Testing
import VirtualNFC

extension SessionSuites {
  /// ``NFCISO7816Tag`` and its commands.
  @Suite struct SmartCardTests {
    private func card(
      _ bench: SessionBench
    ) async throws -> (NFCTagReaderSession, TagDelegate, any NFCISO7816Tag) {
      let (session, delegate, tag) = try await bench.connected(.iso14443)
      guard case .iso7816(let card) = tag else { throw Unexpected("no smart card") }
      return (session, delegate, card)
    }

    /// READ BINARY of the selected capability container would need its file; SELECT by name is enough to
    /// see all three forms.
    private static func select(_ name: [UInt8]) -> NFCISO7816APDU {
      NFCISO7816APDU(
        instructionClass: 0x00, instructionCode: 0xA4, p1Parameter: 0x04, p2Parameter: 0x00,
        data: Data(name), expectedResponseLength: 256)
    }

    @Test func tellsWhatActivationHasTold() async throws {
      let bench = try SessionBench(try .named("type4b"))
      let (session, delegate, card) = try await card(bench)
      #expect(card.initialSelectedAID == "D2760000850101")
      #expect(card.identifier.count == 4)
      #expect(card.historicalBytes == nil)
      #expect(card.applicationData?.count == 4)
      #expect(card.type == .iso7816Compatible)
      #expect(card.asNFCISO7816Tag() === card)
      #expect(card.asNFCMiFareTag() == nil)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func sendsCommandsInEveryForm() async throws {
      let bench = try SessionBench(try .named("tmoney"))
      let (session, delegate, card) = try await card(bench)
      let command = Self.select([0xD4, 0x10, 0x00, 0x00, 0x03, 0x00, 0x01])
      let (data, sw1, sw2) = try await card.sendCommand(apdu: command)
      #expect(data.first == 0x6F)
      #expect([sw1, sw2] == [0x90, 0x00])
      let answer: NFCISO7816ResponseAPDU = try await card.sendCommand(apdu: command)
      #expect(answer.payload == data)
      let result = await withCheckedContinuation { continuation in
        card.sendCommand(apdu: command) { result in
          continuation.resume(returning: Handover(result))
        }
      }
      #expect(try result.value.get().payload == data)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func anyStatusWordIsAnAnswer() async throws {
      let bench = try SessionBench(try .named("type4"))
      let (session, delegate, card) = try await card(bench)
      let answer: NFCISO7816ResponseAPDU = try await card.sendCommand(
        apdu: NFCISO7816APDU(
          instructionClass: 0x00, instructionCode: 0xEE, p1Parameter: 0, p2Parameter: 0,
          data: Data(), expectedResponseLength: -1))
      #expect(answer.payload == nil)
      #expect(answer.statusWord1 == 0x6D)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func onlyListedApplicationsCanBeSelected() async throws {
      let bench = try SessionBench(
        try .named("tmoney"),
        information: NFCInformation(
          usageDescription: "Tests", applicationIdentifiers: ["D4100000030001"]))
      let (session, delegate, card) = try await card(bench)
      bench.virtual.setFaults([])
      let error = await expect(.readerErrorSecurityViolation) {
        _ =
          try await card.sendCommand(apdu: Self.select([0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01]))
          as (Data, UInt8, UInt8)
      }
      #expect(error?.localizedDescription.contains("A0000002471001") == true)
      #expect(bench.virtual.statistics.commands == 0)
      #expect(session.isReady)
      // The card is still there.
      let (_, sw1, _) = try await card.sendCommand(
        apdu: Self.select([0xD4, 0x10, 0x00, 0x00, 0x03, 0x00, 0x01]))
      #expect(sw1 == 0x90)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func lengthsThatNoCommandCarriesAreRefused() async throws {
      let bench = try SessionBench(try .named("type4"))
      let (session, delegate, card) = try await card(bench)
      bench.virtual.setFaults([])
      for (count, length, code) in [
        (65_536, -1, NFCReaderError.Code.readerErrorInvalidParameterLength),
        (0, 65_537, .readerErrorParameterOutOfBound), (0, 0, .readerErrorParameterOutOfBound),
        (0, -2, .readerErrorParameterOutOfBound), (0, .max, .readerErrorParameterOutOfBound),
        (0, .min, .readerErrorParameterOutOfBound),
      ] {
        await expect(code) {
          _ =
            try await card.sendCommand(
              apdu: NFCISO7816APDU(
                instructionClass: 0, instructionCode: 0xB0, p1Parameter: 0, p2Parameter: 0,
                data: Data(count: count), expectedResponseLength: length))
            as (Data, UInt8, UInt8)
        }
      }
      #expect(bench.virtual.statistics.commands == 0)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func aCardThatLeavesIsLost() async throws {
      let bench = try SessionBench(try .named("type4"))
      let (session, delegate, card) = try await card(bench)
      bench.field.removeAll()
      await expect(.readerTransceiveErrorTagConnectionLost) {
        _ =
          try await card.sendCommand(apdu: Self.select([0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]))
          as (Data, UInt8, UInt8)
      }
      #expect(!card.isAvailable)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    // MARK: Commands as values

    @Test func commandsAreReadAndMade() throws {
      let cases: [(bytes: [UInt8], data: [UInt8]?, length: Int)] = [
        ([0x00, 0xB0, 0x00, 0x00], nil, -1),
        ([0x00, 0xB0, 0x00, 0x00, 0x10], nil, 16),
        ([0x00, 0xB0, 0x00, 0x00, 0x00], nil, 256),
        ([0x00, 0xD6, 0x00, 0x00, 0x02, 0x01, 0x02], [0x01, 0x02], -1),
        ([0x00, 0xA4, 0x04, 0x00, 0x01, 0xD4, 0x00], [0xD4], 256),
        ([0x00, 0xB0, 0x00, 0x00, 0x00, 0x00, 0x00], nil, 65_536),
        ([0x00, 0xD6, 0x00, 0x00, 0x00, 0x00, 0x01, 0xAA], [0xAA], -1),
      ]
      for (bytes, data, length) in cases {
        let command = try #require(NFCISO7816APDU(data: Data(bytes)))
        #expect(command.instructionClass == bytes[0])
        #expect(command.instructionCode == bytes[1])
        #expect(command.p1Parameter == bytes[2])
        #expect(command.p2Parameter == bytes[3])
        #expect(command.data == data.map { Data($0) })
        #expect(command.expectedResponseLength == length)
        let copy = try #require(command.copy() as? NFCISO7816APDU)
        #expect(copy.data == command.data)
        // A part of another Data has other indices.
        #expect(NFCISO7816APDU(data: (Data([0xFF, 0xFF]) + Data(bytes)).dropFirst(2)) != nil)
      }
      for bytes: [UInt8] in [
        [], [0x00], [0x00, 0xB0, 0x00], [0x00, 0xB0, 0x00, 0x00, 0x02, 0x01],
      ] {
        #expect(NFCISO7816APDU(data: Data(bytes)) == nil)
      }
      #expect(
        NFCISO7816ResponseAPDU(statusWord1: 0x90, statusWord2: 0, paylaod: Data([1])).payload
          == NFCISO7816ResponseAPDU(statusWord1: 0x90, statusWord2: 0, payload: Data([1])).payload)
    }
  }
}
