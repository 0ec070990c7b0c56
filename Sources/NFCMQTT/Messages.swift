#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request of `nfc watch` to this program: one JSON object per line on standard input.
struct Request: Decodable {
  /// The connection to make. It is sent in the first line.
  var connect: ConnectRequest?
  var publish: PublishRequest?
  /// A topic filter for all further connections.
  var subscribe: String?
  /// Publishes the remaining messages, disconnects, and ends.
  var end: Bool?

  /// Decodes a line; `nil` if it is not a request.
  init?(_ line: [UInt8]) {
    guard let request = try? JSONDecoder().decode(Request.self, from: Data(line)) else {
      return nil
    }
    self = request
  }
}

struct ConnectRequest: Decodable {
  let host: String
  let port: UInt16
  let isSecure: Bool
  /// A file with certificate authorities; `nil` for those of the system.
  let authorities: String?
  let user: String?
  let password: String?
  let clientID: String
  let willTopic: String
  let willPayload: String
}

struct PublishRequest: Decodable {
  /// The number that identifies the acknowledgement.
  let id: UInt64
  let topic: String
  let payload: String
  let retain: Bool
}

/// A report of this program: one JSON object per line on standard output.
struct Report: Encodable {
  var connected: Bool?
  /// The reason why the connection ended or could not be made. It is tried again.
  var disconnected: String?
  /// The reason why the broker refuses. This program ends.
  var refused: String?
  /// The number of a message that the broker has received.
  var published: UInt64?
  var message: Message?

  struct Message: Encodable {
    let topic: String
    let payload: String
    /// Whether the broker has kept the message from before the subscription.
    let isRetained: Bool
  }

  /// The line with this report, with its end.
  var line: [UInt8] {
    guard let json = try? JSONEncoder().encode(self) else { return [] }
    return json + [0x0A]
  }
}
