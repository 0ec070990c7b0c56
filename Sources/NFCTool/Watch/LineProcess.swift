import ChildProcesses
import Foundation
import Synchronization

/// A helper program that exchanges lines with this program. Its output is a sequence of lines. It ends when
/// its standard input ends.
///
/// The conformance to `Sendable` is unchecked because of the pipes: one thread reads from the output, and one
/// writes to the input. Lines to write are kept in a queue that a lock protects.
final class LineProcess: @unchecked Sendable {
  /// The lines that the program writes to standard output. The sequence ends with the program.
  let lines: AsyncStream<String>
  private let process: RunningProcess
  private let input = Pipe()
  private let output = Pipe()
  private let queue = Mutex(Queue())
  private let isFilled = DispatchSemaphore(value: 0)

  /// The lines that the program has not read yet.
  private struct Queue {
    var bytes = Data()
    /// The number of bytes that were taken from the queue and are being written.
    var inFlight = 0
    var isOpen = true

    var unreadCount: Int { bytes.count + inFlight }
  }

  /// The maximum length of a line. Longer lines are dropped.
  private static let longestLine = 8 << 20
  /// The maximum size of the queue. A program that leaves more unread has stopped reading.
  private static let longestQueue = 16 << 20
  private static let piece = 1 << 16
  /// The interval at which a program without output is checked.
  private static let patienceMilliseconds: Int32 = 500

  /// - Parameter program: the path of an executable.
  init(program: String, arguments: [String] = []) throws(ProgramStart.Failure) {
    // Otherwise, a program that another library starts could keep the pipes open.
    for handle in [
      input.fileHandleForReading, input.fileHandleForWriting, output.fileHandleForReading,
      output.fileHandleForWriting,
    ] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    var start = ProgramStart(program, arguments)
    start.input = .descriptor(input.fileHandleForReading.fileDescriptor)
    start.output = .descriptor(output.fileHandleForWriting.fileDescriptor)
    process = try RunningProcess(start)
    // Only the program has these now, so that its end is noticed.
    try? input.fileHandleForReading.close()
    try? output.fileHandleForWriting.close()
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    // This uses its own thread. FileHandle may call a readability handler for a descriptor that was already
    // closed, which would crash this program.
    Thread.detachNewThread { self.readLines(into: continuation) }
    Thread.detachNewThread { self.writeQueue() }
  }

  private func readLines(into continuation: AsyncStream<String>.Continuation) {
    let splitter = LineSplitter(limit: Self.longestLine)
    var bytes = [UInt8](repeating: 0, count: Self.piece)
    var state = pollfd(
      fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    while true {
      // A process that was started by the program may keep the output open after the program has ended.
      let isReady = poll(&state, 1, Self.patienceMilliseconds)
      if isReady == 0 {
        if process.isRunning { continue }
        break
      }
      let count = isReady < 0 ? -1 : read(state.fd, &bytes, bytes.count)
      if count > 0 {
        for line in splitter.split(Data(bytes.prefix(count))) { continuation.yield(line) }
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    continuation.finish()
    // Nobody reads the input any more. The thread that writes it ends, and with it the last reference to this
    // object, its pipes and the process ID.
    queue.withLock { $0 = Queue(isOpen: false) }
    isFilled.signal()
  }

  /// Writes a line without waiting until the program reads it. Does nothing if the program has ended. Ends a
  /// program that has stopped reading.
  func write(_ line: String) {
    let isStuck = queue.withLock { queue in
      guard queue.isOpen else { return false }
      guard queue.unreadCount < Self.longestQueue else {
        queue = Queue(isOpen: false)
        return true
      }
      queue.bytes.append(contentsOf: Data((line + "\n").utf8))
      return false
    }
    if isStuck { process.signal(SIGKILL) }
    isFilled.signal()
  }

  /// Writes the lines of the queue until the queue is closed and empty, or until the program has ended. Then
  /// closes the program's standard input.
  private func writeQueue() {
    // If the program has ended, writing fails in this thread and no signal ends this program.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    while true {
      isFilled.wait()
      let (bytes, isOpen) = queue.withLock { queue in
        defer {
          queue.inFlight = queue.bytes.count
          queue.bytes = Data()
        }
        return (queue.bytes, queue.isOpen)
      }
      do {
        try input.fileHandleForWriting.write(contentsOf: bytes)
      } catch {
        queue.withLock { $0 = Queue(isOpen: false) }
        break
      }
      queue.withLock { $0.inFlight = 0 }
      if !isOpen { break }
    }
    try? input.fileHandleForWriting.close()
  }

  /// Closes the program's standard input. Ends the program if it is still running after `grace`.
  func stop(grace: Duration) async {
    queue.withLock { $0.isOpen = false }
    isFilled.signal()
    // This is not cancelled with the caller.
    let process = process
    let outcome = await Task.detached { await process.outcome(within: grace) }.value
    if outcome == nil { process.signal(SIGKILL) }
  }

  /// Returns the path of a program that was built and installed with this one.
  static func sibling(_ name: String) -> String? {
    guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
    let path = own.deletingLastPathComponent().appendingPathComponent(name).path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }
}

/// Splits a stream of bytes into lines.
private final class LineSplitter: Sendable {
  private let rest = Mutex(Data())
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  func split(_ data: Data) -> [String] {
    rest.withLock { rest in
      rest.append(data)
      var lines: [String] = []
      while let end = rest.firstIndex(of: 0x0A) {
        lines.append(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
        rest = Data(rest[(end + 1)...])
      }
      if rest.count > limit { rest = Data() }
      return lines
    }
  }
}
