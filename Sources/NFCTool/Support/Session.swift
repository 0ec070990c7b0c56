import NFC
import Synchronization
import VirtualNFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The open readers, real or virtual, for the life of a command.
struct Session: Sendable {
  /// The one that a command uses that takes only one.
  let reader: Reader
  /// Those that are polled besides it.
  private let others: [Reader]
  private let virtual: VirtualReader?
  /// The tags that are shown one after the other, if the command line asks for them.
  let demo: Demo?
  let options: GlobalOptions
  private let notes = Notes()

  private init(
    _ reader: Reader, others: [Reader] = [], virtual: VirtualReader? = nil, demo: Demo? = nil,
    _ options: GlobalOptions
  ) {
    self.reader = reader
    self.others = others
    self.virtual = virtual
    self.demo = demo
    self.options = options
  }

  /// All readers of the session.
  var readers: [Reader] { [reader] + others }

  /// What is worth saying if all goes well. Where it does not, the one line on standard error is
  /// the failure's.
  private final class Notes: Sendable {
    let lines = Mutex<[String]>([])
  }

  /// Opens the reader that the options name, runs `body`, and switches the carrier off whatever
  /// happens.
  static func run(
    _ options: GlobalOptions, polling: PollingOptions = .all,
    _ body: @Sendable (Session) async throws -> Void
  ) async throws {
    setLogLevel(isVerbose: options.verbose)
    let session = try await open(options, polling: polling)
    do {
      try await body(session)
      try Task.checkCancellation()
    } catch {
      await session.close()
      throw error
    }
    await session.close()
    for line in session.notes.lines.withLock({ $0 }) { Output.complain(line) }
  }

  /// libnfc looks at its environment once, when it is first used.
  static func setLogLevel(isVerbose: Bool) {
    let everything = "3"
    setenv("LIBNFC_LOG_LEVEL", isVerbose ? everything : "0", 0)
  }

  private static func open(
    _ options: GlobalOptions, polling: PollingOptions
  ) async throws -> Session {
    guard !options.virtual.isEmpty else {
      if let name = options.reader ?? Reader.nameInEnvironment {
        return Session(try await openReader(name), options)
      }
      let found = try await openReaders()
      return Session(found.first, others: found.others, options)
    }
    let tags = try VirtualTags(options.virtual)
    let fields = VirtualFields()
    for tag in tags.tags { fields.place(tag) }
    let demo = tags.showsDemo ? try Demo(in: fields, technologies: polling.technologies) : nil
    let shown = tags.tags + (demo?.tags ?? [])
    let vicinityReader =
      shown.contains { fields.needsPCSC($0) } ? try await openPCSC(fields.pcsc) : nil
    if let vicinityReader, shown.allSatisfy({ fields.needsPCSC($0) }) {
      return Session(vicinityReader, demo: demo, options)
    }
    let virtual = try virtualReader(fields.pn532)
    return Session(
      try await openOwnReader(virtual), others: [vicinityReader].compactMap(\.self),
      virtual: virtual, demo: demo, options)
  }

  /// A PC/SC reader in the process: a PN532 has no ISO 15693.
  private static func openPCSC(_ field: VirtualField) async throws -> Reader {
    let virtual = VirtualPCSCReader(field)
    return try await Reader.open(over: { virtual.service() })
  }

  static func virtualReader(
    _ field: VirtualField, trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) throws -> VirtualReader {
    do {
      return try VirtualReader(field, trace: trace)
    } catch let error as VirtualReader.Unavailable {
      throw Failure(
        .noReader, "no virtual reader: \(error)", advice: "check that /dev/pts is there")
    }
  }

  /// Opens a virtual reader of this process. It is there: that it has not answered within libnfc's
  /// time-outs means that the machine is busy.
  private static func openOwnReader(_ virtual: VirtualReader) async throws -> Reader {
    let attempts = 4
    for _ in 1..<attempts {
      do {
        return try await Reader.open(virtual.connectionString)
      } catch let error as NFCError where error.code == .readerUnavailable {
        try Task.checkCancellation()
      }
    }
    return try await openReader(virtual.connectionString)
  }

  private static func openReader(_ connectionString: String?) async throws -> Reader {
    do {
      if let early = EarlyReader.take(connectionString) { return try await early.value }
      return try await Reader.open(connectionString)
    } catch let error as NFCError {
      var failure = Failure(error)
      // A connection string that is wrong names no reader: what libnfc could not take either.
      if failure.status == .usage { failure.status = .noReader }
      if error.code == .readerUnavailable, let connectionString {
        failure.advice = "nfc doctor --reader \(connectionString.shellWord) says more"
      }
      throw failure
    }
  }

  /// Opens every reader that can be found: libnfc's, and of PC/SC's those that have ISO 15693. One
  /// that cannot be opened is left out as long as there is another.
  private static func openReaders() async throws -> (first: Reader, others: [Reader]) {
    var readers: [Reader] = []
    var problem: Failure?
    for name in try await Reader.list() {
      do {
        let reader = try await openReader(name)
        guard readers.isEmpty || reader.hasVicinity || !name.hasPrefix(Reader.pcscScheme) else {
          await reader.close()
          continue
        }
        readers.append(reader)
      } catch let failure as Failure {
        problem = problem ?? failure
      }
    }
    if let first = readers.first { return (first, Array(readers.dropFirst())) }
    if let problem { throw problem }
    return (try await openReader(nil), [])
  }

  func close() async {
    for reader in readers { await reader.close() }
    virtual?.close()
  }

  /// Says something on standard error when the command has succeeded.
  func note(_ text: String) {
    notes.lines.withLock { $0.append("nfc: " + text) }
  }
}
