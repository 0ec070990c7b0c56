import NFC

/// What a tag holds by way of NDEF, as `nfc read` prints it.
struct NDEFContent: Sendable {
  let uid: [UInt8]
  let status: NDEFStatus
  /// The message's bytes; none if there is no message.
  let bytes: [UInt8]

  /// Asks a connected tag.
  init(_ tag: DetectedTag) async throws {
    uid = tag.identifier
    guard let ndef = tag.ndef else {
      (status, bytes) = (.notSupported, [])
      return
    }
    do {
      status = try await ndef.queryNDEFStatus()
    } catch let error as NFCError where [.unsupported, .notNDEF].contains(error.code) {
      (status, bytes) = (.notSupported, [])
      return
    }
    bytes = status.access == .notSupported ? [] : try await ndef.readNDEFBytes() ?? []
  }

  /// - Throws: `NDEFError` if the message is broken.
  var message: NDEFMessage {
    get throws {
      bytes.isEmpty ? NDEFMessage(records: []) : try NDEFMessage(decoding: bytes)
    }
  }

  var json: JSON {
    get throws {
      .members([
        "uid": .bytes(uid), "status": .string(status.access.rawValue),
        "capacity": .integer(status.capacity), "length": .integer(bytes.count),
        "records": .array(try message.records.map { try JSON(encoding: $0) }),
      ])
    }
  }

  /// What `info` says of a tag: content that is broken or protected is a fact there, no failure.
  static func describe(_ tag: DetectedTag) async throws -> JSON {
    do {
      let content = try await NDEFContent(tag)
      do {
        return try content.json
      } catch let error as NDEFError {
        return .members([
          "uid": .bytes(content.uid), "status": .string(content.status.access.rawValue),
          "capacity": .integer(content.status.capacity), "length": .integer(content.bytes.count),
          "error": .string("the NDEF message is broken: \(error)"),
        ])
      }
    } catch let error as NFCError
      where [.content, .refusal].contains(error.group) || error.code == .tagRefused
    {
      return .members(["uid": .bytes(tag.identifier), "error": .string("\(error)")])
    }
  }

  /// One line for people of what ``describe(_:)`` gives.
  static func summary(_ json: JSON) -> String {
    guard case .object(let members) = json else { return "" }
    func text(_ key: String) -> String? {
      switch members.first(where: { $0.key == key })?.value {
      case .string(let text), .number(let text): text
      default: nil
      }
    }
    if let error = text("error") { return error }
    guard let status = text("status"), status != NDEFStatus.Access.notSupported.rawValue,
      let length = text("length"), let capacity = text("capacity")
    else { return "none" }
    return "\(status), \(length) of \(capacity) bytes"
  }
}
