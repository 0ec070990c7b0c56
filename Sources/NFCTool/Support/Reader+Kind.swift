import NFC

extension Reader {
  /// Whether it finds ISO 15693 tags.
  nonisolated var hasVicinity: Bool { capabilities.technologies.contains(.iso15693) }

  /// The chip, as far as its name or driver says.
  nonisolated var chip: String? {
    let chips = ["PN531", "PN532", "PN533", "RC-S360"]
    let text = (name + " " + connectionString).uppercased()
    if let chip = chips.first(where: { text.contains($0) }) { return chip }
    // ACR122 and the boards of Arygon have a PN532 inside.
    return ["ACR122", "ARYGON"].contains { text.contains($0) } ? "PN532" : nil
  }
}
