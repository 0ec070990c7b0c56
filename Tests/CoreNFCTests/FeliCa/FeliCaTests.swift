import CoreNFC
import NFC
import TestSupport
import Testing
import VirtualNFC

extension SessionSuites {
  /// FeliCa cards: a Suica-like one with the systems 0003 and FE00, and FeliCa Lite-S.
  @Suite(.replayed) struct FeliCaTests {
    static let history = Data([0x0F, 0x09])
    private static let absentService = Data([0x34, 0x12])
    private static let absentVersion = Data([0xFF, 0xFF])
    /// The version of a service without a key, as those of the virtual card that are asked for.
    private static let version = Data([0x00, 0x00])
    /// The newest record of the virtual card's history.
    private static let newest = Data([
      0x16, 0x01, 0x00, 0x00, 0x34, 0xCA, 0x25, 0x02, 0x01, 0x07, 0x5A, 0x07, 0x00, 0x00, 0x17,
      0x00,
    ])
    private static let idm = Data([0x01, 0x01, 0x06, 0x12, 0xB4, 0x1C, 0x7D, 0x2A])
    private static let pmm = Data([0x10, 0x0B, 0x4B, 0x42, 0x84, 0x85, 0xD0, 0xFF])
    private static let suica = Data([0x00, 0x03])
    private static let common = Data([0xFE, 0x00])

    /// Runs `body` with a card, connected.
    func withCard(
      _ tag: VirtualTag = .suica(), systems: [String] = ["0003", "FE00"],
      limits: NFCSessionLimits = NFCSessionLimits(),
      _ body: nonisolated(nonsending) (SessionBench, any NFCFeliCaTag) async throws -> Void
    ) async throws {
      let bench = try SessionBench(
        tag, information: NFCInformation(usageDescription: "Tests", systemCodes: systems))
      NFCEnvironment.current.limits = limits
      try await bench.withTag(.iso18092) { _, tag in try await body(bench, #require(tag.feliCa)) }
    }

    // MARK: Systems

    @Test func theFirstListedSystemIsCurrent() async throws {
      try await withCard { _, card in
        #expect(card.currentSystemCode == Self.suica)
        #expect(card.currentIDm == Self.idm)
        #expect(card.type == .feliCa)
        #expect(card.asNFCFeliCaTag() === card)
        #expect(card.asNFCMiFareTag() == nil)
      }
    }

    @Test func pollingSelectsAnotherSystem() async throws {
      try await withCard { _, card in
        let (pmm, requestData) = try await card.polling(
          systemCode: Self.common, requestCode: .systemCode, timeSlot: .max1)
        #expect(pmm == Self.pmm)
        #expect(requestData == Self.common)
        #expect(card.currentSystemCode == Self.common)
        #expect(card.currentIDm == Data([0x11]) + Self.idm.dropFirst())
        // Commands go to that system: it has the service 39C9, the other has not.
        #expect(
          try await card.requestService(nodeCodeList: [Data([0xC9, 0x39])]) == [Self.version])

        let first = await handed { done in
          card.polling(systemCode: Self.suica, requestCode: .noRequest, timeSlot: .max4) {
            done(($0, $1, code($2)))
          }
        }
        #expect(first == (Self.pmm, Data(), nil))
        #expect(card.currentIDm == Self.idm)

        let answer = try await result { done in
          card.polling(
            systemCode: Self.common, requestCode: .noRequest, timeSlot: .max1, resultHandler: done)
        }
        #expect(answer.manufactureParameter == Self.pmm)
        #expect(answer.requestData == nil)
        #expect(card.currentSystemCode == Self.common)
      }
    }

    @Test func aSystemThatIsNotListedIsNotRequested() async throws {
      try await withCard { bench, card in
        for system in [Data([0x12, 0xFC]), Data([0xFF, 0xFF]), Data([0xFE, 0xFF])] {
          try await bench.sendingNothing {
            await expect(.readerErrorSecurityViolation) {
              _ = try await card.polling(
                systemCode: system, requestCode: .noRequest, timeSlot: .max1)
            }
          }
        }
        #expect(card.currentSystemCode == Self.suica)
        #expect(try await card.requestResponse() == 0)
      }
    }

    @Test func withoutTheLimitAnySystemIsRequested() async throws {
      try await withCard(systems: [], limits: .none) { _, card in
        _ = try await card.polling(
          systemCode: Self.common, requestCode: .noRequest, timeSlot: .max1)
        #expect(card.currentSystemCode == Self.common)
        _ = try await card.polling(
          systemCode: Data([0xFF, 0xFF]), requestCode: .systemCode, timeSlot: .max1)
        #expect(card.currentSystemCode == Self.suica)
        #expect(card.currentIDm == Self.idm)
      }
    }

    @Test func aSystemThatTheCardHasNotLeavesNoneSelected() async throws {
      try await withCard(systems: ["0003", "88B4"]) { bench, card in
        await expect(.readerTransceiveErrorTagResponseError) {
          _ = try await card.polling(
            systemCode: Data([0x88, 0xB4]), requestCode: .noRequest, timeSlot: .max1)
        }
        #expect(card.currentIDm.isEmpty)
        try await bench.sendingNothing {
          await expect(.readerTransceiveErrorTagResponseError) {
            _ = try await card.requestResponse()
          }
        }
        _ = try await card.polling(
          systemCode: Self.suica, requestCode: .noRequest, timeSlot: .max1)
        #expect(card.currentIDm == Self.idm)
        #expect(try await card.requestResponse() == 0)
      }
    }

    @Test func theAnswerOfAnotherCardSelectsNothing() async throws {
      try await withCard(systems: ["0003", "88B4"]) { bench, card in
        bench.field.place(.feliCaLiteS())
        let error = await expect(.readerTransceiveErrorTagResponseError) {
          _ = try await card.polling(
            systemCode: Data([0x88, 0xB4]), requestCode: .noRequest, timeSlot: .max1)
        }
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NFCError
        #expect(cause?.reason == "another card has answered")
        #expect(card.currentIDm.isEmpty)
        _ = try await card.polling(
          systemCode: Self.suica, requestCode: .noRequest, timeSlot: .max1)
        #expect(card.currentIDm == Self.idm)
      }
    }

    @Test func theSystemsAreListed() async throws {
      let systems = [Self.suica, Self.common]
      try await withCard { _, card in
        let codes = try await card.requestSystemCode()
        #expect(codes == systems)
        let listed = await handed { done in card.requestSystemCode { done(($0, code($1))) } }
        #expect(listed == (systems, nil))
        let viaResult = try await result { done in card.requestSystemCode(resultHandler: done) }
        #expect(viaResult == systems)
      }
    }

    // MARK: Services

    @Test func anAbsentServiceHasTheKeyVersionFFFF() async throws {
      let nodes = [Self.history, Self.absentService]
      let versions = [Self.version, Self.absentVersion]
      try await withCard { _, card in
        let asked = try await card.requestService(nodeCodeList: nodes)
        #expect(asked == versions)
        let handed1 = await handed { done in
          card.requestService(nodeCodeList: nodes) { done(($0, code($1))) }
        }
        #expect(handed1 == (versions, nil))
        let viaResult = try await result { done in
          card.requestService(nodeCodeList: nodes, resultHandler: done)
        }
        #expect(viaResult == versions)
      }
    }

    @Test func keysOfBothCiphersAreListed() async throws {
      let nodes = [Self.history, Self.absentService]
      let absent = [Self.absentVersion, Self.absentVersion]
      let des = [Self.version, Self.absentVersion]
      try await withCard { _, card in
        let answer = try await card.requestServiceV2(nodeCodeList: nodes)
        #expect(answer == (0, 0, .AES_DES, absent, des))
        let completed = await handed { done in
          card.requestServiceV2(nodeCodeList: nodes) { done(($0, $1, $2, $3, $4, code($5))) }
        }
        #expect(completed == (0, 0, .AES_DES, absent, des, nil))
        let result = try await result { done in
          card.requestServiceV2(nodeCodeList: nodes, resultHandler: done)
        }
        #expect(result.statusFlag1 == 0 && result.statusFlag2 == 0)
        #expect(result.encryptionIdentifier == .aes_des)
        #expect(result.nodeKeyVersionListAES == absent)
        #expect(result.nodeKeyVersionListDES == des)
      }
    }

    // MARK: Blocks

    @Test func blocksAreRead() async throws {
      let services = [Self.history]
      let list = [Data([0x80, 0x00]), Data([0x00, 0x13, 0x00])]
      try await withCard { _, card in
        let (flag1, flag2, blocks) = try await card.readWithoutEncryption(
          serviceCodeList: services, blockList: list)
        #expect((flag1, flag2) == (0, 0))
        #expect(blocks.first == Self.newest)
        #expect(blocks.map(\.count) == [16, 16])
        let completed = await handed { done in
          card.readWithoutEncryption(serviceCodeList: services, blockList: list) {
            done(($0, $1, $2, code($3)))
          }
        }
        #expect(completed == (0, 0, blocks, nil))
        let (flags, same) = try await result { done in
          card.readWithoutEncryption(
            serviceCodeList: services, blockList: list, resultHandler: done)
        }
        #expect((flags.statusFlag1, flags.statusFlag2) == (0, 0))
        #expect(same == blocks)
      }
    }

    @Test func aRefusalIsFlagsAndNoError() async throws {
      try await withCard { _, card in
        let (flag1, flag2, blocks) = try await card.readWithoutEncryption(
          serviceCodeList: [Self.absentService], blockList: [Data([0x80, 0x00])])
        // Illegal service code: FeliCa Card User's Manual, excerpted edition, 4.5.
        #expect(flag1 != 0)
        #expect(flag2 == 0xA6)
        #expect(blocks.isEmpty)
        let flags = try await result { done in
          card.writeWithoutEncryption(
            serviceCodeList: [Self.absentService], blockList: [Data([0x80, 0x00])],
            blockData: [Self.newest], resultHandler: done)
        }
        #expect(flags.statusFlag1 != 0)
        #expect(flags.statusFlag2 == 0xA6)
      }
    }

    @Test func blocksAreWritten() async throws {
      let tag = VirtualTag.feliCaLiteS()
      let list = [Data([0x80, 0x01])]
      let writable = [Data([0x09, 0x00])]
      try await withCard(tag, systems: ["88B4"]) { _, card in
        for (value, form) in zip(UInt8(1)..., 0..<3) {
          let block = Data(repeating: value, count: 16)
          switch form {
          case 0:
            let flags = try await card.writeWithoutEncryption(
              serviceCodeList: writable, blockList: list, blockData: [block])
            #expect(flags == (0, 0))
          case 1:
            let completed = await handed { done in
              card.writeWithoutEncryption(
                serviceCodeList: writable, blockList: list, blockData: [block]
              ) { done(($0, $1, code($2))) }
            }
            #expect(completed == (0, 0, nil))
          default:
            let flags = try await result { done in
              card.writeWithoutEncryption(
                serviceCodeList: writable, blockList: list, blockData: [block],
                resultHandler: done)
            }
            #expect(flags.statusFlag1 == 0)
          }
          let (_, _, blocks) = try await card.readWithoutEncryption(
            serviceCodeList: [Data([0x0B, 0x00])], blockList: list)
          #expect(blocks == [block])
        }
      }
    }

    // MARK: Mode and version

    @Test func modeAndVersionAreReported() async throws {
      try await withCard { _, card in
        #expect(try await card.requestResponse() == 0)
        let mode = await handed { done in card.requestResponse { done(($0, code($1))) } }
        #expect(mode == (0, nil))
        let viaResult = try await result { done in card.requestResponse(resultHandler: done) }
        #expect(viaResult == 0)

        #expect(try await card.resetMode() == (0, 0))
        let reset = await handed { done in card.resetMode { done(($0, $1, code($2))) } }
        #expect(reset == (0, 0, nil))
        let flags = try await result { done in card.resetMode(resultHandler: done) }
        #expect(flags.statusFlag1 == 0 && flags.statusFlag2 == 0)

        // 5.0.0, and DES 1.0.0.
        let basic = Data([0x00, 0x05])
        let option = Data([0x00, 0x01])
        #expect(try await card.requestSpecificationVersion() == (0, 0, basic, option))
        let completed = await handed { done in
          card.requestSpecificationVersion { done(($0, $1, $2, $3, code($4))) }
        }
        #expect(completed == (0, 0, basic, option, nil))
        let version = try await result { done in
          card.requestSpecificationVersion(resultHandler: done)
        }
        #expect(version.statusFlag1 == 0 && version.statusFlag2 == 0)
        #expect(version.basicVersion == basic)
        #expect(version.optionVersion == option)
      }
    }

    // MARK: Raw commands

    @Test func aRawCommandGetsTheCardsCompleteAnswer() async throws {
      // Request System Code: FeliCa Card User's Manual, excerpted edition, 4.4.8.
      let command = Data([0x00, 0x0C]) + Self.idm
      let answer = Data([0x0F, 0x0D]) + Self.idm + Data([0x02]) + Self.suica + Self.common
      try await withCard { _, card in
        // A slice, whose first index is not 0.
        let packet = command.dropFirst()
        #expect(try await card.sendFeliCaCommand(commandPacket: packet) == answer)
        let completed = await handed { done in
          card.sendFeliCaCommand(commandPacket: packet) { done(($0, code($1))) }
        }
        #expect(completed == (answer, nil))
        let viaResult = try await result { done in
          card.sendFeliCaCommand(commandPacket: packet, resultHandler: done)
        }
        #expect(viaResult == answer)
      }
    }

    // MARK: Beneath

    @Test func theNativeCardIsOfTheCurrentSystem() async throws {
      try await withCard { _, card in
        #expect(card.native?.idm == Array(Self.idm))
        _ = try await card.polling(
          systemCode: Self.common, requestCode: .noRequest, timeSlot: .max1)
        #expect(card.native?.systemCode == [0xFE, 0x00])
        #expect(try await card.native?.systems().count == 2)
      }
    }
  }
}
