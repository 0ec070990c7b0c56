/// A request of `nfc watch` to `nfc-mqtt`: one JSON object per line on its standard input.
package struct MQTTRequest: MQTTLine, Hashable, Sendable {
  /// The connection to make. It is sent in the first line.
  package var connect: Connection?
  package var publish: Publication?
  /// A topic filter for all further connections.
  package var subscribe: String?
  /// Publishes the remaining messages, disconnects, and ends.
  package var end: Bool?

  package init(
    connect: Connection? = nil, publish: Publication? = nil, subscribe: String? = nil,
    end: Bool? = nil
  ) {
    self.connect = connect
    self.publish = publish
    self.subscribe = subscribe
    self.end = end
  }

  package struct Connection: Codable, Hashable, Sendable {
    package let host: String
    package let port: UInt16
    package let isSecure: Bool
    /// A file with certificate authorities; `nil` for those of the system.
    package let authorities: String?
    package let user: String?
    package let password: String?
    package let clientID: String
    /// What the broker publishes if the connection ends without a farewell.
    package let willTopic: String
    package let willPayload: String

    package init(
      host: String, port: UInt16, isSecure: Bool, authorities: String?, user: String?,
      password: String?, clientID: String, willTopic: String, willPayload: String
    ) {
      self.host = host
      self.port = port
      self.isSecure = isSecure
      self.authorities = authorities
      self.user = user
      self.password = password
      self.clientID = clientID
      self.willTopic = willTopic
      self.willPayload = willPayload
    }
  }

  package struct Publication: Codable, Hashable, Sendable {
    /// The number that identifies the acknowledgement.
    package let id: UInt64
    package let topic: String
    package let payload: String
    package let retain: Bool

    package init(id: UInt64, topic: String, payload: String, retain: Bool) {
      self.id = id
      self.topic = topic
      self.payload = payload
      self.retain = retain
    }
  }
}
