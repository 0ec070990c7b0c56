import Dispatch
import Synchronization
import Testing

@testable import NFCCore

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

  /// Has no tags, and cancels a task when work begins.
  private final class CancellingDriver: ReaderDriver {
    let name = "none"
    let connectionString = "none"
    let capabilities = ReaderCapabilities(
      technologies: [.iso14443a, .iso14443b], bitRates: [:], maximumCommandLength: 262,
      maximumResponseLength: 262)
    let abort: @Sendable () -> Void = {}
    /// `nil` until the task is known.
    let beginning = Shared<(@Sendable () -> Void)?>(nil)
    let lists = Shared(0)

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
    ) throws -> [UInt8] { [] }

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
