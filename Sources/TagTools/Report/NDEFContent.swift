import SwiftNFCJSONText
import NFC

/// The NDEF content of a tag, as `nfc read` prints it.
package struct NDEFContent: Sendable {
  package let uid: [UInt8]
  package let status: NDEFStatus
  /// The message's bytes; empty if there is no message.
  package let bytes: [UInt8]

  /// Reads the content of a connected tag.
  package init(_ tag: DetectedTag) async throws {
    uid = tag.identifier
    guard let ndef = tag.ndef, !Self.hasNoNDEF(tag) else {
      (status, bytes) = (.notSupported, [])
      return
    }
    do {
      let content = try await ndef.readNDEFContent()
      (status, bytes) = (content.status, content.bytes ?? [])
    } catch let error as NFCError where error.meansNoNDEF {
      // A tag with a message that only this reader cannot read has a status.
      guard try await !Self.hasStatus(ndef) else { throw error }
      (status, bytes) = (.notSupported, [])
    } catch let error as NFCError where error.group == .content {
      // What a spool has in the place of a message is not a broken one.
      guard try await SpoolMemory.isOne(tag) else { throw error }
      (status, bytes) = (.notSupported, [])
    }
  }

  private static func hasStatus(_ tag: any NDEFTag) async throws -> Bool {
    do {
      _ = try await tag.queryNDEFStatus()
      return true
    } catch let error as NFCError where error.meansNoNDEF {
      return false
    }
  }

  /// Returns whether the tag cannot contain NDEF. A MIFARE Plus answers SELECT with a status of its own,
  /// which is not a status word.
  private static func hasNoNDEF(_ tag: DetectedTag) -> Bool {
    if case .miFare(let tag) = tag { tag.family == .plus } else { false }
  }

  /// - Throws: `NDEFError` if the message is broken.
  package var message: NDEFMessage {
    get throws {
      bytes.isEmpty ? NDEFMessage(records: []) : try NDEFMessage(decoding: bytes)
    }
  }

  package var json: JSONValue { get throws { try json(adding: [:]) } }

  package func json(adding members: KeyValuePairs<String, JSONValue?>) throws -> JSONValue {
    let own: KeyValuePairs<String, JSONValue?> = [
      "uid": .uid(uid), "status": .string(status.access.rawValue),
      "capacity": .integer(status.capacity), "length": .integer(bytes.count),
      "records": .array(try message.records.map { try JSONValue(encoding: $0) }),
    ]
    return .object(
      (Array(own) + Array(members)).compactMap { key, value in
        value.map { JSONValue.Member(key: key, value: $0) }
      })
  }

  /// The description of a tag in `info`, as JSON and as lines.
  struct Description {
    /// The content as `nfc read` prints it, or `nil` where that prints nothing.
    var json: JSONValue?
    /// The content, or `nil` if it cannot be read.
    var content: NDEFContent?
    /// The reason why there is no content, or `nil`.
    var problem: TagReport.MessageProblem?
    var lines: [String]
  }

  /// Describes the content of a tag. For `info`, broken or protected content is a result, not a failure.
  static func describe(_ tag: DetectedTag) async throws -> Description {
    do {
      let content = try await NDEFContent(tag)
      guard content.status.access != .notSupported else {
        return Description(json: try content.json, lines: ["none"])
      }
      let size = "\(content.bytes.count) of \(content.status.capacity) bytes used"
      let access = content.status.access == .readWrite ? "can be written" : "read only"
      let status = "\(size), \(access)"
      do {
        let records = try content.message.records.map(\.description)
        return Description(json: try content.json, content: content, lines: records + [status])
      } catch let error as NDEFError {
        let problem = TagReport.MessageProblem.broken(error)
        return Description(problem: problem, lines: [problem.description])
      }
    } catch let error as NFCError
      where [.content, .refusal].contains(error.group) || error.code == .tagRefused
      || error.cause == .unsupportedByReader
    {
      return Description(problem: .notReadable(error), lines: ["\(error)"])
    }
  }
}

extension NFCError {
  /// Whether a tag whose status cannot be read for this reason holds no NDEF structure. What a reader cannot send says
  /// nothing about the tag.
  fileprivate var meansNoNDEF: Bool {
    code == .notNDEF || code == .unsupported && cause != .unsupportedByReader
  }
}
