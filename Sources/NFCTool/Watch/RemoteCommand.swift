import SwiftNFCJSONText
import NFC
import TagTools

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A command in JSON that a subscriber sends to a reader: `{"id":"7","do":"read"}`, `write` with `records`,
/// or `send` with `commands`. Each may have a `timeout` in seconds, and the `uid` of the tag that is meant.
struct RemoteCommand: Sendable {
  enum Action: Sendable {
    case read
    case write(NDEFMessage)
    case send([[UInt8]])
  }

  /// The id to return in the answer, a text or a whole number.
  let id: JSONValue
  let action: Action
  /// The UID of the tag that is meant, or `nil` for any tag.
  let uid: [UInt8]?
  let timeout: Duration

  private static let standardTimeout = Duration.seconds(10)
  private static let longestTimeout = 300.0
  private static let longestPayload = 1 << 20
  /// The maximum number of commands in a message, during which the reader reports no taps. It is more than a tag has
  /// pages.
  private static let mostCommands = 1000

  private struct Form: Decodable {
    let id: Identifier.Value?
    let `do`: String?
    let uid: String?
    let timeout: Double?
    let commands: [String]?
  }

  private struct Identifier: Decodable {
    struct Value: Decodable {
      let json: JSONValue

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
          json = .integer(number)
        } else {
          json = .string(try container.decode(String.self))
        }
      }
    }

    let id: Value?
  }

  /// Returns the id of a command, even of one with other errors.
  static func identifier(in payload: String) -> JSONValue? {
    (try? JSONDecoder().decode(Identifier.self, from: Data(payload.utf8)))?.id?.json
  }

  /// Parses a message for a reader.
  ///
  /// A broker sends a retained message again after each connection, so the same command would change one tag after
  /// the other.
  ///
  /// - Throws: a ``Failure`` with the status `usage` for an invalid command, or one that is retained.
  init(_ message: MQTTPublisher.CommandMessage) throws(Failure) {
    guard !message.isRetained else {
      throw Failure(.usage, "a retained command is not performed; publish it without retain")
    }
    try self.init(message.payload)
  }

  /// - Throws: a ``Failure`` with the status `usage` for an invalid command.
  init(_ payload: String) throws(Failure) {
    let data = Data(payload.utf8)
    guard data.count <= Self.longestPayload,
      let form = try? JSONDecoder().decode(Form.self, from: data)
    else { throw Failure(.usage, "the command is not a JSON object of the documented form") }
    // Nobody could match the answer to a command that has none.
    guard let id = form.id else {
      throw Failure(.usage, "the command has no \"id\", which its answer repeats")
    }
    self.id = id.json
    do {
      uid = try form.uid.map { try Hexadecimal.argument($0, "uid") }
    } catch {
      throw Failure(.usage, "\"uid\" is in hexadecimal")
    }
    let seconds = form.timeout ?? 10
    guard seconds > 0, seconds <= Self.longestTimeout else {
      throw Failure(.usage, "\"timeout\" takes seconds, at most \(Int(Self.longestTimeout))")
    }
    timeout =
      form.timeout.map { .milliseconds(Int64($0 * 1000)) } ?? Self.standardTimeout
    switch form.do {
    case "read": action = .read
    case "write":
      guard let message = try? JSONDecoder().decode(NDEFMessage.self, from: data) else {
        throw Failure(.usage, "\"write\" takes \"records\", as nfc read --json prints them")
      }
      action = .write(message)
    case "send":
      guard let texts = form.commands, !texts.isEmpty else {
        throw Failure(.usage, "\"send\" takes \"commands\" in hexadecimal")
      }
      guard texts.count <= Self.mostCommands else {
        throw Failure(.usage, "\"send\" takes up to \(Self.mostCommands) commands")
      }
      var commands: [[UInt8]] = []
      for text in texts {
        guard let bytes = try? Hexadecimal.argument(text, "commands"), !bytes.isEmpty else {
          throw Failure(.usage, "\"commands\" are in hexadecimal")
        }
        commands.append(bytes)
      }
      action = .send(commands)
    default: throw Failure(.usage, "\"do\" is read, write or send")
    }
  }

  // MARK: Answers

  /// Performs the command, and returns the answer as JSON.
  func answer(with reader: Reader) async -> String {
    var found: [UInt8]?
    do {
      let tag = try await reader.firstTag(within: timeout) { [uid] tag in
        uid == nil || tag.identifier == uid
      }
      found = tag.identifier
      if case .write = action, uid == nil { try await checkForOtherTags(like: tag, on: reader) }
      try await tag.connect()
      return Self.answer(id, uid: found, result: try await perform(on: tag))
    } catch let failure as Failure {
      return Self.answer(id, uid: found, failure: failure)
    } catch let error as NFCError {
      let missing = uid.flatMap { error.code == .wrongTag && found == nil ? $0 : nil }
      let failure = missing.map {
        Failure(.notThere, "no tag with the UID \($0.hexadecimal) came in time")
      }
      return Self.answer(id, uid: found, failure: failure ?? Failure(error))
    } catch {
      return Self.answer(id, uid: found, failure: Failure(.lost, "the watcher has ended"))
    }
  }

  /// Throws an error if there is another tag that the change could be meant for.
  private func checkForOtherTags(like tag: DetectedTag, on reader: Reader) async throws {
    guard let other = try await reader.otherTags(like: tag).first else { return }
    throw Failure(
      .notThere,
      "two tags are in the field, \(tag.identifier.uidText) and \(other.identifier.uidText); "
        + "\"uid\" says which one is meant")
  }

  private func perform(on tag: DetectedTag) async throws -> JSONValue {
    switch action {
    case .read:
      let content = try await NDEFContent(tag)
      do {
        return try content.json
      } catch {
        throw Failure(.content, "the NDEF message is broken: \(error)")
      }
    case .write(let message):
      guard let ndef = tag.ndef else { throw Failure(.notThere, "the tag holds no NDEF") }
      try await ndef.writeNDEF(message)
      return .members(["written": .integer(message.records.count)])
    case .send(let commands):
      var answers: [JSONValue] = []
      for command in commands {
        answers.append(.bytes(try await tag.send(command)))
      }
      return .members(["answers": .array(answers)])
    }
  }

  static func answer(_ id: JSONValue?, uid: [UInt8]? = nil, failure: Failure) -> String {
    JSONValue.members([
      "id": id, "uid": uid.map { .bytes($0) },
      "error": failure.json,
    ]).text
  }

  private static func answer(_ id: JSONValue?, uid: [UInt8]?, result: JSONValue) -> String {
    JSONValue.members([
      "id": id, "uid": uid.map { .bytes($0) }, "result": result,
    ]).text
  }
}

extension DetectedTag {
  /// Sends a raw command to the tag, in the same way as the command `send` of each family.
  fileprivate func send(_ command: [UInt8]) async throws -> [UInt8] {
    switch self {
    case .miFare(let tag): return try await tag.sendMiFareCommand(command)
    case .iso7816(let tag):
      guard let apdu = APDU(command) else { throw Failure(.usage, "the command is not an APDU") }
      let response = try await tag.sendCommand(apdu)
      return response.data + [response.sw1, response.sw2]
    case .feliCa(let tag): return try await tag.sendFeliCaCommand(command)
    case .iso15693(let tag):
      return try await tag.transceive(command, timeout: ISO15693SendCommand.timeout)
    case .other(let tag): return try await tag.transceive(command)
    }
  }
}
