import SwiftNFCJSONText
import NFC
import TagTools

/// The data of a tag that has arrived, as far as it can be read.
struct TapReading: Sendable {
  let tag: [JSONValue.Member]
  /// The message as `nfc read` prints it.
  let ndef: JSONValue?
  /// The reason why the message could not be read, or `nil`.
  let failure: Failure?
  let message: NDEFMessage?
  /// Whether the tag was read before it left.
  let isComplete: Bool

  /// The maximum length of a message in bytes, which is that of a type 4 tag before mapping version 3. A report of one
  /// byte may be more than ten bytes long, and a spool, brokers and programs have to take it.
  private static let longestMessage = 1 << 16

  /// Reads the message first, because it is the urgent part, and then identifies the chip. This never fails:
  /// data that the tag does not provide is omitted.
  init(_ detected: DetectedTag) async {
    var product: TagProduct?
    var information: ISO15693SystemInformation?
    var content: NDEFContent?
    var problem: Failure?
    var isComplete = true
    do {
      try await detected.connect()
      do {
        content = try await Self.content(of: detected)
      } catch let error as NFCError where !error.isLoss {
        problem = Failure(error)
      }
      product = try await detected.product()
      information = try await detected.vicinityInformation()
    } catch let error as NFCError where !error.isLoss {
      // A command without an answer does not indicate anything about the tag.
    } catch {
      isComplete = content != nil
      if !isComplete { problem = Failure(.lost, "the tag left before its message was read") }
    }
    self.isComplete = isComplete
    tag = detected.facts(product, information)
    guard let content, content.status.access != .notSupported else {
      (message, ndef) = (nil, nil)
      failure = detected.ndef == nil ? nil : problem
      return
    }
    guard content.bytes.count <= Self.longestMessage else {
      (message, ndef) = (nil, nil)
      failure = Failure(
        .content,
        "the NDEF message has \(content.bytes.count) bytes, and nfc watch reports up to "
          + "\(Self.longestMessage)",
        advice: "nfc read reads it")
      return
    }
    switch Result(catching: { (try content.message, try content.json) }) {
    case .success(let (decoded, json)): (message, ndef, failure) = (decoded, json, nil)
    case .failure(let error): (message, ndef, failure) = (nil, nil, Failure(broken: error))
    }
  }
}

extension TapReading {
  /// Reads the message. What is broken, or was lost, is read again once, so that one disturbed answer does not make
  /// another tag of it (adonno/tagreader#110).
  private static func content(of tag: DetectedTag) async throws -> NDEFContent {
    do {
      let content = try await NDEFContent(tag)
      guard (try? content.message) == nil else { return content }
    } catch let error as NFCError
      where error.isLoss || error.code == .malformedContent
    {
      // A tag that has left is not there for another look either.
      try await tag.connect()
    }
    tag.ndef?.discardCachedContent()
    return try await NDEFContent(tag)
  }
}

extension NFCError {
  /// Whether the tag or the reader is lost or may be lost.
  fileprivate var isLoss: Bool {
    [.tagConnectionLost, .tagResponseError, .readerLost, .readerUnavailable].contains(code)
  }
}
