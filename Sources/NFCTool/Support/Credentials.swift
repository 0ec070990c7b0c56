import TagImages

/// Decides which files only their owner may read: those that may hold a key, a password, or what a tag shows only with
/// one. All other files follow the umask, as those of other programs do.
enum Credentials {
  /// The media types of messages that contain a password or key: Wi-Fi Simple Configuration, and Bluetooth's
  /// out-of-band data.
  private static let mediaTypes = ["application/vnd.wfa.wsc", "application/vnd.bluetooth."]
    .map { Array($0.utf8) }

  /// Returns whether bytes may contain an NDEF record with a password or key.
  static func mayBe(in bytes: [UInt8]) -> Bool {
    mediaTypes.contains { !bytes.ranges(of: $0).isEmpty }
  }

  /// Returns whether an image may contain a key, a password, or a record with one.
  static func mayBe(in image: TagImage) -> Bool {
    image.secrets.contains { image.memory.known($0) != nil }
      || ([image.memory.bytes] + image.contents).contains(where: mayBe)
  }
}

extension TagImage {
  /// The content of files and services.
  fileprivate var contents: [[UInt8]] {
    let desfire = (desfire?.applications ?? []).flatMap { $0.files ?? [] }.compactMap(\.data)
    let card = (smartCard?.applications ?? []).flatMap(\.files).compactMap(\.data)
    let services = (feliCa?.systems ?? []).map { $0.blocks.flatMap(\.data) }
    return desfire + card + services
  }
}
