import CoreNFC
import NFC
import Testing
import VirtualNFC

extension SessionSuites {
  /// The rules of ``NFCNDEFReaderSession``.
  @Suite struct NDEFSessionTests {
    private static let link = NDEFMessage(.uri("https://example.org"))

    private func session(
      _ delegate: some NFCNDEFReaderSessionDelegate, once: Bool = false
    ) -> NFCNDEFReaderSession {
      let session = NFCNDEFReaderSession(
        delegate: delegate, queue: nil, invalidateAfterFirstRead: once)
      session.begin()
      return session
    }

    @Test func readsOneMessageAndEnds() async throws {
      let bench = try SessionBench(try .ntag215(ndef: Self.link))
      let delegate = MessageDelegate()
      let session = session(delegate, once: true)
      let messages = try await delegate.events.messages()
      #expect(messages.count == 1)
      #expect(
        messages[0].records.first?.wellKnownTypeURIPayload() == URL(string: "https://example.org"))
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorFirstNDEFTagRead)
      #expect(!session.isReady)
      withExtendedLifetime(bench) {}
    }

    @Test func readsATagOnceForAsLongAsItStays() async throws {
      let tag = try VirtualTag.ntag215(ndef: Self.link)
      let bench = try SessionBench(tag)
      let delegate = MessageDelegate()
      let session = session(delegate)
      _ = try await delegate.events.messages()
      // Without effect where the session reads by itself.
      session.restartPolling()
      try await delegate.events.expectNothing(for: .milliseconds(600))
      bench.field.remove(tag)
      try await Task.sleep(for: .milliseconds(600))
      bench.field.place(tag)
      _ = try await delegate.events.messages()
      let other = try VirtualTag.ntag216(ndef: Self.link)
      bench.field.place(other)
      _ = try await delegate.events.messages()
      session.invalidate()
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
    }

    @Test func passesOverTagsWithoutAMessage() async throws {
      let bench = try SessionBench(.ntag213(), try .named("blank-ultralight"))
      let delegate = MessageDelegate()
      let session = session(delegate)
      try await delegate.events.expectNothing(for: .milliseconds(500))
      bench.field.place(try .ntag216(ndef: Self.link))
      #expect(try await delegate.events.messages().count == 1)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func aBrokenMessageIsNotDelivered() async throws {
      // A length that runs beyond the data.
      let bench = try SessionBench(.ntag215(ndef: [0xD1, 0x01, 0x40, 0x55, 0x04]))
      let delegate = MessageDelegate()
      let session = session(delegate)
      try await delegate.events.expectNothing(for: .milliseconds(400))
      #expect(session.isReady)
      session.invalidate()
      _ = try await delegate.events.end()
      withExtendedLifetime(bench) {}
    }

    @Test(arguments: [
      "ntag213", "ultralight", "classic-1k", "desfire", "type4", "type4b", "felica-lite-s",
      "topaz96",
      "icode-slix2", "st25dv",
    ])
    func writesAndReads(_ name: String) async throws {
      let bench = try SessionBench(try .named(name))
      try await bench.withNDEFTags { session, tags in
        let tag = try #require(tags.first)
        try await session.connect(to: tag)
        let (status, capacity) = try await tag.queryNDEFStatus()
        #expect(status == .readWrite)
        #expect(capacity > 40)
        await expect(.ndefReaderSessionErrorZeroLengthMessage) { _ = try await tag.readNDEF() }
        let payload = try #require(
          NFCNDEFPayload.wellKnownTypeURIPayload(string: "https://example.org"))
        try await tag.writeNDEF(NFCNDEFMessage(records: [payload]))
        let message = try await tag.readNDEF()
        #expect(message.records.count == 1)
        #expect(message.records[0].payload == payload.payload)
      }
    }

    /// Many programs also ask a tag of this session for its kind.
    @Test(
      arguments: [
        ("ntag215", ["MIFARE 7"]), ("icode-slix2", ["ISO 15693 8"]), ("type4", ["ISO 7816 "]),
        ("suica", ["FeliCa 8"]), ("topaz96", []),
      ] as [(String, [String])])
    func aTagIsOfItsKindToo(_ name: String, _ expected: [String]) async throws {
      let bench = try SessionBench(try .named(name))
      try await bench.withNDEFTags { _, tags in
        let kinds = tags.map { tag in
          [
            (tag as? any NFCMiFareTag).map { "MIFARE \($0.identifier.count)" },
            (tag as? any NFCISO15693Tag).map { "ISO 15693 \($0.identifier.count)" },
            (tag as? any NFCISO7816Tag).map { "ISO 7816 \($0.initialSelectedAID)" },
            (tag as? any NFCFeliCaTag).map { "FeliCa \($0.currentIDm.count)" },
          ].compactMap(\.self)
        }
        #expect(kinds == [expected])
      }
    }

    @Test(.asking(.lockBits, .oneTimeBits)) func aReadOnlyTagIsNotWritten() async throws {
      let bench = try SessionBench(try .ntag213(ndef: Self.link))
      try await bench.withNDEFTag { tag in
        try await tag.writeLock()
        #expect(try await tag.queryNDEFStatus().0 == .readOnly)
        let message = try await tag.readNDEF()
        await expect(.ndefReaderSessionErrorTagNotWritable) { try await tag.writeNDEF(message) }
        await expect(.ndefReaderSessionErrorTagNotWritable) { try await tag.writeLock() }
      }
    }

    @Test func aMessageThatDoesNotFitIsNotWritten() async throws {
      let bench = try SessionBench(try .ntag213(ndef: Self.link))
      try await bench.withNDEFTag { tag async throws in
        let payload = NFCNDEFPayload(
          format: .media, type: Data("a/b".utf8), identifier: Data(), payload: Data(count: 300))
        await expect(.ndefReaderSessionErrorTagSizeTooSmall) {
          try await tag.writeNDEF(NFCNDEFMessage(records: [payload]))
        }
        #expect(try await tag.readNDEF().records.count == 1)
      }
    }

    @Test func aWriteThatFailsOnTheAirIsATagUpdateFailure() async throws {
      let bench = try SessionBench(try .ntag213(ndef: Self.link))
      try await bench.withNDEFTag { tag in
        let message = try await tag.readNDEF()
        let payload = try #require(
          NFCNDEFPayload.wellKnownTypeURIPayload(string: "https://swift.org"))
        bench.virtual.setFaults([
          Fault(.answerBroken, at: .exchange(0)), Fault(.answerBroken, at: .exchange(1)),
          Fault(.answerBroken, at: .exchange(2)), Fault(.answerBroken, at: .exchange(3)),
        ])
        await expect(.ndefReaderSessionErrorTagUpdateFailure) {
          try await tag.writeNDEF(NFCNDEFMessage(records: [payload]))
        }
        bench.virtual.setFaults([])
        // The connection survives it: the message can be written again.
        try await tag.writeNDEF(message)
        #expect(try await tag.readNDEF().records.count == 1)
      }
    }

    /// Removed at each exchange in turn: an iPhone reports this like any other write that fails. That the tag has
    /// left is known nevertheless.
    @Test(arguments: 0..<4) func aTagThatLeavesWhileItIsWrittenIsAnUpdateFailure(
      exchange: Int
    ) async throws {
      let tag = try VirtualTag.ntag213(ndef: Self.link)
      let bench = try SessionBench(tag)
      let delegate = NDEFTagDelegate()
      let session = session(delegate)
      try await delegate.events.expectActive()
      let tags = try await delegate.events.ndefTags()
      try await session.connect(to: tags[0])
      let payload = try #require(
        NFCNDEFPayload.wellKnownTypeURIPayload(string: "https://swift.org/install"))
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(exchange))])
      let error = await expect(.ndefReaderSessionErrorTagUpdateFailure) {
        try await tags[0].writeNDEF(NFCNDEFMessage(records: [payload]))
      }
      #expect((error?.userInfo[NSUnderlyingErrorKey] as? NFCError)?.code == .tagConnectionLost)
      #expect(!tags[0].isAvailable)
      await expect(.readerTransceiveErrorTagConnectionLost) { _ = try await tags[0].readNDEF() }
      // The next search finds it again.
      bench.virtual.setFaults([])
      bench.field.place(tag)
      session.restartPolling()
      let again = try await delegate.events.ndefTags()
      try await session.connect(to: again[0])
      try await again[0].writeNDEF(NFCNDEFMessage(records: [payload]))
      #expect(try await again[0].readNDEF().records.first?.payload == payload.payload)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func aTagWithoutNDEFSaysSo() async throws {
      let bench = try SessionBench(try .named("blank-ultralight"))
      try await bench.withNDEFTag { tag async throws in
        #expect(try await tag.queryNDEFStatus() == (.notSupported, 0))
        await expect(.readerTransceiveErrorTagResponseError) { _ = try await tag.readNDEF() }
      }
    }

    /// A delegate whose method for tags stands in an extension: it is found all the same.
    @Test func theModeFollowsTheMethodsThatTheDelegateHas() async throws {
      let bench = try SessionBench(try .ntag215(ndef: Self.link))
      let delegate = ExtendedDelegate()
      let session = session(delegate, once: true)
      #expect(try await delegate.events.ndefTags().count == 1)
      // The end after the first message is the other mode's.
      try await delegate.events.expectNothing()
      #expect(session.isReady)
      session.restartPolling()
      #expect(try await delegate.events.ndefTags().count == 1)
      session.invalidate()
      _ = try await delegate.events.end()
      withExtendedLifetime(bench) {}
    }
  }
}

private final class ExtendedDelegate: NSObject, NFCNDEFReaderSessionDelegate, Sendable {
  let events = SessionEvents()

  func readerSession(
    _ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error
  ) {
    events.add(.ended(error))
  }

  func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
    events.add(.messages(messages))
  }
}

extension ExtendedDelegate {
  func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag]) {
    events.add(.ndefTags(tags))
  }
}
