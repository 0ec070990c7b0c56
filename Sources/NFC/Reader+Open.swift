import NFCCore
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
  /// A reader that does not answer is given up within a few seconds. The module NFCDiagnosis says what stands in
  /// its way.
  ///
  /// - Parameter connectionString: the reader's address, as ``ReaderAddress`` has it; `nil` takes the one in the
  ///   environment variable `NFC_READER`, or else the first reader that is found and can be opened. Readers of
  ///   the PC/SC service are looked for only when there is no other: asking for them may start the service,
  ///   which takes every reader that it knows.
  /// - Throws: ``NFCError/Code/readerNotFound``, ``NFCError/Code/readerUnavailable`` or
  ///   ``NFCError/Code/invalidParameter``.
  public static func open(_ connectionString: String? = nil) async throws -> Reader {
    guard let name = connectionString ?? nameInEnvironment else {
      return try await ReaderSearch.openFirst().1
    }
    return try await open(ReaderAddress(name))
  }

  /// Opens the reader at an address.
  ///
  /// - Throws: as ``open(_:)-(String?)``.
  public static func open(_ address: ReaderAddress) async throws -> Reader {
    let thread = try makeThread()
    return try await Opener(thread: thread).open(address)
  }

  /// Opens the reader at an address, and lets another driver stand before its own: one that keeps or changes what
  /// passes between the two, for instance that of a recorder (module Recordings).
  ///
  /// - Parameter wrap: makes that driver; it runs on the reader's thread.
  /// - Throws: as ``open(_:)-(String?)``.
  public static func open(
    _ address: ReaderAddress,
    through wrap: @escaping @Sendable (any ReaderDriver) -> any ReaderDriver
  ) async throws -> Reader {
    let thread = try makeThread()
    return try await Opener(thread: thread).open { wrap(try ReaderSources.open(address)) }
  }

  /// Makes a reader of a driver of the program's own, on a thread of its own.
  ///
  /// - Throws: ``NFCError/Code/readerUnavailable`` if the system gives no thread.
  public static func open(with driver: sending any ReaderDriver) async throws -> Reader {
    Reader(driver: driver, executor: try makeThread())
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
      try await Opener(thread: thread).open(ReaderAddress(connectionString))
    }
  }

  /// Opens a PC/SC reader over a service of the program's own, for instance one with virtual tags.
  ///
  /// - Parameters:
  ///   - service: is made and used on the reader's thread.
  ///   - name: the reader's name or a part of it; empty for the first.
  /// - Throws: ``NFCError/Code/readerNotFound`` or ``NFCError/Code/readerUnavailable``.
  public static func open(
    _ name: String = "", over service: @escaping @Sendable () -> any SmartCardService
  ) async throws -> Reader {
    let thread = try makeThread()
    return try await Opener(thread: thread).open { try PCSCDriver(name, over: service()) }
  }

  /// Opens a reader by a driver of the program's own, for which no ``ReaderSource`` is registered.
  ///
  /// - Parameter driver: makes the driver, on the thread that it is used on from then on.
  /// - Throws: what `driver` throws; ``NFCError/Code/readerUnavailable`` if the system has no thread left.
  public static func open(
    _ driver: @escaping @Sendable () throws -> any ReaderDriver
  ) async throws -> Reader {
    let thread = try makeThread()
    return try await Opener(thread: thread).open(driver)
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

  func open(_ address: ReaderAddress) throws -> Reader {
    try open { try ReaderSources.open(address) }
  }

  func open(_ driver: @Sendable () throws -> any ReaderDriver) throws -> Reader {
    Reader(driver: ReaderSources.wrapped(try driver()), executor: thread)
  }
}
