import SwiftNFCChildProcesses
import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A helper program that exchanges lines with this program. Its output is a sequence of lines. It ends when
/// its standard input ends.
///
/// One thread reads from the output, and one writes to the input. Lines to write are kept in a queue that a lock
/// protects.
final class LineProcess: Sendable {
  /// The lines that the program writes to standard output. The sequence ends with the program.
  let lines: AsyncStream<String>
  private let process: RunningProcess
  /// The end of a pipe to the program's standard input, which the writing thread closes.
  private let input: Int32
  /// The end of a pipe from the program's standard output, which the reading thread closes.
  private let output: Int32
  private let queue = Mutex(Queue())
  private let isFilled = DispatchSemaphore(value: 0)

  /// The lines that the program has not read yet.
  private struct Queue {
    var bytes: [UInt8] = []
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
    let input = try Self.pipe()
    let output: (reading: Int32, writing: Int32)
    do {
      output = try Self.pipe()
    } catch {
      for end in [input.reading, input.writing] { _ = close(end) }
      throw error
    }
    // Afterwards, only the program has these, so that its end is noticed.
    defer { for end in [input.reading, output.writing] { _ = close(end) } }
    var start = ProgramStart(program, arguments)
    start.input = .descriptor(input.reading)
    start.output = .descriptor(output.writing)
    do {
      process = try RunningProcess(start)
    } catch {
      for end in [input.writing, output.reading] { _ = close(end) }
      throw error
    }
    self.input = input.writing
    self.output = output.reading
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    DispatchQueue(label: "nfc.lines.output").async { self.readLines(into: continuation) }
    DispatchQueue(label: "nfc.lines.input").async { self.writeQueue() }
  }

  /// Returns the ends of a pipe that no other program inherits. Otherwise, a program that another library starts
  /// could keep the pipe open.
  private static func pipe() throws(ProgramStart.Failure) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
    let code = Glibc.pipe(&ends)
    #else
    let code = Darwin.pipe(&ends)
    #endif
    guard code == 0 else { throw ProgramStart.Failure(errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private func readLines(into continuation: AsyncStream<String>.Continuation) {
    var splitter = LineSplitter(limit: Self.longestLine)
    var bytes = [UInt8](repeating: 0, count: Self.piece)
    var state = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    while true {
      // A process that was started by the program may keep the output open after the program has ended.
      let isReady = poll(&state, 1, Self.patienceMilliseconds)
      if isReady == 0 {
        if process.isRunning { continue }
        break
      }
      let count = isReady < 0 ? -1 : read(state.fd, &bytes, bytes.count)
      if count > 0 {
        for line in splitter.split(bytes.prefix(count)) { continuation.yield(line) }
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    continuation.finish()
    _ = close(output)
    // Nobody reads the input any more. The thread that writes it ends, and with it the last reference to this
    // object, its pipes and the process ID.
    queue.withLock { $0 = Queue(isOpen: false) }
    isFilled.signal()
  }

  /// Writes a line without waiting until the program reads it. Does nothing if the program has ended. Ends a
  /// program that has stopped reading.
  func write(_ line: String) { write(text: line + "\n") }

  /// Writes text that is not a line, in the same way.
  func write(text: String) {
    let isStuck = queue.withLock { queue in
      guard queue.isOpen else { return false }
      guard queue.unreadCount < Self.longestQueue else {
        queue = Queue(isOpen: false)
        return true
      }
      queue.bytes += Array(text.utf8)
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
          queue.bytes = []
        }
        return (queue.bytes, queue.isOpen)
      }
      guard Descriptor.write(bytes, to: input) else {
        queue.withLock { $0 = Queue(isOpen: false) }
        break
      }
      queue.withLock { $0.inFlight = 0 }
      if !isOpen { break }
    }
    _ = close(input)
  }

  /// Closes the program's standard input after the lines of the queue.
  func closeInput() {
    queue.withLock { $0.isOpen = false }
    isFilled.signal()
  }

  /// Closes the program's standard input. Ends the program if it is still running after `grace`.
  func stop(grace: Duration) async {
    closeInput()
    // This is not cancelled with the caller.
    let process = process
    let outcome = await Task.detached { await process.outcome(within: grace) }.value
    if outcome == nil { process.signal(SIGKILL) }
  }
}

/// Splits a stream of bytes into lines.
private struct LineSplitter {
  private var rest: [UInt8] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  mutating func split(_ bytes: ArraySlice<UInt8>) -> [String] {
    // What is left has no end of a line, and need not be searched again.
    guard let last = bytes.lastIndex(of: 0x0A) else {
      rest += bytes
      if rest.count > limit { rest = [] }
      return []
    }
    let complete = rest + bytes[..<last]
    rest = Array(bytes[(last + 1)...])
    return complete.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
