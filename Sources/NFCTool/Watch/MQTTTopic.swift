import NFC

/// The topics of one watcher, below `PREFIX/NAME`.
struct MQTTTopic: Hashable, Sendable {
  private let root: String

  /// - Parameters:
  ///   - prefix: the first level or levels.
  ///   - name: this watcher's own level.
  init(prefix: String, name: String) {
    root = "\(prefix)/\(name)"
  }

  /// The topic of the status: `online`, or `offline`, which the last will publishes.
  var status: String { "\(root)/status" }
  /// The topic filter for commands to any reader.
  var commands: String { "\(root)/+/command" }

  /// The topic filter for the tags that are present on any reader.
  var presences: String { "\(root)/+/present" }

  func tap(_ reader: String) -> String { below(reader, "tap") }
  func present(_ reader: String) -> String { below(reader, "present") }
  func answer(_ reader: String) -> String { below(reader, "answer") }
  func command(_ reader: String) -> String { below(reader, "command") }

  private func below(_ reader: String, _ name: String) -> String {
    "\(root)/\(Self.level(of: reader))/\(name)"
  }

  /// Returns a connection string as one level of a topic. Each character except letters and digits becomes a
  /// hyphen.
  static func level(of reader: String) -> String {
    String(
      String.UnicodeScalarView(
        reader.unicodeScalars.map { scalar in
          switch scalar {
          case "a"..."z", "A"..."Z", "0"..."9": scalar
          default: "-"
          }
        }))
  }

  /// Returns whether a text can be one level of a topic, without separators and wildcards (MQTT 3.1.1, 4.7).
  static func isLevel(_ text: String) -> Bool {
    !text.isEmpty && !text.utf8.contains { [0x23, 0x2B, 0x2F].contains($0) } && isPermitted(text)
  }

  /// Returns whether a message can be published on a topic (MQTT 3.1.1, 4.7.1 and 4.7.3).
  static func isValidForPublishing(_ topic: String) -> Bool {
    !topic.isEmpty && topic.utf8.count <= 0xFFFF && !topic.hasPrefix("$")
      && !topic.utf8.contains { [0x23, 0x2B].contains($0) } && isPermitted(topic)
  }

  /// Returns whether a text has neither control characters nor code points that Unicode reserves. Brokers may end the
  /// connection because of those (MQTT 3.1.1, 1.5.3), and libmosquitto does not send them.
  private static func isPermitted(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar.properties.generalCategory != .control && !scalar.properties.isNoncharacterCodePoint
    }
  }
}
