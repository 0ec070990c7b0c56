import SwiftNFCJSONText
import NFC
import TagTools
import Synchronization

/// Performs `nfc write … --each`: writes one tag after the other, each UID once.
///
/// A tag that failed is not counted, and the next tag uses its row of the table. The tag may be presented
/// again after it was removed.
final class BatchWriting: Sendable {
  private let makeMessage: @Sendable (Placeholders) throws -> NDEFMessage
  private let writing: MessageCommand
  private let table: CSVTable?
  private let results: BatchResults?
  private let first: Int
  /// The index of the first row that is used.
  private let firstRow: Int
  /// The number of tags, or `nil` for no limit.
  private let count: Int?
  /// Whether a column of the table may be a password, which the results do not repeat.
  private let hasSecrets: Bool
  /// Whether the number of a tag is in what is written.
  private let usesNumber: Bool
  private let state: Mutex<State>

  private struct State {
    var batch: TagBatch
    /// The last failure of each tag that has not been written since; one of tags whose UIDs do not distinguish them.
    var failures: [[UInt8]: Failure] = [:]
    var lastFailure: Failure?
  }

  /// Creates a batch, and checks all messages before the first one is written.
  ///
  /// - Parameter isForced: whether existing files may be overwritten.
  init(
    _ kind: some RecordKind, _ options: WriteOptions, _ writing: MessageCommand,
    isForced mayReplace: Bool
  ) throws {
    let isForced = options.asIs
    makeMessage = { values in
      let message = try kind.message(values, isForced: isForced)
      try MessageCheck.check(message, of: type(of: kind), isForced: isForced)
      return message
    }
    self.writing = writing
    firstRow = (options.row ?? 1) - 1
    // The same command with another row writes the same numbers.
    first = (options.first ?? 1) + firstRow
    hasSecrets = kind is WiFiKind
    usesNumber = kind.templates.flatMap(Placeholders.names).contains(Placeholders.number)
    table = try options.from.map { try CSVTable(try File.readText($0), name: File.name($0)) }
    if let row = options.row, let last = table?.rows.count, row > last {
      throw Failure(
        .content, "there is no row \(row): the table has \(last) row\(last == 1 ? "" : "s")",
        advice: "nothing was written")
    }
    let skipped = firstRow
    let rowCount = table.map { $0.rows.count - skipped }
    if let wanted = options.count, let rowCount, wanted > rowCount {
      let rows = "\(rowCount) row\(rowCount == 1 ? " is" : "s are")"
      let place = skipped > 0 ? " from row \(skipped + 1) on" : ""
      throw Failure(
        .content, "\(rows) not enough\(place) for \(wanted) tag\(wanted == 1 ? "" : "s")",
        advice: "nothing was written")
    }
    count = options.count ?? rowCount
    state = Mutex(State(batch: TagBatch(count: count)))
    results = try table.flatMap { table in
      try options.results.map { try BatchResults(table, file: $0, isForced: mayReplace) }
    }
    try checkNames(in: kind.templates, options)
    try checkMessages()
  }

  /// Refuses names for which there would be no value, and a table of which no value would be used.
  private func checkNames(in templates: [String], _ options: WriteOptions) throws {
    let columns = table?.columns ?? []
    let names = templates.flatMap(Placeholders.names)
    func list(_ names: [String]) -> String {
      names.map { "{\($0)}" }.joined(separator: ", ")
    }
    let known = Placeholders.builtIn + columns
    if !options.asIs, let unknown = names.first(where: { !known.contains($0) }) {
      let table = table == nil ? ", and with --from the columns of a table" : ""
      throw Failure(
        .usage, "there is no value for {\(unknown)}",
        advice: "there are \(list(known))\(table); --as-is writes other braces as they are")
    }
    if let twice = names.first(where: { columns.contains($0) && Placeholders.builtIn.contains($0) })
    {
      throw Failure(
        .content, "the column \"\(twice)\" has the name of {\(twice)}, which is the tag's own",
        advice: "give the column another name")
    }
    guard let path = options.from, !names.contains(where: columns.contains) else { return }
    throw Failure(
      .usage, "no column of \(File.name(path)) is in what is written",
      advice: templates.isEmpty
        ? "leave --from out: this kind of record has no place for one"
        : "there are \(list(columns)); leave --from out to use none")
  }

  private static let sampleUID: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]

  private func checkMessages() throws {
    guard let table else {
      _ = try makeMessage(Placeholders(uid: Self.sampleUID, number: first))
      return
    }
    for (index, row) in table.rows.dropFirst(firstRow).enumerated() {
      do {
        _ = try makeMessage(
          Placeholders(
            uid: Self.sampleUID, number: first + index,
            row: table.values(ofRow: firstRow + index)))
      } catch let failure as Failure {
        throw Failure(
          .content, "line \(row.line) of the table: \(failure.reason)", advice: failure.advice)
      }
    }
  }

  // MARK: Running

  private static let pause = Duration.milliseconds(100)

  /// Writes until enough tags have been written, or no tag arrives within the time-out. Looks at least once, however
  /// short the time-out is.
  func run(_ session: Session) async throws {
    var cardInUse: NFCError?
    do {
      try await writeAll(session, &cardInUse)
    } catch  where error is CancellationError || (error as? Failure)?.status == .interrupted {
      try summarize(session.options)
      if let option = continuation { Output.printError("nfc: interrupted; \(option)") }
      throw error
    } catch let error as NFCError {
      try summarize(session.options)
      var failure = Failure(error)
      failure.advice = advice(failure.advice)
      throw failure
    }
    try finish(session, cardInUse)
  }

  /// - Parameter cardInUse: is the error of the card that is present and another program uses, or `nil`. Such a card is
  ///   waited for like one that has not come yet: programs that look at every card use it for a moment.
  private func writeAll(_ session: Session, _ cardInUse: inout NFCError?) async throws {
    let clock = ContinuousClock()
    let patience = session.options.timeout ?? Session.defaultTimeout
    var deadline = clock.now + patience
    let crowd = CrowdedField()
    while true {
      Terminal.show("Hold the next tag to the reader (\(writtenCount) written)…")
      let look = try await session.look()
      cardInUse = look.cardInUse
      if cardInUse == nil { state.withLock { $0.batch.found(look.tags) } }
      crowd.found(look.tags)
      for tag in look.tags where state.withLock({ $0.batch.isNext(tag) }) {
        try await write(tag, session)
        deadline = clock.now + patience
      }
      if look.tags.isEmpty || session.demo != nil { session.demo?.showNext() }
      guard session.demo?.isOver != true, writtenCount < count ?? .max,
        clock.now < deadline
      else { return }
      try await Task.sleep(for: Self.pause)
    }
  }

  private var writtenCount: Int { state.withLock { $0.batch.writtenCount } }

  /// Returns the UID; nothing for a tag that comes back with another one.
  private static func key(of tag: DetectedTag) -> [UInt8] {
    tag.hasLastingUID ? tag.identifier : []
  }

  private func write(_ tag: DetectedTag, _ session: Session) async throws {
    let index = writtenCount
    let number = first + index
    do {
      let written = try await write(tag, index: index)
      state.withLock { state in
        state.batch.succeeded(tag)
        state.failures[Self.key(of: tag)] = nil
      }
      try results?.set(written.state, uid: tag.identifier, row: firstRow + index)
      try report(tag, number, written, session.options)
    } catch let failure as Failure where failure.status != .interrupted {
      state.withLock { state in
        state.batch.failed(tag)
        state.failures[Self.key(of: tag)] = failure
        state.lastFailure = failure
      }
      try results?.set("failed", uid: tag.identifier, row: firstRow + index)
      try report(tag, failure, session.options)
    }
  }

  private func write(_ tag: DetectedTag, index: Int) async throws -> MessageCommand.Result {
    guard let ndef = tag.ndef else {
      throw Failure(
        .notThere, "it is \(tag.kindName), which NDEF is not defined for",
        tag: tag.identifier.tagName)
    }
    guard !tag.identifier.isEmpty else {
      throw Failure(
        .noReader, "the reader does not report its UID, which distinguishes it from the next tag",
        tag: tag.identifier.tagName, advice: "write each tag with a command of its own")
    }
    guard tag.hasLastingUID else {
      throw Failure(
        .notThere, "it reports a random UID, which does not distinguish it from the next tag",
        tag: tag.identifier.tagName, advice: "write each tag with a command of its own")
    }
    let message = try makeMessage(
      Placeholders(
        uid: tag.identifier, number: first + index,
        row: table.map { $0.values(ofRow: firstRow + index) } ?? [:]))
    let selected = SelectedTag(detected: tag, kind: ndef, use: .changing)
    return try await selected.changingNDEF {
      try await tag.connect()
      return try await writing.write(message, to: tag)
    }
  }

  // MARK: Reporting

  private func report(
    _ tag: DetectedTag, _ number: Int, _ written: MessageCommand.Result, _ options: GlobalOptions
  ) throws {
    Terminal.clearStatus()
    guard !options.json else {
      return try Output.line(
        JSONValue.members([
          "uid": .uid(tag.identifier), "n": .integer(number),
          "row": table.map { _ in .integer(row(of: number)) },
          "columns": columns(of: number),
          "written": .integer(written.length), "verified": .bool(written.isVerified),
          "locked": written.isLocked ? .bool(true) : nil,
          "content": table.map { _ in .string(written.summary) },
          "tagID": written.homeAssistantID.map { .string($0) },
        ]).text)
    }
    try Output.line("\(number)  \(tag.identifier.uidText)  \(written.text)\(written.remarks)")
  }

  /// Returns the row of a tag's number as `--row` counts, from 1.
  private func row(of number: Int) -> Int { firstRow + number - first + 1 }

  /// Returns the values of a row by column, unless one may be a password.
  private func columns(of number: Int) -> JSONValue? {
    guard let table, !hasSecrets else { return nil }
    let values = table.rows[row(of: number) - 1].values
    return .object(
      zip(table.columns, values).map { JSONValue.Member(key: $0, value: .string($1)) })
  }

  private func report(_ tag: DetectedTag, _ failure: Failure, _ options: GlobalOptions) throws {
    Terminal.clearStatus()
    guard !options.json else {
      return try Output.line(
        JSONValue.members([
          "uid": .uid(tag.identifier), "error": failure.json,
        ]).text)
    }
    try Output.line("-  \(tag.identifier.uidText)  failed: \(failure.reason.onOneLine)")
  }

  private func finish(_ session: Session, _ cardInUse: NFCError?) throws {
    try summarize(session.options)
    let (written, failed, last) = state.withLock { state in
      (state.batch.writtenCount, state.failures, state.lastFailure)
    }
    if let failure = failed.values.first ?? last {
      throw Failure(
        failure.status, "not every tag was written: \(failure.reason)", tag: failure.tag,
        advice: advice(failure.advice))
    }
    guard written >= count ?? 1 else {
      if let cardInUse {
        var failure = Failure(waitingFor: cardInUse)
        failure.advice = advice(failure.advice)
        throw failure
      }
      throw Failure(
        .notThere, "no more tags came in time",
        advice: advice("hold the next one to the reader, or wait longer with --timeout"))
    }
    if let option = continuation { Output.printNotice(option) }
  }

  /// A sentence about the option with which the same command continues; `nil` if there is none.
  private var continuation: String? {
    next(after: writtenCount).map { "the same command continues with --\($0.name) \($0.number)" }
  }

  private func advice(_ text: String?) -> String? {
    let sentences = [text, continuation].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
  }

  private func summarize(_ options: GlobalOptions) throws {
    Terminal.clearStatus()
    let (written, failed) = state.withLock { ($0.batch.writtenCount, $0.batch.failedCount) }
    let next = next(after: written)
    try Output.line(
      options.json
        ? JSONValue.members([
          "written": .integer(written), "failed": .integer(failed),
          next?.name ?? "": next.map { .integer($0.number) },
        ]).text
        : "\(written) tag\(written == 1 ? "" : "s") written, \(failed) failed")
  }

  /// Returns the option with which the same command continues after the tags that were written, and its value; `nil` if
  /// there is no more to write, or if the next tag is like the first.
  private func next(after written: Int) -> (name: String, number: Int)? {
    guard let table else {
      let isComplete = written >= count ?? .max
      return usesNumber && written > 0 && !isComplete ? ("first", first + written) : nil
    }
    let row = firstRow + written
    return written > 0 && row < table.rows.count ? ("row", row + 1) : nil
  }
}
