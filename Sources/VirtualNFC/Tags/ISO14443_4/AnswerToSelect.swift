/// What a card's ATS says about itself: ISO/IEC 14443-4, 5.2.
struct AnswerToSelect: Hashable, Sendable {
  /// The bytes as they are sent, TL first.
  let bytes: [UInt8]

  /// Any bytes are taken; what is missing has the standard's default.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The longest frame that the card takes, in bytes.
  var frameSize: Int { BlockProtocol.frameSize(code: frameSizeIndex) }

  /// FSCI: without T0 the card takes 32 bytes (5.2.3).
  var frameSizeIndex: UInt8 { bytes.count > 1 ? bytes[1] & 0x0F : 2 }

  /// FWI of TB(1); without it 4, 4.8 ms (7.2).
  var waitingTimeIndex: UInt8 { interfaceByte(1).map { $0 >> 4 } ?? 4 }

  /// TC(1), bit 2.
  var takesCID: Bool {
    // Without TC(1) the card takes a CID (5.2.6).
    interfaceByte(2).map { $0 & 0x02 != 0 } ?? true
  }

  /// Returns whether the card follows a PPS with these divisors, 0 to 3, by TA(1).
  func allows(divisorToCard: UInt8, divisorToReader: UInt8) -> Bool {
    let rates = interfaceByte(0) ?? 0
    if rates & 0x80 != 0, divisorToCard != divisorToReader { return false }
    return (divisorToCard == 0 || rates >> (divisorToCard - 1) & 1 == 1)
      && (divisorToReader == 0 || rates >> (divisorToReader + 3) & 1 == 1)
  }

  /// TA(1), TB(1) or TC(1) by its index.
  private func interfaceByte(_ index: Int) -> UInt8? {
    guard bytes.count > 1, bytes[1] >> (4 + UInt8(index)) & 1 == 1 else { return nil }
    let position = 2 + (0..<index).count { bytes[1] >> (4 + UInt8($0)) & 1 == 1 }
    return position < bytes.count ? bytes[position] : nil
  }
}
