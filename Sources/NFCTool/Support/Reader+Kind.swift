import NFC

extension Reader {
  /// Whether the reader finds ISO 15693 tags.
  nonisolated var hasVicinity: Bool { capabilities.technologies.contains(.iso15693) }

  /// The reader's chip, if it reports it, or if its name or driver indicates it.
  nonisolated var chip: String? {
    // libnfc's name of Sony's RC-S956, which has the command set of a PN533 and version 1.
    if let firmware, firmware.hasPrefix("PN533 v1.") { return "RC-S956" }
    if let name = firmware?.split(separator: " ").first, name.hasPrefix("PN53") {
      return String(name)
    }
    let chips = ["PN531", "PN532", "PN533", "RC-S360"]
    let text = (name + " " + connectionString).uppercased()
    if let chip = chips.first(where: { text.contains($0) }) { return chip }
    // The ACR122 and Arygon's boards contain a PN532.
    return ["ACR122", "ARYGON"].contains { text.contains($0) } ? "PN532" : nil
  }
}
