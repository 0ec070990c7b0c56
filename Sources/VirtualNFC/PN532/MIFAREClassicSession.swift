import NFCCore

/// The PN532's side of an authenticated MIFARE Classic: its cipher unit, and the exchange that starts
/// it.
struct MIFAREClassicSession {
  private let key: [UInt8]
  private let uid: [UInt8]
  /// The cipher of the sector before, under which a nested authentication begins.
  private var cipher: Crypto1?
  private let isNested: Bool

  /// What the chip's firmware draws for n_R is not documented; any four bytes serve.
  private static let readerNonce: [UInt8] = [0x12, 0x34, 0x56, 0x78]

  init(key: [UInt8], uid: [UInt8], running: MIFAREClassicSession?) {
    self.key = key
    self.uid = uid
    cipher = running?.cipher
    isNested = running?.cipher != nil
  }

  /// What a three-pass authentication has come to.
  enum Outcome {
    /// The card has proved that it knows the key.
    case authenticated
    case refused
    /// Nobody has answered even the command.
    case silence
  }

  /// Three-pass authentication (MF1S50YYX data sheet, 10.1).
  mutating func authenticate(
    command: [UInt8], transmit: (RadioFrame) -> VirtualField.Reception
  ) -> Outcome {
    let first = transmit(encipher(command))
    if case .silence = first { return .silence }
    guard case .frame(let challenge) = first, challenge.bytes.count == 4,
      let authentication = Crypto1.ReaderAuthentication(
        key: key, uid: uid, challenge: challenge, readerNonce: Self.readerNonce, isNested: isNested),
      case .frame(let proof) = transmit(authentication.answer)
    else { return .refused }
    cipher = authentication.cipher(verifying: proof)
    return cipher == nil ? .refused : .authenticated
  }

  /// Adds the CRC and enciphers, if a cipher runs.
  mutating func encipher(_ bytes: [UInt8]) -> RadioFrame {
    let plain = bytes + CyclicRedundancyCheck.a(bytes)
    return cipher?.frame(enciphering: plain) ?? .typeA(bytes)
  }

  /// Returns the plain form of an answer, its CRC still there; `nil` if its parity is wrong.
  mutating func decipher(_ frame: RadioFrame) -> RadioFrame? {
    guard cipher != nil else { return frame }
    if frame.bitCount == 4 {
      return cipher?.acknowledge(deciphering: frame).map {
        .typeA(bare: [$0], bitsInLastByte: 4)
      }
    }
    return cipher?.bytes(deciphering: frame).map { .typeA(bare: $0) }
  }
}
