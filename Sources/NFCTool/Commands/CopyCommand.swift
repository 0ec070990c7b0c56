import SwiftNFCJSONText
import ArgumentParser
import NFC
import TagImages
import TagTools

/// The command `nfc copy`.
struct CopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copies one tag to the next one.",
    usage: "nfc copy [--ndef] [--plan] [<options>]",
    discussion: """
      Reads the first tag, or the one that --uid names, and waits for another. Two tags together are refused \
      without --uid. Between tags of the same kind \
      and size it copies the user memory. Between two DESFire cards, FeliCa cards or Type 4 tags it copies \
      the files and services that both have and that everybody can read and write; it creates no \
      applications or files, and deletes records that the first does not have. Between all other tags it \
      copies the NDEF message. UID, locks, passwords and configuration are left behind, and the command \
      says so; so are the keys of a MIFARE Classic, except those that everybody knows.

      --plan shows every change to the next tag, before and after, and writes nothing.

      Example:
        nfc copy --virtual ntag213 --virtual ntag215
      """)

  @Flag(help: "Copy only the NDEF message.")
  var ndef = false

  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: TagPassword

  @Flag(help: "Print every change that would be made, before and after, and write nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      // With two tags in the field, chance would decide which of them is overwritten.
      var first = try await session.selectTag(
        "a tag", polling: .any, uid: session.firstVirtualUID, for: .changing
      ) { $0 }
      // This one is only read.
      first.use = .reading
      let original = try await first.changingNDEF {
        try await Progress.during("Reading \(first.name)") { try await read(first.kind, password) }
      }
      guard original.image != nil || original.message != nil else {
        throw Failure(
          .notThere, "nothing of the tag can be copied", tag: first.name,
          advice: "it has neither a memory that can be read nor an NDEF message")
      }
      Output.printNotice("read \(first.name); take it away and hold the next one to the reader")
      let next = try await session.waitForNextTag(
        after: first.detected, plan ? .reading : .changing)
      // The tag that comes first is the one that is read.
      let again = InterruptedChange(
        state: "is as it was, or written in part",
        advice: "copy again, with \(first.name) first")
      let copy = try await next.changingNDEF(again) { try await prepare(original, for: next) }
      guard !plan else {
        try show(copy, isDone: false, Output.line)
        if case .memory(let restoration, _) = copy.content {
          try PlanOutput.showEffects(restoration.plan.effects, options)
        }
        return
      }
      if !options.json { try show(copy, isDone: false, Output.printNotice) }
      let result: Result
      do {
        result = try await next.changingNDEF(again) { try await copy.run(on: next.detected) }
      } catch var failure as Failure where failure.status == .lost {
        failure.advice = again.advice
        throw failure
      }
      try report(original.uid, next.detected.identifier, result, session)
    }
  }

  // MARK: Reading

  /// The data that was read from the first tag.
  private struct Original: Sendable {
    var uid: [UInt8]
    var image: TagImage?
    /// A description of the files that require a key.
    var missing: String?
    var message: [UInt8]?
  }

  private func read(_ tag: DetectedTag, _ password: [UInt8]?) async throws -> Original {
    var original = Original(uid: tag.identifier)
    if !ndef, tag.imageKind != nil, let content = try await memory(of: tag, password) {
      original.image = content.image
      original.missing = content.missing
    }
    if original.image == nil || original.missing != nil, password != nil {
      try await tag.authenticate(password)
    }
    try tag.useForMessage(keys.found)
    do {
      let content = try await NDEFContent(tag)
      if content.status.access != .notSupported { original.message = content.bytes }
    } catch let error as NFCError where error.code == .notAuthenticated && original.image != nil {
      // The memory of a MIFARE Classic was read with other keys than those that a message has. Without all of them, only
      // a part of the message may be there.
      if original.missing != nil, !tag.hasOnlyFiles { throw error }
    }
    // The sectors of a MIFARE Classic and files are copied individually. Of another memory that was only partly read,
    // the message is.
    if original.missing != nil, original.image?.kind != .classic, !tag.hasOnlyFiles {
      original.image = nil
    }
    return original
  }

  /// Returns the content, or `nil` for a smart card without a readable file.
  private func memory(
    of tag: DetectedTag, _ password: [UInt8]?
  ) async throws -> TagBackup? {
    do {
      return try await tag.readImage(keys, password: password)
    } catch let error as NFCError where error.code == .wrongTag {
      return nil
    }
  }

  // MARK: Writing

  /// The steps for the next tag.
  private struct Copy: Sendable {
    enum Content: Sendable {
      case memory(TagRestoration, plan: [RestoredPart])
      /// A message, or `nil` if the tag already has it.
      case message([UInt8]?, any NDEFTag)
    }

    let content: Content
    /// Descriptions of the omitted parts. Those of a restoration are added later.
    let leftBehind: [String]

    func run(on tag: DetectedTag) async throws -> Result {
      switch content {
      case .memory(let restoration, _):
        let plan = restoration.plan
        let parts = restoration.parts(
          of: try await tag.perform(plan, accepting: Set(plan.effects)))
        let written = parts.reduce(0) { $0 + $1.written.count }
        return Result(
          what: "the memory", isChanged: written > 0, written: written,
          leftBehind: leftBehind
            + parts.flatMap { part in
              part.omissions.map { "\(part.name): \(Self.withoutOption(part.text(of: $0)))" }
            })
      case .message(let message, let ndef):
        if let message { try await ndef.writeNDEFBytes(message, verify: true) }
        return Result(
          what: "the NDEF message", isChanged: message != nil, written: message?.count ?? 0,
          leftBehind: leftBehind)
      }
    }

    /// Returns the description of an omission that names an option of `nfc restore`, which this command does not have.
    private static func withoutOption(_ text: String) -> String {
      text.replacing("only with --include", with: "only by nfc restore --include")
    }
  }

  private struct Result {
    var what: String
    /// Whether the tag did not have all of it before.
    var isChanged: Bool
    var written: Int
    var leftBehind: [String]
  }

  /// - Throws: `notThere` if none of the first tag's data fits the next tag.
  private func prepare(
    _ original: Original, for tag: SelectedTag<DetectedTag>
  ) async throws -> Copy {
    var original = original
    let sectors = original.image?.forgetSecretKeys() ?? []
    if let image = original.image,
      let (restoration, plan) = try await restoration(image, to: tag.detected)
    {
      // The UID and the locks of two tags differ even if one is a copy of the other.
      let isUseless =
        plan.allSatisfy(\.written.isEmpty)
        && plan.contains { $0.omissions.contains(where: \.isFailure) }
      // If no file fits, the message may.
      if !isUseless || original.message == nil || tag.kind.ndef == nil {
        guard !isUseless else {
          throw Failure(
            .notThere, "nothing could be copied: \(RestoreArguments.omissions(plan))",
            tag: tag.name, advice: "use another tag")
        }
        return Copy(
          content: .memory(restoration, plan: plan),
          leftBehind: ["UID"] + (original.missing.map { [$0] } ?? [])
            + (sectors.isEmpty ? [] : ["keys of sectors \(NumberList.text(sectors))"]))
      }
    }
    guard let message = original.message, let ndef = tag.kind.ndef else {
      throw Failure(
        .notThere, "the tag is \(tag.kind.kindName), and the first one has no NDEF message for it",
        tag: tag.name, advice: "use another tag")
    }
    let isThere = try await has(message, tag.detected)
    let hasMemory = original.image != nil || original.missing != nil
    return Copy(
      content: .message(isThere ? nil : message, ndef),
      leftBehind: ["UID"] + (hasMemory ? ["other memory"] : []))
  }

  /// Returns whether a tag already has a message. Broken and protected content is not that of another tag.
  private func has(_ message: [UInt8], _ tag: DetectedTag) async throws -> Bool {
    do {
      try tag.useForMessage(keys.found)
      let content = try await NDEFContent(tag)
      return content.status.access != .notSupported && content.bytes == message
    } catch let error as NFCError where [.content, .refusal].contains(error.group) {
      return false
    }
  }

  /// Returns the restoration, or `nil` if the tag is of another kind or size.
  private func restoration(
    _ image: TagImage, to tag: DetectedTag
  ) async throws -> (TagRestoration, [RestoredPart])? {
    guard image.kind == tag.imageKind else { return nil }
    do {
      // The key of an Ultralight or NTAG is that of the first tag.
      let found = image.kind == .type2 ? TagKeys() : try keys.found.keys(for: tag)
      let restoration = try await tag.restoration(
        of: image, keys: found, passwordBytes: nil, including: .zeroKeys)
      guard plan else { return (restoration, restoration.parts) }
      let now =
        if let present = restoration.present { present } else {
          try await tag.readImage(keys, password: nil).image
        }
      return (restoration, restoration.parts(comparedWith: now))
    } catch let error as NFCError
      where [.malformedContent, .wrongTag, .readOnly].contains(error.code)
    {
      return nil
    }
  }

  // MARK: Reports

  private func show(
    _ copy: Copy, isDone: Bool, _ print: (String) throws -> Void
  ) throws {
    switch copy.content {
    case .memory(_, let plan):
      try RestoreArguments.show(plan, isDone: isDone, options, print)
    case .message(let message, _):
      guard let message else { return }
      try print(
        options.json
          ? JSONValue.members(["message": .integer(message.count)]).text
          : "the NDEF message: write \(message.count) bytes")
    }
  }

  private func report(
    _ from: [UInt8], _ to: [UInt8], _ result: Result, _ session: Session
  ) throws {
    guard !options.json else {
      return try Output.line(
        JSONValue.members([
          "uid": .uid(to), "from": .uid(from), "copied": .string(result.what),
          "written": .integer(result.written),
          "leftBehind": .array(result.leftBehind.map { .string($0) }),
        ]).text)
    }
    session.note(
      (result.isChanged
        ? "copied \(result.what) of \(from.uidText) to \(to.uidText)"
        : "nothing was to be copied: \(to.uidText) already has \(result.what) of \(from.uidText)")
        + "; left behind: " + result.leftBehind.joined(separator: "; "))
  }
}

extension TagImage {
  /// Forgets the keys of a MIFARE Classic except those that everybody knows. With a secret key A, the access conditions
  /// are those of its owner, too.
  ///
  /// - Returns: the sectors with such keys.
  fileprivate mutating func forgetSecretKeys() -> [Int] {
    let count = memory.bytes.count
    guard kind == .classic, let geometry = MiFareClassicGeometry(memorySize: count) else {
      return []
    }
    func isSecret(_ range: Range<Int>) -> Bool {
      memory.known(range).flatMap { MiFareClassicKey($0) }
        .map { !MiFareClassicKey.wellKnown.contains($0) } ?? false
    }
    return geometry.sectors.filter { sector in
      let end = geometry.blocks(ofSector: sector).upperBound * MiFareClassicGeometry.blockSize
      let trailer = end - MiFareClassicGeometry.blockSize..<end
      let keyA = trailer.prefix(MiFareClassicKey.size)
      let keyB = trailer.suffix(MiFareClassicKey.size)
      let (isSecretA, isSecretB) = (isSecret(keyA), isSecret(keyB))
      if isSecretA { memory.markUnknown(trailer) }
      if isSecretB { memory.markUnknown(keyB) }
      return isSecretA || isSecretB
    }
  }
}

extension Session {
  /// Waits for a tag with another UID, and connects to it. If the reader does not report the UID, or it is another one
  /// at each power-on, the first tag has to leave before the next one comes.
  fileprivate func waitForNextTag(
    after first: DetectedTag, _ use: TagUse
  ) async throws -> SelectedTag<DetectedTag> {
    let clock = ContinuousClock()
    let deadline = clock.now + (options.timeout ?? .seconds(10))
    let uid = first.identifier
    var departure = TagDeparture()
    var hasLeft = false
    var cardInUse: NFCError?
    repeat {
      Terminal.show("Hold the next tag to the reader…")
      let look = try await look()
      let tags = look.tags
      cardInUse = look.cardInUse
      if cardInUse == nil { hasLeft = hasLeft || departure.isComplete(tags) }
      let next = tags.filter { tag in
        first.hasLastingUID || tag.hasLastingUID ? tag.identifier != uid : hasLeft
      }
      if let tag = next.first {
        Terminal.clearStatus()
        if let other = next.dropFirst().first, firstVirtualUID == nil {
          throw Failure(
            .notThere,
            "two tags came, \(tag.identifier.uidText) and \(other.identifier.uidText)",
            advice: "hold only the tag to the reader that is to be written")
        }
        try await tag.connect()
        return SelectedTag(detected: tag, kind: tag, use: use)
      }
      demo?.showNext()
      try await Task.sleep(for: .milliseconds(100))
    } while clock.now < deadline
    if let cardInUse { throw Failure(waitingFor: cardInUse) }
    throw Failure(
      .notThere, "no second tag came in time",
      advice: "hold it to the reader, or wait longer with --timeout")
  }
}
