/// A report of `nfc-mqtt`: one JSON object per line on its standard output.
package struct MQTTReport: MQTTLine, Hashable, Sendable {
  package var connected: Bool?
  /// The reason why the connection ended or could not be made. It is tried again.
  package var disconnected: String?
  /// The reason why the broker refuses. The program ends.
  package var refused: String?
  /// The number of a message that the broker has received.
  package var published: UInt64?
  package var message: Message?

  package init(
    connected: Bool? = nil, disconnected: String? = nil, refused: String? = nil,
    published: UInt64? = nil, message: Message? = nil
  ) {
    self.connected = connected
    self.disconnected = disconnected
    self.refused = refused
    self.published = published
    self.message = message
  }

  package struct Message: Codable, Hashable, Sendable {
    package let topic: String
    package let payload: String
    /// Whether the broker has kept the message from before the subscription.
    package let isRetained: Bool

    package init(topic: String, payload: String, isRetained: Bool) {
      self.topic = topic
      self.payload = payload
      self.isRetained = isRetained
    }
  }
}
