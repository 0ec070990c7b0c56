import Dispatch
import Synchronization
import Testing

@testable import SwiftNFCCore

@Suite struct ReaderCancellationTests {
  /// A cancellation that falls between the look at the task and the beginning of the work can abort
  /// nothing; still nothing must go over the air for it.
  @Test func workCancelledAsItBeginsIsNotDone() async throws {
    let driver = CancellingDriver()
    let lists = driver.lists
    let beginning = driver.beginning
    let reader = Reader(driver: driver, executor: Queue())
    let task = Task { try await reader.tagsInField(polling: .iso14443) }
    beginning.withLock { $0 = { task.cancel() } }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(lists.withLock { $0 } == 0)
    // The next call is not concerned.
    beginning.withLock { $0 = {} }
    #expect(try await reader.tagsInField(polling: .iso14443).isEmpty)
    #expect(lists.withLock { $0 } > 0)
    await reader.close()
  }

  /// Three exchanges that belong together: cancelled before them, none is made; cancelled during the first
  /// one, the radio is not stopped, all are made, and the next one after them is not.
  @Test(arguments: [false, true])
  func sectionIsDoneOrNotBegun(isCancelledBefore: Bool) async throws {
    let driver = CancellingDriver()
    let (aborts, exchanges, acting) = (driver.aborts, driver.exchanges, driver.acting)
    driver.beginning.withLock { $0 = {} }
    let reader = Reader(driver: driver, executor: Queue())
    let tag = TagHandle(reader: reader, target: Self.target, epoch: 0)
    try await tag.connect()
    let reached = Shared(false)
    let task = Task {
      try await tag.perform { link in
        if isCancelledBefore { _ = try link.exchange([0], framing: .bare) }
        try link.uninterrupted {
          for number: UInt8 in 1...3 { _ = try link.exchange([number], framing: .bare) }
        }
        reached.withLock { $0 = true }
        _ = try link.exchange([4], framing: .bare)
      }
    }
    let first: UInt8 = isCancelledBefore ? 0 : 1
    acting.withLock { $0 = { if $0 == [first] { task.cancel() } } }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(exchanges.withLock { $0 } == (isCancelledBefore ? [[0]] : [[1], [2], [3]]))
    #expect(reached.withLock { $0 } == !isCancelledBefore)
    #expect(aborts.withLock { $0 } == (isCancelledBefore ? 1 : 0))
    await reader.close()
  }

  /// A failure in such a section is reported, and not the cancellation.
  @Test func failureOfASectionIsReported() async throws {
    let driver = CancellingDriver()
    let acting = driver.acting
    driver.beginning.withLock { $0 = {} }
    let reader = Reader(driver: driver, executor: Queue())
    let tag = TagHandle(reader: reader, target: Self.target, epoch: 0)
    try await tag.connect()
    let task = Task {
      try await tag.perform { link in
        try link.uninterrupted {
          _ = try link.exchange([1], framing: .bare)
          throw NFCError(.readOnly, "the second page is locked", place: .page(5))
        }
      }
    }
    acting.withLock { $0 = { _ in task.cancel() } }
    await #expect {
      try await task.value
    } throws: {
      ($0 as? NFCError)?.place == .page(5)
    }
    await reader.close()
  }

  private static let target = Target.iso14443a(
    ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0x00, 0x44], sak: 0x00, ats: []))

  /// Has no tags, and cancels a task when work begins.
  private final class CancellingDriver: ReaderDriver {
    let name = "none"
    let connectionString = "none"
    let capabilities = ReaderCapabilities(
      technologies: [.iso14443a, .iso14443b], bitRates: [:], maximumCommandLength: 262,
      maximumResponseLength: 262)
    let abort: @Sendable () -> Void
    let aborts = Shared(0)
    let exchanges = Shared<[[UInt8]]>([])
    /// What is done while a command is on its way; `nil` until that is known.
    let acting = Shared<(@Sendable ([UInt8]) -> Void)?>(nil)
    /// `nil` until the task is known.
    let beginning = Shared<(@Sendable () -> Void)?>(nil)
    let lists = Shared(0)

    init() {
      let aborts = aborts
      abort = { aborts.withLock { $0 += 1 } }
    }

    func begin() {
      while true {
        if let action = beginning.withLock({ $0 }) { return action() }
      }
    }

    func end() {}
    func resetField() throws { lists.withLock { $0 += 1 } }

    func list(_ technology: TagTechnology) throws -> [Target] {
      lists.withLock { $0 += 1 }
      return []
    }

    func select(_ target: Target) throws {}

    func exchange(
      _ command: [UInt8], framing: Framing, timeout: Duration
    ) throws -> [UInt8] {
      exchanges.withLock { $0.append(command) }
      while true {
        if let action = acting.withLock({ $0 }) {
          action(command)
          return []
        }
      }
    }

    func authenticate(
      block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
    ) throws {}

    func close() {}
  }

  private final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
      value.withLock { value in body(&value) }
    }
  }

  private final class Queue: SerialExecutor, TaskExecutor {
    private let queue = DispatchQueue(label: "reader")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let executor = asUnownedSerialExecutor()
      queue.async { job.runSynchronously(on: executor) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
      UnownedSerialExecutor(ordinary: self)
    }
  }
}
