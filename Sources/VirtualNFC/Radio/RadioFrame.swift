import SwiftNFCCore

/// A transmission over the air in one direction, from a start to an end of communication.
///
/// The bytes are those on the air, including check bytes: a tag must verify them in a request and
/// append them to an answer, as a chip does. Only framing without information is left out (start
/// and end bits, FeliCa's preamble and sync code, correct parity).
public struct RadioFrame: Hashable, Sendable {
  /// The modulation and framing of bits.
  @nonexhaustive
  public enum Modulation: Hashable, Sendable {
    /// ISO/IEC 14443-2 type A. Jewel, Topaz and NFC Barcode tags use it as well.
    case typeA
    /// ISO/IEC 14443-2 type B. B', SRx, CTx and iCLASS tags use it with their own protocols.
    case typeB
    /// JIS X 6319-4, also ISO/IEC 18092 passive mode. The bytes begin with the length byte.
    case feliCa
    /// ISO/IEC 15693-2. A frame without bytes is a single end of frame, which moves an inventory to
    /// its next slot and releases the answer to a write with the option flag.
    case iso15693
  }

  /// The modulation of the frame.
  public var modulation: Modulation
  /// The bit rate in kilobits per second: 106, 212, 424 or 848; 26 for ISO 15693.
  public var bitRate: Int
  /// The bytes, with check bytes if the frame has them.
  public var bytes: [UInt8]
  /// The number of bits of the last byte that are sent, least significant first: 1 to 8. A type A
  /// short frame (REQA, WUPA) has 7, an acknowledge 4, an anticollision frame any number.
  public var bitsInLastByte: Int
  /// The parity bit after each whole byte; `nil` if each is the odd parity that type A prescribes.
  ///
  /// It is set in other cases: MIFARE Classic encrypts parity, and Jewel sends none.
  public var parity: [Bool]?

  /// Creates a frame from bytes that already include their check bytes.
  public init(
    _ bytes: [UInt8], modulation: Modulation, bitRate: Int = 106, bitsInLastByte: Int = 8,
    parity: [Bool]? = nil
  ) {
    self.bytes = bytes
    self.modulation = modulation
    self.bitRate = bitRate
    self.bitsInLastByte = bitsInLastByte
    self.parity = parity
  }

  /// The number of data bits, without parity.
  public var bitCount: Int {
    bytes.isEmpty ? 0 : (bytes.count - 1) * 8 + bitsInLastByte
  }
}

extension RadioFrame {
  /// Returns a type A standard frame: the bytes and their CRC_A.
  public static func typeA(_ bytes: [UInt8]) -> RadioFrame {
    RadioFrame(bytes + CyclicRedundancyCheck.a(bytes), modulation: .typeA)
  }

  /// Returns a type A frame without check bytes: ATQA, UID with BCC, REQA, an acknowledge.
  public static func typeA(bare bytes: [UInt8], bitsInLastByte: Int = 8) -> RadioFrame {
    RadioFrame(bytes, modulation: .typeA, bitsInLastByte: bitsInLastByte)
  }

  /// Returns a type B frame: the bytes and their CRC_B.
  public static func typeB(_ bytes: [UInt8]) -> RadioFrame {
    RadioFrame(bytes + CyclicRedundancyCheck.b(bytes), modulation: .typeB)
  }

  /// Returns a FeliCa frame: LEN (which counts itself), the payload, the check bytes.
  public static func feliCa(_ payload: [UInt8], bitRate: Int = 212) -> RadioFrame {
    let body = [UInt8(truncatingIfNeeded: payload.count + 1)] + payload
    return RadioFrame(
      body + CyclicRedundancyCheck.feliCa(body), modulation: .feliCa, bitRate: bitRate)
  }

  /// The bytes without their check bytes, if this frame has whole bytes and the check bytes of
  /// `modulation` are right; otherwise `nil`, in which case a tag stays silent.
  ///
  /// For FeliCa, the length byte is checked and removed too.
  public var checkedPayload: [UInt8]? {
    guard bitsInLastByte == 8, bytes.count >= 2 else { return nil }
    let body = Array(bytes.dropLast(2))
    let check = Array(bytes.suffix(2))
    switch modulation {
    case .typeA:
      return CyclicRedundancyCheck.a(body) == check ? body : nil
    case .typeB, .iso15693:
      return CyclicRedundancyCheck.b(body) == check ? body : nil
    case .feliCa:
      guard body.first == UInt8(exactly: body.count), CyclicRedundancyCheck.feliCa(body) == check
      else { return nil }
      return Array(body.dropFirst())
    }
  }
}
