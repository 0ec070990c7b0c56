import SwiftNFCJSONText

/// A spool of filament: the media type `application/json`, with an object whose `protocol` is `openspool`.
///
/// The fields have the names of the object in camel case, such as `colorHex`; a temperature that is written as a text is
/// a number, in degrees Celsius. JSON of another protocol is a ``MIMERecord``.
///
/// Source: spuder/OpenSpool, "OpenSpool Protocol".
public struct OpenSpoolRecord: PrintingMaterialRecord {
  public static let mediaType = "application/json"
  public static let fieldNames = ["mediaType", "content", spoolName]
  private static let spoolName = "openSpool"

  public let payload: [UInt8]
  /// The members of the object, except for its protocol.
  public let content: NDEFFields
  public var identifier: [UInt8]

  /// Returns whether the record is JSON of this protocol: the media type is that of any JSON.
  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.media, mediaType) && content(of: record.payload) != nil
  }

  /// Reads the object.
  ///
  /// - Throws: ``NDEFError`` for another type, and for JSON of another protocol.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    guard record.hasType(.media, Self.mediaType), let content = Self.content(of: record.payload)
    else {
      throw NDEFError(.wrongRecordType, offset: 0, reason: "the record is not JSON of OpenSpool")
    }
    payload = record.payload
    identifier = record.identifier
    self.content = content
  }

  private static let protocolKey = "protocol"
  private static let protocolName = "openspool"

  private static func content(of payload: [UInt8]) -> NDEFFields? {
    guard let node = try? JSONNode(parsing: payload), let members = node.members,
      node[protocolKey]?.string?.lowercased() == protocolName
    else { return nil }
    var fields = NDEFFields()
    for member in members where member.key != protocolKey {
      let name = camelCase(member.key)
      // Two members may differ in an underscore only, such as min_temp and minTemp.
      guard fields[name] == nil else { continue }
      fields[name] = value(member)
    }
    return fields
  }

  private static func camelCase(_ key: String) -> String {
    let parts = key.split(separator: "_")
    guard let first = parts.first else { return key }
    return parts.dropFirst().reduce(String(first)) {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
  }

  private static func value(_ member: JSONNode.Member) -> NDEFFieldValue {
    if member.key.hasSuffix("temp"), let number = member.node.string.flatMap({ Int64($0) }) {
      return .integer(number)
    }
    return NDEFFieldValue(member.node)
  }

  public var description: String {
    (["OpenSpool"] + Self.texts(["brand", "type", "subtype"], of: content))
      .joined(separator: " ")
  }

  /// The text as that of any JSON, and what it says of the spool.
  public var fields: NDEFFields {
    [
      "mediaType": .text(Self.mediaType),
      "content": String(validating: payload, as: UTF8.self).map { .text($0) },
      Self.spoolName: .fields(content),
    ]
  }

  /// Reads the text, which has more than the fields of the spool.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard fields.hasValue(Self.spoolName) else { return nil }
    guard let text = try fields.text("content") else {
      throw NDEFFieldError([.name(Self.spoolName)], "it can be given as a payload only")
    }
    let record = NDEFRecord.media(Self.mediaType, Array(text.utf8))
    guard let spool = try? OpenSpoolRecord(record) else {
      throw NDEFFieldError([.name("content")], "it is not the JSON of a spool")
    }
    self = spool
  }
}
