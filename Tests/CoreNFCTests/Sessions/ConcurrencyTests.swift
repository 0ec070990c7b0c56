import CoreNFC
import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

extension SessionSuites {
  /// Queues, lifetimes, and programs that block.
  @Suite struct ConcurrencyTests {
    private static let key = DispatchSpecificKey<Bool>()

    /// Notes whether every call comes on the session's queue, and connects and sends commands as clients do.
    private final class QueueDelegate: NSObject, NFCTagReaderSessionDelegate, Sendable {
      let calls = Mutex<[Bool]>([])
      let events = SessionEvents()

      private func note() {
        let isOnQueue = DispatchQueue.getSpecific(key: key) ?? false
        calls.withLock { $0.append(isOnQueue) }
      }

      func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) { note() }

      func tagReaderSession(
        _ session: NFCTagReaderSession, didInvalidateWithError error: any Error
      ) {
        note()
        events.add(.ended(error))
      }

      func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        note()
        let objects = Handover((session, tags[0]))
        session.connect(to: tags[0]) { error in
          self.note()
          let (session, tag) = objects.value
          guard error == nil, case .miFare(let tag) = tag else { return session.invalidate() }
          let held = Handover(session)
          tag.queryNDEFStatus { _, _, _ in
            self.note()
            held.value.invalidate()
          }
        }
      }
    }

    @Test func everythingIsReportedOnTheQueueOfTheSession() async throws {
      let bench = try SessionBench(.ntag215())
      let queue = DispatchQueue(label: "test")
      queue.setSpecific(key: Self.key, value: true)
      let delegate = QueueDelegate()
      let session = try #require(
        NFCTagReaderSession(pollingOption: .iso14443, delegate: delegate, queue: queue))
      #expect(session.sessionQueue === queue)
      session.begin()
      _ = try await delegate.events.end()
      #expect(delegate.calls.withLock { $0 } == [true, true, true, true, true])
      withExtendedLifetime(bench) {}
    }

    @Test func aRunningSessionLivesAndItsDelegateMayGo() async throws {
      let bench = try SessionBench()
      var delegate: TagDelegate? = TagDelegate()
      weak let weakDelegate = delegate
      weak var session: NFCTagReaderSession?
      do {
        let made = NFCTagReaderSession(
          pollingOption: .iso14443, delegate: try #require(delegate))
        session = made
        made?.begin()
      }
      try await delegate?.events.expectActive()
      #expect(session != nil)
      delegate = nil
      #expect(weakDelegate == nil)
      session?.invalidate()
      try await Self.wait { session == nil }
      withExtendedLifetime(bench) {}
    }

    private static func wait(until isTrue: () throws -> Bool) async throws {
      let deadline = ContinuousClock.now + .seconds(5)
      while try !isTrue() {
        guard ContinuousClock.now < deadline else { throw Unexpected("it did not come true") }
        try await Task.sleep(for: .milliseconds(5))
      }
    }

    /// In a process of its own, where no other test opens anything.
    @Test func tenSessionsLeaveNothingBehind() async throws {
      await #expect(processExitsWith: .success) {
        limitThisProcess()
        let bench = try SessionBench(.ntag215())
        func run() async throws -> () -> NFCTagReaderSession? {
          let (session, delegate, tag) = try await bench.connected()
          guard case .miFare(let tag) = tag else { throw Unexpected("no MIFARE tag") }
          _ = try await tag.queryNDEFStatus()
          session.invalidate()
          _ = try await delegate.events.end()
          return { [weak session] in session }
        }
        // What the first one opens permanently is not counted.
        _ = try await run()
        let (descriptors, threads) = (try Self.entries("fd"), try Self.entries("task"))
        for _ in 0..<10 {
          let session = try await run()
          try await Self.wait { session() == nil }
        }
        #expect(try Self.entries("fd") <= descriptors + 1)
        // A session and its reader have a thread each.
        try await Self.wait { try Self.entries("task") < threads + 10 }
      }
    }

    /// How many descriptors (`fd`) or threads (`task`) this process has.
    private static func entries(_ directory: String) throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(directory)").count
    }

    @Test func theMainQueueIsAsGoodAsAnother() async throws {
      let bench = try SessionBench(.ntag215())
      let delegate = MainDelegate()
      let session = try #require(
        NFCTagReaderSession(pollingOption: .iso14443, delegate: delegate, queue: .main))
      session.begin()
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
      withExtendedLifetime(bench) {}
    }

    /// Stops the process if it is called anywhere but on the main queue.
    private final class MainDelegate: NSObject, NFCTagReaderSessionDelegate, Sendable {
      let events = SessionEvents()

      func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {
        dispatchPrecondition(condition: .onQueue(.main))
      }

      func tagReaderSession(
        _ session: NFCTagReaderSession, didInvalidateWithError error: any Error
      ) {
        dispatchPrecondition(condition: .onQueue(.main))
        events.add(.ended(error))
      }

      func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        let held = Handover(session)
        session.connect(to: tags[0]) { _ in
          dispatchPrecondition(condition: .onQueue(.main))
          held.value.invalidate()
        }
      }
    }

    @Test func pollingMayBeStartedAgainManyTimes() async throws {
      let bench = try SessionBench(.ntag215(), .ntag216())
      let (session, delegate, first) = try await bench.tags(.iso14443)
      var tags = first
      for _ in 0..<30 {
        // Commands of the round before that are still under way must not disturb the next one.
        for case .miFare(let tag) in tags { tag.queryNDEFStatus { _, _, _ in } }
        session.connect(to: tags[1]) { _ in }
        session.restartPolling()
        #expect(tags.map(\.isAvailable) == [false, false])
        tags = try await delegate.events.tags()
        #expect(tags.count == 2)
      }
      try await session.connect(to: tags[0])
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func aThreadMayBeBlockedUntilACompletion() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tag) = try await bench.connected()
      guard case .miFare(let tag) = tag else { throw Unexpected("no MIFARE tag") }
      let held = Handover(tag)
      // All threads of Swift's pool at once, as a program does that does not know better.
      let count = ProcessInfo.processInfo.activeProcessorCount + 1
      let capacities = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<count {
          group.addTask { Self.capacity(of: held) }
        }
        var capacities: [Int] = []
        for await capacity in group { capacities.append(capacity) }
        return capacities
      }
      #expect(capacities == Array(repeating: 492, count: count))
      session.invalidate()
      _ = try await delegate.events.end()
    }

    private static func capacity(of tag: Handover<any NFCMiFareTag>) -> Int {
      let semaphore = DispatchSemaphore(value: 0)
      let result = Mutex(0)
      tag.value.queryNDEFStatus { _, capacity, _ in
        result.withLock { $0 = capacity }
        semaphore.signal()
      }
      return semaphore.wait(timeout: .now() + 10) == .success ? result.withLock { $0 } : -1
    }

    @Test func commandsCompleteInTheirOrder() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tag) = try await bench.connected()
      guard case .miFare(let tag) = tag else { throw Unexpected("no MIFARE tag") }
      let order = Mutex<[Int]>([])
      let total = 300
      for number in 0..<total {
        tag.queryNDEFStatus { _, _, error in
          if error == nil { order.withLock { $0.append(number) } }
        }
      }
      try await Self.wait { order.withLock { $0.count } == total }
      #expect(order.withLock { $0 } == Array(0..<total))
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func commandsThatWaitAtTheEndAreCompletedToo() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tag) = try await bench.connected()
      guard case .miFare(let tag) = tag else { throw Unexpected("no MIFARE tag") }
      let results = Mutex<[NFCReaderError.Code?]>([])
      for _ in 0..<500 {
        tag.readNDEF { _, error in
          results.withLock { $0.append((error as? NFCReaderError)?.code) }
        }
      }
      let held = Handover(session)
      DispatchQueue.global().async { held.value.invalidate() }
      _ = try await delegate.events.end()
      let codes = results.withLock { $0 }
      #expect(codes.count == 500)
      #expect(codes.last == .readerTransceiveErrorSessionInvalidated)
      #expect(
        Set(codes).isSubset(of: [
          .ndefReaderSessionErrorZeroLengthMessage, .readerTransceiveErrorSessionInvalidated,
        ]))
    }

    @Test func theEndFromManyThreadsIsReportedOnce() async throws {
      let bench = try SessionBench(.ntag215())
      for _ in 0..<10 {
        let (session, delegate) = try bench.session()
        let held = Handover(session)
        DispatchQueue.concurrentPerform(iterations: 8) { number in
          if number.isMultiple(of: 2) {
            held.value.invalidate()
          } else {
            held.value.invalidate(errorMessage: "\(number)")
            held.value.restartPolling()
          }
        }
        _ = try await delegate.events.end()
        try await delegate.events.expectNothing(for: .milliseconds(20))
      }
    }
  }
}
