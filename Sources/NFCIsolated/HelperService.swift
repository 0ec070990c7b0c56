import SwiftNFCChildProcesses
import SwiftNFCCore
import ReaderThread
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What runs in the process that has a reader for another program.
///
/// The calling thread makes every call into the driver. A second thread waits for aborts, and for
/// the program's end: a driver that hangs then has a moment to release its reader before the
/// process ends.
package final class HelperService {
  private let source: any ReaderSource
  private let requests = HelperSocket(descriptor: HelperProtocol.requests)
  private var driver: (any ReaderDriver)?
  private let running = Running()

  /// The request that the driver is busy with.
  private final class Running: Sendable {
    private struct State {
      var number: UInt64 = 0
      var abort: @Sendable () -> Void = {}
      /// The last request that is to be aborted. The abort may arrive before the request.
      var aborted: UInt64 = 0
    }

    private let state = Mutex(State())

    func use(_ abort: @escaping @Sendable () -> Void) { state.withLock { $0.abort = abort } }

    func begin(_ number: UInt64) {
      state.withLock {
        $0.number = number
        if $0.aborted == number { $0.abort() }
      }
    }

    func end() { state.withLock { $0.number = 0 } }

    func abort(_ number: UInt64) {
      state.withLock {
        $0.aborted = number
        if $0.number == number { $0.abort() }
      }
    }

    func abortAny() { state.withLock { $0.abort() } }
  }

  /// - Parameter source: the source of the readers that programs request.
  package init(_ source: any ReaderSource) { self.source = source }

  /// Whether this process was started by a program that needs a reader.
  package static var hasProgram: Bool {
    [HelperProtocol.requests, HelperProtocol.aborts].allSatisfy { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
  }

  /// Serves until the program closes its sockets.
  package func run() {
    isolateProcess()
    #if os(Linux)
    Self.continueWhenOrphaned()
    #endif
    guard startAborting(), (try? requests.send(HelperProtocol.greeting())) != nil else { return }
    while let message = try? requests.receiveMessage(within: nil) {
      var reader = MessageReader(message)
      guard let number = try? reader.number(UInt64.self),
        let request = try? HelperRequest(from: &reader), (try? reader.end()) != nil
      else { break }
      let response = answer(request, number)
      guard
        (try? requests.send(HelperProtocol.frame(number) { response.write(to: &$0) })) != nil
      else { break }
      if request == .close { return }
    }
    driver?.close()
  }

  /// Closes files that were inherited from the program, and disables core dumps.
  private func isolateProcess() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    #else
    setrlimit(RLIMIT_CORE, &limit)
    #endif
    for descriptor in OpenDescriptors.list() ?? [] where descriptor > STDERR_FILENO {
      _ = close(descriptor)
    }
  }

  #if os(Linux)
  /// `PR_SET_PDEATHSIG` of `linux/prctl.h`.
  private static let setParentDeathSignal: Int32 = 1

  /// Tells the system to continue this process, if it was stopped, when its program has ended: only
  /// then can it notice that, and end. `prctl` has variadic arguments, which Swift cannot call.
  private static func continueWhenOrphaned() {
    typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    guard let symbol = dlsym(nil, "prctl") else { return }
    _ = unsafeBitCast(symbol, to: Control.self)(setParentDeathSignal, UInt(SIGCONT), 0, 0, 0)
  }
  #endif

  // MARK: Aborts

  /// The time that a driver has to release its reader when the program has ended.
  private static let leavingMicroseconds: UInt32 = 3_000_000

  private func startAborting() -> Bool {
    (try? startThread { [running] in Self.receiveAborts(for: running) }) != nil
  }

  private static func receiveAborts(for running: Running) {
    let socket = HelperSocket(descriptor: HelperProtocol.aborts)
    while let message = try? socket.receive(8, within: nil) {
      var reader = MessageReader(message)
      if let number = try? reader.number(UInt64.self) { running.abort(number) }
    }
    running.abortAny()
    usleep(leavingMicroseconds)
    _exit(EXIT_FAILURE)
  }

  // MARK: Requests

  private func answer(_ request: HelperRequest, _ number: UInt64) -> HelperResponse {
    do {
      switch request {
      case .open(let address): return .opened(try open(address))
      case .reset(let address):
        try source.reset(address)
        return .done
      default: break
      }
      guard let driver else { throw NFCError(.readerLost, "no reader was opened") }
      if request == .close {
        driver.close()
        return .done
      }
      driver.begin()
      running.begin(number)
      defer {
        running.end()
        driver.end()
      }
      return try answer(request, driver)
    } catch let error as NFCError {
      return .failure(error)
    } catch is CancellationError {
      return .cancelled
    } catch {
      return .failure(NFCError(.readerUnavailable, "\(error)"))
    }
  }

  private func open(_ address: ReaderAddress) throws -> HelperResponse.Opened {
    driver?.close()
    let driver = try source.open(address)
    self.driver = driver
    running.use(driver.abort)
    return HelperResponse.Opened(
      name: driver.name, firmware: driver.firmware, capabilities: driver.capabilities,
      foundOneByOne: TagTechnology.allCases.filter(driver.findsOneByOne))
  }

  private func answer(
    _ request: HelperRequest, _ driver: any ReaderDriver
  ) throws -> HelperResponse {
    switch request {
    case .resetField: try driver.resetField()
    case .list(let technology): return .targets(try driver.list(technology))
    case .find(let technology, let found):
      return .targets(try driver.find(technology, excluding: found).map { [$0] } ?? [])
    case .select(let target): try driver.select(target)
    case .isPresent(let target): return .decision(try driver.isPresent(target))
    case .exchange(let command, let framing, let timeout):
      return .answer(try driver.exchange(command, framing: framing, timeout: timeout))
    case .authenticate(let block, let keyType, let key, let uid):
      try driver.authenticate(block: block, keyType: keyType, key: key, uid: uid)
    case .disconnect: driver.disconnect()
    case .commandWasInterrupted: driver.commandWasInterrupted()
    case .switchFieldOff: try driver.switchFieldOff()
    case .setBroadcasting(let isOn): driver.setBroadcasting(isOn)
    case .broadcast(let frame): try driver.broadcast(frame)
    case .waitForActivation(let identity, let timeout):
      return .decision(try driver.waitForActivation(as: identity, timeout: timeout))
    case .receiveCommand(let timeout):
      return .reception(try driver.receiveCommand(timeout: timeout))
    case .answerCommand(let answer): return .release(try driver.answerCommand(answer))
    case .endEmulation: try driver.endEmulation()
    case .open, .reset, .close: break
    }
    return .done
  }
}
