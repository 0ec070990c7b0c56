import NFC
import Synchronization

/// The tag that a command works with.
struct SelectedTag<Kind: Sendable>: Sendable {
  let detected: DetectedTag
  /// The tag in the form that the command needs.
  let kind: Kind
  var use = TagUse.reading

  /// Runs `body` and shows its duration. The tag's name is added to errors.
  func addingTagName<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await showingProgress(body)
    } catch let error as NFCError {
      throw Failure(error, tag: name)
    }
  }

  /// Runs `body` in a session with a card, and always ends the session, also if the task is cancelled.
  ///
  /// - Parameters:
  ///   - end: ends the session.
  ///   - advising: adds advice for errors of the card's family.
  func run<Result>(
    endingBy end: () async throws -> Void, _ body: () async throws -> Result,
    advising: (NFCError, inout Failure) -> Void
  ) async throws -> Result {
    do {
      let result = try await noting(.unrepeatable, body)
      // The work is complete. A card that has left has no session to end.
      try? await end()
      return result
    } catch let failure as Failure {
      try? await end()
      throw failure
    } catch let error as NFCError {
      if error.group != .connection { try? await end() }
      var failure = Failure(error, tag: name)
      advising(error, &failure)
      throw failure
    } catch {
      try? await end()
      throw error
    }
  }

  /// Shows on a terminal that the command is working, after one second.
  ///
  /// - Parameter interrupted: what an interruption leaves, if the command changes the tag.
  func showingProgress<Result: Sendable>(
    interrupted: InterruptedChange = .repeatable, _ body: () async throws -> Result
  ) async throws -> Result {
    try await noting(interrupted) {
      try await Progress.during("\(use == .reading ? "Reading" : "Writing") \(name)", body)
    }
  }

  /// Runs `body`. If the process is asked to end meanwhile and the command changes the tag, the error says what the
  /// tag has then.
  func noting<Result>(
    _ interrupted: InterruptedChange, _ body: () async throws -> Result
  ) async throws -> Result {
    guard use == .changing else { return try await body() }
    return try await Interruption.noting(
      Failure(
        .interrupted, "interrupted; the tag \(interrupted.state)", tag: name,
        advice: interrupted.advice), body)
  }

  /// The tag's name in errors.
  var name: String { detected.identifier.tagName }
}

/// What is known of a tag after the command that changes it was interrupted.
struct InterruptedChange: Sendable {
  /// A description that follows "the tag".
  var state: String
  var advice: String

  static let repeatable = InterruptedChange(
    state: "is as it was, or changed in part", advice: "the same command completes the change")
  /// A change that would be made twice, as one of a value or a new record.
  static let unrepeatable = InterruptedChange(
    state: "is as it was, or changed", advice: "check that before you repeat the command")
  static let message = InterruptedChange(
    state: "holds the message that it had, none, or the new one", advice: "nfc read shows which")
  static let format = InterruptedChange(
    state: "is as it was, or formatted in part", advice: "format it again")
  static let lock = InterruptedChange(
    state: "is as it was, or locked in part", advice: "lock it again, which completes it")
}

/// The way in which a command uses a tag. It determines how certain the command has to be that it has the
/// right tag.
enum TagUse: Sendable {
  /// The command only reads, or sends exactly the given bytes. It uses the first suitable tag.
  case reading
  /// The command changes the tag. It first looks for a second tag of the same technology, and requires
  /// `--uid` if there is one.
  case changing
}

extension [TagTechnology] {
  /// The technologies of tags with NDEF messages (NFC Forum types 1 to 5, MIFARE Classic).
  static let ndef: [TagTechnology] = [.iso14443a, .iso14443b, .feliCa, .jewel, .iso15693]
  /// All technologies, in polling order.
  static let any: [TagTechnology] = PollingOptions.all.technologies
  static let miFare: [TagTechnology] = [.iso14443a]
  /// The technologies of smart cards (ISO/IEC 14443-4).
  static let smartCards: [TagTechnology] = [.iso14443a, .iso14443b]
  static let feliCa: [TagTechnology] = [.feliCa]
  static let vicinity: [TagTechnology] = [.iso15693]
}

extension Session {
  static let defaultTimeout = Duration.seconds(10)

  /// The time to wait for a tag.
  var timeout: Duration { options.timeout ?? Self.defaultTimeout }

  /// Waits for a tag, and connects to it.
  ///
  /// The command polls only for technologies that it can use, and takes the first suitable tag. While there
  /// is no such tag, it polls for the other technologies at intervals. A tag that is found in this way is
  /// accepted if `kind` accepts it. Otherwise, the error says that it is the wrong tag.
  ///
  /// - Parameters:
  ///   - name: the kind of tag that the command needs, with its article: `a MIFARE tag`.
  ///   - technologies: the technologies that the command can use, in polling order.
  ///   - preferred: the UID of the tag to use if the command line names none.
  ///   - use: the way in which the command uses the tag.
  ///   - kind: returns the tag in the form that the command needs, or `nil` if the tag is not suitable.
  func selectTag<Kind: Sendable>(
    _ name: String, polling technologies: [TagTechnology], requestsVersion: Bool = true,
    uid preferred: [UInt8]? = nil, for use: TagUse,
    _ kind: @escaping @Sendable (DetectedTag) -> Kind?
  ) async throws -> SelectedTag<Kind> {
    let clock = ContinuousClock()
    let timeout = timeout
    let deadline = clock.now + timeout
    let uid = options.uid ?? preferred
    let passed = UnsuitableTags()
    let criteria = TagCriteria(
      technologies: technologies, otherTechnologies: technologies.others,
      requestsVersion: requestsVersion,
      fits: { tag in (uid == nil || tag.identifier == uid) && kind(tag) != nil },
      onUnsuitableTags: { [demo] tags in
        passed.tags = tags
        let wrong = tags.first { uid == nil || $0.identifier == uid }
        if let wrong, demo?.isOver ?? true { throw Failure(wrong, isNot: name) }
        demo?.passOver(tags, polling: technologies)
      })
    let subject = uid.map { "the tag \($0.hexadecimal)" } ?? name
    while true {
      do {
        let found = try await Progress.asking(for: subject, within: deadline - clock.now) {
          try await group.firstTag(criteria, within: max(.zero, deadline - clock.now))
        }
        guard let kind = kind(found.tag) else { throw Failure(found.tag, isNot: name) }
        if use == .changing, uid == nil { try await checkForOtherTags(of: found) }
        try await found.tag.connect()
        return SelectedTag(detected: found.tag, kind: kind, use: use)
      } catch let error as NFCError where error.code == .tagConnectionLost {
        // The tag has left again. The next poll reports that, or finds another tag.
        guard clock.now < deadline else {
          throw Failure(nothingCameIn: options, within: timeout, passed.tags)
        }
      } catch let error as NFCError where error.code == .noTag || error.code == .wrongTag {
        throw Failure(nothingCameIn: options, within: timeout, passed.tags)
      } catch let error as NFCError where error.isCardInUse {
        throw Failure(waitingFor: error)
      }
    }
  }

  /// Throws an error if there is another tag that the command could be meant for.
  private func checkForOtherTags(of found: Readers.FoundTag) async throws {
    guard let other = try await group.otherTags(than: found).first else { return }
    throw Failure(
      .notThere,
      "two tags are in the field, \(found.tag.identifier.uidText) and \(other.uidText)",
      advice: "take one away, or name the one that is meant with --uid")
  }

}

/// The tags that were present at a poll that found no suitable tag.
private final class UnsuitableTags: Sendable {
  private let found = Mutex<[DetectedTag]>([])

  var tags: [DetectedTag] {
    get { found.withLock { $0 } }
    set { found.withLock { $0 = newValue } }
  }
}

extension [TagTechnology] {
  /// All other technologies, in polling order.
  fileprivate var others: [TagTechnology] {
    PollingOptions.all.technologies.filter { !contains($0) }
  }
}

extension Failure {
  /// Creates the error for a missing tag: no tag arrived in time, or none with the UID of `--uid`.
  init(nothingCameIn options: GlobalOptions, within timeout: Duration?, _ others: [DetectedTag]) {
    let wanted = options.uid.map { "no tag with the UID \($0.hexadecimal)" } ?? "no tag"
    let time = timeout.map { "within \($0.shortText) s" } ?? "in time"
    var identifiers: [String] = []
    for identifier in others.map(\.identifier.uidText) where !identifiers.contains(identifier) {
      identifiers.append(identifier)
    }
    let found = identifiers.isEmpty ? "" : ", only \(identifiers.joined(separator: ", "))"
    self.init(
      .notThere, "\(wanted) came \(time)\(found)",
      advice: "hold it to the reader, or wait longer with --timeout")
  }

  /// Creates the error for a tag that another program uses, if no other tag arrived in time.
  init(waitingFor error: NFCError) {
    self.init(
      .notThere, "no tag came in time: \(error.description)",
      advice: "take the card away and put it back, or end the program that uses it")
  }

  /// Creates the error for a tag of the wrong kind.
  ///
  /// - Parameter name: the kind of tag that the command needs, with its article.
  fileprivate init(_ tag: DetectedTag, isNot name: String) {
    self.init(
      .notThere, "the tag is not \(name) but \(tag.kindName)",
      tag: tag.identifier.tagName, advice: "use another tag")
  }
}

extension Duration {
  /// The number of seconds, without trailing zeros.
  fileprivate var shortText: String {
    var text = secondsText
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
