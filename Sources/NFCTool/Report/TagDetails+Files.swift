import NFC
import SecureTags

/// The NDEF file of ST's type 4 chips.
extension TagDetails {
  mutating func askFile(_ card: any ISO7816Tag) async throws {
    guard
      let access = try await answer(
        DetectedTag.iso7816(card), { try await ST25TATag(card).access() })
    else { return }
    protection = Protection(
      from: access.write == .password || access.read == .password ? 0 : nil,
      protectsReading: access.read == .password, unit: "byte")
    facts.append(("NDEF file", "\(access)"))
  }
}
