import SwiftNFCCore

/// The PN532's side of an authenticated MIFARE Classic: the cipher unit, and the exchange that starts it.
struct MIFAREClassicSession {
  private let key: [UInt8]
  private let uid: [UInt8]
  /// The cipher of the previous sector, which encrypts the beginning of a nested authentication.
  private var cipher: Crypto1?
  private let isNested: Bool

  /// The reader's nonce. How the chip's firmware generates n_R is not documented; any four bytes work.
  private static let readerNonce: [UInt8] = [0x12, 0x34, 0x56, 0x78]

  init(key: [UInt8], uid: [UInt8], running: MIFAREClassicSession?) {
    self.key = key
    self.uid = uid
    cipher = running?.cipher
    isNested = running?.cipher != nil
  }

  /// The result of a three-pass authentication.
  enum Outcome {
    /// The card has proved knowledge of the key.
    case authenticated
    case refused
    /// There was no answer, not even to the command.
    case silence
  }

  /// Performs a three-pass authentication (MF1S50YYX data sheet, 10.1).
  mutating func authenticate(
    command: [UInt8], transmit: (RadioFrame) -> VirtualField.Reception
  ) -> Outcome {
    let first = transmit(encrypt(command))
    if case .silence = first { return .silence }
    guard case .frame(let challenge) = first, challenge.bytes.count == 4,
      let authentication = Crypto1.ReaderAuthentication(
        key: key, uid: uid, challenge: challenge, readerNonce: Self.readerNonce, isNested: isNested),
      case .frame(let proof) = transmit(authentication.answer)
    else { return .refused }
    cipher = authentication.cipher(verifying: proof)
    return cipher == nil ? .refused : .authenticated
  }

  /// Appends the CRC, and encrypts the frame if a cipher is active.
  mutating func encrypt(_ bytes: [UInt8]) -> RadioFrame {
    let plain = bytes + CyclicRedundancyCheck.a(bytes)
    return cipher?.frame(encrypting: plain) ?? .typeA(bytes)
  }

  /// Returns the decrypted form of an answer, including its CRC; `nil` if its parity is wrong.
  mutating func decrypt(_ frame: RadioFrame) -> RadioFrame? {
    guard cipher != nil else { return frame }
    if frame.bitCount == 4 {
      return cipher?.acknowledge(decrypting: frame).map {
        .typeA(bare: [$0], bitsInLastByte: 4)
      }
    }
    return cipher?.bytes(decrypting: frame).map { .typeA(bare: $0) }
  }
}
