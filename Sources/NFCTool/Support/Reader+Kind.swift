import NFC

extension Reader {
  /// What stands before a PC/SC reader's name in a connection string.
  static let pcscScheme = "pcsc:"

  /// Whether it finds ISO 15693 tags.
  nonisolated var hasVicinity: Bool { capabilities.technologies.contains(.iso15693) }
}
