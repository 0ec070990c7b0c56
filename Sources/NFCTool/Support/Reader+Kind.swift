import NFC

extension Reader {
  /// What stands before a PC/SC reader's name in a connection string.
  static let pcscScheme = "pcsc:"

  /// The chip, as far as its name or driver tells.
  nonisolated var chip: String? {
    let chips = ["PN531", "PN532", "PN533", "RC-S360"]
    let text = (name + " " + connectionString).uppercased()
    if let chip = chips.first(where: { text.contains($0) }) { return chip }
    // ACR122 and the boards of Arygon have a PN532 inside.
    return ["ACR122", "ARYGON"].contains { text.contains($0) } ? "PN532" : nil
  }

  /// Whether it finds ISO 15693 tags. The PN53x chips cannot, also where PC/SC drives them.
  nonisolated var hasVicinity: Bool {
    chip == nil && capabilities.technologies.contains(.iso15693)
  }
}
