/// What `nfc watch` asks of this program: one JSON object per line on standard input.
struct Request: Decodable {
  /// The first line.
  var connect: ConnectRequest?
  var publish: PublishRequest?
  /// A topic filter, for every connection from now on.
  var subscribe: String?
  /// Publish what has been handed over, say goodbye, and end.
  var end: Bool?
}

struct ConnectRequest: Decodable {
  let host: String
  let port: UInt16
  let isSecure: Bool
  /// A file of certificate authorities; the system's without it.
  let authorities: String?
  let user: String?
  let password: String?
  let clientID: String
  let willTopic: String
  let willPayload: String
}

struct PublishRequest: Decodable {
  /// By which the acknowledgement is matched.
  let id: UInt64
  let topic: String
  let payload: String
  let retain: Bool
}

/// What this program reports: one JSON object per line on standard output.
struct Report: Encodable {
  var connected: Bool?
  /// The connection has ended or could not be made; it is tried again.
  var disconnected: String?
  /// The broker refuses, and this program ends.
  var refused: String?
  /// The broker has a message.
  var published: UInt64?
  var message: Message?

  struct Message: Encodable {
    let topic: String
    let payload: String
  }
}
