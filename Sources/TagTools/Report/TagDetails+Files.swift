import NFC
import SecureTags

/// Details of the NDEF file of ST's type 4 chips.
extension TagDetails {
  mutating func askFile(_ card: any ISO7816Tag, _ product: TagProduct) async throws {
    let detected = DetectedTag.iso7816(card)
    guard let access = try await answer(detected, { try await ST25TATag(card).access() }) else {
      return
    }
    protection = Protection(
      from: access.write == .password || access.read == .password ? 0 : nil,
      protectsReading: access.read == .password, protectsWriting: access.write == .password,
      unit: "byte")
    facts.append(("NDEF file", "\(access)"))
    guard OriginalitySignature.isKnown(for: product),
      let bytes = try await answer(detected, { try await Self.trust25(card) }) ?? nil
    else { return }
    signature = bytes
    originality = OriginalitySignature.verify(
      uid: card.identifier, signature: bytes, product: product)
  }

  /// TruST25, the signature of ST, on a Type 4 chip (AN5101). Its location and the way to read it are from
  /// Proxmark3, cmdhfst25ta.c. Not tried on hardware.
  private enum TruST25 {
    static let ndefFile: [UInt8] = [0x00, 0x01]
    /// EXTENDED READ BINARY, which also reads the bytes after the message (M24SR64 data sheet, 5.8.1).
    static let read = APDU(
      instructionClass: 0xA2, instructionCode: 0xB0, p1: 0x00, p2: 0xE0, data: [],
      expectedLength: size)
    static let selectFile = APDU(
      instructionClass: 0x00, instructionCode: 0xA4, p1: 0x00, p2: 0x0C, data: ndefFile)
    static let size = 32
  }

  /// Reads the signature with three exchanges. Returns `nil` if the chip has no signature or requires a
  /// password for it.
  private static func trust25(_ card: any ISO7816Tag) async throws -> [UInt8]? {
    for command in [.select(aid: .ndef), TruST25.selectFile] {
      guard try await card.ask(command).isSuccess else { return nil }
    }
    let response = try await card.sendCommand(TruST25.read)
    guard response.isSuccess, response.data.count == TruST25.size,
      response.data.contains(where: { $0 != 0 })
    else { return nil }
    return response.data
  }
}
