import NFC

extension Reader {
  /// Whether the reader finds ISO 15693 tags.
  nonisolated var hasVicinity: Bool { capabilities.technologies.contains(.iso15693) }

  /// The reader's chip, if its name or driver indicates it.
  nonisolated var chip: String? {
    let chips = ["PN531", "PN532", "PN533", "RC-S360"]
    let text = (name + " " + connectionString).uppercased()
    if let chip = chips.first(where: { text.contains($0) }) { return chip }
    // The ACR122 and Arygon's boards contain a PN532.
    return ["ACR122", "ARYGON"].contains { text.contains($0) } ? "PN532" : nil
  }
}
