/// The parameters of a card in its ATS (ISO/IEC 14443-4, 5.2).
struct AnswerToSelect: Hashable, Sendable {
  /// The answer of a card whose image contains none: only TL, which says nothing (ISO/IEC 14443-4, 5.2.2).
  static let unknown: [UInt8] = [0x01]

  /// The bytes in transmission order, TL first.
  let bytes: [UInt8]

  /// Creates an answer from any bytes; missing values are the standard's defaults.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The maximum size of a frame to the card, in bytes.
  var frameSize: Int { BlockProtocol.frameSize(code: frameSizeIndex) }

  /// FSCI; without T0, the card accepts 32 bytes (5.2.3).
  var frameSizeIndex: UInt8 { bytes.count > 1 ? bytes[1] & 0x0F : 2 }

  /// FWI of TB(1); without it, 4, which is 4.8 ms (7.2).
  var waitingTimeIndex: UInt8 { interfaceByte(1).map { $0 >> 4 } ?? 4 }

  /// Whether the card supports a CID: TC(1), bit 2.
  var supportsCID: Bool {
    // Without TC(1), the card supports a CID (5.2.6).
    interfaceByte(2).map { $0 & 0x02 != 0 } ?? true
  }

  /// Returns whether the card accepts a PPS with these divisors, 0 to 3, according to TA(1).
  func allows(divisorToCard: UInt8, divisorToReader: UInt8) -> Bool {
    let rates = interfaceByte(0) ?? 0
    if rates & 0x80 != 0, divisorToCard != divisorToReader { return false }
    return (divisorToCard == 0 || rates >> (divisorToCard - 1) & 1 == 1)
      && (divisorToReader == 0 || rates >> (divisorToReader + 3) & 1 == 1)
  }

  /// Returns TA(1), TB(1) or TC(1) by its index.
  private func interfaceByte(_ index: Int) -> UInt8? {
    guard bytes.count > 1, bytes[1] >> (4 + UInt8(index)) & 1 == 1 else { return nil }
    let position = 2 + (0..<index).count { bytes[1] >> (4 + UInt8($0)) & 1 == 1 }
    return position < bytes.count ? bytes[position] : nil
  }
}
