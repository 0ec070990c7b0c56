import SwiftNFCChildProcesses
import SwiftNFCCore
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A running helper. Used by one thread, except ``abort(_:)``.
///
/// It has its own process group, so that an interrupt from the terminal reaches the program but not
/// its reader. It ends automatically when the program has ended.
final class HelperProcess {
  private let process: pid_t
  private let requests: HelperSocket
  /// The helper's standard error; `nil` if that is the program's own.
  private let errors: Int32?
  let aborts: Aborts
  private var lastNumber: UInt64 = 0
  private var isEnded = false
  /// Whether it can no longer be used.
  var hasEnded: Bool { isEnded }

  /// A helper says its greeting as soon as it runs.
  private static let startLimit = Duration.seconds(10)
  /// The time that a process has to end after its sockets are closed.
  private static let leavingLimit = Duration.seconds(1)

  /// Sends the numbers of requests that are to end, from any thread.
  final class Aborts: Sendable {
    private let socket: Mutex<HelperSocket?>

    fileprivate init(_ socket: HelperSocket) { self.socket = Mutex(socket) }

    func abort(_ number: UInt64) {
      var message = MessageWriter()
      message.number(number)
      // If nobody receives it, there is nothing to abort.
      socket.withLock { try? $0?.send(message.bytes) }
    }

    fileprivate func close() {
      socket.withLock { socket in
        socket?.end()
        socket = nil
      }
    }
  }

  /// Starts a helper and waits for its greeting.
  ///
  /// - Throws: `readerUnavailable`.
  init(_ program: HelperProgram) throws {
    let executable = try program.executable()
    HelperReaper.shared.clear()
    guard let (requests, theirRequests) = HelperSocket.pair() else {
      throw Self.cannotStart(executable, errno)
    }
    guard let (aborts, theirAborts) = HelperSocket.pair() else {
      let number = errno
      requests.end()
      theirRequests.end()
      throw Self.cannotStart(executable, number)
    }
    let pipe = Self.showsLog ? nil : Self.errorPipe()
    var start = ProgramStart(executable)
    // An abort should end the helper without a backtrace.
    start.environment["SWIFT_BACKTRACE"] = "enable=no"
    start.input = .descriptor(theirRequests.descriptor)
    start.output = .descriptor(theirAborts.descriptor)
    if let pipe { start.errors = .descriptor(pipe.theirs) }
    let started = Result { () throws(ProgramStart.Failure) in try start.spawn() }
    // Only the helper has these now, so that its end is seen.
    theirRequests.end()
    theirAborts.end()
    if let pipe { _ = close(pipe.theirs) }
    self.requests = requests
    self.aborts = Aborts(aborts)
    errors = pipe?.own
    switch started {
    case .success(let identifier): process = identifier
    case .failure(let failure):
      process = 0
      isEnded = true
      requests.end()
      release()
      throw Self.cannotStart(executable, failure.errno)
    }
    try checkGreeting(of: executable)
  }

  deinit { if !isEnded { kill() } }

  private static func cannotStart(_ executable: String, _ number: Int32) -> NFCError {
    NFCError(
      .readerUnavailable, "cannot start \(executable)",
      cause: .system(errno: number, text: String(cString: strerror(number))))
  }

  /// Whether libnfc's log is to appear in the program's own output.
  private static var showsLog: Bool {
    getenv("LIBNFC_LOG_LEVEL").map { String(cString: $0) }.map { $0 != "0" && !$0.isEmpty } ?? false
  }

  /// Returns a pipe that never blocks its writer: excess output is lost.
  private static func errorPipe() -> (own: Int32, theirs: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    let moved = ends.map { end in
      let moved = fcntl(end, F_DUPFD_CLOEXEC, 10)
      _ = close(end)
      _ = fcntl(moved, F_SETFL, fcntl(moved, F_GETFL) | O_NONBLOCK)
      return moved
    }
    guard moved.allSatisfy({ $0 >= 0 }) else {
      for end in moved where end >= 0 { _ = close(end) }
      return nil
    }
    return (moved[0], moved[1])
  }

  private func checkGreeting(of executable: String) throws {
    let deadline = ContinuousClock.now + Self.startLimit
    let greeting: [UInt8]
    do {
      greeting = try requests.receive(HelperProtocol.greetingLength) {
        deadline - ContinuousClock.now
      }
    } catch {
      throw failure(
        error, .readerUnavailable, bound: Self.startLimit, subject: executable)
    }
    guard greeting != HelperProtocol.greeting() else { return }
    kill()
    guard greeting.starts(with: HelperProtocol.magic) else {
      throw NFCError(.readerUnavailable, "\(executable) is not the program that drives readers")
    }
    let version = greeting.suffix(2).reduce(0) { $0 << 8 | Int($1) }
    throw NFCError(
      .readerUnavailable,
      "\(executable) uses version \(version) of its protocol and this program version "
        + "\(HelperProtocol.version); install both from the same release")
  }

  /// The number that the next request will have.
  var nextNumber: UInt64 { lastNumber + 1 }

  /// Sends a request and waits for its response.
  ///
  /// A helper that does not answer is killed, and so is one whose answers make no sense.
  ///
  /// - Parameters:
  ///   - bound: the time limit, for the error's text.
  ///   - limit: the remaining time.
  ///   - code: the code of the error that is thrown if the helper can no longer be used.
  func call(
    _ request: HelperRequest, bound: Duration, within limit: @escaping () -> Duration,
    failingWith code: NFCError.Code
  ) throws -> HelperResponse {
    lastNumber += 1
    let number = lastNumber
    do throws(HelperSocket.Problem) {
      try requests.send(HelperProtocol.frame(number) { request.write(to: &$0) })
      let message = try requests.receiveMessage(within: limit)
      guard let response = Self.response(in: message, to: number) else { throw .malformed }
      return response
    } catch let problem {
      throw failure(problem, code, bound: bound, subject: "the process that drives the reader")
    }
  }

  private static func response(in message: [UInt8], to number: UInt64) -> HelperResponse? {
    var reader = MessageReader(message)
    guard (try? reader.number(UInt64.self)) == number,
      let response = try? HelperResponse(from: &reader), (try? reader.end()) != nil
    else { return nil }
    return response
  }

  // MARK: The end

  private func failure(
    _ problem: HelperSocket.Problem, _ code: NFCError.Code, bound: Duration, subject: String
  ) -> NFCError {
    switch problem {
    case .late:
      kill()
      return NFCError(
        code, "\(subject) did not answer within \(bound.inSeconds) and was ended",
        cause: .noAnswer)
    case .malformed:
      kill()
      return NFCError(code, "\(subject) gave an answer that makes no sense and was ended")
    case .ended:
      return HelperEnding(status: leave(), report: report).error(code, subject)
    }
  }

  /// The last that it has written to standard error.
  private var report = ""

  /// Ends the process at once.
  @discardableResult
  func kill() -> Int32? {
    guard !isEnded else { return nil }
    #if canImport(Glibc)
    Glibc.kill(process, SIGKILL)
    #else
    Darwin.kill(process, SIGKILL)
    #endif
    return leave()
  }

  /// Waits for the process to end, which it is about to do; kills it if it takes too long.
  ///
  /// - Returns: how it ended, as `waitpid` reports it; `nil` if that is not known.
  @discardableResult
  func leave() -> Int32? {
    guard !isEnded else { return nil }
    isEnded = true
    aborts.close()
    requests.end()
    let status = HelperReaper.shared.reap(process, within: Self.leavingLimit)
    if let errors { report = HelperEnding.lastLine(of: errors) }
    release()
    return status
  }

  private func release() {
    aborts.close()
    if let errors { _ = close(errors) }
  }
}

extension Duration {
  /// For people: `17 s`.
  fileprivate var inSeconds: String { "\(components.seconds) s" }
}
