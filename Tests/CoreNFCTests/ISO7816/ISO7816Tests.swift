import CoreNFC
import NFC
import TestSupport
import Testing
import VirtualNFC

/// Answers with the status word that P1 and P2 say, and with the data that it was given.
private struct StatusApplication: VirtualApplet {
  static let identifier = "F053746174"
  let aid: [UInt8] = [0xF0, 0x53, 0x74, 0x61, 0x74]
  let acceptsCommandChaining = true

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = APDU(apdu) else { return [0x67, 0x00] }
    return command.data + [command.p1, command.p2]
  }

  var tag: VirtualTag {
    VirtualTag(
      ISO7816Card(
        name: "status", uid: [0x04, 0x31, 0x22, 0x73, 0x9C, 0x64, 0x81], applets: [self]))
  }
}

extension NFCISO7816APDU {
  /// A command of a class and instruction of the tests' own, with a status word to be answered.
  fileprivate static func asking(
    for status: UInt16, data: Data = Data(), length: Int = 256
  ) -> NFCISO7816APDU {
    NFCISO7816APDU(
      instructionClass: 0x00, instructionCode: 0xCB, p1Parameter: UInt8(status >> 8),
      p2Parameter: UInt8(status & 0xFF), data: data, expectedResponseLength: length)
  }

  fileprivate static func select(_ aid: [UInt8]) -> NFCISO7816APDU {
    NFCISO7816APDU(
      instructionClass: 0x00, instructionCode: 0xA4, p1Parameter: 0x04, p2Parameter: 0x00,
      data: Data(aid), expectedResponseLength: 256)
  }
}

extension SessionSuites {
  /// Smart cards: T-Money, a passport, NFC Forum type 4 of both types, and one whose answers are specified.
  @Suite(.replayed) struct ISO7816Tests {
    private static let tMoney: [UInt8] = [0xD4, 0x10, 0x00, 0x00, 0x03, 0x00, 0x01]
    private static let passport: [UInt8] = [0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01]
    /// 12340 won.
    private static let balance = Data([0x00, 0x00, 0x30, 0x34])

    /// The balance of a T-Money card: KS X 6924.
    private var balanceCommand: NFCISO7816APDU {
      NFCISO7816APDU(
        instructionClass: 0x90, instructionCode: 0x4C, p1Parameter: 0, p2Parameter: 0,
        data: Data(), expectedResponseLength: 4)
    }

    private func withCard(
      _ tag: VirtualTag, applications: [String] = NFCInformation.everything.applicationIdentifiers,
      limits: NFCSessionLimits = NFCSessionLimits(),
      _ body: nonisolated(nonsending) (SessionBench, any NFCISO7816Tag) async throws -> Void
    ) async throws {
      let bench = try SessionBench(
        tag,
        information: NFCInformation(usageDescription: "Tests", applicationIdentifiers: applications)
      )
      NFCEnvironment.current.limits = limits
      try await bench.withTag(.iso14443) { _, tag in try await body(bench, #require(tag.iso7816)) }
    }

    // MARK: Properties

    @Test func typeA() async throws {
      try await withCard(.tMoney(), applications: ["a0000002471001", "d4100000030001"]) { _, card in
        #expect(card.initialSelectedAID == "D4100000030001")
        #expect(card.identifier.count == 4 || card.identifier.count == 7)
        #expect(card.applicationData == nil)
        #expect(!card.proprietaryApplicationDataCoding)
        #expect(card.type == .iso7816Compatible)
        #expect(card.asNFCISO7816Tag() === card)
        #expect(card.asNFCFeliCaTag() == nil)
      }
      // The answer to select ends in two historical bytes.
      let status = StatusApplication()
      try await withCard(status.tag, applications: [StatusApplication.identifier]) { _, card in
        #expect(card.identifier == Data([0x04, 0x31, 0x22, 0x73, 0x9C, 0x64, 0x81]))
        #expect(card.historicalBytes == nil)
      }
    }

    @Test func typeB() async throws {
      try await withCard(.type4B()) { _, card in
        #expect(card.initialSelectedAID == "D2760000850101")
        #expect(card.identifier.count == 4)
        #expect(card.historicalBytes == nil)
        #expect(card.applicationData?.count == 4)
        // The virtual card's protocol info says 01: as in ISO/IEC 14443-3, 7.9.3.
        #expect(!card.proprietaryApplicationDataCoding)
      }
    }

    @Test func theCodingIsProprietaryWhereTheCardSaysSo() async throws {
      let card = ISO7816Card(
        name: "proprietary",
        interface: ProximityInterface(
          typeB: [0x12, 0x34, 0x56, 0x78], applicationData: [1, 2, 3, 4],
          protocolInfo: [0x80, 0x81, 0x71]), applets: [StatusApplication()])
      try await withCard(VirtualTag(card), applications: [StatusApplication.identifier]) {
        _, card in
        #expect(card.applicationData == Data([1, 2, 3, 4]))
        #expect(card.proprietaryApplicationDataCoding)
      }
    }

    // MARK: Commands

    @Test func aCommandIsAnsweredInAllForms() async throws {
      try await withCard(.tMoney()) { _, card in
        let (body, sw1, sw2) = try await card.sendCommand(apdu: balanceCommand)
        #expect((body, sw1, sw2) == (Self.balance, 0x90, 0x00))
        // Where the type does not say which form is meant, it is the one of the tuple.
        let tuple = try await card.sendCommand(apdu: balanceCommand)
        #expect(tuple.0 == Self.balance)
        let completed = await handed { done in
          card.sendCommand(apdu: balanceCommand) { done(($0, $1, $2, code($3))) }
        }
        #expect(completed == (Self.balance, 0x90, 0x00, nil))
        let answer: NFCISO7816ResponseAPDU = try await card.sendCommand(apdu: balanceCommand)
        #expect(answer.payload == Self.balance)
        #expect((answer.statusWord1, answer.statusWord2) == (0x90, 0x00))
        let result = try await result { done in
          card.sendCommand(apdu: balanceCommand, resultHandler: done)
        }
        #expect(result.payload == Self.balance)
        #expect((result.statusWord1, result.statusWord2) == (0x90, 0x00))
      }
    }

    @Test func anyStatusWordIsASuccess() async throws {
      let words: [UInt16] = [0x9000, 0x6A82, 0x6D00, 0x6982, 0x6105, 0x6C10, 0x63C2, 0x91AF]
      try await withCard(StatusApplication().tag, applications: [StatusApplication.identifier]) {
        bench, card in
        for word in words {
          bench.virtual.setFaults([])
          let answer: NFCISO7816ResponseAPDU = try await card.sendCommand(apdu: .asking(for: word))
          #expect(UInt16(answer.statusWord1) << 8 | UInt16(answer.statusWord2) == word)
          #expect(answer.payload == nil)
          // 61xx and 6Cxx are the program's.
          #expect(bench.virtual.statistics.exchanges == 1)
        }
      }
    }

    @Test func aLongCommandGoesInParts() async throws {
      let data = Data((0..<400).map { UInt8(truncatingIfNeeded: $0) })
      try await withCard(StatusApplication().tag, applications: [StatusApplication.identifier]) {
        _, card in
        let (body, sw1, sw2) = try await card.sendCommand(
          apdu: .asking(for: 0x9000, data: data, length: 65_536))
        #expect(body == data)
        #expect((sw1, sw2) == (0x90, 0x00))
      }
    }

    // MARK: Applications

    @Test func anApplicationThatIsNotListedIsNotSelected() async throws {
      try await withCard(.tMoney(), applications: ["D4100000030001"]) { bench, card in
        for aid in [Self.passport, [], Array(Self.tMoney.dropLast())] {
          try await bench.sendingNothing {
            await expect(.readerErrorSecurityViolation) {
              let _: (Data, UInt8, UInt8) = try await card.sendCommand(apdu: .select(aid))
            }
          }
        }
        let (_, sw1, sw2) = try await card.sendCommand(apdu: .select(Self.tMoney))
        #expect([sw1, sw2] == [0x90, 0x00])
        // SELECT by file identifier is free; this card has none.
        let (_, first, _) = try await card.sendCommand(
          apdu: NFCISO7816APDU(
            instructionClass: 0x00, instructionCode: 0xA4, p1Parameter: 0x00, p2Parameter: 0x0C,
            data: Data([0x3F, 0x00]), expectedResponseLength: -1))
        #expect(first != 0x90)
      }
    }

    @Test func withoutTheLimitAnyApplicationIsSelected() async throws {
      try await withCard(.tMoney(), applications: [], limits: .none) { _, card in
        #expect(card.initialSelectedAID.isEmpty)
        let (_, sw1, sw2) = try await card.sendCommand(apdu: .select(Self.passport))
        #expect([sw1, sw2] == [0x6A, 0x82])
        let (_, sw1After, _) = try await card.sendCommand(apdu: .select(Self.tMoney))
        #expect(sw1After == 0x90)
      }
    }

    @Test func aPassportIsFoundByItsApplication() async throws {
      try await withCard(.emrtd()) { _, card in
        #expect(card.initialSelectedAID == "A0000002471001")
        // GET CHALLENGE: ICAO 9303-11, 4.3.4.1.
        let (challenge, sw1, sw2) = try await card.sendCommand(
          apdu: NFCISO7816APDU(
            instructionClass: 0x00, instructionCode: 0x84, p1Parameter: 0, p2Parameter: 0,
            data: Data(), expectedResponseLength: 8))
        #expect(challenge.count == 8)
        #expect([sw1, sw2] == [0x90, 0x00])
      }
    }

    /// After PACE, a passport's application is selected with secure messaging: the data is no name.
    @Test func aProtectedSelectionIsSent() async throws {
      try await withCard(.emrtd()) { bench, card in
        func select(_ instructionClass: UInt8) -> NFCISO7816APDU {
          NFCISO7816APDU(
            instructionClass: instructionClass, instructionCode: 0xA4, p1Parameter: 0x04,
            p2Parameter: 0x0C, data: Data([0x87, 0x01, 0x01]), expectedResponseLength: 256)
        }
        // The virtual passport has no session.
        let (_, sw1, sw2) = try await card.sendCommand(apdu: select(0x0C))
        #expect([sw1, sw2] == [0x68, 0x82])
        try await bench.sendingNothing {
          await expect(.readerErrorSecurityViolation) {
            let _: (Data, UInt8, UInt8) = try await card.sendCommand(apdu: select(0x00))
          }
        }
      }
    }

    // MARK: What fails

    @Test func impossibleCommandsAreNotSent() async throws {
      let cases: [(data: Int, length: Int, code: NFCReaderError.Code)] = [
        (65_536, 256, .readerErrorInvalidParameterLength),
        (1, -2, .readerErrorParameterOutOfBound),
        (1, .min, .readerErrorParameterOutOfBound),
        (1, 65_537, .readerErrorParameterOutOfBound),
        (1, .max, .readerErrorParameterOutOfBound),
      ]
      try await withCard(.tMoney()) { bench, card in
        for (count, length, code) in cases {
          try await bench.sendingNothing {
            await expect(code) {
              let _: NFCISO7816ResponseAPDU = try await card.sendCommand(
                apdu: .asking(for: 0x9000, data: Data(count: count), length: length))
            }
          }
        }
      }
    }

    @Test func commandsNeedTheirTagAndASession() async throws {
      let bench = try SessionBench(.tMoney())
      let (session, delegate, tags) = try await bench.tags(.iso14443)
      let card = try #require(tags.first?.iso7816)
      nonisolated(nonsending) func send() async throws {
        let _: (Data, UInt8, UInt8) = try await card.sendCommand(apdu: balanceCommand)
      }
      try await session.connect(to: tags[0])
      bench.field.removeAll()
      await expect(.readerTransceiveErrorTagConnectionLost) { try await send() }
      let completed = await handed { done in
        card.sendCommand(apdu: balanceCommand) { done(($0, $1, $2, code($3))) }
      }
      #expect(completed == (Data(), 0, 0, .readerTransceiveErrorTagConnectionLost))
      session.invalidate()
      _ = try await delegate.events.end()
      await expect(.readerTransceiveErrorSessionInvalidated) { try await send() }
    }

    // MARK: Beneath

    @Test func theNativeCardReadsFiles() async throws {
      try await withCard(.type4()) { _, card in
        // The capability container: NFC Forum Type 4 Tag, 4.3.
        let file = try await card.native?.readBinary(file: 0xE103, offset: 0, count: 2)
        #expect(file == [0x00, 0x0F])
      }
    }
  }
}
