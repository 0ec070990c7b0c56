import ArgumentParser
import NFC
import TagImages

/// `nfc copy`.
struct CopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copies one tag to the next one.",
    usage: "nfc copy [--ndef] [<options>]",
    discussion: """
      Reads the first tag, or the one that --uid names, and waits for another. Between tags of one kind \
      and size the user memory is copied, otherwise the NDEF message. UID, locks, passwords and \
      configuration stay behind, and the command says so.

      Example:
        nfc copy --virtual ntag213 --virtual ntag215
      """)

  @Flag(help: "Copy only the NDEF message.")
  var ndef = false

  @OptionGroup var keys: TagKeys
  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  /// What was read of the first tag.
  private struct Original: Sendable {
    var uid: [UInt8]
    var image: TagImage?
    var message: [UInt8]?
  }

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let first = try await session.selectTag("a tag", polling: .any, for: .reading) { $0 }
      let original = try await first.changingNDEF {
        try await Progress.during("Reading \(first.name)") { try await read(first.kind, password) }
      }
      guard original.image != nil || original.message != nil else {
        throw Failure(
          .notThere, "nothing of the tag can be copied", tag: first.name,
          advice: "it has neither a memory that can be read nor an NDEF message")
      }
      Output.remark("read \(first.name); take it away and hold the next one to the reader")
      let next = try await session.waitForNextTag(after: original.uid)
      let result = try await next.changingNDEF {
        try await Progress.during("Writing \(next.name)") {
          try await write(original, to: next, session)
        }
      }
      try report(original.uid, next.detected.identifier, result, session)
    }
  }

  private func read(_ tag: DetectedTag, _ password: [UInt8]?) async throws -> Original {
    var original = Original(uid: tag.identifier)
    if !ndef, let memory = MemoryTag(tag), !memory.hasOnlyFiles {
      let content = try await memory.read(keys, password: password)
      // A part of a memory is no copy.
      if content.missing == nil { original.image = content.image }
    }
    if original.image == nil, password != nil { try await tag.authenticate(password) }
    let content = try await NDEFContent(tag)
    if content.status.access != .notSupported { original.message = content.bytes }
    return original
  }

  private struct Result {
    var what: String
    var written: Int
    var leftBehind: [String]
  }

  private func write(
    _ original: Original, to tag: SelectedTag<DetectedTag>, _ session: Session
  ) async throws -> Result {
    if let image = original.image, let result = try await copy(image, to: tag.detected) {
      return result
    }
    guard let message = original.message, let ndef = tag.kind.ndef else {
      throw Failure(
        .notThere, "the tag is \(tag.kind.kindName), and the first one has no NDEF message for it",
        tag: tag.name, advice: "use another tag")
    }
    try await ndef.writeNDEFBytes(message, verify: true)
    return Result(
      what: "the NDEF message", written: message.count,
      leftBehind: original.image == nil ? ["UID"] : ["UID", "other memory"])
  }

  /// `nil` if the tag is of another kind or size.
  private func copy(_ image: TagImage, to tag: DetectedTag) async throws -> Result? {
    guard let memory = MemoryTag(tag) else { return nil }
    let restoration: any MemoryRestoration
    do {
      switch (image.kind, memory) {
      case (.classic, .classic(let commands, _)):
        restoration = try await ClassicRestoration(
          commands, image, keys: try keys.classic, locksForGood: false, includesBlock0: false)
      case (.type2, .ultralight(let commands, _)):
        restoration = try await UltralightRestoration(
          commands, image, key: nil, extras: [])
      case (.iso15693, .vicinity), (.feliCaLite, .feliCaLite), (.topaz, .topaz):
        restoration = try await BlockRestoration(
          memory, image, now: try await memory.read(keys, password: nil).image)
      default: return nil
      }
    } catch let error as NFCError where error.code == .malformedContent {
      return nil
    }
    let parts = try await restoration.run()
    let omissions = parts.flatMap { part in part.omissions.map { "\(part.name): \($0.text)" } }
    return Result(
      what: "the memory", written: parts.reduce(0) { $0 + $1.written.count },
      leftBehind: ["UID"] + omissions)
  }

  private func report(
    _ from: [UInt8], _ to: [UInt8], _ result: Result, _ session: Session
  ) throws {
    guard !options.json else {
      return try Output.line(
        JSON.members([
          "uid": .bytes(to), "from": .bytes(from), "copied": .string(result.what),
          "written": .integer(result.written),
          "leftBehind": .array(result.leftBehind.map { .string($0) }),
        ]).text)
    }
    session.note(
      "copied \(result.what) of \(from.hexadecimal) to \(to.hexadecimal); left behind: "
        + result.leftBehind.joined(separator: "; "))
  }
}

extension Session {
  /// Waits for a tag with another UID, and connects to it.
  fileprivate func waitForNextTag(after uid: [UInt8]) async throws -> SelectedTag<DetectedTag> {
    let clock = ContinuousClock()
    let deadline = clock.now + (options.timeout ?? .seconds(10))
    repeat {
      Terminal.show("Hold the next tag to the reader…")
      if let tag = try await tagsInField().first(where: { $0.identifier != uid }) {
        Terminal.clearStatus()
        try await tag.connect()
        return SelectedTag(detected: tag, kind: tag, use: .changing)
      }
      demo?.showNext()
      try await Task.sleep(for: .milliseconds(100))
    } while clock.now < deadline
    throw Failure(
      .notThere, "no second tag came in time",
      advice: "hold it to the reader, or wait longer with --timeout")
  }
}
