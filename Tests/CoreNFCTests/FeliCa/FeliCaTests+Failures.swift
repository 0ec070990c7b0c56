import CoreNFC
import NFC
import Testing
import VirtualNFC

/// What fails, before a card is asked and by its answer.
extension SessionSuites.FeliCaTests {
  @Test func wrongParametersAreNotSent() async throws {
    let element = Data([0x80, 0x00])
    let block = Data(count: 16)
    let reads: [(services: [Data], blocks: [Data], code: NFCReaderError.Code)] = [
      ([], [element], .readerErrorInvalidParameterLength),
      ([Data([0x0F])], [element], .readerErrorInvalidParameterLength),
      ([Data([0x0F, 0x09, 0x00])], [element], .readerErrorInvalidParameterLength),
      (Array(repeating: Self.history, count: 17), [element], .readerErrorInvalidParameterLength),
      ([Self.history], [], .readerErrorInvalidParameterLength),
      (
        [Self.history], Array(repeating: element, count: 256), .readerErrorInvalidParameterLength
      ),
      ([Self.history], [Data()], .readerErrorInvalidParameterLength),
      ([Self.history], [Data(count: 4)], .readerErrorInvalidParameterLength),
      // Two bytes without the bit for two, three bytes with it, a service that is not listed.
      ([Self.history], [Data([0x00, 0x00])], .readerErrorInvalidParameter),
      ([Self.history], [Data([0x80, 0x00, 0x00])], .readerErrorInvalidParameter),
      ([Self.history], [Data([0x81, 0x00])], .readerErrorInvalidParameter),
      // More than a packet of 255 bytes holds.
      (
        [Self.history], Array(repeating: element, count: 130),
        .readerTransceiveErrorPacketTooLong
      ),
    ]
    try await withCard { bench, card in
      try await bench.sendingNothing {
        for (services, blocks, code) in reads {
          await expect(code) {
            _ = try await card.readWithoutEncryption(
              serviceCodeList: services, blockList: blocks)
          }
        }
        for data in [[], [block, block], [Data(count: 15)], [Data(count: 17)]] {
          await expect(.readerErrorInvalidParameterLength) {
            _ = try await card.writeWithoutEncryption(
              serviceCodeList: [Self.history], blockList: [element], blockData: data)
          }
        }
        for nodes in [[], [Data()], Array(repeating: Self.history, count: 33)] {
          await expect(.readerErrorInvalidParameterLength) {
            _ = try await card.requestService(nodeCodeList: nodes)
          }
          await expect(.readerErrorInvalidParameterLength) {
            _ = try await card.requestServiceV2(nodeCodeList: nodes)
          }
        }
        for system in [Data(), Data([0x03]), Data([0x00, 0x03, 0x00])] {
          await expect(.readerErrorInvalidParameterLength) {
            _ = try await card.polling(
              systemCode: system, requestCode: .noRequest, timeSlot: .max1)
          }
        }
        await expect(.readerErrorInvalidParameterLength) {
          _ = try await card.sendFeliCaCommand(commandPacket: Data())
        }
        await expect(.readerTransceiveErrorPacketTooLong) {
          _ = try await card.sendFeliCaCommand(commandPacket: Data(count: 255))
        }
      }
    }
  }

  @Test func aCommandThatTheCardDoesNotKnowFails() async throws {
    try await withCard(.feliCaLiteS(), systems: ["88B4"]) { _, card in
      await expect(.readerTransceiveErrorTagResponseError) {
        _ = try await card.requestSystemCode()
      }
      let result = await handed { done in
        card.requestServiceV2(
          nodeCodeList: [Self.history], resultHandler: done)
      }
      #expect(throws: NFCReaderError.self) { try result.get() }
    }
  }

  @Test func commandsNeedTheirTagAndASession() async throws {
    let bench = try SessionBench(.suica())
    let (session, delegate, tags) = try await bench.tags(.iso18092)
    let card = try #require(tags.first?.feliCa)
    try await session.connect(to: tags[0])
    bench.field.removeAll()
    await expect(.readerTransceiveErrorTagConnectionLost) {
      _ = try await card.requestResponse()
    }
    session.invalidate()
    _ = try await delegate.events.end()
    await expect(.readerTransceiveErrorSessionInvalidated) {
      _ = try await card.requestResponse()
    }
  }
}
