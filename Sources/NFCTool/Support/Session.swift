import NFC
import Synchronization
import VirtualNFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An open reader, real or virtual, for the life of a command.
struct Session: Sendable {
  let reader: Reader
  /// The second reader, for ISO 15693 tags, if tags of both kinds are in the field.
  let vicinityReader: Reader?
  let virtual: VirtualReader?
  /// The tags that are shown one after the other, if the command line asks for them.
  let demo: Demo?
  let options: GlobalOptions
  private let notes: Notes

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
      return Session(
        reader: try await openReader(options.reader), vicinityReader: nil, virtual: nil,
        demo: nil, options: options, notes: Notes())
    }
    let tags = try VirtualTags(options.virtual)
    let (field, vicinityField) = (VirtualField(), VirtualField())
    for tag in tags.tags {
      (tag.modulation == .iso15693 ? vicinityField : field).place(tag)
    }
    let vicinityReader = vicinityField.tags.isEmpty ? nil : try await openPCSC(vicinityField)
    if let vicinityReader, field.tags.isEmpty, !tags.showsDemo {
      return Session(
        reader: vicinityReader, vicinityReader: nil, virtual: nil, demo: nil, options: options,
        notes: Notes())
    }
    let demo = tags.showsDemo ? try Demo(in: field, technologies: polling.technologies) : nil
    let virtual = try virtualReader(field)
    return Session(
      reader: try await openOwnReader(virtual), vicinityReader: vicinityReader, virtual: virtual,
      demo: demo, options: options, notes: Notes())
  }

  /// A PC/SC reader in the process: a PN532 has no ISO 15693.
  private static func openPCSC(_ field: VirtualField) async throws -> Reader {
    let virtual = VirtualPCSCReader(field)
    return try await Reader.open(over: { virtual.service() })
  }

  /// All readers of the session.
  var readers: [Reader] { [reader] + [vicinityReader].compactMap(\.self) }

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
      throw failure
    }
  }

  /// The reader that the environment names.
  static var namedReader: String? {
    guard let value = getenv("NFC_READER").map({ String(cString: $0) }), !value.isEmpty else {
      return nil
    }
    return value
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
