import NFC
import Synchronization
import TagTools
import VirtualNFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The open readers of a command, real or virtual.
struct Session: Sendable {
  let group: Readers
  private let virtual: VirtualReader?
  /// The tags that are shown one after the other, if the command line requests them.
  let demo: Demo?
  /// The virtual tags that the command line names, in its order.
  private let virtualTags: [VirtualTag]
  /// The recording that replaces the readers.
  private let replayed: ReplayedReaders?
  let options: GlobalOptions
  private let notes: Notes

  private init(
    _ group: Readers, virtual: VirtualReader? = nil, virtualTags: [VirtualTag] = [],
    demo: Demo? = nil, replayed: ReplayedReaders? = nil, notes: Notes = Notes(),
    _ options: GlobalOptions
  ) {
    self.notes = notes
    self.group = group
    self.virtual = virtual
    self.virtualTags = virtualTags
    self.demo = demo
    self.replayed = replayed
    self.options = options
  }

  /// The reader for commands that use only one.
  var reader: Reader { group.first }

  /// All readers of the command.
  var readers: [Reader] { group.all }

  /// Returns the technologies that each reader polls for, which together are all requested ones.
  func shares(of polling: PollingOptions) -> [(reader: Reader, polling: PollingOptions)] {
    group.shares(of: polling.technologies).map { share in
      (
        share.reader,
        share.technologies.reduce(into: PollingOptions()) { $0.insert(PollingOptions($1)) }
      )
    }
  }

  /// Returns the tags that are currently in the readers' fields; virtual tags in the order of the command line, others
  /// in that in which they are found.
  func tagsInField() async throws -> [DetectedTag] {
    let found = try await group.tagsInField()
    guard virtualTags.count > 1 else { return found }
    let order = virtualTags.map(\.identifier)
    return found.enumerated().sorted {
      (order.firstIndex(of: $0.element.identifier) ?? order.count, $0.offset)
        < (order.firstIndex(of: $1.element.identifier) ?? order.count, $1.offset)
    }.map(\.element)
  }

  /// The tags in the readers' fields, or the reason why they are not known at the moment.
  struct Look: Sendable {
    var tags: [DetectedTag] = []
    /// The error of a card that is present and that another program uses, or `nil`.
    var cardInUse: NFCError?
  }

  /// Returns ``tagsInField()``, for a command that waits for its next tag.
  func look() async throws -> Look {
    do {
      return Look(tags: try await tagsInField())
    } catch let error as NFCError where error.isCardInUse {
      return Look(cardInUse: error)
    }
  }

  /// The UID of the tag that comes first if several virtual tags are in the field from the start.
  var firstVirtualUID: [UInt8]? { virtualTags.count > 1 ? virtualTags.first?.identifier : nil }

  /// Remarks that are printed if the command succeeds. If it fails, the only line on standard error is the
  /// failure.
  private final class Notes: Sendable {
    let lines = Mutex<[String]>([])
  }

  /// Opens the readers that the options name, runs `body`, and always switches the carrier off.
  ///
  /// - Parameter shown: virtual tags that take the place of those that the options name.
  static func run(
    _ options: GlobalOptions, polling: PollingOptions = .all, showing shown: VirtualTags? = nil,
    _ body: @Sendable (Session) async throws -> Void
  ) async throws {
    setLogLevel(isVerbose: options.verbose)
    try await ExchangeFiles.keep(options.recording) { files in
      let session = try await open(options, files, polling: polling, showing: shown)
      do {
        try await body(session)
        try Task.checkCancellation()
      } catch {
        await session.close()
        try session.replayed?.check(after: error)
        throw error
      }
      await session.close()
      try session.replayed?.check()
      session.printNotes()
    }
  }

  /// Performs ``run(_:polling:_:)`` for a command that does not look for a tag.
  static func run(
    _ options: ReaderOptions, _ body: @Sendable (Session) async throws -> Void
  ) async throws {
    try await run(try GlobalOptions(options), body)
  }

  private func printNotes() {
    for line in notes.lines.withLock({ $0 }) { Output.printError(line) }
  }

  /// Sets libnfc's log level. libnfc reads its environment only once, when it is first used.
  static func setLogLevel(isVerbose: Bool) {
    setenv("LIBNFC_LOG_LEVEL", isVerbose ? "\(verboseLogLevel)" : "0", 0)
  }

  /// The log level for all messages of libnfc except the bytes that it sends and receives, which may contain
  /// keys and passwords. Those are logged only if the user sets the variable directly; `--record` masks keys
  /// and passwords.
  ///
  /// The value has two bits for each group of messages, shifted by twice the group's number. The lowest two
  /// bits apply to all groups (libnfc, log.h).
  static let verboseLogLevel = [1, 2, 3, 4, 6].reduce(information) { $0 | everything << (2 * $1) }
  private static let information = 2
  private static let everything = 3

  private static func open(
    _ options: GlobalOptions, _ files: ExchangeFiles, polling: PollingOptions,
    showing shown: VirtualTags?
  ) async throws -> Session {
    if let path = options.recording.replay {
      let replayed = try ReplayedReaders(path, options.recording)
      return Session(
        try await replayed.open(recordedBy: files.recorder), replayed: replayed, options)
    }
    guard shown != nil || !options.virtual.isEmpty else {
      return Session(try await openReaders(options, polling: polling), options)
    }
    let tags = try shown ?? VirtualTags(options.virtual)
    let fields = VirtualFields()
    for tag in tags.tags { fields.place(tag) }
    let notes = Notes()
    notes.lines.withLock { $0 = tags.notes.map { "nfc: " + $0 } }
    let demo = tags.showsDemo ? try Demo(in: fields, technologies: polling.technologies) : nil
    let shown = tags.tags + (demo?.tags ?? [])
    let vicinityReader =
      shown.contains { fields.needsPCSC($0) } ? try await openPCSC(fields.pcsc) : nil
    if let vicinityReader, shown.allSatisfy({ fields.needsPCSC($0) }) {
      return Session(
        Readers(vicinityReader), virtualTags: tags.tags, demo: demo, notes: notes, options)
    }
    let virtual = try virtualReader(fields.pn532)
    let readers = Readers(
      try await openOwnReader(virtual), [vicinityReader].compactMap(\.self))
    readers.first.presumedVersions.withLock { $0 = ImagedTags.presumedVersions }
    return Session(
      readers, virtual: virtual, virtualTags: tags.tags, demo: demo, notes: notes, options)
  }

  /// Opens a virtual PC/SC reader in this process, because a PN532 does not support ISO 15693.
  private static func openPCSC(_ field: VirtualField) async throws -> Reader {
    let virtual = VirtualPCSCReader(field)
    return try await Reader.open(over: { virtual.service() })
  }

  static func virtualReader(
    _ field: VirtualField, chip: VirtualPN532 = VirtualPN532(), pace: VirtualReader.Pace = [],
    trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) throws -> VirtualReader {
    do {
      return try VirtualReader(field, chip: chip, pace: pace, trace: trace)
    } catch let error as VirtualReader.Unavailable {
      throw Failure(
        .noReader, "no virtual reader: \(error)", advice: "check that /dev/pts is there")
    }
  }

  /// Opens a virtual reader of this process. The reader always exists: if it does not answer within libnfc's
  /// time-outs, the machine is busy.
  private static func openOwnReader(_ virtual: VirtualReader) async throws -> Reader {
    let attempts = 4
    for _ in 1..<attempts {
      do {
        return try await Reader.open(virtual.connectionString)
      } catch let error as NFCError where error.code == .readerUnavailable {
        try Task.checkCancellation()
      }
    }
    return try await Reader.open(virtual.connectionString)
  }

  /// Opens the readers that the command line or the environment names, or all readers that are found.
  private static func openReaders(
    _ options: GlobalOptions, polling: PollingOptions
  ) async throws -> Readers {
    var names = options.readers
    if names.isEmpty, let name = Reader.nameInEnvironment { names = [name] }
    do {
      if names.count == 1, let name = names.first, let early = ReaderPreopening.take(name) {
        return Readers(try await early.value, at: ReaderAddress(name))
      }
      return try await Readers.open(names.map { ReaderAddress($0) }, polling: polling)
    } catch let error as NFCError {
      var failure = Failure(error)
      // An invalid connection string does not name a reader, and libnfc does not accept it either.
      if failure.status == .usage { failure.status = .noReader }
      if [.readerUnavailable, .readerNotFound].contains(error.code) || failure.status == .noReader,
        names.count == 1, let name = names.first, !name.isEmpty
      {
        failure.advice =
          AddressAdvice.advice(for: name, in: .init(isOption: !options.readers.isEmpty))
          ?? "nfc doctor --reader \(name.shellWord) says more, and --virtual demo needs no reader"
      }
      throw failure
    }
  }

  func close() async {
    await group.close()
    virtual?.close()
  }

  /// Adds a remark, which is printed on standard error after the command has succeeded.
  func note(_ text: String) {
    notes.lines.withLock { $0.append("nfc: " + text) }
  }
}
