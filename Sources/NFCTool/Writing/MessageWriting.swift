import SwiftNFCJSONText
import NFC
import TagTools

/// Writes a message to a tag as the options of a command say.
struct MessageCommand: Sendable {
  var writing = MessageWriting()
  /// The file that receives the tag's old message, or `nil`.
  var backup: String?
  var secrets = TagSecrets.none

  /// The result of writing.
  struct Result: Sendable {
    /// The size of the complete message in bytes.
    var length: Int
    var isVerified: Bool
    var isLocked: Bool
    /// The id by which Home Assistant knows the tag, if it is a tag of its own app.
    var homeAssistantID: String?
    /// What was written, in a few words.
    var summary: String

    /// What was written, and its size, for people.
    var text: String { "wrote \(summary) (\(length) byte\(length == 1 ? "" : "s"))" }
    /// What else was done, as the end of a line for people.
    var remarks: String { (isVerified ? ", verified" : "") + (isLocked ? ", locked" : "") }

    /// The members for `--json`.
    var members: KeyValuePairs<String, JSONValue?> {
      [
        "written": .integer(length), "verified": .bool(isVerified),
        "locked": isLocked ? .bool(true) : nil,
        "tagID": homeAssistantID.map { .string($0) },
      ]
    }
  }

  func write(_ message: NDEFMessage, to tag: DetectedTag) async throws -> Result {
    try await tag.open(with: secrets)
    let length = try await naming(tag) {
      try await tag.write(
        message, writing, keeping: backup.map { path in { try save($0, to: path) } })
    }
    return Result(
      length: length, isVerified: writing.verifies, isLocked: writing.locks,
      homeAssistantID: HomeAssistantTag.id(in: message), summary: message.summary)
  }

  /// Returns what ``write(_:to:)`` would do. Writes nothing.
  func plan(_ message: NDEFMessage, for tag: DetectedTag) async throws -> ChangePlan {
    try await tag.open(with: secrets)
    return try await naming(tag) { try await tag.messagePlan(message, writing) }
  }

  /// Saves the message that is on the tag. Nothing is written to a tag whose message cannot be saved.
  func save(_ bytes: [UInt8], to path: String) throws {
    try File.write(
      bytes, to: path, isPublic: !secrets.areGiven && !Credentials.mayBe(in: bytes))
  }

  /// Adds the option with which records that cannot be kept are replaced.
  private func naming<Value: Sendable>(
    _ tag: DetectedTag, _ body: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch let error as NFCError where writing.appends && error.code == .malformedContent {
      var failure = Failure(error, tag: tag.identifier.tagName)
      failure.advice = "leave --append out to replace the message"
      throw failure
    }
  }
}

extension Session {
  /// Waits for a tag for which NDEF is defined, and connects to it.
  func selectNDEFTag(for use: TagUse) async throws -> SelectedTag<any NDEFTag> {
    try await selectTag("an NDEF tag", polling: .ndef, for: use) { $0.ndef }
  }
}

extension DetectedTag {
  /// Whether `nfc format` can turn a tag of this kind into an NDEF tag. A smart card is asked which chip it is.
  fileprivate var canBeFormatted: Bool {
    get async {
      switch self {
      case .miFare(let tag): tag.family != .plus
      case .iso15693: true
      case .feliCa(let tag): [[0x88, 0xB4], [0x12, 0xFC]].contains(tag.systemCode)
      case .other(let tag): tag.technology == .jewel
      case .iso7816(let card): await card.isDESFire
      }
    }
  }

  /// The advice for a tag that is not an NDEF tag.
  var adviceWithoutNDEF: String {
    get async {
      await canBeFormatted
        ? "nfc format makes a blank tag an NDEF tag"
        : "it is \(kindName), which cannot be formatted; use another tag"
    }
  }
}

extension ISO7816Tag {
  /// Whether the card is a MIFARE DESFire, for which a command that only reads does not ask before. One exchange: the first
  /// part of GetVersion, whose second byte is the product's type (NXP AN10833).
  fileprivate var isDESFire: Bool {
    get async {
      let getVersion = APDU(
        instructionClass: 0x90, instructionCode: 0x60, p1: 0, p2: 0, expectedLength: 256)
      guard let answer = try? await sendCommand(getVersion), answer.sw1 == 0x91,
        answer.data.count > 1
      else { return false }
      return answer.data[1] & 0x0F == 0x01
    }
  }
}

extension DetectedTag {
  /// The advice for a tag that requires a password, or keys, which smart cards have instead.
  fileprivate var adviceForClosedNDEF: String {
    switch self {
    case .miFare(let tag) where tag.family == .classic:
      "give the card's key with --key, or several with --keys"
    case .miFare(let tag) where tag.family == .desfire: Self.adviceForKeys
    case .iso7816 where !mayHavePassword: Self.adviceForKeys
    default: "give the tag's password with --tag-password or --password-file"
    }
  }

  private static let adviceForKeys =
    "it has keys, not a password; nfc sun setup and nfc desfire use those of an NXP chip"
}

extension SelectedTag {
  /// A refused page does not say whether it is locked.
  private static var adviceForClosedTag: String {
    "nfc info shows whether it is locked or protected; if it has a password, give it with --tag-password"
  }

  /// Runs code that reads or changes the tag's message. The tag is added to errors.
  ///
  /// - Parameter interrupted: what an interruption leaves, if the command changes the tag.
  func changingNDEF<Result: Sendable>(
    _ interrupted: InterruptedChange = .message, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await showingProgress(interrupted: interrupted, body)
    } catch let error as NFCError {
      var failure = Failure(error, tag: name)
      switch error.code {
      case .notNDEF: failure.advice = await detected.adviceWithoutNDEF
      case .unsupported where error.cause != .unsupportedByReader:
        if await !detected.canBeFormatted { failure.advice = await detected.adviceWithoutNDEF }
      case .notAuthenticated, .authenticationFailed:
        failure.advice = detected.adviceForClosedNDEF
      case .readOnly: failure.advice = Self.adviceForClosedTag
      default: break
      }
      throw failure
    }
  }
}
