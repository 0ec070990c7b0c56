import SwiftNFCCore
import SwiftNFCPCSC
import ReaderThread

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension Reader {
  /// Opens a reader.
  ///
  /// A reader that does not answer is abandoned within a few seconds. The module NFCDiagnosis finds
  /// out why a reader cannot be opened.
  ///
  /// - Parameter connectionString: the text of the reader's ``ReaderAddress``. `nil` uses the one in
  ///   the environment variable `NFC_READER`, or else the first reader that is
  ///   found and can be opened. Readers of the PC/SC service are searched for only if there is no
  ///   other reader: asking for them may start the service, which takes possession of every reader
  ///   that it supports.
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
  /// - Throws: the errors of ``open(_:)-(String?)``.
  public static func open(_ address: ReaderAddress) async throws -> Reader {
    let thread = try ReaderThread.forReader()
    return try await Opener(thread: thread).open(address)
  }

  /// Opens the reader at an address with another driver in front of its own: one that records or
  /// changes the communication between the two, for instance that of a recorder (module
  /// Recordings).
  ///
  /// - Parameter wrap: creates that driver; it runs on the reader's thread.
  /// - Throws: the errors of ``open(_:)-(String?)``.
  public static func open(
    _ address: ReaderAddress,
    through wrap: @escaping @Sendable (any ReaderDriver) -> any ReaderDriver
  ) async throws -> Reader {
    let thread = try ReaderThread.forReader()
    return try await Opener(thread: thread).open { wrap(try ReaderSources.open(address)) }
  }

  /// Begins to open a reader, and returns at once: for programs that can use the time before the reader
  /// receives anything; see ``ReaderSource/quietTime(whileOpening:)``.
  ///
  /// If nobody takes the reader from the task, it is closed.
  package static func beginOpening(
    _ connectionString: String
  ) throws -> Task<Reader, any Error> {
    let thread = try ReaderThread.forReader()
    return Task(executorPreference: thread) {
      try await Opener(thread: thread).open(ReaderAddress(connectionString))
    }
  }

  /// Opens a PC/SC reader over your own service, for instance one with virtual tags.
  ///
  /// - Parameters:
  ///   - service: creates the service, which is used on the reader's thread.
  ///   - name: the reader's name in the service, or a part of it; empty for the first reader.
  /// - Throws: ``NFCError/Code/readerNotFound`` or ``NFCError/Code/readerUnavailable``.
  public static func open(
    matching name: String = "", over service: @escaping @Sendable () -> any SmartCardService
  ) async throws -> Reader {
    let thread = try ReaderThread.forReader()
    return try await Opener(thread: thread).open { try PCSCDriver(name, over: service()) }
  }

  /// Opens a reader with your own driver, for which no ``ReaderSource`` is registered.
  ///
  /// - Parameter driver: creates the driver, on the thread that it is used on from then on.
  /// - Throws: what `driver` throws; ``NFCError/Code/readerUnavailable`` if the system cannot
  ///   create a thread.
  public static func open(
    _ driver: @escaping @Sendable () throws -> any ReaderDriver
  ) async throws -> Reader {
    let thread = try ReaderThread.forReader()
    return try await Opener(thread: thread).open(driver)
  }

  /// The connection string in the environment variable `NFC_READER`.
  package static var nameInEnvironment: String? {
    guard let name = getenv("NFC_READER").map({ String(cString: $0) }), !name.isEmpty else {
      return nil
    }
    return name
  }
}

/// Opens readers on the thread that the reader will own, because opening blocks too.
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
