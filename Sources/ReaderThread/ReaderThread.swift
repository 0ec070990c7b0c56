import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A thread that runs the jobs of one actor, one after the other, and may block.
///
/// The libraries for readers block inside C. The thread pool of Swift concurrency has one thread
/// per core, so two such readers would already delay everything else. Therefore, each reader's
/// actor has one of these threads as its executor.
public final class ReaderThread: SerialExecutor, TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isEnding = false
  }

  /// The state that the thread and the executor share. The thread does not hold the executor
  /// itself, so that releasing the executor ends the thread.
  ///
  /// Whoever enqueues a job may hold nothing but the job: as soon as the thread can see it, it may run
  /// it, with it release the actor and the executor, end, and free this object. Therefore the signal is
  /// raised under the lock, and nothing is touched after that is released.
  private final class Queue: Sendable {
    private let state = Mutex(State())
    private let signal = ThreadSignal()

    func add(_ job: UnownedJob) {
      state.withLock {
        $0.jobs.append(job)
        signal.raise()
      }
    }

    func end() {
      state.withLock {
        $0.isEnding = true
        signal.raise()
      }
    }

    /// Returns the waiting jobs in order; `nil` when there will be no more.
    func take() -> [UnownedJob]? {
      while true {
        let (jobs, isEnding) = state.withLock { state in
          defer { state.jobs.removeAll(keepingCapacity: true) }
          return (state.jobs, state.isEnding)
        }
        if !jobs.isEmpty { return jobs }
        if isEnding { return nil }
        signal.wait()
      }
    }
  }

  private final class Start: Sendable {
    let queue: Queue
    let executor: @Sendable () -> UnownedSerialExecutor?

    init(queue: Queue, executor: @escaping @Sendable () -> UnownedSerialExecutor?) {
      self.queue = queue
      self.executor = executor
    }
  }

  private final class WeakExecutor: Sendable {
    private let reference = Mutex<Unowned?>(nil)

    /// The thread runs a job only while a caller waits for it. This caller holds the actor, and the
    /// actor holds the executor.
    private struct Unowned: @unchecked Sendable {
      let executor: UnownedSerialExecutor
    }

    var executor: UnownedSerialExecutor? {
      get { reference.withLock { $0?.executor } }
      set { reference.withLock { $0 = newValue.map(Unowned.init) } }
    }
  }

  private let queue = Queue()

  /// Starts a thread.
  ///
  /// - Throws: ``Failure`` if the system cannot create a thread.
  public init() throws(Failure) {
    let weak = WeakExecutor()
    let start = Start(queue: queue) { weak.executor }
    try startThread { Self.run(start) }
    weak.executor = asUnownedSerialExecutor()
  }

  deinit { queue.end() }

  /// The system has refused to create a thread.
  public struct Failure: Error, CustomStringConvertible {
    /// The error number that `pthread_create` returned; see `errno.h`.
    public let code: Int32
    public var description: String { String(cString: strerror(code)) }
  }

  /// Runs a job on the thread, after those that were enqueued before it.
  public func enqueue(_ job: consuming ExecutorJob) {
    queue.add(UnownedJob(job))
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  private static func run(_ start: Start) {
    while let jobs = start.queue.take() {
      for job in jobs {
        guard let executor = start.executor() else { continue }
        job.runSynchronously(on: executor)
      }
    }
  }
}
