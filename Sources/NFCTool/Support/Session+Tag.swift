import NFC

/// The tag that a command works with.
struct SelectedTag<Kind: Sendable>: Sendable {
  let detected: DetectedTag
  /// The tag as what the command needs.
  let kind: Kind

  /// Runs `body`, and says of an error to which tag it happened.
  func work<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as NFCError {
      throw Failure(error, tag: name)
    }
  }

  /// What an error calls the tag.
  var name: String { "tag \(detected.identifier.hexadecimal)" }
}

extension Session {
  private static let defaultTimeout = Duration.seconds(10)
  private static let pause = Duration.milliseconds(100)
  /// A frame between host and reader can break; a reader that fails this often is gone.
  private static let toleratedFailures = 2

  /// Waits for a tag, and connects to it.
  ///
  /// - Parameters:
  ///   - name: what the command needs, with its article: `a MIFARE tag`.
  ///   - kind: a tag as what the command needs, `nil` if it is not that.
  func selectTag<Kind: Sendable>(
    _ name: String, _ kind: (DetectedTag) -> Kind?
  ) async throws -> SelectedTag<Kind> {
    let clock = ContinuousClock()
    let timeout = options.timeout ?? Self.defaultTimeout
    let deadline = clock.now + timeout
    var failures = 0
    var others: [DetectedTag] = []
    var hindrance: NFCError?
    repeat {
      do {
        let present = try await tagsInField()
        failures = 0
        hindrance = nil
        let wanted = present.filter { options.uid == nil || $0.identifier == options.uid }
        if let tag = try await select(wanted, among: present, name, kind) { return tag }
        others = present
        demo?.showNext()
      } catch let error as NFCError where error.isOfCardInUse {
        hindrance = error
      } catch let error as NFCError where error.code == .readerUnavailable {
        failures += 1
        guard failures <= Self.toleratedFailures else {
          throw NFCError(.readerLost, error.reason, cause: error.cause)
        }
      }
      try await Task.sleep(for: Self.pause)
    } while clock.now < deadline
    if let hindrance { throw Failure(waitingFor: hindrance) }
    throw nothingCame(in: timeout, others)
  }

  /// Connects to the first that is of the kind. Throws if there are tags and none is, unless others
  /// are still to be shown.
  private func select<Kind>(
    _ wanted: [DetectedTag], among present: [DetectedTag], _ name: String,
    _ kind: (DetectedTag) -> Kind?
  ) async throws -> SelectedTag<Kind>? {
    guard let first = wanted.first else { return nil }
    let usable = wanted.compactMap { tag in
      kind(tag).map { SelectedTag(detected: tag, kind: $0) }
    }
    guard let tag = usable.first else {
      if demo?.isOver == false { return nil }
      throw Failure(
        .notThere, "the tag is not \(name) but \(first.kindName)",
        tag: "tag \(first.identifier.hexadecimal)", advice: "use another tag")
    }
    do {
      try await tag.detected.connect()
    } catch let error as NFCError where error.code == .tagConnectionLost {
      return nil
    }
    if options.uid == nil, present.count > 1 {
      note(
        "\(present.count) tags are in the field; took \(tag.detected.identifier.hexadecimal), "
          + "--uid picks another")
    }
    return tag
  }

  private func nothingCame(in timeout: Duration, _ others: [DetectedTag]) -> Failure {
    let wanted = options.uid.map { "no tag with the UID \($0.hexadecimal)" } ?? "no tag"
    let found =
      others.isEmpty
      ? "" : ", only \(others.map(\.identifier.hexadecimal).joined(separator: ", "))"
    return Failure(
      .notThere, "\(wanted) came within \(timeout.shortText) s\(found)",
      advice: "hold it to the reader, or wait longer with --timeout")
  }
}

extension Failure {
  /// No tag came in time but one that another program has.
  init(waitingFor hindrance: NFCError) {
    self.init(
      .notThere, "no tag came in time: \(hindrance.description)",
      advice: "take the card away, or end the program that uses it")
  }
}

extension Duration {
  /// Seconds, without decimals that say nothing.
  fileprivate var shortText: String {
    var text = secondsText
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
