import CoreNFC
import CoreNFCExamples
import NFC
import Synchronization
import Testing
import VirtualNFC

extension SessionSuites {
  /// The examples, run against virtual tags.
  @Suite struct ExampleTests {
    /// Starts something that ends by a completion handler, and waits for that.
    private func outcome<Value>(
      _ start: (@escaping (Value) -> Void) -> AnyObject
    ) async throws -> Value {
      let result = Mutex<Handover<Value>?>(nil)
      let object = start { value in
        let value = Handover(value)
        result.withLock { $0 = value }
      }
      defer { withExtendedLifetime(object) {} }
      let deadline = ContinuousClock.now + .seconds(10)
      while ContinuousClock.now < deadline {
        if let value = result.withLock({ $0 }) { return value.value }
        try await Task.sleep(for: .milliseconds(5))
      }
      throw Unexpected("the example has not ended")
    }

    @Test func theBackgroundExampleSaysWhatItUsesNFCFor() throws {
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      let file = root.appending(path: "Sources/CoreNFCBackgroundExample/Info.plist")
      let information = try #require(NFCInformation(contentsOf: file))
      #expect(information.usageDescription?.isEmpty == false)
    }

    @Test func readsMessages() async throws {
      let bench = try SessionBench(
        try .ntag215(
          ndef: NDEFMessage(.uri("https://example.org/a"), .text("Hello", language: "en"))))
      let lines: Result<[String], any Error> = try await outcome { done in
        let reader = MessageReader(completion: done)
        reader.startScanning()
        return reader
      }
      #expect(try lines.get() == ["Link: https://example.org/a", "Text [en]: Hello"])
      withExtendedLifetime(bench) {}
    }

    private func write(_ bench: SessionBench) async throws -> MessageWriter {
      let link = try #require(URL(string: "https://example.org/b"))
      let message = try #require(MessageWriter.message(link: link, text: "Hello"))
      let kept = Mutex<Handover<MessageWriter>?>(nil)
      let error: (any Error)? = try await outcome { done in
        let writer = MessageWriter(message: message, completion: done)
        let held = Handover(writer)
        kept.withLock { $0 = held }
        writer.startWriting()
        return writer
      }
      #expect(
        (error as? NFCReaderError)?.code == .readerSessionInvalidationErrorUserCanceled)
      return try #require(kept.withLock { $0 }).value
    }

    @Test func writesMessages() async throws {
      let bench = try SessionBench(.ntag213())
      let writer = try await write(bench)
      #expect(writer.isWritten)
      #expect(writer.outcome == "Written")
      let reader = try await Reader.open(bench.virtual.connectionString)
      let tag = try #require(try await reader.tagsInField().first)
      try await tag.connect()
      #expect(try await tag.ndef?.readNDEF()?.records.count == 2)
      await reader.close()
    }

    @Test(.asking(.lockBits, .oneTimeBits)) func writesNothingToATagThatIsReadOnly() async throws {
      let bench = try SessionBench(.ntag213())
      let reader = try await Reader.open(bench.virtual.connectionString)
      let tag = try #require(try await reader.tagsInField().first)
      try await tag.connect()
      try await tag.ndef?.makeReadOnly()
      await reader.close()
      let writer = try await write(bench)
      #expect(!writer.isWritten)
      #expect(writer.outcome == "The tag is read-only")
    }

    @Test func selectsTMoney() async throws {
      let bench = try SessionBench(
        try .named("tmoney"),
        information: NFCInformation(
          usageDescription: "T-Money", applicationIdentifiers: ["D4100000030001"]))
      let answer: Result<Data, any Error> = try await outcome { done in
        let reader = TMoneyReader(completion: done)
        reader.beginScanning()
        return reader
      }
      #expect(try answer.get().first == 0x6F)
      withExtendedLifetime(bench) {}
    }

    @Test func connectsToAPassport() async throws {
      let bench = try SessionBench(
        try .named("emrtd"),
        information: NFCInformation(
          usageDescription: "Passports", applicationIdentifiers: ["A0000002471001"]))
      let code: NFCReaderError.Code? = try await outcome { done in
        let selected = Mutex("")
        let box = Mutex<Handover<PassportConnector>?>(nil)
        let connector = PassportConnector { passport in
          selected.withLock { $0 = passport.initialSelectedAID }
          box.withLock { $0 }?.value.stop()
        } ended: { code in
          #expect(selected.withLock { $0 } == "A0000002471001")
          done(code)
        }
        let held = Handover(connector)
        box.withLock { $0 = held }
        connector.beginSession()
        return connector
      }
      #expect(code == nil)
      withExtendedLifetime(bench) {}
    }

    @Test(arguments: [
      ("ntag215", "MIFARE: 04"), ("type4", "ISO 7816 D2760000850101: "), ("suica", "FeliCa: 00"),
      ("icode-slix2", "ISO 15693: E140"),
    ])
    func inspectsTags(_ name: String, _ beginning: String) async throws {
      let bench = try SessionBench(try .named(name))
      let line: Result<String, any Error> = try await outcome { done in
        let inspector = TagInspector(completion: done)
        inspector.startScanning()
        return inspector
      }
      #expect(try line.get().hasPrefix(beginning))
      withExtendedLifetime(bench) {}
    }

    @Test func readsTheJourneysOfATransitCard() async throws {
      let bench = try SessionBench(try .named("suica"))
      let entries: Result<[TransitHistoryReader.Entry], any Error> = try await outcome { done in
        let reader = TransitHistoryReader(completion: done)
        reader.startScanning()
        return reader
      }
      let read = try entries.get()
      #expect(!read.isEmpty)
      #expect(read.allSatisfy { (1...12).contains($0.month) && (1...31).contains($0.day) })
      withExtendedLifetime(bench) {}
    }
  }
}
