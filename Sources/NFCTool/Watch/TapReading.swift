import JSONText
import NFC

/// The data of a tag that has arrived, as far as it can be read.
struct TapReading: Sendable {
  let tag: [JSONValue.Member]
  let ndef: JSONValue?
  let message: NDEFMessage?
  /// Whether the tag was read before it left.
  let isComplete: Bool

  /// Reads the message first, because it is the urgent part, and then identifies the chip. This never fails:
  /// data that the tag does not provide is omitted.
  init(_ detected: DetectedTag) async {
    var product: TagProduct?
    var information: ISO15693SystemInformation?
    var content: NDEFContent?
    var problem: String?
    var isComplete = true
    do {
      try await detected.connect()
      do {
        content = try await NDEFContent(detected)
      } catch let error as NFCError where !error.isLoss {
        problem = "\(error)"
      }
      product = try await detected.product()
      information = try await detected.vicinityInformation()
    } catch let error as NFCError where !error.isLoss {
      // A command without an answer does not indicate anything about the tag.
    } catch {
      isComplete = content != nil
    }
    self.isComplete = isComplete
    tag = detected.facts(product, information)
    guard let content, content.status.access != .notSupported else {
      message = nil
      let isNDEF = problem != nil && detected.ndef != nil
      ndef =
        isNDEF
        ? .members(["uid": .bytes(detected.identifier), "error": problem.map { .string($0) }]) : nil
      return
    }
    message = try? content.message
    ndef =
      (try? content.json)
      ?? .members([
        "uid": .bytes(content.uid), "status": .string(content.status.access.rawValue),
        "capacity": .integer(content.status.capacity), "length": .integer(content.bytes.count),
        "error": "the NDEF message is broken",
      ])
  }
}

extension NFCError {
  /// Whether the tag or the reader is lost or may be lost.
  fileprivate var isLoss: Bool {
    [.tagConnectionLost, .tagResponseError, .readerLost, .readerUnavailable].contains(code)
  }
}
