import SwiftNFCJSONText
import NFC

/// A tag that was held to a reader, as `nfc watch` reports it.
struct Tap: Sendable {
  /// The identifier of this tap. A receiver that gets the tap twice can recognize and ignore the second one.
  let id: String
  /// The time since the start of watching.
  var time: Duration
  /// The time of the touch, which a restart does not change.
  let date: EventDate
  /// Whether the tag lay on the reader when watching began.
  let isInitial: Bool
  /// The reader's connection string. For a reader that was not specified, it is the first one in which the
  /// reader was found.
  let reader: String
  /// The connection string that opens the reader at the time of the tap.
  let address: String
  /// The tag's data, as `nfc poll` prints it.
  let tag: [JSONValue.Member]
  /// The message, as `nfc read` prints it, or `nil` for a tag without NDEF.
  let ndef: JSONValue?
  /// The reason why the message could not be read, or `nil`.
  let failure: Failure?
  /// The message, or `nil` for a tag without NDEF or with a broken message.
  let message: NDEFMessage?
  /// Whether it is known what the tag has, or has not: it did not leave before it was read.
  let isRead: Bool

  init(
    id: String = Self.newIdentifier(), time: Duration, date: EventDate = .now,
    isInitial: Bool = false, reader: String, address: String? = nil,
    tag: [JSONValue.Member], ndef: JSONValue? = nil, failure: Failure? = nil,
    message: NDEFMessage? = nil, isRead: Bool = true
  ) {
    self.id = id
    self.time = time
    self.date = date
    self.isInitial = isInitial
    self.reader = reader
    self.address = address ?? reader
    self.tag = tag
    self.ndef = ndef
    self.failure = failure
    self.message = message
    self.isRead = isRead
  }

  /// Returns 128 random bits in hexadecimal.
  static func newIdentifier() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in UInt8.random(in: 0...0xFF, using: &generator) }.hexadecimal
  }

  var json: JSONValue {
    .members([
      "event": "tap", "id": .string(id), "time": .seconds(time), "date": .string(date.utc),
      "initial": isInitial ? .bool(true) : nil, "reader": .string(reader),
      "tagID": .string(tagID), "tag": .object(tag), "ndef": ndef, "ndefError": failure?.json,
    ])
  }

  /// What identifies the tag for Home Assistant and other programs that know tags by their content: the id in its link
  /// if it is a tag of Home Assistant's app, else its UID; empty if it is not known, because the tag left before it was
  /// read, or if the UID is another one at each tap.
  var tagID: String {
    if let id = message.flatMap(HomeAssistantTag.id(in:)) { return id }
    return isRead && uidKind == nil ? uid : ""
  }

  /// The members of the tag for a list of those that are present.
  var presence: JSONValue {
    .object(tag + [JSONValue.Member(key: "tagID", value: .string(tagID))])
  }

  /// Returns the text of a member of the tag.
  private func fact(_ key: String) -> String? {
    tag.first { $0.key == key }?.value.plainText
  }

  var uid: String { fact("uid") ?? "" }
  var type: String { fact("type") ?? "" }
  var product: String? { fact("product") }
  /// `random` for a UID that is another one at each tap.
  var uidKind: String? { fact(DetectedTag.uidKindKey) }

  /// The line for people.
  var line: String {
    let kind = [product ?? type, uri ?? text ?? mimeType].compactMap(\.self)
    let remark = isInitial ? ["(lay there at the start)"] : []
    return ([time.secondsText, "tap     ", uid] + kind + remark).joined(separator: "  ").onOneLine
  }
}

// MARK: Contents of the message

extension Tap {
  /// The first URI of the message, which may be that of a smart poster.
  var uri: String? { message?.records.lazy.compactMap { Self.uri(of: $0) }.first }

  static func uri(of record: NDEFRecord) -> String? {
    switch try? record.decoded {
    case let link as URIRecord: link.uri
    case let link as AbsoluteURIRecord: link.hasScheme ? link.uri : nil
    case let poster as SmartPosterRecord: poster.uri.uri
    default: nil
    }
  }

  /// The texts of the message.
  var texts: [String] {
    message?.records.compactMap { (try? $0.decoded as? TextRecord)?.text } ?? []
  }

  /// The first text of the message.
  var text: String? { texts.first }

  /// The MIME types of the message.
  var mimeTypes: [String] { types(.media) }

  /// The first MIME type of the message.
  var mimeType: String? { mimeTypes.first }

  /// The types of the external records, `domain:name`.
  var externalTypes: [String] { types(.external) }

  private func types(_ format: TypeNameFormat) -> [String] {
    message?.records.filter { $0.typeNameFormat == format }
      .compactMap { String(validating: $0.type) } ?? []
  }
}

extension String {
  /// Creates a string from UTF-8, or returns `nil` if the bytes are not UTF-8.
  fileprivate init?(validating bytes: [UInt8]) {
    self.init(validating: bytes, as: UTF8.self)
  }
}
