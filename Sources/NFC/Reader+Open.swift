import NFCCore
import NFCLibNFC
import NFCPCSC
import ReaderThread

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension Reader {
  /// Opens a reader.
  ///
  /// A reader that does not answer is given up within a few seconds. ``ReaderDiagnosis`` tells what stands
  /// in its way.
  ///
  /// - Parameter connectionString: a libnfc connection string, for instance
  ///   `pn532_uart:/dev/ttyUSB0`, or `pcsc:` and a part of a PC/SC reader's name. `nil` takes the one
  ///   in the environment variable `NFC_READER`, or else the first of ``list()`` that can be opened:
  ///   libnfc's readers come before those of PC/SC.
  /// - Throws: ``NFCError`` with `readerNotFound`, `readerUnavailable` or `invalidParameter`.
  public static func open(_ connectionString: String? = nil) async throws -> Reader {
    let wanted = connectionString ?? nameInEnvironment
    let thread = try makeThread()
    return try await Opener(thread: thread).open(wanted)
  }

  /// Begins to open a reader, and returns at once: for a program that has something else to do in the
  /// 50 ms for which libnfc pauses when it opens a serial port.
  ///
  /// A reader that nobody takes from the task is closed.
  package static func beginOpening(
    _ connectionString: String
  ) throws -> Task<Reader, any Error> {
    let thread = try makeThread()
    return Task(executorPreference: thread) {
      try await Opener(thread: thread).open(connectionString)
    }
  }

  /// Opens a PC/SC reader over a service of the program's own, for instance one with virtual tags.
  ///
  /// - Parameters:
  ///   - service: is made and used on the reader's thread.
  ///   - name: the reader's name or a part of it; empty for the first.
  /// - Throws: ``NFCError`` with `readerNotFound` or `readerUnavailable`.
  public static func open(
    _ name: String = "", over service: @escaping @Sendable () -> any SmartCardService
  ) async throws -> Reader {
    try await Opener(thread: makeThread()).open(name, over: service)
  }

  /// The connection strings of all readers that can be found without being named: first libnfc's,
  /// which are USB readers and what its configuration and environment name, then those of the PC/SC
  /// service. A PN532 on a serial port is found by name alone.
  ///
  /// A reader that both can drive is listed once, as libnfc's, which gets more out of it: an
  /// ACR122U or an SCL3711 is left out of the PC/SC readers while libnfc lists readers of its
  /// driver. `pcsc:` and its name open it all the same, unless libnfc has it open. PC/SC slots for
  /// SAM cards are left out.
  public static func list() async throws -> [String] {
    try await Opener(thread: makeThread()).list()
  }

  /// As ``list()``, for callers that cannot wait asynchronously: it blocks while libnfc and PC/SC look.
  package static func connectionStrings() -> [String] {
    ReaderNames.merged(libnfc: LibNFCDriver.list(), pcsc: PCSCDriver.list())
  }

  /// What the environment variable `NFC_READER` names.
  package static var nameInEnvironment: String? {
    guard let name = getenv("NFC_READER").map({ String(cString: $0) }), !name.isEmpty else {
      return nil
    }
    return name
  }

  static func makeThread() throws -> ReaderThread {
    do {
      return try ReaderThread()
    } catch {
      throw NFCError(.readerUnavailable, "no thread for the reader", cause: .system(0, "\(error)"))
    }
  }
}

/// Opens on the thread that the reader will own: opening blocks too.
private actor Opener {
  private let thread: ReaderThread

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(thread: ReaderThread) {
    self.thread = thread
  }

  func open(_ connectionString: String?) throws -> Reader {
    if let connectionString { return try open(named: connectionString) }
    var problem: NFCError?
    for name in Reader.connectionStrings() {
      do {
        return try open(named: name)
      } catch let error as NFCError {
        problem = problem ?? error
      }
    }
    if let problem { throw problem }
    let obstacle = PCSCDriver.obstacle()
    throw NFCError(
      .readerNotFound,
      obstacle.map { "libnfc finds no reader; \($0.reason)" }
        ?? "libnfc finds no reader, and the PC/SC service has none",
      cause: obstacle?.cause)
  }

  private func open(named connectionString: String) throws -> Reader {
    if connectionString.hasPrefix(PCSCDriver.scheme) {
      let name = String(connectionString.dropFirst(PCSCDriver.scheme.count))
      return Reader(driver: try PCSCDriver.open(name), executor: thread)
    }
    return Reader(driver: try LibNFCDriver.open(connectionString), executor: thread)
  }

  func open(_ name: String, over service: @Sendable () -> any SmartCardService) throws -> Reader {
    Reader(driver: try PCSCDriver(name, over: service()), executor: thread)
  }

  func list() -> [String] { Reader.connectionStrings() }
}
