import SwiftNFCJSONText
import NFC

/// Announces readers to Home Assistant as tag scanners, with the discovery of its MQTT integration.
///
/// Source: Home Assistant, "MQTT tag scanner". A retained message on `homeassistant/tag/OBJECT/config`
/// contains the topic of the scans, the position of the tag's id in them, and the scanner's device.
struct HomeAssistantDiscovery: Hashable, Sendable {
  /// The watcher's name.
  let name: String

  private static let prefix = "homeassistant"
  /// See ``Tap/tagID``. Home Assistant ignores a scan whose id is empty.
  private static let tagIdentifier = "{{ value_json.tagID }}"

  func message(for reader: String, topics: MQTTTopic) -> (topic: String, payload: String) {
    let object = "nfc-\(MQTTTopic.level(of: name))-\(MQTTTopic.level(of: reader))"
    let payload = JSONValue.members([
      "topic": .string(topics.tap(reader)),
      "value_template": .string(Self.tagIdentifier),
      "device": .members([
        "identifiers": .array([.string(object)]),
        "name": .string("NFC reader \(reader) on \(name)"),
      ]),
    ])
    return ("\(Self.prefix)/tag/\(object)/config", payload.text)
  }
}
