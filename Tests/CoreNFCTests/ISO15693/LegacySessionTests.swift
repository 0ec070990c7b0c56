import CoreNFC
import NFC
import TestSupport
import Testing
import VirtualNFC

extension SessionSuites {
  /// The session of iOS 11, ``__NFCISO15693ReaderSession``, and its two methods.
  @Suite(.replayed) struct LegacySessionTests {
    @Test func blocksAreReadInChunks() async throws {
      let chip = VirtualTag.icodeSLIX2()
      chip.memory = (0..<320).map { UInt8(truncatingIfNeeded: $0) }
      let bench = try SessionBench(chip)
      try await bench.withLegacyTag { tag in
        bench.vicinityReader.setFaults([])
        let configuration = NFCISO15693ReadMultipleBlocksConfiguration(
          range: NSRange(location: 2, length: 5), chunkSize: 2)
        let data = try await tag.read(configuration)
        #expect(data == Data(8..<28))
        // Selection, then two blocks, two, one.
        #expect(bench.vicinityReader.statistics.exchanges <= 4)
        configuration.chunkSize = .max
        let again = try await tag.read(configuration)
        #expect(again == data)
      }
    }

    @Test func customCommands() async throws {
      let bench = try SessionBench(.icodeSLIX2())
      try await bench.withLegacyTag { tag in
        // READ SIGNATURE, 32 bytes (SL2S2602 data sheet, 9.5.3.23).
        let configuration = NFCISO15693CustomCommandConfiguration(
          manufacturerCode: 0x04, customCommandCode: 0xBD, requestParameters: nil)
        #expect(configuration.requestParameters.isEmpty)
        let signature = try await tag.send(configuration)
        #expect(signature.count == 32)
        configuration.customCommandCode = 0xBF
        let error = await expect(.readerTransceiveErrorTagResponseError) {
          _ = try await tag.send(configuration)
        }
        // An ICODE gives no reason for a refusal.
        #expect(error?.userInfo[NFCISO15693TagResponseErrorKey] as? Int == 0x0F)
      }
    }

    @Test func silenceIsRepeatedAsOftenAsStated() async throws {
      let chip = VirtualTag.scriptedVicinity()
      let bench = try SessionBench(chip)
      try await bench.withLegacyTag { tag in
        let frame = "22A004 U AA"
        func configuration(retries: Int) -> NFCISO15693CustomCommandConfiguration {
          NFCISO15693CustomCommandConfiguration(
            manufacturerCode: 4, customCommandCode: 0xA0, requestParameters: Data([0xAA]),
            maximumRetries: retries, retryInterval: 0.02)
        }
        chip.script([])
        await expect(.readerTransceiveErrorTagResponseError) {
          _ = try await tag.send(configuration(retries: 0))
        }
        #expect(chip.heard == [frame])
        chip.script([])
        let start = ContinuousClock.now
        let error = await expect(.readerTransceiveErrorRetryExceeded) {
          _ = try await tag.send(configuration(retries: 2))
        }
        #expect(ContinuousClock.now - start >= .milliseconds(40))
        #expect(error?.userInfo[NSUnderlyingErrorKey] is NFCError)
        #expect(chip.heard == [frame, frame, frame])
        // A refusal is an answer.
        chip.script(["0103"])
        let refusal = await expect(.readerTransceiveErrorTagResponseError) {
          _ = try await tag.send(configuration(retries: 2))
        }
        #expect(refusal?.userInfo[NFCISO15693TagResponseErrorKey] as? Int == 0x03)
        #expect(chip.heard == [frame])
      }
    }

    @Test func aLostAnswerIsRecovered() async throws {
      let bench = try SessionBench(.icodeSLIX2())
      try await bench.withLegacyTag { tag in
        let configuration = NFCISO15693ReadMultipleBlocksConfiguration(
          range: NSRange(location: 0, length: 4), chunkSize: 4, maximumRetries: 3,
          retryInterval: 0)
        _ = try await tag.read(configuration)
        bench.vicinityReader.setFaults([.init(.answerLost, at: 0)])
        let data = try await tag.read(configuration)
        #expect(data.count == 16)
        bench.vicinityReader.setFaults([.init(.answerBroken, at: 0)])
        configuration.maximumRetries = 0
        await expect(.readerTransceiveErrorTagResponseError) {
          _ = try await tag.read(configuration)
        }
      }
    }

    @Test func wrongConfigurationsAreRefused() async throws {
      let chip = VirtualTag.scriptedVicinity()
      let bench = try SessionBench(chip)
      try await bench.withLegacyTag { tag in
        chip.script([])
        for (manufacturer, code, retries, interval) in [
          (-1, 0xA0, 0, 0), (0x100, 0xA0, 0, 0), (4, 0x9F, 0, 0), (4, 0xE0, 0, 0),
          (4, Int.max, 0, 0), (4, 0xA0, -1, 0), (4, 0xA0, 257, 0), (4, 0xA0, 0, -0.5),
          (4, 0xA0, 0, TimeInterval.nan),
        ] {
          await expect(.tagCommandConfigurationErrorInvalidParameters) {
            _ = try await tag.send(
              NFCISO15693CustomCommandConfiguration(
                manufacturerCode: manufacturer, customCommandCode: code,
                requestParameters: Data(), maximumRetries: retries, retryInterval: interval))
          }
        }
        for (location, length, chunk, retries) in [
          (0, 0, 1, 0), (-1, 1, 1, 0), (256, 1, 1, 0), (255, 2, 1, 0), (0, 257, 1, 0),
          (NSNotFound, 1, 1, 0), (0, Int.max, 1, 0), (0, 1, 0, 0), (0, 1, -1, 0), (0, 1, 1, -1),
        ] {
          await expect(.tagCommandConfigurationErrorInvalidParameters) {
            _ = try await tag.read(
              NFCISO15693ReadMultipleBlocksConfiguration(
                range: NSRange(location: location, length: length), chunkSize: chunk,
                maximumRetries: retries, retryInterval: 0))
          }
        }
        #expect(chip.heard == [])
      }
    }

    @Test func legacyTagsHaveNoOtherMethods() async throws {
      let chip = VirtualTag.scriptedVicinity()
      let bench = try SessionBench(chip)
      try await bench.withLegacyTag { tag in
        chip.script([])
        for method in VicinityMethod.all {
          await expect(.readerErrorUnsupportedFeature) { _ = try await method.forms[0](tag) }
        }
        #expect(chip.heard == [])
      }
    }

    @Test func otherTagsHaveNoLegacyMethods() async throws {
      let chip = VirtualTag.scriptedVicinity()
      let bench = try SessionBench(chip)
      try await bench.withVicinityTag { tag, _ in
        chip.script([])
        await expect(.readerErrorUnsupportedFeature) {
          _ = try await tag.send(
            NFCISO15693CustomCommandConfiguration(
              manufacturerCode: 4, customCommandCode: 0xA0, requestParameters: nil))
        }
        await expect(.readerErrorUnsupportedFeature) {
          _ = try await tag.read(
            NFCISO15693ReadMultipleBlocksConfiguration(
              range: NSRange(location: 0, length: 1), chunkSize: 1))
        }
        #expect(chip.heard == [])
      }
    }

    @Test func pollingStartsAgainAndTheEndIsReported() async throws {
      _ = try SessionBench(.icodeSLIX2())
      let delegate = LegacyDelegate()
      let session = __NFCISO15693ReaderSession(delegate: delegate, queue: nil)
      session.begin()
      try await delegate.events.expectActive()
      let tags = try await delegate.events.tags()
      guard case .iso15693(let first) = tags[0] else { throw Unexpected("no ISO 15693 tag") }
      session.restartPolling()
      let again = try await delegate.events.tags()
      #expect(again.count == 1)
      let one = NFCISO15693ReadMultipleBlocksConfiguration(
        range: NSRange(location: 0, length: 1), chunkSize: 1)
      await expect(.readerTransceiveErrorTagConnectionLost) { _ = try await first.read(one) }
      session.invalidate()
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
      await expect(.readerTransceiveErrorSessionInvalidated) { _ = try await first.read(one) }
    }

    @Test func configurationsAreCopied() throws {
      let base = NFCTagCommandConfiguration()
      #expect(base.maximumRetries == 0)
      #expect(base.retryInterval == 0)
      base.maximumRetries = 5
      base.retryInterval = 0.5
      let baseCopy = try #require(base.copy() as? NFCTagCommandConfiguration)
      base.maximumRetries = 6
      #expect(baseCopy.maximumRetries == 5)
      #expect(baseCopy.retryInterval == 0.5)
      let custom = NFCISO15693CustomCommandConfiguration(
        manufacturerCode: 4, customCommandCode: 0xA0, requestParameters: Data([1]),
        maximumRetries: 2, retryInterval: 1)
      let customCopy = try #require(custom.copy() as? NFCISO15693CustomCommandConfiguration)
      #expect(customCopy.manufacturerCode == 4)
      #expect(customCopy.customCommandCode == 0xA0)
      #expect(customCopy.requestParameters == Data([1]))
      #expect(customCopy.maximumRetries == 2)
      let read = NFCISO15693ReadMultipleBlocksConfiguration(range: NSRange(1..<3), chunkSize: 2)
      let readCopy = try #require(read.copy() as? NFCISO15693ReadMultipleBlocksConfiguration)
      #expect(readCopy.range == NSRange(1..<3))
      #expect(readCopy.chunkSize == 2)
      #expect(readCopy.maximumRetries == 0)
    }
  }
}

/// A delegate of the session of iOS 11.
private final class LegacyDelegate: NSObject, __NFCReaderSessionDelegate, Sendable {
  let events = SessionEvents()

  func readerSessionDidBecomeActive(_ session: NFCReaderSession) { events.add(.active) }

  func readerSession(_ session: NFCReaderSession, didInvalidateWithError error: any Error) {
    events.add(.ended(error))
  }

  func readerSession(_ session: NFCReaderSession, didDetect tags: [any __NFCTag]) {
    events.add(.tags(tags.compactMap { $0.asNFCISO15693Tag() }.map { .iso15693($0) }))
  }
}

extension NFCISO15693Tag {
  fileprivate nonisolated(nonsending) func send(
    _ configuration: NFCISO15693CustomCommandConfiguration
  ) async throws -> Data {
    try await handled {
      sendCustomCommand(commandConfiguration: configuration, completionHandler: $0)
    }
  }

  fileprivate nonisolated(nonsending) func read(
    _ configuration: NFCISO15693ReadMultipleBlocksConfiguration
  ) async throws -> Data {
    try await handled {
      readMultipleBlock(readConfiguration: configuration, completionHandler: $0)
    }
  }
}

extension SessionBench {
  /// Runs `body` with the only vicinity tag in a session of iOS 11.
  fileprivate nonisolated(nonsending) func withLegacyTag(
    _ body: nonisolated(nonsending) (any NFCISO15693Tag) async throws -> Void
  ) async throws {
    let delegate = LegacyDelegate()
    let session = __NFCISO15693ReaderSession(delegate: delegate, queue: nil)
    session.begin()
    try await delegate.events.expectActive()
    let tags = try await delegate.events.tags()
    guard case .iso15693(let tag) = tags[0] else { throw Unexpected("no ISO 15693 tag") }
    do {
      try await body(tag)
    } catch {
      session.invalidate()
      throw error
    }
    session.invalidate()
    _ = try await delegate.events.end()
  }
}
